"""`winnow export`."""

from __future__ import annotations

import asyncio
import csv
import io
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Winnow, fetch, one_line
from tests.publish.exports.conftest import parse
from tests.store.offer_rows import offer, source, write
from winnow.db.engine import Database
from winnow.db.settings import DatabaseSettings
from winnow.publish.exports.text_files import Format


def add_offer(settings: DatabaseSettings, sku: str, minor: int) -> None:
    async def add() -> None:
        async with await Database.open(settings) as database:
            await write(database, await source(database, f"shop{sku}"), offer(sku, minor))

    asyncio.run(add())


def test_a_file_by_its_name_and_the_cursor_of_the_next_one(
    winnow: Winnow, database_settings: DatabaseSettings, tmp_path: Path
) -> None:
    add_offer(database_settings, "a", 100)
    for format in Format:
        out = tmp_path / f"prices.{format.value}"
        done = winnow("export", "prices", "--out", str(out), "--json")
        assert done.data["rows"] == 1
        (row,) = parse(out.read_bytes(), format)
        assert int(row["amount_minor"]) == 100
        again = winnow("export", "prices", "--since", done.data["cursor"])
        assert list(csv.DictReader(io.StringIO(again.out))) == []
        assert "0 prices; go on with --since" in again.err


def test_a_cursor_file_makes_each_export_go_on_where_the_one_before_ended(
    winnow: Winnow, database_settings: DatabaseSettings, tmp_path: Path
) -> None:
    found = []
    for n in range(3):
        add_offer(database_settings, str(n), 100 + n)
        out = tmp_path / f"{n}.jsonl"
        assert winnow("export", "prices", "--cursor", "at", "--out", str(out)).code == 0
        found.append([row["amount_minor"] for row in parse(out.read_bytes(), Format.JSONL)])
    assert found == [[100], [101], [102]]
    one_line(winnow("export", "offers", "--cursor", "at", "--out", "x"), "is the cursor of prices")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("export", "secrets"), "what can be exported is prices, offers, products, events"),
        (("export", "prices", "--format", "xml"), "format is csv, jsonl or parquet"),
        (("export", "prices", "--since", "yesterday"), "--since is a moment such as 2026-03-01"),
        (("export", "prices", "--cursor", "at"), "--cursor goes with --out"),
        (("export", "prices", "--source", "nobody"), "nobody"),
        (("export", "prices", "--out", "no/such/folder/prices.csv"), "No such file or directory"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(winnow: Winnow, arguments: tuple[str, ...], says: str) -> None:
    one_line(winnow(*arguments), says)


def test_without_the_extra_one_line_says_what_to_install(winnow: Winnow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "adbc_driver_postgresql.dbapi", None)
    one_line(winnow("export", "prices", "--out", "p.parquet"), "pip install 'winnow[export]'")
    assert not Path("p.parquet").exists()


def test_nothing_is_written_to_the_database(winnow: Winnow, database_url: str) -> None:
    assert winnow("export", "prices").code == 0
    assert fetch(database_url, "SELECT count(*) FROM audit_log") == [(0,)]
