"""Changes to runs and their tasks: start, cancel. Each is audited in its own transaction.

The queue's rules hold for people too: a paused source stays paused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from psycopg import AsyncConnection

from winnow.actions import validation
from winnow.errors import Conflict, NotFound
from winnow.fetch.failure import FailureCode
from winnow.observe import audit
from winnow.run import closing
from winnow.run.daily import daily_events
from winnow.schedule import runs
from winnow.schedule.queue.task import Trigger
from winnow.schedule.runs import StartedRun
from winnow.schedule.settings import ScheduleSettings
from winnow.settings import Settings
from winnow.sources import sources

Connection = AsyncConnection[Any]


async def start(
    conn: Connection,
    actor: str,
    source_id: int,
    settings: ScheduleSettings,
    target_ids: Sequence[int] | None = None,
    *,
    gated: Sequence[str] = (),
    budget: Mapping[str, int] | None = None,
) -> StartedRun:
    """A run that is active already is a Conflict naming it (R-07); so is a source that is not to be visited, or whose
    terms nobody reviewed while its adapter is one of the `gated` (P-103). `budget` sets limits of following links
    instead of the source's."""
    source = await sources.get(conn, source_id)
    if source.paused or not source.enabled:
        raise Conflict(f"source {source_id} is {'paused' if source.paused else 'disabled'}")
    waiting = await sources.unreviewed(conn, source_id, gated)
    if waiting:
        raise Conflict(
            f"source {source_id} uses the adapter {waiting} and its terms were not reviewed: "
            f"`winnow sources approve {source_id}`"
        )
    started = await runs.start(
        conn, source_id, Trigger.MANUAL, settings, target_ids=target_ids, requested_by=actor,
        budget=validation.follow_budget(budget or {}),
    )  # fmt: skip
    if started.run_id is not None:
        after = {"source_id": source_id, "accepted": len(started.accepted), "rejected": started.rejected}
        await audit.record(conn, actor, "run.started", "run", started.run_id, after=after)
    return started


async def cancel(conn: Connection, actor: str, run_id: int) -> int:
    """How many queued tasks were taken out; running ones finish (S-103)."""
    run = await runs.get(conn, run_id)
    if run["completed_at"] is not None:
        raise Conflict(f"run {run_id} has already ended ({run['status']})")
    cancelled = len((await closing.withdraw(conn, FailureCode.CANCELLED, run_id=run_id)).tasks)
    await audit.record(conn, actor, "run.cancelled", "run", run_id, after={"cancelled": cancelled})
    return cancelled


async def cancel_task(conn: Connection, actor: str, task_id: UUID) -> None:
    closed = await closing.withdraw(conn, FailureCode.CANCELLED, task_id=task_id)
    if not closed.tasks:
        await _raise_not_cancelled(conn, task_id)
    await audit.record(conn, actor, "task.cancelled", "task", task_id)


async def _raise_not_cancelled(conn: Connection, task_id: UUID) -> None:
    found = await conn.execute("SELECT status FROM tasks WHERE id = %s", (task_id,))
    row = await found.fetchone()
    if row is None:
        raise NotFound(f"there is no task {task_id} that could be cancelled")
    raise Conflict(f"task {task_id} is {row[0]}", existing=str(row[0]))


async def start_daily(conn: Connection, actor: str, settings: Settings, gated: Sequence[str]) -> int:
    """A run of all event sources on demand (E-024); the scheduler starts them by priority. Conflict while one is under
    way."""
    run_id = await daily_events.start(conn, settings, gated, actor)
    await audit.record(conn, actor, "run.daily_started", "daily_run", run_id)
    return run_id
