"""Phase 1 and 2 through a real file, a real reader process and a real database."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path

import msgspec
import psutil
import pytest

from tests.feeds.shop import FILE, HEADER, Shop, row
from tests.waiting import LIMIT, wait_until
from winnow.feeds.read.child import Frame, Prepare, read
from winnow.feeds.read.layout import ParseSettings
from winnow.feeds.read.reading import Assignment, Chunk


async def test_f070_a_first_load_is_written_activated_and_shown(shop: Shop) -> None:
    shop.means = msgspec.structs.replace(shop.means, read=read)  # in its own process, as workers do
    run = await shop.load(row(n) for n in range(1, 1201))
    assert run["status"] == "SUCCEEDED", run
    assert (run["rows_read"], run["rows_parsed"], run["products_upserted"], run["prices_written"]) == (1200,) * 4
    assert not run["expiry_blocked"]
    assert len(await shop.active()) == 1200
    assert await shop.value("SELECT count(*) FROM source_product_seen") == 1200


async def test_f096_a_reader_that_was_started_for_nothing_is_ended(shop: Shop) -> None:
    """It starts while the file is fetched: nobody knows yet whether there is anything new in it."""
    started: list[int] = []

    async def counted(prepare: Prepare) -> AsyncGenerator[Frame, None]:
        async for frame in read(prepare):
            started.append(len(psutil.Process().children()))
            yield frame

    shop.means = msgspec.structs.replace(shop.means, read=counted)
    await shop.load([row(1)])
    assert started[0] >= 1
    os.utime(shop.folder / FILE)
    outcome = await shop.run()
    assert (await shop.run_row(outcome.run_id or 0))["skipped_reason"] == "UNCHANGED_HASH"
    shop.means = msgspec.structs.replace(shop.means, read=read)
    (shop.folder / FILE).unlink()
    assert (await shop.run()).word != "succeeded"
    assert not [child for child in psutil.Process().children() if "reading_child" in " ".join(child.cmdline())]


async def test_a_message_the_reader_does_not_need_does_not_hold_it_up(tmp_path: Path) -> None:
    """What was changed since is read only where something is remembered; it may be more than a pipe holds."""
    path = tmp_path / FILE
    path.write_text("\n".join([HEADER, *map(row, range(20_000))]))
    changed = frozenset(b"%016d" % n for n in range(50_000))

    async def prepare() -> AsyncIterator[Assignment | frozenset[bytes]]:
        yield Assignment(path=str(path), settings=ParseSettings(), chunk_rows=500, source_id=1, run_id=1)
        yield changed

    async with asyncio.timeout(LIMIT):
        found = [frame async for frame in read(prepare)]
    assert sum(frame.count for frame in found if isinstance(frame, Chunk)) == 20_000


@pytest.mark.parametrize("interrupted", [False, True])
def test_a_reader_whose_worker_is_gone_before_it_has_a_file_ends_without_a_word(interrupted: bool) -> None:
    command = [sys.executable, "-m", "winnow.feeds.read.reading_child"]
    reader = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if interrupted:  # Ctrl-C reaches every process of the terminal
        wait_until(lambda: _ignores_interrupts(reader.pid))
        reader.send_signal(signal.SIGINT)
    assert reader.communicate(timeout=LIMIT) == (b"", b"")
    assert reader.returncode == 0


def _ignores_interrupts(pid: int) -> bool:
    status = Path(f"/proc/{pid}/status").read_text()
    ignored = int(next(line.split()[1] for line in status.splitlines() if line.startswith("SigIgn")), 16)
    return bool(ignored >> (signal.SIGINT - 1) & 1)


async def test_f063_an_unchanged_file_with_another_face_writes_nothing_twice(shop: Shop) -> None:
    await shop.load(row(n) for n in range(1, 31))
    run = await shop.load([*(row(n) for n in range(1, 31)), ""])
    assert (run["products_upserted"], run["prices_written"], run["skipped_reason"]) == (30, 0, None)
    assert await shop.value("SELECT count(*) FROM prices") == 30


async def test_f044_only_changed_prices_are_appended(shop: Shop) -> None:
    await shop.load(row(n) for n in range(1, 31))
    run = await shop.load(row(n, price="9.00" if n <= 3 else "10.00") for n in range(1, 31))
    assert run["prices_written"] == 3
    assert await shop.value("SELECT count(*) FROM latest_prices WHERE amount_minor = 900") == 3


async def test_fn14_a_change_of_stock_is_a_change(shop: Shop) -> None:
    await shop.load(row(n) for n in range(1, 31))
    run = await shop.load(row(n, stock="N" if n == 1 else "Y") for n in range(1, 31))
    assert run["prices_written"] == 1


async def test_f044_after_a_day_the_same_price_is_written_again(shop: Shop) -> None:
    await shop.load(row(n) for n in range(1, 31))
    await shop.later(24)
    run = await shop.load([*(row(n) for n in range(1, 31)), ""])
    assert run["prices_written"] == 30


async def test_f075_the_last_row_of_an_identity_wins_in_a_chunk_and_across(shop: Shop) -> None:
    rows = [row(1, "5.00"), *(row(n) for n in range(2, 700)), row(2, "6.00"), row(1, "7.00")]
    run = await shop.load(rows)
    assert (run["duplicate_key_count"], run["error_count"], run["products_upserted"]) == (2, 0, 699)
    newest = await shop.rows(
        "SELECT o.identity_value, l.amount_minor FROM source_products o JOIN latest_prices l"
        " ON l.source_product_id = o.id WHERE o.identity_value IN ('item-1', 'item-2') ORDER BY 1"
    )
    assert newest == [("item-1", 700), ("item-2", 600)]
    again = await shop.load([*rows, ""])
    assert again["duplicate_key_count"] == 2
    only_first = await shop.load([*rows[:-2], ""])
    assert only_first["duplicate_key_count"] == 0
    assert await shop.value("SELECT amount_minor FROM latest_prices l JOIN source_products o ON o.id ="
                            " l.source_product_id WHERE o.identity_value = 'item-1'") == 500  # fmt: skip


async def test_f071_a_changed_title_is_written_and_one_of_a_failed_run_is_not_forgotten(shop: Shop) -> None:
    await shop.load(row(n) for n in range(1, 31))
    await shop.load(row(n, name="Other" if n == 1 else None) for n in range(1, 31))
    assert await shop.value("SELECT title FROM source_products WHERE identity_value = 'item-1'") == "Other"
    async with shop.database.connection() as conn:  # somebody else changes it
        await conn.execute("UPDATE source_products SET title = 'X', updated_at = now() WHERE identity_value = 'item-2'")
    await shop.load([*(row(n, name="Other" if n == 1 else None) for n in range(1, 31)), ""])
    assert await shop.value("SELECT title FROM source_products WHERE identity_value = 'item-2'") == "Thing 2"


async def test_f019_bad_rows_are_counted_and_reported(shop: Shop) -> None:
    run = await shop.load([row(1), "item-2,sku-2,,https://shop.test/p/2,10.00,USD,Y", row(3, price="free")])
    assert (run["products_rejected"], run["error_count"], run["is_partial"]) == (2, 2, True)
    assert {r[0] for r in await shop.rows("SELECT row_number FROM affiliate_feed_run_errors")} == {2, 3}


async def test_f086_a_spike_blocks_and_leaves_everything_active(shop: Shop) -> None:
    await shop.load(row(n) for n in range(1, 41))
    run = await shop.load(row(n, price="1.00") for n in range(1, 21))
    assert (run["expiry_blocked"], run["expiry_blocked_reason"]) == (True, "SPIKE_THRESHOLD_EXCEEDED")
    assert (run["active_count_before"], run["seen_success_count"], run["would_expire_count"]) == (40, 20, 20)
    assert len(await shop.active()) == 40
    assert [n.code for n in shop.notices] == ["SPIKE_THRESHOLD_EXCEEDED"]


async def test_f088_what_a_run_missed_expires_by_itself_and_comes_back(shop: Shop) -> None:
    await shop.load(row(n) for n in range(1, 41))
    run = await shop.load(row(n) for n in range(1, 36))
    assert (run["expiry_blocked"], run["products_expired"]) == (False, 5)
    assert len(await shop.active()) == 40
    await shop.later(40)
    await shop.load([*(row(n) for n in range(1, 36)), ""])
    await shop.later(20)
    assert len(await shop.active()) == 35
    await shop.load(row(n) for n in range(1, 41))
    assert len(await shop.active()) == 40
    assert await shop.value("SELECT count(*) FROM offer_presence WHERE in_step") == 40


async def test_f029_the_boundary_of_the_window_is_active(shop: Shop) -> None:
    await shop.load([row(1)])
    states = "SELECT last_seen_success_at IS NOT NULL, last_seen_at > last_seen_success_at FROM offer_presence"
    assert await shop.rows(states) == [(True, False)]


async def test_f042_rows_without_ids_are_loaded_and_not_shown(shop: Shop) -> None:
    rows = [f",,Thing {n},https://shop.test/p/{n}?utm_source=x,10.00,USD,Y" for n in range(1, 7)]
    run = await shop.load([*rows, *(row(n) for n in range(7, 12))])
    assert run["expiry_blocked_reason"] == "DATA_QUALITY_URL_HASH_SPIKE"
    assert run["url_hash_fallback_count"] == 6
    assert await shop.active() == []
    assert await shop.value("SELECT url FROM source_products WHERE title = 'Thing 1'") == "https://shop.test/p/1"


async def test_f094_f096_the_same_file_is_skipped_and_moves_nothing(shop: Shop) -> None:
    await shop.load([row(1)])
    before = await shop.rows("SELECT * FROM offer_presence")
    outcome = await shop.run()
    assert outcome.run_id is not None
    run = await shop.run_row(outcome.run_id)
    assert (run["status"], run["skipped_reason"]) == ("SUCCEEDED", "UNCHANGED_MTIME")
    (shop.folder / "catalogue.csv").touch()
    outcome = await shop.run()
    assert outcome.run_id is not None
    assert (await shop.run_row(outcome.run_id))["skipped_reason"] == "UNCHANGED_HASH"
    assert await shop.rows("SELECT * FROM offer_presence") == before


async def test_fn07_an_unchanged_file_refreshes_when_the_feed_says_so(shop: Shop) -> None:
    await shop.load([row(1)])
    await shop.rows("UPDATE affiliate_feeds SET refresh_unchanged = true RETURNING 1")
    await shop.later(30)
    await shop.run()
    await shop.later(30)
    assert len(await shop.active()) == 1


async def test_f072_f073_too_many_rows_fail_the_run_and_keep_what_was_read(shop: Shop) -> None:
    await shop.rows("UPDATE affiliate_feeds SET max_row_count = 600 RETURNING 1")
    run = await shop.load(row(n) for n in range(1, 702))
    assert (run["status"], run["error_code"], run["is_partial"]) == ("FAILED", "ROW_COUNT_LIMIT_EXCEEDED", True)
    assert await shop.active() == []
    assert [n.code for n in shop.notices] == ["ROW_COUNT_LIMIT_EXCEEDED"]


async def test_f074_a_file_that_breaks_in_the_middle_activates_nothing(shop: Shop) -> None:
    await shop.load(row(n) for n in range(1, 41))
    run = await shop.load([*(row(n, "8.00") for n in range(1, 1300))])
    assert run["status"] == "SUCCEEDED"
    import gzip

    whole = gzip.compress(("\n".join([HEADER, *(row(n, "9.00") for n in range(1, 60_000))])).encode())
    (shop.folder / "catalogue.csv").write_bytes(whole[: len(whole) // 2])
    outcome = await shop.run()
    assert outcome.run_id is not None
    failed = await shop.run_row(outcome.run_id)
    assert (failed["status"], failed["is_partial"], failed["products_upserted"] > 0) == ("FAILED", True, True)
    assert failed["promoted_at"] is None
    assert (await shop.feed_row())["last_content_hash"] is not None  # of the load before (FN-06)


async def test_f049_a_new_row_before_a_known_one_of_its_identity_does_not_win(shop: Shop) -> None:
    await shop.load(row(n) for n in range(1, 31))
    run = await shop.load([row(1, "3.00"), *(row(n) for n in range(1, 31))])
    assert run["duplicate_key_count"] == 1
    price = (
        "SELECT amount_minor FROM latest_prices l JOIN source_products o ON o.id = l.source_product_id WHERE sku = %s"
    )
    assert await shop.value(price, "sku-1") == 1000
    await shop.load([*(row(n) for n in range(1, 31)), row(2, "4.00")])
    assert await shop.value(price, "sku-2") == 400


@pytest.mark.parametrize(
    "name",
    ["tab\there", "back\\slash \\N", "li\u2028ne", "odd\x1d\x1e\x1fsigns", "caf\u00e9 \U0001f600", "\\.", "5 %d %"],
)
async def test_f071_whatever_a_name_holds_arrives(shop: Shop, name: str) -> None:
    await shop.load([row(1, name=name), row(2)])
    kept = await shop.value("SELECT title FROM source_products WHERE identity_value = 'item-1'")
    assert kept == name
