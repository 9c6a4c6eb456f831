"""Exports: the same rows in every format, safe cells, what each caller may see, and cursors that skip nothing."""

from __future__ import annotations

import io
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import psycopg
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.publish.exports.conftest import Rows, content, exported, parse, select
from tests.store.offer_rows import days, offer, source, write
from winnow.db.engine import Database
from winnow.errors import ConfigError, InvalidInput
from winnow.publish.exports import cursor_file, datasets
from winnow.publish.exports.datasets import Audience
from winnow.publish.exports.files import stream, write_whole
from winnow.publish.exports.text_files import Counted, Format, _unescaped
from winnow.store import corrections, trust

FORMATS = list(Format)
CONSUMER = Audience.CONSUMER
ODD = 'He said "5\\" wide",\n\\N \\\\ tab\there; ünïcödé 🛒'
# Programs read columns by name and by position: this list only grows.
COLUMNS = {
    "prices": "id source_product_id source_id amount amount_minor currency exponent list_price_minor shipping_minor "
    "availability in_stock observed_at created_at ingestion_run_type changed_at",
    "offers": "id source_id source_name product_id title url image_url brand category sku amount amount_minor currency "
    "exponent list_price_minor shipping_minor availability in_stock observed_at priced_at last_seen_at "
    "unavailable_since unavailable_reason unconfirmed_since changed_at",
    "products": "id name brand mpn gtin category description image_url offers created_at changed_at",
    "events": "id source_id source_name title description event_date event_time starts_at ends_at end_date time_zone "
    "category event_status sold_out venue_id venue_name location latitude longitude precision organiser performers "
    "price_low price_high price_low_minor price_high_minor currency exponent image_url url ticket_url language "
    "confidence missing_since created_at changed_at",
}


@pytest.mark.parametrize("audience", list(Audience))
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("dataset", list(COLUMNS))
async def test_the_columns_are_those_that_are_promised(
    database: Database, dataset: str, format: Format, audience: Audience
) -> None:
    """Also of an export without a row."""
    selection = await select(database, dataset, audience)
    data = await content(database, selection, format)
    promised = COLUMNS[dataset].split()
    names = [column.name for column in selection.columns]
    assert names[: len(promised)] == promised
    assert audience is Audience.OPERATOR or names == promised
    if format is Format.CSV:
        assert data == (",".join(names) + "\n").encode()
    elif format is Format.PARQUET:
        assert pq.read_schema(io.BytesIO(data)).names == names
    else:
        assert data == b""


@pytest.mark.parametrize("format", FORMATS)
async def test_values_arrive_as_they_are_stored(database: Database, format: Format) -> None:
    one = await source(database, visibility_status="ELIGIBLE")
    await write(
        database, one, offer("a", 1999, title=ODD), offer("b", 1500, "JPY"), offer("c", 12345, "KWD", brand="Ünï")
    )
    found = await exported(database, "offers", format, raw=True)
    assert [row["title"] for row in found] == [ODD, "Thing b", "Thing c"]
    assert [row["currency"] for row in found] == ["USD", "JPY", "KWD"]
    assert [Decimal(row["amount"]) for row in found] == [Decimal("19.99"), Decimal(1500), Decimal("12.345")]
    assert [int(row["amount_minor"]) for row in found] == [1999, 1500, 12345]
    prices = await exported(database, "prices", format)
    seen = [p["observed_at"] if format is Format.PARQUET else datetime.fromisoformat(p["observed_at"]) for p in prices]
    assert seen == [days(0)] * 3


async def test_native_types_of_parquet(database: Database) -> None:
    await write(database, await source(database), offer())
    schema = pq.read_schema(io.BytesIO(await content(database, await select(database, "prices"), Format.PARQUET)))
    types = {name: str(schema.field(name).type) for name in ("id", "amount", "in_stock", "observed_at", "currency")}
    assert types == {
        "id": "int64", "amount": "decimal128(19, 4)", "in_stock": "bool", "observed_at": "timestamp[us, tz=UTC]",
        "currency": "string",
    }  # fmt: skip


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\t", "\r", "\n", "＝"])
async def test_r21_cells_that_a_spreadsheet_would_run_are_neutralised(database: Database, sign: str) -> None:
    risky = sign + "HYPERLINK(1)"
    await write(database, await source(database), offer(title=risky, brand="2=1+1", sku="safe"))
    (safe,) = await exported(database, "offers", Format.CSV)
    assert (safe["title"], safe["brand"], safe["sku"]) == ("'" + risky, "2=1+1", "safe")
    (raw,) = await exported(database, "offers", Format.CSV, raw=True)
    assert raw["title"] == risky
    for format in (Format.JSONL, Format.PARQUET):
        (row,) = await exported(database, "offers", format)
        assert row["title"] == risky


@given(st.text(st.characters(exclude_characters="\x00", exclude_categories=("Cs",))))
def test_escapes_of_copy_are_undone_exactly(text: str) -> None:
    import orjson

    document = orjson.dumps({"text": text})
    assert _unescaped(document.replace(b"\\", b"\\\\")) == document


# --- who sees what


@pytest.mark.parametrize("format", FORMATS)
async def test_p092_consumers_get_what_they_may_see(database: Database, format: Format) -> None:
    shown = await source(database, "shown", visibility_status="ELIGIBLE")
    hidden = await source(database, "hidden")
    await write(database, shown, offer("a", 100))
    await write(database, hidden, offer("b", 200))
    for dataset in ("prices", "offers"):
        assert [int(r["amount_minor"]) for r in await exported(database, dataset, format)] == [100, 200]
        assert [int(r["amount_minor"]) for r in await exported(database, dataset, format, CONSUMER)] == [100]


async def test_operators_see_what_a_correction_hides_and_consumers_do_not(database: Database) -> None:
    one = await source(database, visibility_status="ELIGIBLE")
    (written,) = await write(database, one, offer("a", 100))
    async with database.transaction() as conn:
        await corrections.add(conn, "ada", {"reason": "x", "action": "IGNORE", "source_product_id": written.product_id})
    (row,) = await exported(database, "prices", Format.JSONL)
    assert row["ignored"] is True
    assert await exported(database, "prices", Format.JSONL, CONSUMER) == []


async def test_filters(database: Database) -> None:
    one, two = await source(database, "one"), await source(database, "two")
    await write(database, one, offer("a"), offer("b"))
    await write(database, two, offer("c"))
    assert len(await exported(database, "prices", Format.JSONL, source_id=one)) == 2
    (second,) = await exported(database, "offers", Format.JSONL, source_id=two)
    assert len(await exported(database, "prices", Format.JSONL, offer_id=second["id"])) == 1


# --- cursors


async def test_what_was_being_written_is_in_the_next_export(database: Database, database_url: str, rows: Rows) -> None:
    """Its id and its time are older than those of rows that were exported already."""
    one = await source(database)
    (first,) = await write(database, one, offer("a", 100))
    with psycopg.connect(database_url) as slow:
        slow.execute(
            "INSERT INTO prices (source_product_id, amount_minor, currency, availability, in_stock, "
            "ingestion_run_type) VALUES (%s, 555, 'USD', 'IN_STOCK', true, 'MANUAL')", (first.product_id,),
        )  # fmt: skip
        await write(database, one, offer("b", 200))
        selection = await select(database, "prices")
        begun = parse(await content(database, selection, Format.JSONL), Format.JSONL)
        slow.commit()
    assert [row["amount_minor"] for row in begun] == [100]
    rest = await exported(database, "prices", Format.JSONL, since=selection.window.until)
    assert sorted(row["amount_minor"] for row in rest) == [200, 555]


async def test_a_correction_brings_a_price_into_the_next_export(database: Database) -> None:
    one = await source(database)
    (written,) = await write(database, one, offer("a", 100))
    await write(database, one, offer("b", 200))
    cursor = (await select(database, "prices")).window.until
    assert await exported(database, "prices", Format.JSONL, since=cursor) == []
    async with database.transaction() as conn:
        made = await corrections.add(
            conn, "ada",
            {"reason": "x", "action": "MULTIPLY", "factor": Decimal(3), "source_product_id": written.product_id},
        )  # fmt: skip
    (row,) = await exported(database, "prices", Format.JSONL, since=cursor)
    assert (row["amount_minor"], row["recorded_minor"], row["correction_id"]) == (300, 100, made)
    cursor = (await select(database, "prices")).window.until
    async with database.transaction() as conn:
        await corrections.revoke(conn, "ada", made)
    (row,) = await exported(database, "prices", Format.JSONL, since=cursor)
    assert (row["amount_minor"], row["correction_id"]) == (100, None)


async def test_a_source_that_becomes_eligible_is_in_the_next_export_of_consumers(database: Database) -> None:
    one = await source(database)
    await write(database, one, offer("a", 100))
    cursor = (await select(database, "prices", CONSUMER)).window.until
    async with database.transaction() as conn:
        await trust.change(conn, one, {"visibility_status": "ELIGIBLE"}, "ada")
    for dataset in ("prices", "offers"):
        found = await exported(database, dataset, Format.JSONL, CONSUMER, since=cursor)
        assert [row["amount_minor"] for row in found] == [100]


async def test_windows_that_meet_have_every_row_once(database: Database) -> None:
    one = await source(database)
    seen: list[int] = []
    cursor = None
    for n in range(4):
        await write(database, one, offer(str(n), 100 + n), offer(f"{n}b", 200 + n))
        selection = await select(database, "prices", since=cursor)
        seen += [row["id"] for row in parse(await content(database, selection, Format.JSONL), Format.JSONL)]
        cursor = selection.window.until
    assert len(seen) == 8
    assert len(set(seen)) == 8


async def test_a_broken_export_goes_on_after_its_last_row(database: Database) -> None:
    one = await source(database)
    await write(database, one, *(offer(str(n), 100 + n) for n in range(5)))
    selection = await select(database, "prices")
    whole = parse(await content(database, selection, Format.CSV), Format.CSV)
    rest = await exported(database, "prices", Format.CSV, until=selection.window.until, after=int(whole[2]["id"]))
    assert rest == whole[3:]


# --- nothing half


async def many_prices(database: Database, rows: Rows, n: int) -> None:
    (written,) = await write(database, await source(database), offer("a"))
    await rows(
        "INSERT INTO prices (source_product_id, amount_minor, currency, availability, in_stock, ingestion_run_type) "
        "SELECT %s, n, 'USD', 'IN_STOCK', true, 'MANUAL' FROM generate_series(1, %s) AS n",
        written.product_id, n,
    )  # fmt: skip


@pytest.mark.parametrize("format", FORMATS)
async def test_an_export_whose_database_goes_away_leaves_no_file(
    database: Database, rows: Rows, tmp_path: Path, format: Format
) -> None:
    await many_prices(database, rows, 200_000)
    path = tmp_path / "prices.out"
    path.write_bytes(b"the export before")
    chunks = stream(database, await select(database, "prices"), format, Counted())

    async def interrupted() -> Any:
        yield await anext(chunks)
        yield await anext(chunks)
        await rows("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query ~ '^COPY'")
        async for chunk in chunks:
            yield chunk

    with pytest.raises(Exception):  # noqa: B017 - the drivers name it differently
        await write_whole(path, interrupted())
    assert path.read_bytes() == b"the export before"
    assert [p.name for p in tmp_path.iterdir()] == ["prices.out"]


async def test_an_export_that_nobody_reads_any_more_ends(database: Database, rows: Rows) -> None:
    await many_prices(database, rows, 200_000)
    for format in FORMATS:
        chunks = stream(database, await select(database, "prices"), format, Counted())
        await anext(chunks)
        await chunks.aclose()
    for _ in range(200):
        left = await rows("SELECT count(*) FROM pg_stat_activity WHERE query ~ '^COPY' AND state = 'active'")
        if left == [0]:
            break
        await rows("SELECT pg_sleep(0.05)")
    assert left == [0]


def test_a_cursor_file_belongs_to_one_export(tmp_path: Path) -> None:
    path, moment = tmp_path / "cursor", days(3)
    assert cursor_file.read(path, datasets.PRICES, CONSUMER) is None
    cursor_file.write(path, datasets.PRICES, CONSUMER, moment)
    assert cursor_file.read(path, datasets.PRICES, CONSUMER) == moment
    with pytest.raises(InvalidInput, match="the cursor of prices for consumers"):
        cursor_file.read(path, datasets.OFFERS, CONSUMER)
    path.write_text("{")
    with pytest.raises(InvalidInput, match="is no cursor"):
        cursor_file.read(path, datasets.PRICES, CONSUMER)


async def test_without_the_extra_parquet_says_what_to_install(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow.parquet", None)
    with pytest.raises(ConfigError, match=r"this needs pyarrow.*pip install 'winnow\[export\]'"):
        await content(database, await select(database, "prices"), Format.PARQUET)
