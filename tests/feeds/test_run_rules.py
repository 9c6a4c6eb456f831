"""Rules of runs that are easy to break unseen: order of lock, row and file, who may end a run, what is logged."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from typing import Any

import msgspec
import psycopg
import pytest

from tests.feeds.run_log import is_lock_free, replaced
from tests.feeds.shop import HEADER, Shop, row
from tests.feeds.transport.servers import PASSWORD, USER, SftpBox, reach
from winnow.db.engine import Connection, Database
from winnow.feeds import feed as feeds
from winnow.feeds import jobs, runs
from winnow.feeds.failures import (
    RowCountLimitExceeded,
    Transient,
    UniqueProductLimitExceeded,
)
from winnow.feeds.promote import approval, phase2
from winnow.feeds.read.columns import NETWORKS
from winnow.feeds.read.layout import ParseSettings
from winnow.feeds.read.reading import Assignment, CatalogueReader, Chunk, EndOfFile
from winnow.feeds.read.reading_child import frames
from winnow.feeds.runs import FeedJob
from winnow.sources import sources

SOURCE = Path(runs.__file__).parent


async def test_f001_an_impact_catalogue_comes_gzipped_by_sftp_by_schedule_and_by_hand(
    database: Database, tmp_path: Path
) -> None:
    assert "IMPACT" in NETWORKS
    served = tmp_path / "served"
    served.mkdir()
    async with SftpBox(served).running() as box:
        shop = Shop(database, tmp_path / "feeds")
        await shop.open(transport="SFTP", host="127.0.0.1", port=box.port, path="/out/catalogue.csv.gz", username=USER)
        (served / "out").mkdir()

        async def secret(_: object) -> str:
            return PASSWORD

        replaced(shop, reach=reach(), secret=secret)
        for trigger, rows in (("SCHEDULED", 3), ("MANUAL", 4)):
            lines = "\n".join([HEADER, *(row(n) for n in range(1, rows + 1))])
            (served / "out" / "catalogue.csv.gz").write_bytes(gzip.compress(lines.encode()))
            outcome = await shop.run(trigger=trigger)
            assert outcome.run_id is not None, outcome
            run = await shop.run_row(outcome.run_id)
            assert (run["status"], run["trigger"], run["products_upserted"]) == ("SUCCEEDED", trigger, rows)
        assert len(await shop.active()) == 4
        assert (await shop.feed_row())["host_key_fingerprint"] == box.fingerprint


async def test_f043_a_gate_of_ids_stages_tells_and_can_be_approved(shop: Shop) -> None:
    run = await shop.load(f",,Thing {n},https://shop.test/p/{n},10.00,USD,Y" for n in range(1, 4))
    assert (run["status"], run["expiry_blocked_reason"]) == ("SUCCEEDED", "DATA_QUALITY_URL_HASH_SPIKE")
    assert await shop.value("SELECT count(*) FROM source_product_seen") == 3
    assert await shop.active() == []
    assert [n.code for n in shop.notices] == ["DATA_QUALITY_URL_HASH_SPIKE"]
    assert await approval.approve(shop.database, run["id"], "ada") == 3
    assert len(await shop.active()) == 3


async def test_f046_the_number_of_statements_does_not_depend_on_the_rows(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = 0
    original = psycopg.AsyncCursor.execute

    async def counting(self: Any, *given: Any, **more: Any) -> Any:
        nonlocal counted
        counted += 1
        return await original(self, *given, **more)

    await shop.load(row(n) for n in range(1, 11))
    monkeypatch.setattr(psycopg.AsyncCursor, "execute", counting)
    costs = []
    for many in (20, 480):
        counted = 0
        await shop.load(row(n, f"10.{many % 100}") for n in range(1, many + 1))
        costs.append(counted)
    assert costs[0] == costs[1]


@pytest.mark.parametrize("most", [999, 1_000, 6_000])
async def test_f072_f073_the_row_past_the_limit_ends_the_reading_wherever_it_stands(tmp_path: Path, most: int) -> None:
    """Through the reader with its memory: what was read before it is handed out, and the failure says why."""
    path = tmp_path / "catalogue.csv"
    path.write_text("\n".join([HEADER, *map(row, range(most + 1))]))
    assignment = Assignment(
        path=str(path), settings=ParseSettings(max_rows=most), chunk_rows=500, source_id=1, run_id=1
    )
    *found, last = frames(assignment, frozenset)
    assert isinstance(last, RowCountLimitExceeded)
    assert sum(frame.count for frame in found if isinstance(frame, Chunk)) == most


async def test_f047_more_products_than_rows_allowed_end_the_run(shop: Shop) -> None:
    shop.write([row(n) for n in range(1, 11)])
    async with shop.database.connection() as conn:
        feed = await feeds.get(conn, shop.feed_id)
    settings = feed.parse_settings(None)
    path = str(shop.folder / "catalogue.csv")
    reader = CatalogueReader(
        Assignment(path=path, settings=settings, chunk_rows=500, source_id=shop.source_id, run_id=1)
    )
    reader.assignment = msgspec.structs.replace(
        reader.assignment, settings=msgspec.structs.replace(settings, max_rows=10)
    )
    reader.seen = {str(n).encode() for n in range(5)}  # the cache of the run counts, not the row
    with pytest.raises(UniqueProductLimitExceeded) as caught:
        list(reader.chunks())
    assert (caught.value.code, caught.value.limit) == ("UNIQUE_PRODUCT_LIMIT_EXCEEDED", 10)


async def test_f048_fn09_a_price_is_counted_when_it_is_written_and_once(shop: Shop) -> None:
    assert "WHERE affiliate_feed_run_id IS NOT NULL DO NOTHING" in (SOURCE / "load/load_chunk.sql").read_text()
    shop.write([row(1), row(2)])
    original = shop.means.read

    async def dies(assignment: Any) -> Any:
        async for frame in original(assignment):
            if isinstance(frame, EndOfFile):
                raise Transient("lost")
            yield frame

    replaced(shop, read=dies)
    first = await shop.run()
    replaced(shop, read=original)
    again = await shop.run(number=2, job=FeedJob(feed_id=shop.feed_id, run_id=first.run_id))
    assert (again.word, again.run_id) == ("succeeded", first.run_id)
    assert first.run_id is not None
    assert (await shop.run_row(first.run_id))["prices_written"] == 2  # by both attempts together
    assert await shop.value("SELECT count(*) FROM prices") == 2


async def test_f057_f060_the_lock_is_held_from_before_the_row_until_after_its_end(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[str, bool, list[Any]]] = []
    status = "SELECT status FROM affiliate_feed_runs"

    async def looked(when: str) -> None:
        seen.append((when, await is_lock_free(shop), [s for (s,) in await shop.rows(status)]))

    download, succeed = shop.means.download, runs.succeed

    async def downloading(*given: Any) -> Any:
        await looked("file")
        return await download(*given)

    async def ending(conn: Connection, *given: Any) -> Any:
        ended = await succeed(conn, *given)
        await looked("end")
        return ended

    monkeypatch.setattr(runs, "succeed", ending)
    replaced(shop, download=downloading)
    await shop.load([row(1)])
    await looked("after")
    assert seen == [
        ("file", False, ["RUNNING"]), ("end", False, ["RUNNING"]), ("after", True, ["SUCCEEDED"]),
    ]  # fmt: skip


async def test_f060_every_lock_taken_is_one_run_skips_included(shop: Shop) -> None:
    await shop.load([row(1)])
    await shop.run()
    await shop.run()
    found = await shop.rows("SELECT status, skipped_reason FROM affiliate_feed_runs ORDER BY id")
    assert found == [("SUCCEEDED", None), ("SUCCEEDED", "UNCHANGED_MTIME"), ("SUCCEEDED", "UNCHANGED_MTIME")]


def test_f067_only_the_two_finalisers_end_a_run() -> None:
    ending = re.compile(r"status = '(SUCCEEDED|FAILED)'")
    root = SOURCE.parent
    found = {
        file.relative_to(root).as_posix()
        for file in [*root.rglob("*.py"), *root.rglob("*.sql")]
        if re.search(r"UPDATE affiliate_feed_runs", text := file.read_text())
        and ending.search(text)
        and re.search(r"SET status = '(SUCCEEDED|FAILED)'", text)
    }
    assert found == {"feeds/run_succeed.sql", "feeds/run_fail.sql"}


def test_f083_one_moment_decides_no_clock_of_its_own_in_phase_2() -> None:
    for name in ("promote.sql", "promote_counts.sql", "promote_counts_plain.sql"):
        statement = re.sub(r"--.*", "", (SOURCE / "promote" / name).read_text()).lower()
        assert "now()" not in statement
        assert "clock_timestamp" not in statement
        assert "%(t0)s" in statement


async def test_f084_new_offers_are_neither_active_before_nor_seen(shop: Shop) -> None:
    await shop.load(row(n) for n in range(1, 41))
    run = await shop.load(row(n) for n in range(3, 101))
    assert (run["active_count_before"], run["seen_success_count"], run["would_expire_count"]) == (40, 38, 2)
    await shop.later(49)
    run = await shop.load(row(n) for n in range(1, 101))
    assert (run["active_count_before"], run["seen_success_count"]) == (0, 0)  # all had expired


SCRAPED = """
WITH o AS (
    INSERT INTO source_products (source_id, identity_type, identity_value, title, url)
    VALUES (%s, 'IMPACT_ITEM_ID', %s, 'Scraped', 'https://shop.test/s') RETURNING id)
INSERT INTO source_product_presence (source_product_id, last_seen_at, last_seen_success_at)
SELECT id, now(), now() FROM o WHERE %s
"""


async def test_f084_what_was_counted_before_the_load_gives_what_counting_all_gives(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both ways to the numbers, through a feed's whole life: they may never differ."""
    decide = phase2.decide
    quick: list[bool] = []

    async def both(conn: Connection, feed: Any, totals: Any, plain: Any = None) -> phase2.PromotionDecision:
        row = await (await conn.execute("SELECT clock_timestamp()")).fetchone()
        assert row is not None
        given = {"t0": row[0], "expiry_hours": feed.expiry_hours, "source_id": feed.source_id}
        counted = await (await conn.execute(phase2.COUNTS, given)).fetchone()
        quick.append(plain is not None)
        decided = await decide(conn, feed, totals, plain)
        assert (decided.counts.active, decided.counts.seen) == counted
        return decided

    monkeypatch.setattr(phase2, "decide", both)
    runs_of = [
        (range(1, 41), True),  # the first
        (range(1, 41), True),  # nothing new
        (range(1, 61), True),  # some came
        (range(3, 61), False),  # some were missed: each offer is looked at
        (range(3, 61), True),
        (range(2, 61), True),  # one came back
        (range(1, 71), False),  # scraped offers become the feed's
        (range(1, 71), True),
    ]
    for number, (rows, expected) in enumerate(runs_of):
        if number == 6:
            async with shop.database.transaction() as conn:
                for n in (65, 66, 90):
                    await conn.execute(SCRAPED, (shop.source_id, f"item-{n}", n != 66))
        run = await shop.load([*(row(n) for n in rows), *[""] * number])  # blank lines: never the same file
        assert (run["status"], run["skipped_reason"]) == ("SUCCEEDED", None)
        assert quick[-1] is expected, number
    await shop.later(49)
    run = await shop.load(row(n, "11.00") for n in range(1, 71))
    assert run["active_count_before"] == 0


async def test_f087_a_spike_moves_no_moment_of_success(shop: Shop) -> None:
    await shop.load(row(n) for n in range(1, 41))
    moments = "SELECT source_product_id, last_seen_success_at FROM offer_presence ORDER BY 1"
    before = await shop.rows(moments)
    run = await shop.load([row(1), row(2)])
    assert (run["status"], run["expiry_blocked_reason"]) == ("SUCCEEDED", "SPIKE_THRESHOLD_EXCEEDED")
    assert await shop.rows(moments) == before
    assert [n.code for n in shop.notices] == ["SPIKE_THRESHOLD_EXCEEDED"]


async def test_f110_setting_a_primary_clears_the_other_in_one_transaction(shop: Shop) -> None:
    other = await shop.value(
        "INSERT INTO sources (name, url, domain, retailer_id) SELECT 'own', url, domain, retailer_id FROM sources"
        " WHERE id = %s RETURNING id", shop.source_id,
    )  # fmt: skip
    primary = "SELECT id FROM sources WHERE is_display_primary"
    async with shop.database.transaction() as conn:
        await sources.set_display_primary(conn, other)
        assert await shop.rows(primary) == [(shop.source_id,)]  # others see nothing of it yet
    assert await shop.rows(primary) == [(other,)]


async def test_fn17_an_unknown_word_for_stock_is_in_stock_and_counted(shop: Shop) -> None:
    run = await shop.load([row(1, stock="perhaps"), row(2, stock="N"), row(3)])
    assert run["unknown_stock_count"] == 1
    assert await shop.rows("SELECT in_stock FROM prices ORDER BY source_product_id") == [(True,), (False,), (True,)]
    await shop.rows("UPDATE sources SET is_display_primary = false RETURNING 1")
    assert await shop.active() == []  # affiliates fail closed


async def test_f138_promotion_writes_two_rows_however_many_offers_there_are(shop: Shop) -> None:
    run = await shop.load(row(n) for n in range(1, 1_001))
    query = "SELECT coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0)::int FROM pg_stat_xact_user_tables"
    async with shop.database.dedicated() as conn, conn.transaction():
        before = await shop.one(conn, query)
        moment = await shop.one(conn, "SELECT clock_timestamp()")
        await phase2.promote(conn, shop.feed_id, run["id"], moment, 1_000)
        assert await shop.one(conn, query) - before <= 2
    assert await shop.value("SELECT expiry_hours_at_run FROM affiliate_feed_runs") == 48


def test_f131_f132_what_does_not_apply_is_said_with_its_reason() -> None:
    said = (SOURCE.parents[2] / "docs/decisions/not-applicable.md").read_text()
    assert all(f"**{name}**" in said for name in ("F-131", "F-132"))


async def test_f065_a_success_ends_run_and_feed_together(shop: Shop) -> None:
    await shop.run()  # a failure before
    async with shop.database.transaction() as conn:
        await jobs.run_now(conn, await feeds.get(conn, shop.feed_id), "ada")
    run = await shop.load([row(1)])
    feed = await shop.feed_row()
    assert (run["status"], run["skipped_reason"], run["duration_ms"] >= 0) == ("SUCCEEDED", None, True)
    assert (feed["consecutive_failures"], feed["manual_run_pending"]) == (0, False)
    assert feed["last_run_at"] == run["finished_at"]
    assert ";\n" not in runs.SUCCEED  # one statement: both, or neither


async def test_fn06_what_is_known_of_a_file_is_kept_only_when_it_was_loaded(shop: Shop) -> None:
    known = "SELECT last_content_hash, last_remote_size FROM affiliate_feeds"
    shop.write([row(1, price="free")])
    assert (await shop.run()).word == "failed"
    assert await shop.rows(known) == [(None, None)]
    await shop.load([row(1)])
    first = await shop.rows(known)
    shop.write([row(1, price="free")])
    await shop.run()
    assert await shop.rows(known) == first
    await shop.load([row(1)])
    (shop.folder / "catalogue.csv").touch()
    assert (await shop.run()).word == "succeeded"  # the same content: its new moment is known now
    assert (await shop.run()).word == "succeeded"
    last = "SELECT skipped_reason FROM affiliate_feed_runs ORDER BY id DESC LIMIT 2"
    assert await shop.rows(last) == [("UNCHANGED_MTIME",), ("UNCHANGED_HASH",)]


async def test_fn20_what_counts_as_an_error_and_what_is_partial(shop: Shop) -> None:
    run = await shop.load([row(1), row(1, "9.00"), row(2, price="free")])
    assert (run["error_count"], run["duplicate_key_count"], run["is_partial"]) == (1, 1, True)
    await shop.rows("UPDATE affiliate_feeds SET max_row_count = 2 RETURNING 1")
    run = await shop.load([row(1), row(2, price="free"), row(3)])
    assert (run["status"], run["error_count"], run["is_partial"]) == ("FAILED", 2, True)  # the row and the end
    (shop.folder / "catalogue.csv").write_text("nothing")
    outcome = await shop.run()
    assert outcome.run_id is not None
    run = await shop.run_row(outcome.run_id)
    assert (run["status"], run["error_count"], run["is_partial"]) == ("FAILED", 1, False)


def test_f130_what_may_alert_is_a_warning() -> None:
    text = "".join(file.read_text() for file in SOURCE.rglob("*.py"))
    for event in ("IDENTITY_UPGRADE_DETECTED", "CIRCUIT_BREAKER_TRIPPED", "DATA_QUALITY_URL_HASH_SPIKE",
                  "FEED_AUTO_DISABLED", "URL_HASH_FALLBACK", "INSECURE_TRANSPORT_SELECTED"):  # fmt: skip
        assert re.search(rf'log\.warning\(\s*"{event}"', text), event


def test_f133_what_has_to_be_tested_is() -> None:
    required = {
        "ineligible feeds are skipped": "f051", "prices only grow": "f034", "parse errors fail closed": "f074",
        "expiry only after success": "f088", "disabled after three": "f103", "decrypted in the worker only": "f100",
        "one run at a time": "f058", "thresholds at their boundaries": "f086", "the invariant of prices": "fn08",
    }  # fmt: skip
    written = "".join(file.read_text() for file in Path(__file__).parent.rglob("test_*.py"))
    for what, name in required.items():
        assert re.search(rf"def test_(\w+_)?{name}_", written), what
