"""A CSV of targets: the good rows go in, once; wrong ones come back with line and reason."""

from __future__ import annotations

import asyncio
import io

import pytest

from winnow.actions import sources as source_actions
from winnow.actions.imports import BATCH, Import, ImportReport
from winnow.actions.intake import Intake
from winnow.db.engine import Database
from winnow.errors import InvalidInput
from winnow.sources import sources

URL = "https://shop.example.com/p"


async def count(database: Database) -> int:
    async with database.connection() as conn:
        row = await (await conn.execute("SELECT count(*) FROM scrape_targets")).fetchone()
    assert row is not None
    return int(row[0])


async def take(database: Database, intake: Intake, data: str | bytes, source: str | None = None) -> ImportReport:
    body = data.encode() if isinstance(data, str) else data
    found = None
    if source is not None:
        async with database.connection() as conn:
            found = await sources.find(conn, source)
    return await Import(database, intake, "ann", found).run(io.BytesIO(body))


async def test_wrong_rows_are_told_and_the_good_ones_are_in(database: Database, intake: Intake) -> None:
    async with database.transaction() as conn:
        await source_actions.add(conn, "ann", intake, name="Shop", url=URL)
    report = await take(
        database,
        intake,
        "url,source,schedule,every,priority,enabled,notes,colour\n"
        f"{URL}/1,Shop,0 */4 * * *,,5,yes,fine,red\n"
        "not a url,Shop\n"
        f"{URL}/3,Nowhere\n"
        f"{URL}/4,Shop,0 0 31 2 *\n"
        f"{URL}/5,Shop,,soon\n"
        f"{URL}/6,Shop,,,high\n"
        f"{URL}/7,Shop,,,,perhaps\n"
        "http://127.0.0.1/8,Shop\n"
        f"{URL}/9,Shop,,6h\n"
        f"{URL}/10\n",
    )
    assert (report.rows, report.added, report.repeated, report.wrong) == (10, 3, 0, 7)
    assert [w.line for w in report.wrong_rows] == [3, 4, 5, 6, 7, 8, 9]
    says = [w.reason for w in report.wrong_rows]
    assert "Nowhere" in says[1]
    assert "never fires" in says[2]
    assert report.ignored_columns == ["colour"]
    assert await count(database) == 3


async def test_nothing_goes_in_twice(database: Database, intake: Intake) -> None:
    data = f"url\n{URL}/1\n{URL}/2\n{URL}/1?utm_source=x\nHTTP://SHOP.example.com/p/2/#a\n"
    first = await take(database, intake, data)
    assert (first.added, first.repeated) == (2, 2)
    assert [w.reason for w in first.repeated_rows] == ["the same page as line 2", "the same page as line 3"]
    again = await take(database, intake, data)
    assert (again.added, again.repeated) == (0, 4)
    assert "already target" in again.repeated_rows[0].reason
    assert await count(database) == 2


async def test_a_large_file_goes_in_by_batches_and_shows_progress(database: Database, intake: Intake) -> None:
    rows = 2 * BATCH + 10
    data = ("url\n" + "".join(f"{URL}/{n}\n" for n in range(rows))).encode()
    seen: list[int] = []
    report = await Import(database, intake, "ann").run(io.BytesIO(data), seen.append)
    assert (report.added, await count(database)) == (rows, rows)
    assert len(seen) == 3
    assert seen == sorted(seen)
    assert seen[-1] == len(data)


async def test_overlapping_imports_at_once_add_each_url_once(database: Database, intake: Intake) -> None:
    forward = [f"{URL}/{n}" for n in range(1_500)]
    files = ["url\n" + "\n".join(forward), "url\n" + "\n".join(reversed(forward))]
    reports = await asyncio.gather(*(take(database, intake, f) for f in files))
    assert sum(r.added for r in reports) == 1_500
    assert sum(r.added + r.repeated for r in reports) == 3_000
    assert await count(database) == 1_500


async def test_rows_without_a_source_go_to_their_domains(database: Database, intake: Intake) -> None:
    await take(database, intake, "https://a.example.com/1\nhttps://b.example.org/1\nhttps://a.example.com/2\n")
    async with database.connection() as conn:
        rows = await (
            await conn.execute(
                "SELECT s.name, count(*)"
                " FROM scrape_targets t JOIN sources s ON s.id = t.source_id GROUP BY 1 ORDER BY 1"
            )
        ).fetchall()
    assert rows == [("example.com", 2), ("example.org", 1)]


async def test_broken_encoding_costs_the_broken_rows_only(database: Database, intake: Intake) -> None:
    good = "".join(f"{URL}/{n},größer\n" for n in range(5)).encode()
    report = await take(database, intake, b"url,notes\n" + good + f"{URL}/x,".encode() + b"\x81\xff\n")
    assert (report.added, report.wrong) == (5, 1)
    assert report.wrong_rows[0].line == 7


async def test_a_file_that_is_no_csv_changes_nothing(database: Database, intake: Intake) -> None:
    with pytest.raises(InvalidInput):
        await take(database, intake, b"PK\x03\x04\x00\x00")
    assert await count(database) == 0


async def test_an_import_is_audited_once(database: Database, intake: Intake) -> None:
    await take(database, intake, f"url\n{URL}/1\nnonsense\n")
    async with database.connection() as conn:
        row = await (await conn.execute("SELECT after FROM audit_log WHERE action = 'targets.imported'")).fetchone()
    assert row == ({"rows": 2, "added": 1, "wrong": 1},)
