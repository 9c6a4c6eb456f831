"""A scheduler that is rejected pauses, longer each time (P-073, P-074); BROKEN targets get a weekly chance (P-075)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.schedule.watching import add_source, add_targets, row, scalar
from winnow.db.engine import Database
from winnow.fetch.failure import FailureCode
from winnow.run import closing
from winnow.schedule import runs, scheduler
from winnow.schedule.queue import backpressure
from winnow.schedule.queue.task import Trigger
from winnow.schedule.settings import ScheduleSettings

FULL = ScheduleSettings(_env_file=None, queue_per_adapter=2)
ROOMY = ScheduleSettings(_env_file=None)
PAUSE = "SELECT rejected_cycles, extract(epoch FROM scheduler_backoff_until - now())::float8 FROM scheduler_state"
FIRST = backpressure.RETRY_AFTER_MS / 1000


async def tick(database: Database, settings: ScheduleSettings) -> scheduler.Tick:
    async with database.transaction() as conn:
        return await scheduler.tick(conn, settings)


async def test_p073_p074_rejected_cycles_pause_the_scheduler_longer_each_time_up_to_an_hour(database: Database):
    async with database.connection() as conn:
        await add_targets(conn, await add_source(conn, "a.test"), 5, "a.test")
        done = await tick(database, FULL)
        assert (done.accepted, done.rejected) == (2, 3)
        cycles, pause = await row(conn, PAUSE)
        assert (cycles, pause) == (1, pytest.approx(FIRST, abs=5))
        await add_targets(conn, await add_source(conn, "b.test"), 2, "b.test")
        skipped = await tick(database, FULL)
        assert (skipped.backing_off, skipped.accepted) == (True, 0)
        expected = FIRST
        for cycle in range(2, 10):
            await conn.execute("UPDATE scheduler_state SET scheduler_backoff_until = now()")
            again = await tick(database, FULL)
            assert (again.accepted, again.rejected) == (0, 5), "what did not fit is offered again"
            expected = min(3600, expected * 2)
            cycles, pause = await row(conn, PAUSE)
            assert (cycles, pause) == (cycle, pytest.approx(expected, abs=5))
        await conn.execute("UPDATE scheduler_state SET scheduler_backoff_until = now()")
        assert (await tick(database, ROOMY)).accepted == 5
        assert await row(conn, PAUSE) == (0, None)


async def test_p073_exactly_half_rejected_does_not_pause(database: Database):
    async with database.connection() as conn:
        await add_targets(conn, await add_source(conn), 4)
        done = await tick(database, FULL)
        assert (done.accepted, done.rejected, done.paused_for) == (2, 2, None)
        assert await row(conn, PAUSE) == (0, None)


async def recheck(database: Database, settings: ScheduleSettings = ROOMY) -> scheduler.Tick:
    async with database.transaction() as conn:
        return await scheduler.recheck(conn, settings)


async def broken(conn, source: int, n: int = 1, days: float = 8, **more) -> list[int]:
    visited = await scalar(conn, "SELECT now() - make_interval(secs => %s)", days * 86_400)
    return await add_targets(conn, source, n, status="BROKEN", consecutive_failures=5, last_scraped_at=visited, **more)


async def test_p075_broken_targets_are_rechecked_a_week_after_their_last_visit(database: Database):
    async with database.connection() as conn:
        source = await add_source(conn)
        (due,) = await broken(conn, source)
        await broken(conn, source, days=6)
        await add_targets(conn, source)
        done = await recheck(database)
        assert done.accepted == 1
        assert await row(conn, "SELECT target_id, trigger FROM tasks") == (due, "RECHECK")
        assert await row(conn, "SELECT trigger, urls_planned FROM scrape_runs") == ("RECHECK", 1)
        assert (await recheck(database)).accepted == 0


async def test_p075_a_recheck_that_cannot_be_made_now_is_made_later_not_next_week(database: Database):
    async with database.connection() as conn:
        source = await add_source(conn)
        await broken(conn, source)
        await add_targets(conn, source)
        async with database.transaction() as tx:
            run = (await runs.start(tx, source, Trigger.MANUAL, ROOMY)).run_id
        assert (await recheck(database)).accepted == 0, "the source has an active run"
        async with database.transaction() as tx:
            await closing.withdraw(tx, FailureCode.CANCELLED, run_id=run)
        await conn.execute("UPDATE scheduler_state SET scheduler_backoff_until = now() + interval '1 minute'")
        assert (await recheck(database)).backing_off
        await conn.execute("UPDATE scheduler_state SET scheduler_backoff_until = NULL")
        assert (await recheck(database)).accepted == 1


async def test_p075_a_broken_target_that_was_never_visited_is_rechecked_too(database: Database):
    async with database.connection() as conn:
        await add_targets(conn, await add_source(conn), status="BROKEN")
        assert (await recheck(database)).accepted == 1
        assert await scalar(conn, "SELECT next_crawl_at > now() FROM scrape_targets"), "its own cadence goes on"
        assert await scalar(conn, "SELECT last_recheck_at > now() - %s FROM scheduler_state", timedelta(minutes=1))
