"""Releases tasks that were claimed but not granted; their lane is left alone until it has room."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from psycopg import AsyncConnection

from winnow.schedule.ledger.grant import Grant
from winnow.schedule.queue import queue
from winnow.schedule.queue.task import Claimed, Settlement, Stage, Status

# Not a hold: whatever else changes the lane may compute its slot anew, and then the ledger says no again.
_DEFER = """
UPDATE lanes AS l
SET slot_at = greatest(l.slot_at, statement_timestamp() + make_interval(secs => g.wait)),
    turn_at = greatest(l.turn_at, statement_timestamp() + make_interval(secs => g.wait))
FROM unnest(%(lane)b::text[], %(wait)b::float8[]) AS g (lane, wait)
WHERE l.lane = g.lane
"""


async def release(conn: AsyncConnection[Any], refused: Sequence[tuple[Claimed, float]]) -> None:
    """Put the tasks back in one transaction. The attempt is refunded: nothing was tried."""
    ends = [
        Settlement(
            task=task,
            status=Status.QUEUED,
            stage=Stage(task.stage),
            outcome="not_granted",
            refund=True,
            unused=Grant(task.lane, task.granted_at),
        )
        for task, _ in refused
    ]
    settled = await queue.settle(conn, ends)
    await queue.free(conn, ends, settled)
    waits = {task.lane: wait for task, wait in refused}
    await conn.execute(_DEFER, {"lane": list(waits), "wait": list(waits.values())})
