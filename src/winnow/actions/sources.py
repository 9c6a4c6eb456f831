"""Whether sources and targets are visited: pause, resume, requeue, remove (C-003, P-100); how far a source is trusted.

Each change takes what is queued with it, in one transaction, and is audited. What is running finishes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from psycopg import AsyncConnection
from psycopg.rows import scalar_row

from winnow.errors import NotFound
from winnow.fetch.failure import FailureCode
from winnow.observe import audit
from winnow.run import closing
from winnow.schedule.queue import queue
from winnow.sources import sources, targets
from winnow.store import trust

Connection = AsyncConnection[Any]

_QUEUED = "SELECT target_id FROM tasks WHERE target_id = ANY(%s) AND status = 'queued'"


async def pause_source(conn: Connection, actor: str, source_id: int, paused: bool) -> bool:
    """Queued tasks wait with their source, or go on. Whether anything changed."""
    changed = await sources.pause(conn, source_id, paused)
    await queue.pause_source(conn, source_id, paused)
    if changed:
        action = "source.paused" if paused else "source.resumed"
        await audit.record(conn, actor, action, "source", source_id)
    return changed


async def change_trust(conn: Connection, actor: str, source_id: int, changes: Mapping[str, Any]) -> None:
    """Making a source eligible shows its scraped prices to consumers (P-092)."""
    before, after = audit.changes(*await trust.change(conn, source_id, changes, actor))
    if after:
        await audit.record(conn, actor, "source.trust_changed", "source", source_id, before, after)


async def pause_targets(conn: Connection, actor: str, ids: Sequence[int]) -> list[int]:
    await _all_exist(conn, ids)
    changed = await targets.pause(conn, ids)
    await _withdraw(conn, changed, FailureCode.TARGET_PAUSED)
    return await _audited(conn, actor, "target.paused", changed)


async def resume_targets(conn: Connection, actor: str, ids: Sequence[int]) -> list[int]:
    await _all_exist(conn, ids)
    return await _audited(conn, actor, "target.resumed", await targets.resume(conn, ids))


async def requeue_targets(conn: Connection, actor: str, ids: Sequence[int]) -> list[int]:
    """P-100: STALE (and BROKEN) ones are due again now; the others are left as they are."""
    await _all_exist(conn, ids)
    return await _audited(conn, actor, "target.requeued", await targets.requeue(conn, ids))


async def remove_targets(conn: Connection, actor: str, ids: Sequence[int]) -> list[int]:
    """The price history stays: it belongs to the offer, not to the URL it was found at."""
    await _all_exist(conn, ids)
    await _withdraw(conn, ids, FailureCode.TARGET_REMOVED)
    gone = await targets.remove(conn, ids)
    for row in gone:
        await audit.record(conn, actor, "target.removed", "target", row["id"], before=row)
    return sorted(row["id"] for row in gone)


async def _all_exist(conn: Connection, ids: Sequence[int]) -> None:
    missing = await targets.missing(conn, ids)
    if missing:
        raise NotFound(f"there is no target {missing[0]}")


async def _withdraw(conn: Connection, ids: Sequence[int], reason: FailureCode) -> None:
    """Their queued tasks leave the queue and are counted as cancelled in their runs."""
    async with conn.cursor(row_factory=scalar_row) as cursor:
        await cursor.execute(_QUEUED, (list(ids),))
        queued = await cursor.fetchall()
    if queued:
        await closing.withdraw(conn, reason, target_ids=queued)


async def _audited(conn: Connection, actor: str, action: str, ids: list[int]) -> list[int]:
    for target_id in ids:
        await audit.record(conn, actor, action, "target", target_id)
    return ids
