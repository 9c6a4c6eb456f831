"""Corners of loading: doubled rows across chunks, XML through the loader, files that attempts leave behind."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.feeds.read.google_feed import feed as google_feed
from tests.feeds.read.google_feed import item
from tests.feeds.shop import FILE, Shop, row
from winnow.feeds.failures import Transient
from winnow.feeds.load.writing import _PLANS, STAGE
from winnow.feeds.load.writing import CHUNK as LOAD_CHUNK
from winnow.feeds.read.child import _pump, read
from winnow.feeds.read.late import LateRows
from winnow.feeds.read.reading import EndOfFile
from winnow.feeds.read.row import Row
from winnow.feeds.read.staging import HeldRow
from winnow.feeds.runs import FeedJob

CHUNK = 500
PRICES = (
    "SELECT p.amount_minor FROM prices p JOIN source_products o ON o.id = p.source_product_id"
    " WHERE o.identity_value = %s ORDER BY p.id"
)
LATEST = (
    "SELECT l.amount_minor FROM latest_prices l JOIN source_products o ON o.id = l.source_product_id"
    " WHERE o.identity_value = %s"
)


def over_chunks(*prices: str) -> list[str]:
    """One offer in several chunks of a file, at these prices."""
    rows = []
    for part, price in enumerate(prices):
        rows += [row(1, price), *(row(n) for n in range(1000 * (part + 1), 1000 * (part + 1) + CHUNK))]
    return rows


async def test_f074_a_frame_that_cannot_be_read_ends_the_attempt_instead_of_waiting_for_ever() -> None:
    waiting = asyncio.Queue[object]()
    await _pump(lambda: bytearray(b"7"), waiting)
    failure = waiting.get_nowait()
    assert isinstance(failure, Transient)
    assert failure.code == "READER_LOST"


@pytest.mark.parametrize("before", [None, "9.00", "8.00", "7.00"])
async def test_f049_the_last_of_a_price_that_comes_and_goes_in_one_file_wins(shop: Shop, before: str | None) -> None:
    if before is not None:
        await shop.load([row(1, before)])
    run = await shop.load(over_chunks("9.00", "8.00", "9.00"))
    assert (run["status"], run["duplicate_key_count"]) == ("SUCCEEDED", 2)
    assert await shop.value(LATEST, "item-1") == 900
    assert (await shop.rows(PRICES, "item-1"))[-1] == (900,)
    assert await shop.value("SELECT amount_minor FROM consumer_offers WHERE sku = 'sku-1'") == 900


async def test_f075_an_offer_that_stands_in_two_chunks_is_counted_once(shop: Shop) -> None:
    counted = []
    for extra in range(2):
        run = await shop.load([row(1, "83.64"), *(row(n) for n in range(2, 1_200)), row(1, "54.11"), *[""] * extra])
        counted.append((run["rows_parsed"], run["products_upserted"], run["duplicate_key_count"]))
    assert counted == [(1_200, 1_199, 1)] * 2
    assert await shop.value(LATEST, "item-1") == 5_411


async def test_f063_a_retry_of_doubled_rows_writes_no_price_twice(shop: Shop) -> None:
    shop.write(over_chunks("9.00", "8.00"))
    original, calls = shop.means.read, 0

    async def dies_at_the_end(assignment: Any) -> Any:
        nonlocal calls
        calls += 1
        async for frame in original(assignment):
            if calls == 1 and isinstance(frame, EndOfFile):
                raise Transient("the reader died")
            yield frame

    shop.means = msgspec.structs.replace(shop.means, read=dies_at_the_end)
    first = await shop.run()
    assert first.word == "retry"
    again = await shop.run(number=2, job=FeedJob(feed_id=shop.feed_id, run_id=first.run_id))
    assert again.word == "succeeded"
    assert await shop.rows(PRICES, "item-1") == [(900,), (800,)]
    assert await shop.value(LATEST, "item-1") == 800


def test_f049_late_rows_are_kept_on_disk_and_come_back_in_order() -> None:
    values: dict[str, Any] = dict.fromkeys(Row._fields)
    with LateRows() as late:
        for n in range(3_000):
            made = Row(**{**values, "row_number": n, "name": "x" * 2_000, "url": "caf\udce9"})
            late.keep(HeldRow(made, b"d" * 16, b"\0" + str(n % 7).encode(), "SKU", str(n % 7), "h"))
        found = [one.row.row_number for one in late.last_ones()]
    assert found == list(range(2_993, 3_000))


async def test_f070_an_xml_catalogue_goes_through_the_whole_loader(shop: Shop) -> None:
    async def load(*items: str) -> dict[str, Any]:
        (shop.folder / FILE).write_text(google_feed(*items))
        outcome = await shop.run()
        assert outcome.run_id is not None
        return await shop.run_row(outcome.run_id)

    run = await load(*(item(n) for n in range(1, 601)), item(601, price="free"))
    assert (run["status"], run["rows_read"], run["products_upserted"], run["error_count"]) == ("SUCCEEDED", 601, 600, 1)
    assert len(await shop.active()) == 600
    known = "SELECT title, url, sku, brand FROM source_products WHERE sku = '7'"
    assert await shop.rows(known) == [("Thing é", "https://s.example/7?a=1&b=2", "7", None)]
    assert await shop.value("SELECT value FROM source_product_identifiers LIMIT 1") == "020892215513"
    again = await load(*(item(n, price="9.99 USD" if n == 7 else "19.99 USD") for n in range(1, 601)))
    assert (again["prices_written"], again["products_upserted"], again["error_count"]) == (1, 600, 0)
    assert await shop.value("SELECT amount_minor FROM consumer_offers WHERE sku = '7'") == 999
    cut = google_feed(*(item(n) for n in range(1, 601)))
    (shop.folder / FILE).write_text(cut[: len(cut) // 2])
    outcome = await shop.run()
    assert outcome.word == "failed", outcome
    assert len(await shop.active()) == 600


async def test_f060_what_attempts_left_behind_goes_with_the_last_one(shop: Shop) -> None:
    work = shop.means.folder

    async def breaks_off(_: Any, __: Any, to: Path) -> Any:
        to.with_name(to.name + ".part").write_bytes(b"half")
        to.with_name(to.name + ".part.json").write_bytes(b"{}")
        raise Transient("the line broke")

    shop.write([row(1)])
    whole = shop.means.download
    shop.means = msgspec.structs.replace(shop.means, download=breaks_off)
    first = await shop.run()
    assert first.word == "retry"
    assert len(list(work.iterdir())) == 2  # the next attempt goes on from there
    job = FeedJob(feed_id=shop.feed_id, run_id=first.run_id)
    await shop.run(number=2, job=job)
    assert (await shop.run(number=3, job=job)).word == "failed"
    assert list(work.iterdir()) == []
    lost = work / f"feed-{shop.feed_id}-run-0.part"  # of a worker that was killed
    others = work / f"feed-{shop.feed_id}1-run-0.part"
    for path in (lost, others):
        path.write_bytes(b"half")
    shop.means = msgspec.structs.replace(shop.means, download=whole)
    assert (await shop.run()).word == "succeeded"
    assert list(work.iterdir()) == [others]


@pytest.mark.parametrize("rows", [[], [row(1, price="free"), row(2, price="")]])
async def test_f002_a_file_without_a_usable_row_takes_nothing_off_the_shelf(shop: Shop, rows: list[str]) -> None:
    await shop.load([row(1), row(2), row(3)])
    run = await shop.load(rows)
    assert (run["status"], run["error_code"], run["is_partial"]) == ("FAILED", "NO_USABLE_ROWS", False)
    assert run["error_count"] == len(rows) + 1
    await shop.later(20)
    assert len(await shop.active()) == 3
    assert await shop.value("SELECT count(*) FROM offer_presence WHERE in_step") == 3


async def test_f071_a_chunk_is_looked_up_by_key_however_large_the_tables_are(shop: Shop) -> None:
    """A plan that reads a whole table for each chunk makes the second catalogue of a shop slower than the first."""
    await shop.load(f"item-{n},sku-{n},Thing,https://shop.test/p/{n},10.00,USD,Y" for n in range(1, 600))
    async with shop.database.dedicated() as conn, conn.transaction():
        await conn.execute(STAGE)
        await conn.execute("ANALYZE source_products, latest_prices")
        await conn.execute(_PLANS)
        given = {"source_id": shop.source_id, "run_id": 1, "heartbeat_hours": 24, "jump_factor": 5}
        plan = [str(line[0]) for line in await (await conn.execute(f"EXPLAIN {LOAD_CHUNK}", given)).fetchall()]
    whole = [line for line in plan if "Seq Scan" in line and "feed_stage" not in line]
    assert not whole
    assert not [line for line in plan if "SubPlan" in line]  # an EXISTS may be planned as a hash of all there is


async def test_f046_an_offer_changed_by_somebody_else_is_read_again(shop: Shop) -> None:
    """The reader's own process is told of it after it has begun to read what is remembered."""
    shop.means = msgspec.structs.replace(shop.means, read=read)
    await shop.load(row(n) for n in range(1, 31))
    async with shop.database.transaction() as conn:
        await conn.execute("UPDATE source_products SET title = 'Not ours', updated_at = clock_timestamp()"
                           " WHERE identity_value = 'item-7'")  # fmt: skip
    run = await shop.load([*(row(n) for n in range(1, 31)), ""])
    assert (run["status"], run["products_upserted"], run["prices_written"]) == ("SUCCEEDED", 30, 0)
    assert await shop.value("SELECT title FROM source_products WHERE identity_value = 'item-7'") == "Thing 7"


async def test_f019_notes_about_rows_that_were_used_do_not_hide_the_row_that_was_not(shop: Shop) -> None:
    header = "CatalogItemId,SKU,Name,Url,Price,MSRP"
    rows = [f"item-{n},sku-{n},Thing {n},https://shop.test/p/{n},10.00,5.00" for n in range(400)]
    rows.append("item-x,sku-x,Thing x,https://shop.test/p/x,soon,")
    shop.write(rows, header)
    outcome = await shop.run()
    assert outcome.run_id is not None
    codes = await shop.rows(
        "SELECT code, count(*), max(row_number) FROM affiliate_feed_run_errors WHERE run_id = %s GROUP BY code ORDER BY code",
        outcome.run_id,
    )
    assert codes == [("INVALID_PRICE", 1, 401), ("LIST_PRICE_REFUSED", 100, 100)]
