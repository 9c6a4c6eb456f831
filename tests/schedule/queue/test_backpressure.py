"""The queue takes what it has room for and says what it refused (P-069, P-070)."""

from __future__ import annotations

from tests.schedule.watching import add_source, add_targets, row, rows, scalar
from winnow.db.engine import Connection, Database
from winnow.schedule import runs, scheduler
from winnow.schedule.queue import queue
from winnow.schedule.queue.backpressure import RETRY_AFTER_MS, QueueRoom, Rejection, admit
from winnow.schedule.queue.task import Producer, Trigger
from winnow.schedule.settings import ScheduleSettings

TIGHT = ScheduleSettings(_env_file=None, queue_per_adapter=5, queue_total=8, queue_enrichment=3, queue_other=4)
FULL = (Rejection.QUEUE_FULL, RETRY_AFTER_MS)


async def fill(conn: Connection, make_task, n: int, **more) -> None:
    await queue.enqueue(conn, [make_task(n=k, **more) for k in range(n)])


def test_p069_the_defaults_are_the_requirements():
    given = ScheduleSettings(_env_file=None)
    assert (given.queue_per_adapter, given.queue_total, given.stale_after_hours) == (1_000, 10_000, 24)
    assert given.queue_enrichment == 500


async def test_p070_each_answer_says_how_many_fit_and_why_not_more(database: Database, make_task):
    async with database.connection() as conn:
        prices = {"producer": Producer.PRICES}
        assert await admit(conn, Producer.PRICES, "a", 5, TIGHT) == QueueRoom(5)
        assert await admit(conn, Producer.PRICES, "a", 6, TIGHT) == QueueRoom(5, *FULL)
        await fill(conn, make_task, 4, adapter_id="a", **prices)
        assert await admit(conn, Producer.PRICES, "a", 9, TIGHT) == QueueRoom(1, *FULL)
        assert await admit(conn, Producer.PRICES, "b", 9, TIGHT) == QueueRoom(4, *FULL), "4 of 8 are left in all"
        await fill(conn, make_task, 4, adapter_id="b", **prices)
        assert await admit(conn, Producer.PRICES, "c", 1, TIGHT) == QueueRoom(0, *FULL)
        assert await admit(conn, Producer.CATALOGUE, "c", 1, TIGHT) == QueueRoom(1), "caps are per producer (§11.15)"
        await fill(conn, make_task, 3, producer=Producer.ENRICHMENT)
        assert await admit(conn, Producer.ENRICHMENT, None, 1, TIGHT) == QueueRoom(0, *FULL)


async def test_p069_only_what_is_pending_counts(database: Database, make_task, lane):
    await lane("shop.test")
    async with database.connection() as conn:
        await fill(conn, make_task, 5, adapter_id="a", producer=Producer.PRICES)
        assert (await admit(conn, Producer.PRICES, "a", 1, TIGHT)).room == 0
        await queue.claim(conn, "w", 2, 60)
        assert (await admit(conn, Producer.PRICES, "a", 9, TIGHT)).room == 2


async def test_p087_a_disabled_adapter_is_refused_as_such(database: Database):
    async with database.transaction() as conn:
        source = await add_source(conn)
        await add_targets(conn, source, 2)
        await conn.execute(
            "INSERT INTO scrape_adapter_status (adapter_id, enabled, disabled_reason, disabled_at) "
            "VALUES ('generic', false, 'MANUAL', now())"
        )
        done = await runs.start(conn, source, Trigger.MANUAL, TIGHT)
        assert (done.run_id, done.accepted, done.rejected) == (None, [], 2)
        assert (done.reason, done.retry_after_ms) == (Rejection.ADAPTER_DISABLED, RETRY_AFTER_MS)
        assert await scalar(conn, "SELECT count(*) FROM scrape_runs") == 0


async def test_p070_what_is_rejected_stays_due_and_goes_in_when_there_is_room(database: Database):
    async with database.connection() as conn:
        source = await add_source(conn)
        await add_targets(conn, source, 4, priority=1)
        await add_targets(conn, source, 4)
        async with database.transaction() as tx:
            done = await scheduler.tick(tx, TIGHT)
        assert (done.accepted, done.rejected) == (5, 3)
        assert await scalar(conn, "SELECT count(*) FROM tasks WHERE rank = 74") == 4, "the important ones went first"
        waiting = "SELECT priority, count(*) FROM scrape_targets WHERE next_crawl_at < now() GROUP BY priority"
        assert await rows(conn, waiting) == [(0, 3)]
        await conn.execute("UPDATE tasks SET status = 'done'")
        await conn.execute("UPDATE scrape_runs SET status = 'SUCCESS'")
        async with database.transaction() as tx:
            assert (await scheduler.tick(tx, TIGHT)).accepted == 3
        assert await row(conn, "SELECT count(*), count(DISTINCT target_id) FROM tasks") == (8, 8)
