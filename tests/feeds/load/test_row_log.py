"""F-041, F-124, F-125: what the log says about single rows: a few of each chunk; the run counts all."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.feeds.shop import Shop, row
from winnow.db.engine import Database
from winnow.feeds.load import row_log
from winnow.feeds.read import reading
from winnow.observe import logs
from winnow.observe.settings import ObserveSettings


@pytest.fixture
def told() -> Iterator[io.StringIO]:
    stream = io.StringIO()
    logs.configure(ObserveSettings(log_level="DEBUG"), stream)
    yield stream
    logs.configure(ObserveSettings())


@pytest.fixture
async def shop(database: Database, tmp_path: Path) -> Shop:
    made = Shop(database, tmp_path / "shop")
    await made.open()
    return made


def said(told: io.StringIO, event: str) -> list[dict[str, Any]]:
    lines = [msgspec.json.decode(line) for line in told.getvalue().splitlines()]
    told.seek(0, io.SEEK_END)
    return [line for line in lines if line["event"] == event]


def by_url(n: int) -> str:
    return f",,Thing {n},https://shop.test/p/{n},10.00,USD,Y"


async def test_f124_f125_new_rows(shop: Shop, told: io.StringIO) -> None:
    run = await shop.load(row(n) for n in range(1, 1_101))
    resolved = said(told, "IDENTITY_RESOLVED")
    assert len(resolved) == 3 * reading.SAMPLED  # three chunks of at most 500
    first = resolved[0]
    assert (first["row_number"], first["identity_type"], first["identity_value"]) == (1, "IMPACT_ITEM_ID", "item-1")
    assert first["alternates"]["sku"] == "sku-1"
    made, priced = said(told, "PRODUCT_CREATED"), said(told, "PRICE_WRITTEN")
    assert len(made) == len(priced) == 3 * row_log.SHOWN
    assert (made[0]["identity_value"], priced[0]["amount"], priced[0]["reason"]) == ("item-1", 1000, "new")
    assert await shop.value("SELECT amount_minor FROM prices WHERE id = %s", priced[0]["price_id"]) == 1000
    assert said(told, "PRICE_SIGNATURE")[0]["changed"] is True
    assert {len(said(told, event)) for event in ("PRESENCE_UPDATED", "SEEN_STAGED")} == {9}
    assert (run["products_upserted"], run["prices_written"]) == (1_100, 1_100)  # all are counted
    starts, ends = said(told, "UPSERT_BATCH_START"), said(told, "UPSERT_BATCH_COMPLETE")
    assert [s["batch_number"] for s in starts] == [1, 2, 3]
    assert sorted(e["batch_number"] for e in ends) == [1, 2, 3]  # two connections end in no order
    assert all("duration_ms" in e for e in ends)


async def test_f124_f125_rows_that_changed(shop: Shop, told: io.StringIO) -> None:
    await shop.load([row(1), row(2), row(3)])
    told.truncate(0)
    told.seek(0)
    await shop.load([row(1, price="9.00"), row(2, name="Other"), row(3)])
    updated, written = said(told, "PRODUCT_UPDATED"), said(told, "PRICE_WRITTEN")
    assert [u["fields_changed"] for u in updated] == [["title"]]
    assert [(w["amount"], w["reason"]) for w in written] == [(900, "changed")]
    assert [s["changed"] for s in said(told, "PRICE_SIGNATURE")] == [True, False]
    await shop.later(25)
    await shop.load([row(1, price="9.00"), row(2, name="Other"), row(3), ""])
    assert said(told, "PRICE_HEARTBEAT_DUE")[0]["hours_since"] >= 25
    assert said(told, "PRICE_WRITTEN")[-1]["reason"] == "heartbeat"


async def test_f041_f124_rows_without_an_id(shop: Shop, told: io.StringIO) -> None:
    run = await shop.load([*(row(n) for n in range(1, 21)), *(by_url(n) for n in range(50, 60))])
    found = said(told, "URL_HASH_FALLBACK")
    assert (found[0]["level"], found[0]["row_number"], found[0]["url"]) == ("warning", 21, "https://shop.test/p/50")
    assert len(found) == reading.SAMPLED < run["url_hash_fallback_count"] == 10
    key = await shop.value("SELECT identity_value FROM source_products WHERE identity_type = 'URL_HASH' ORDER BY id")
    assert found[0]["hash"] == key
    assert said(told, "URL_HASH_IDENTITY_CREATED") == []  # none of them was among the first
    await shop.load([by_url(99), *(row(n) for n in range(1, 21)), *(by_url(n) for n in range(50, 60))])
    assert [c["url"] for c in said(told, "URL_HASH_IDENTITY_CREATED")] == ["https://shop.test/p/99"]


async def test_f125_doubled_rows_are_told_with_the_row_before(shop: Shop, told: io.StringIO) -> None:
    await shop.load([row(1), row(2), row(1, "9.00")])
    [double] = said(told, "DUPLICATE_ROW_SAME_IDENTITY")
    assert (double["level"], double["row_number"]) == ("warning", 3)
    assert "row 1" in double["reason"]


async def test_f125_a_chunk_that_fails_is_told_and_rolled_back(
    shop: Shop, told: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    from winnow.feeds.load import writing

    monkeypatch.setattr(writing, "RESERVE", "SELECT 1 / 0, %(count)s")
    shop.write([row(1)])
    assert (await shop.run()).word == "retry"
    [failed] = said(told, "UPSERT_BATCH_FAILED")
    assert (failed["batch_number"], failed["rolled_back"]) == (1, True)
    assert "division by zero" in failed["error"]
    assert await shop.value("SELECT count(*) FROM source_products") == 0


async def test_f124_without_debug_no_row_is_looked_at(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    logs.configure(ObserveSettings(log_level="INFO"), io.StringIO())
    monkeypatch.setattr(row_log, "SAMPLE", "this would fail")
    try:
        assert (await shop.load([row(1)]))["status"] == "SUCCEEDED"
    finally:
        logs.configure(ObserveSettings())
