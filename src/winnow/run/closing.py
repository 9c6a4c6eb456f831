"""Closes tasks that left the queue: the one way out, whatever took them (S-040, S-101, E-082).

    settle(conn, ended)        visits that ended                                       run/commit/persist.py
    withdraw(conn, why, …)     queued tasks that are not wanted any more, or stale     actions/, run/upkeep.py
    fail_refused(conn, gone)   on-demand tasks behind an open circuit                  run/claimer.py
    fail_lost(conn, lost)      tasks that lost too many workers                        run/upkeep.py
    count_links(conn, …)       links of a run that were queued or cut                  run/feeder.py

Each counts the tasks in their runs, announces the runs that are over, ends their jobs with the callbacks, and frees
their lanes, in this order and in the caller's transaction: every worker locks runs before jobs before lanes, so two
that meet wait for each other and do not deadlock. The lanes come last because all workers want them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

import msgspec

from winnow.db.engine import Connection
from winnow.fetch.failure import FailureCode
from winnow.fetch.meaning import ErrorKind
from winnow.judge.standing import parts_of
from winnow.run.commit import announce, job_ends
from winnow.run.visit import Ending, Visit
from winnow.schedule import failed_attempts, follow_ups, runs
from winnow.schedule.budget import CutBy
from winnow.schedule.failed_attempts import FailedAttempt
from winnow.schedule.jobs import TaskEnd
from winnow.schedule.queue import queue
from winnow.schedule.queue.queue import Lost, Which, Withdrawn
from winnow.schedule.queue.task import Status
from winnow.schedule.runs import CountedRun, Tally

ALL = 1_000_000


class ClosedTasks(msgspec.Struct, frozen=True):
    """The tasks that left the queue, and the runs that are over by it."""

    tasks: list[Withdrawn]
    completed: list[CountedRun]


async def settle(
    conn: Connection, ended: Sequence[tuple[Visit, Ending]], tallies: dict[int, Tally]
) -> list[CountedRun]:
    """The runs that are over, after `tallies` were added to them. The caller frees the lanes, last in its transaction
    (queue.free)."""
    completed = await announce.completed(conn, await runs.count(conn, tallies))
    await job_ends.settled(conn, ended)
    return completed


async def withdraw(
    conn: Connection,
    why: FailureCode,
    *,
    status: Status = Status.CANCELLED,
    end: TaskEnd = TaskEnd.CANCELLED,
    n: int = ALL,
    **which: Unpack[Which],
) -> ClosedTasks:
    """Takes queued tasks out of the queue, those that `which` names (queue.withdraw); running ones finish (S-103). A
    run that is named is closed by it even when nothing of it was queued any more."""
    cut = await _stop_following(conn, **which)
    gone = await queue.withdraw(conn, status=status, reason=why, n=n, **which)
    tallies = runs.tally_cancelled(gone)
    if "run_id" in which:
        tallies.setdefault(which["run_id"], Tally())
    for run_id, links in cut.items():
        runs.tally_cut(tallies.setdefault(run_id, Tally()), CutBy.CANCELLED, links)
    completed = await _close(conn, gone, end, tallies)
    await queue.leave_lanes(conn, gone)
    return ClosedTasks(gone, completed)


async def _stop_following(conn: Connection, **which: Unpack[Which]) -> dict[int, int]:
    """A run that is cancelled, or whose adapter is disabled, follows no more links; how many waited in each."""
    if "run_id" not in which and "adapter_id" not in which:
        return {}
    named = (which.get("run_id"), which.get("adapter_id"), which.get("source_id"))
    return await follow_ups.stop(conn, run_id=named[0], adapter_id=named[1], source_id=named[2])


async def withdraw_adapter(conn: Connection, standing: str) -> int:
    """P-087: an adapter that is disabled stops at once; how many tasks that took out."""
    adapter_id, source_id = parts_of(standing)
    closed = await withdraw(conn, FailureCode.ADAPTER_DISABLED, adapter_id=adapter_id, source_id=source_id)
    return len(closed.tasks)


async def count_links(conn: Connection, run_id: int, tally: Tally) -> None:
    """Counts links that became tasks or were cut; a run that waited for nothing else is over. No task leaves by it."""
    await announce.completed(conn, await runs.count(conn, {run_id: tally}))


async def fail_refused(conn: Connection, refused: Sequence[Withdrawn]) -> None:
    await _close(conn, refused, TaskEnd.FAILED, runs.tally_failed(refused))
    await queue.leave_lanes(conn, refused)


async def fail_lost(conn: Connection, lost: Sequence[Lost]) -> list[CountedRun]:
    """The runs that are over. Those of `lost` that go back to the queue join their lanes again."""
    failed = [task for task in lost if task.status == Status.FAILED]
    completed = await _close(conn, failed, TaskEnd.FAILED, runs.tally_failed(failed))
    await failed_attempts.record(conn, [_failed_attempt(task) for task in failed])
    await queue.free_lost(conn, lost)
    return completed


def _failed_attempt(task: Lost) -> FailedAttempt:
    return FailedAttempt(
        task_id=task.id,
        source_id=task.source_id,
        stage=task.stage,
        error_class=ErrorKind.INTERNAL,
        error_type=FailureCode.WORKER_LOST,
        error_message=task.last_error,
    )


async def _close(
    conn: Connection, tasks: Sequence[job_ends.Gone], end: TaskEnd, tallies: dict[int, Tally]
) -> list[CountedRun]:
    completed = await announce.completed(conn, await runs.count(conn, tallies))
    await job_ends.gone(conn, tasks, end)
    return completed
