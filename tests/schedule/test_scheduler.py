"""What is due becomes runs and tasks, once, in order, and never what must not be visited (P-072 … P-075)."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from tests.schedule.watching import add_source, add_targets, row, rows, scalar
from winnow.db.engine import Database
from winnow.errors import Conflict
from winnow.schedule import runs, scheduler
from winnow.schedule.queue.task import Trigger
from winnow.schedule.settings import ScheduleSettings

SETTINGS = ScheduleSettings(_env_file=None)
TASKS = "SELECT target_id FROM tasks WHERE status = 'queued' ORDER BY rank, id"


async def tick(database: Database, settings: ScheduleSettings = SETTINGS, **more: bool) -> scheduler.Tick:
    async with database.transaction() as conn:
        return await scheduler.tick(conn, settings, **more)


async def test_p072_what_is_due_becomes_one_run_per_source_by_priority(database: Database):
    async with database.connection() as conn:
        one, other = await add_source(conn, "one.test"), await add_source(conn, "other.test")
        low = await add_targets(conn, one, 2, "one.test", priority=-5)
        high = await add_targets(conn, one, 2, "one.test", priority=9)
        lone = await add_targets(conn, other, 1, "other.test")
        await add_targets(conn, one, 1, "one.test", next_crawl_at=datetime.now(UTC) + timedelta(hours=1))
        await add_targets(conn, one, 1, "one.test", next_crawl_at=None)
        done = await tick(database)
        assert (done.accepted, done.rejected, len(done.runs)) == (5, 0, 2)
        queued = [t for (t,) in await rows(conn, TASKS)]
        assert (set(queued[:2]), queued[2:3], set(queued[3:])) == (set(high), lone, set(low))
        started = await rows(
            conn,
            "SELECT r.source_id, r.retailer_id = s.retailer_id, r.trigger, r.status, r.urls_planned, r.adapter_id "
            "FROM scrape_runs AS r JOIN sources AS s ON s.id = r.source_id ORDER BY r.source_id",
        )
        assert started == [
            (one, True, "SCHEDULED", "RUNNING", 4, "generic"),
            (other, True, "SCHEDULED", "RUNNING", 1, "generic"),
        ]
        task = await row(
            conn,
            "SELECT t.url, t.source_id, t.adapter_id, t.run_id, t.trigger, t.lane, t.origin, r.retailer_id IS NOT NULL "
            "FROM tasks AS t JOIN scrape_runs AS r ON r.id = t.run_id WHERE t.target_id = %s",
            lone[0],
        )  # P-068: everything the payload of `scrape-url` holds
        assert task[1:3] == (other, "generic")
        assert task[3] in done.runs
        assert task[4:] == ("SCHEDULED", "other.test", "https://other.test:443", True)
        assert (await tick(database)).accepted == 0, "an active run is not started again"


NOT_VISITED = {
    "target disabled": "UPDATE scrape_targets SET enabled = false",
    "target paused": "UPDATE scrape_targets SET status = 'PAUSED'",
    "target broken": "UPDATE scrape_targets SET status = 'BROKEN'",
    "target stale": "UPDATE scrape_targets SET status = 'STALE'",
    "source disabled": "UPDATE sources SET enabled = false",
    "source auto-disabled": "UPDATE sources SET auto_disabled = true",
    "source paused": "UPDATE sources SET paused = true",
    "adapter disabled": "INSERT INTO scrape_adapter_status (adapter_id, enabled, disabled_reason, disabled_at) "
    "VALUES ('generic', false, 'DRIFT_DETECTED', now())",
    "domain inactive": "INSERT INTO domains (domain_name, base_url, is_active) VALUES ('shop.test', 'x', false)",
    "circuit open": "INSERT INTO source_circuits (source_id, state, cooldown_until) "
    "SELECT id, 'OPEN', now() + interval '1 hour' FROM sources",
}


async def test_p072_what_must_not_be_visited_is_not_scheduled_and_stays_due(database: Database):
    async with database.connection() as conn:
        await add_targets(conn, await add_source(conn))
    for why, change in NOT_VISITED.items():
        async with database.connection() as conn, conn.transaction(force_rollback=True):
            await conn.execute(change)
            done = await scheduler.tick(conn, SETTINGS)
            assert (done.accepted, done.runs) == (0, []), why
            assert await scalar(conn, "SELECT next_crawl_at < now() FROM scrape_targets"), f"{why}: no longer due"
    async with database.transaction() as conn:  # a cooldown that is over is no reason any more
        await conn.execute(
            "INSERT INTO source_circuits (source_id, state, cooldown_until) SELECT id, 'OPEN', now() FROM sources"
        )
    assert (await tick(database)).accepted == 1


async def test_c018_an_interval_counts_from_now_until_the_visit_ends_and_a_cron_from_its_own_times(database: Database):
    async with database.connection() as conn:
        source = await add_source(conn)
        (often,) = await add_targets(conn, source, crawl_frequency=timedelta(hours=4))
        (cron,) = await add_targets(conn, source, schedule="30 4 * * *", crawl_frequency=timedelta(minutes=1))
        (once,) = await add_targets(conn, source, crawl_frequency=None)
        await tick(database)
        due = dict(await rows(conn, "SELECT id, next_crawl_at FROM scrape_targets"))
        now = await scalar(conn, "SELECT now()")
        assert timedelta(hours=3.9) < due[often] - now <= timedelta(hours=4)
        at = due[cron].astimezone(UTC)
        assert (at.hour, at.minute, now < at <= now + timedelta(days=1)) == (4, 30, True)
        assert due[once] is None, "with neither, only by hand"


@pytest.mark.parametrize("schedule", ["every day", "0 0 31 2 *"])
async def test_a_schedule_that_cannot_be_read_stops_its_own_target_only(database: Database, schedule: str):
    """Intake refuses such a cron; a row may still hold one (an import of old data, another release)."""
    async with database.connection() as conn:
        source = await add_source(conn)
        (wrong,) = await add_targets(conn, source, schedule=schedule)
        await add_targets(conn, source, 2)
        assert (await tick(database)).accepted == 3
        assert await scalar(conn, "SELECT next_crawl_at FROM scrape_targets WHERE id = %s", wrong) is None


async def test_two_schedulers_at_once_schedule_nothing_twice(database: Database):
    async with database.connection() as conn:
        for n in range(4):
            await add_targets(conn, await add_source(conn, f"s{n}.test"), 5, f"s{n}.test")
        for _ in range(8):
            done = await asyncio.gather(*(tick(database) for _ in range(4)))
            assert sum(d.accepted for d in done) == 20
            assert await row(conn, "SELECT count(*), count(DISTINCT target_id) FROM tasks") == (20, 20)
            assert await scalar(conn, "SELECT count(*) FROM scrape_runs WHERE status = 'RUNNING'") == 4
            await conn.execute("DELETE FROM tasks")
            await conn.execute("UPDATE scrape_runs SET status = 'SUCCESS'")
            await conn.execute("UPDATE scrape_targets SET next_crawl_at = now() - interval '1 minute'")


async def test_r07_a_second_start_is_told_the_id_of_the_first(database: Database):
    async with database.connection() as conn:
        source = await add_source(conn)
        await add_targets(conn, source, 3)

    async def start() -> int | str | None:
        try:
            async with database.transaction() as conn:
                return (await runs.start(conn, source, Trigger.MANUAL, SETTINGS)).run_id
        except Conflict as taken:
            return taken.existing

    answers = await asyncio.gather(*(start() for _ in range(6)))
    (started,) = {a for a in answers if isinstance(a, int)}
    assert sorted(map(str, answers)) == [str(started)] * 6
    assert await tick(database) == scheduler.Tick()
    async with database.connection() as conn:
        assert await scalar(conn, "SELECT count(*) FROM scrape_runs") == 1


async def test_a_source_with_two_adapters_gets_one_run_after_the_other(database: Database):
    async with database.connection() as conn:
        source = await add_source(conn)
        await add_targets(conn, source, 2, adapter_id="second")
        await add_targets(conn, source, 3, adapter_id="first", priority=1)
        assert (await tick(database)).accepted == 3
        assert await scalar(conn, "SELECT adapter_id FROM scrape_runs") == "first"
        await conn.execute("UPDATE tasks SET status = 'done'")
        await conn.execute("UPDATE scrape_runs SET status = 'SUCCESS'")
        assert (await tick(database)).accepted == 2
        assert await rows(conn, "SELECT adapter_id FROM scrape_runs WHERE status = 'RUNNING'") == [("second",)]


async def test_a_target_that_is_queued_anyway_makes_no_run_of_its_own(database: Database, make_task):
    from winnow.schedule.queue import queue

    async with database.connection() as conn:
        (target,) = await add_targets(conn, await add_source(conn))
        await queue.enqueue(conn, [make_task(target_id=target)])
        assert await tick(database) == scheduler.Tick()
        assert await scalar(conn, "SELECT count(*) FROM scrape_runs") == 0
