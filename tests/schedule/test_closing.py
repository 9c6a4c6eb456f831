"""The one way out of the queue: what it does, in which order it locks, and that there is no other (S-040, S-103)."""

from __future__ import annotations

import ast
import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import winnow
from tests.schedule.watching import add_source, add_targets, row, rows, scalar
from tests.waiting import LIMIT, until
from winnow.db.engine import Connection, Database
from winnow.fetch.failure import FailureCode
from winnow.run import closing
from winnow.schedule import runs
from winnow.schedule.queue import queue
from winnow.schedule.queue.task import Settlement, Status, Trigger
from winnow.schedule.runs import Tally
from winnow.schedule.settings import ScheduleSettings

SRC = Path(winnow.__file__).parent
SETTINGS = ScheduleSettings(_env_file=None)
LANE = "SELECT queued, in_flight FROM lanes WHERE lane = 'shop.test'"
WAITS = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"


async def started(conn: Connection, n: int) -> int:
    source = await add_source(conn)
    await add_targets(conn, source, n)
    run_id = (await runs.start(conn, source, Trigger.MANUAL, SETTINGS)).run_id
    assert run_id is not None
    return run_id


async def test_what_is_withdrawn_is_counted_announced_and_leaves_its_lane(database: Database) -> None:
    async with database.transaction() as conn:
        run_id = await started(conn, 3)
        two = [i for (i,) in await rows(conn, "SELECT target_id FROM tasks ORDER BY target_id LIMIT 2")]
        closed = await closing.withdraw(conn, FailureCode.TARGET_PAUSED, target_ids=two)
        assert (len(closed.tasks), closed.completed) == (2, [])
        assert await row(conn, LANE) == (1, 0)
        assert await rows(conn, "SELECT topic FROM outbox") == []
        closed = await closing.withdraw(conn, FailureCode.CANCELLED, run_id=run_id)
        assert [run.id for run in closed.completed] == [run_id]
        assert await row(conn, LANE) == (0, 0)
        assert await rows(conn, "SELECT topic FROM outbox") == [("run.completed",)]
        assert await rows(conn, "SELECT DISTINCT reason FROM tasks ORDER BY 1") == [("cancelled",), ("target_paused",)]


async def test_a_task_that_waits_for_its_time_was_not_counted_in_its_lane(database: Database, make_task: Any) -> None:
    async with database.transaction() as conn:
        await queue.enqueue(conn, [make_task(n=1), make_task(n=2, wait_seconds=60.0)])
        assert await row(conn, LANE) == (1, 0)
        closed = await closing.withdraw(conn, FailureCode.STALE, older_than_seconds=-1)
        assert (len(closed.tasks), await row(conn, LANE)) == (2, (0, 0))


async def test_whoever_cancels_a_run_does_not_hold_its_lane_while_it_waits_for_a_worker(
    database: Database, lane: Callable[..., Any]
) -> None:
    """A worker counts its task in the run and then frees the lane. Locked the other way round, both would wait for each
    other until the database chose one."""
    await lane("shop.test")
    async with database.transaction() as conn:
        run_id = await started(conn, 3)
    async with database.connection() as conn:
        (task,) = await queue.claim(conn, "w", 1, 60)

    async def cancel() -> closing.ClosedTasks:
        async with database.transaction() as conn:
            return await closing.withdraw(conn, FailureCode.CANCELLED, run_id=run_id)

    async with asyncio.timeout(LIMIT), database.transaction() as worker:
        ends = [Settlement(task=task, status=Status.DONE, outcome="accepted")]
        settled = await queue.settle(worker, ends)
        await runs.count(worker, {run_id: Tally(attempted=1, succeeded=1, extracted=1, valid=1)})
        cancelling = asyncio.create_task(cancel())
        await _until_somebody_waits(database)
        await queue.free(worker, ends, settled)
    closed = await cancelling
    assert (len(closed.tasks), [run.status for run in closed.completed]) == (2, ["SUCCESS"])
    async with database.connection() as conn:
        assert await row(conn, LANE) == (0, 0)


async def _until_somebody_waits(database: Database) -> None:
    async with database.connection() as conn:
        await until(lambda: scalar(conn, WAITS))


# Who may take a task out of the queue, count it in its run, or tell its job; anybody else goes through run/closing.py.
CALLERS = {
    "queue.withdraw": {"run/closing.py"},
    "queue.leave_lanes": {"run/closing.py"},
    "queue.free_lost": {"run/closing.py"},
    "job_ends.gone": {"run/closing.py"},
    "job_ends.settled": {"run/closing.py"},
    "runs.count": {"run/closing.py", "schedule/upkeep.py", "schedule/crawls.py"},  # the last: links it plans
    "announce.completed": {"run/closing.py", "run/upkeep.py"},  # runs that lost their tasks: none leaves the queue
    "circuits.refuse_waiting": {"run/claimer.py"},
    "upkeep.rescue": {"run/upkeep.py"},
}


def test_tasks_leave_the_queue_by_one_way_only() -> None:
    found: dict[str, set[str]] = {name: set() for name in CALLERS}
    for path in SRC.rglob("*.py"):
        for name in _named(ast.parse(path.read_text())):
            if name in found:
                found[name].add(path.relative_to(SRC).as_posix())
    assert found == CALLERS


def _named(tree: ast.Module) -> Iterator[str]:
    """`module.function`, also where the function is imported by itself."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            yield f"{node.value.id}.{node.attr}"
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield from (f"{node.module.rpartition('.')[2]}.{name.name}" for name in node.names)
