"""Chores that keep the queue honest: stale tasks, finished tasks, orphaned runs, miscounted lanes (P-071, R-05)."""

from __future__ import annotations

import asyncio

from tests.schedule.watching import add_source, add_targets, row, rows, scalar
from tests.waiting import LIMIT
from winnow.db.engine import Connection, Database
from winnow.run import closing
from winnow.run.closing import ClosedTasks
from winnow.run.upkeep import withdraw_stale
from winnow.schedule import runs, upkeep
from winnow.schedule.queue import queue
from winnow.schedule.queue.task import Settlement, Status, Trigger
from winnow.schedule.settings import ScheduleSettings

SETTINGS = ScheduleSettings(_env_file=None)


async def started(conn: Connection, n: int) -> int:
    source = await add_source(conn)
    await add_targets(conn, source, n)
    run = (await runs.start(conn, source, Trigger.MANUAL, SETTINGS)).run_id
    assert run is not None
    return run


async def finish(conn: Connection, n: int) -> None:
    claimed = await queue.claim(conn, "w", n, 60)
    ends = [Settlement(task=t, status=Status.DONE, outcome="accepted") for t in claimed]
    await queue.free(conn, ends, await queue.settle(conn, ends))


async def test_p071_what_waited_for_a_day_is_stale_and_its_run_closes(database: Database, make_task):
    async with database.transaction() as conn:
        run = await started(conn, 3)
        await conn.execute("UPDATE tasks SET created_at = now() - interval '24 hours 1 second'")
        await queue.enqueue(conn, [make_task("young.test")])
        closed = await withdraw_stale(conn, hours=24)
        assert sorted(t.target_id for t in closed.tasks if t.target_id) == [
            i for (i,) in await rows(conn, "SELECT id FROM scrape_targets ORDER BY 1")
        ]
        assert [(c.id, c.complete) for c in closed.completed] == [(run, True)]
        assert await row(conn, "SELECT status, urls_cancelled, urls_planned FROM scrape_runs") == ("FAILED", 3, 3)
        found = await rows(conn, "SELECT status, reason, count(*) FROM tasks GROUP BY 1, 2 ORDER BY 1")
        assert found == [("queued", None, 1), ("stale", "stale", 3)]
        assert await rows(conn, "SELECT lane, queued FROM lanes ORDER BY 1") == [("shop.test", 0), ("young.test", 1)]
        assert await withdraw_stale(conn, hours=24) == ClosedTasks([], [])


async def test_a_paused_source_does_not_go_stale(database: Database):
    async with database.transaction() as conn:
        await started(conn, 2)
        await queue.pause_source(conn, await scalar(conn, "SELECT id FROM sources"), True)
        await conn.execute("UPDATE tasks SET created_at = now() - interval '3 days'")
        assert await withdraw_stale(conn, hours=24) == ClosedTasks([], [])


async def test_finished_tasks_leave_the_hot_table_whole(database: Database, lane):
    await lane("shop.test")
    async with database.connection() as conn:
        await started(conn, 5)
        await finish(conn, 3)
        assert await upkeep.archive_finished(conn, SETTINGS) == 0, "they stay for a day"
        await conn.execute("UPDATE tasks SET finished_at = finished_at - interval '25 hours' WHERE status = 'done'")
        before = await rows(conn, "SELECT * FROM tasks WHERE status = 'done' ORDER BY id")
        assert await upkeep.archive_finished(conn, SETTINGS, n=2) == 2
        assert await upkeep.archive_finished(conn, SETTINGS, n=2) == 1
        assert await rows(conn, "SELECT * FROM task_archive ORDER BY id") == before
        assert await rows(conn, "SELECT DISTINCT status FROM tasks") == [("queued",)]


async def test_a_run_whose_tasks_are_gone_is_closed_and_no_other(database: Database):
    async with database.connection() as conn:
        run = await started(conn, 3)
        await conn.execute("UPDATE scrape_runs SET started_at = now() - interval '2 minutes'")
        await runs.count(conn, {run: runs.Tally(attempted=1, succeeded=1, extracted=1, valid=1, yielding=1)})
        assert await upkeep.close_finished_runs(conn) == []
        await conn.execute("DELETE FROM tasks")
        (closed,) = await upkeep.close_finished_runs(conn)
        assert (closed.id, closed.status, closed.complete) == (run, "SUCCESS", True)
        assert await row(conn, "SELECT urls_attempted, yield_rate FROM scrape_runs") == (1, 1)


async def test_r05_rescue_closes_the_run_of_a_task_that_lost_too_many_workers(database: Database, lane):
    await lane("shop.test")
    async with database.connection() as conn:
        run = await started(conn, 1)
        for _ in range(queue.MAX_LOSSES):
            await queue.claim(conn, "w", 1, -1.0)
            (lost,) = await upkeep.rescue(conn)
            counted = await closing.fail_lost(conn, [lost])
        assert (lost.status, [(c.id, c.complete, c.status) for c in counted]) == ("failed", [(run, True, "FAILED")])
        assert await row(conn, "SELECT urls_failed, failure_rate FROM scrape_runs") == (1, 1)
        assert await scalar(conn, "SELECT payload ->> 'url' FROM dead_letters") == lost.url
        await finish(conn, 9)
        assert await upkeep.rescue(conn) == []


async def test_counting_lanes_again_needs_no_lock_while_they_are_right(database: Database, make_task):
    async with database.connection() as conn, database.transaction() as busy:
        await queue.enqueue(busy, [make_task(n=n) for n in range(3)])
        async with asyncio.timeout(LIMIT):
            assert await upkeep.recount_lanes(conn) == [], "somebody is writing to the lane, and nothing waits for it"
