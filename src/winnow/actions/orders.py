"""What a person orders of the queue: start or cancel a run, cancel a task, retry or discard dead letters.

Each is audited in its own transaction. The queue's rules hold for people too: a paused source stays paused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from psycopg import AsyncConnection

from winnow.errors import Conflict, NotFound
from winnow.fetch.failure import FailureCode
from winnow.judge import adapter_status
from winnow.observe import audit, metrics
from winnow.publish import alerts
from winnow.run import closing, drift
from winnow.schedule import runs
from winnow.schedule.queue import dead_letters
from winnow.schedule.queue.task import Trigger
from winnow.schedule.runs import StartedRun
from winnow.schedule.settings import ScheduleSettings
from winnow.sources import sources
from winnow.store import trust

Connection = AsyncConnection[Any]


async def start_run(
    conn: Connection,
    actor: str,
    source_id: int,
    settings: ScheduleSettings,
    target_ids: Sequence[int] | None = None,
    *,
    gated: Sequence[str] = (),
) -> StartedRun:
    """A run that is active already is a Conflict naming it (R-07); so is a source that is not to be visited, or whose
    terms nobody reviewed while its adapter is one of the `gated` (P-103)."""
    source = await sources.get(conn, source_id)
    if source.paused or not source.enabled:
        raise Conflict(f"source {source_id} is {'paused' if source.paused else 'disabled'}")
    waiting = await sources.unreviewed(conn, source_id, gated)
    if waiting:
        raise Conflict(
            f"source {source_id} uses the adapter {waiting} and its terms were not reviewed: "
            f"`winnow sources approve {source_id}`"
        )
    started = await runs.start(conn, source_id, Trigger.MANUAL, settings, target_ids=target_ids, requested_by=actor)
    if started.run_id is not None:
        after = {"source_id": source_id, "accepted": len(started.accepted), "rejected": started.rejected}
        await audit.record(conn, actor, "run.started", "run", started.run_id, after=after)
    return started


async def cancel_run(conn: Connection, actor: str, run_id: int) -> int:
    """How many queued tasks were taken out; running ones finish (S-103)."""
    run = await runs.get(conn, run_id)
    if run["completed_at"] is not None:
        raise Conflict(f"run {run_id} is over already ({run['status']})")
    cancelled = len((await closing.withdraw(conn, FailureCode.CANCELLED, run_id=run_id)).tasks)
    await audit.record(conn, actor, "run.cancelled", "run", run_id, after={"cancelled": cancelled})
    return cancelled


async def cancel_task(conn: Connection, actor: str, task_id: UUID) -> None:
    closed = await closing.withdraw(conn, FailureCode.CANCELLED, task_id=task_id)
    if not closed.tasks:
        await _why_not(conn, task_id)
    await audit.record(conn, actor, "task.cancelled", "task", task_id)


async def _why_not(conn: Connection, task_id: UUID) -> None:
    found = await conn.execute("SELECT status FROM tasks WHERE id = %s", (task_id,))
    row = await found.fetchone()
    if row is None:
        raise NotFound(f"there is no task {task_id} that could be cancelled")
    raise Conflict(f"task {task_id} is {row[0]}", existing=str(row[0]))


async def retry_letters(conn: Connection, actor: str, ids: Sequence[int]) -> int:
    changed = await dead_letters.retry(conn, ids, n=len(ids))
    await audit.record(conn, actor, "dead_letters.retried", "dead_letter", _which(ids), after={"changed": changed})
    return changed


async def discard_letters(conn: Connection, actor: str, ids: Sequence[int], note: str) -> int:
    changed = await dead_letters.discard(conn, ids, note)
    after = {"changed": changed, "note": note}
    await audit.record(conn, actor, "dead_letters.discarded", "dead_letter", _which(ids), after=after)
    return changed


async def change_trust(conn: Connection, actor: str, source_id: int, changes: Mapping[str, Any]) -> None:
    """Making a source eligible shows its scraped prices to consumers (P-092)."""
    before, after = audit.changes(*await trust.change(conn, source_id, changes, actor))
    if after:
        await audit.record(conn, actor, "source.trust_changed", "source", source_id, before, after)


def _which(ids: Sequence[int]) -> str:
    return str(ids[0]) if len(ids) == 1 else f"{len(ids)} letters"


async def disable_adapter(conn: Connection, actor: str, adapter_id: str, reason: str, note: str | None = None) -> bool:
    changed = await adapter_status.disable(conn, adapter_id, reason, actor)
    if changed:
        metrics.adapter_disabled(adapter_id, reason)
        after = {"reason": reason, "withdrawn": await closing.withdraw_adapter(conn, adapter_id)}
        await audit.record(conn, actor, "adapter.disabled", "adapter", adapter_id, after=after, reason=note)
    return changed


async def enable_adapter(conn: Connection, actor: str, adapter_id: str, note: str | None = None) -> bool:
    changed = await adapter_status.enable(conn, adapter_id, actor)
    if changed:
        await alerts.resolve(conn, actor, keys=drift.keys_of(adapter_id))
        await audit.record(conn, actor, "adapter.enabled", "adapter", adapter_id, reason=note)
    return changed


async def acknowledge_alerts(conn: Connection, actor: str, ids: Sequence[int]) -> list[int]:
    changed = await alerts.acknowledge(conn, actor, ids)
    await audit.record(conn, actor, "alerts.acknowledged", "alert", changed[0], after={"ids": changed})
    return changed


async def silence_alerts(conn: Connection, actor: str, ids: Sequence[int], length: timedelta) -> list[int]:
    """No length ends the silence."""
    changed = await alerts.silence(conn, ids, length)
    hours = length.total_seconds() / 3600
    await audit.record(conn, actor, "alerts.silenced", "alert", changed[0], after={"ids": changed, "hours": hours})
    return changed


async def resolve_alerts(conn: Connection, actor: str, ids: Sequence[int]) -> list[int]:
    """Those that were open."""
    changed = await alerts.resolve(conn, actor, ids=ids)
    if changed:
        await audit.record(conn, actor, "alerts.resolved", "alert", changed[0], after={"ids": changed})
    return changed
