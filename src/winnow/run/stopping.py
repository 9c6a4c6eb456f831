"""An adapter that is disabled stops at once: what is queued for it leaves the queue (P-087)."""

from __future__ import annotations

from winnow.db.engine import Connection
from winnow.fetch.failure import Failure
from winnow.judge.standing import parts_of
from winnow.run.commit import announce, job_ends
from winnow.schedule import runs
from winnow.schedule.jobs import End
from winnow.schedule.queue import queue


async def withdraw(conn: Connection, standing: str) -> int:
    """Counted as cancelled in their runs and jobs; what is running finishes. How many."""
    adapter_id, source_id = parts_of(standing)
    gone = await queue.withdraw(
        conn, reason=Failure.ADAPTER_DISABLED, adapter_id=adapter_id, source_id=source_id, n=1_000_000
    )
    await announce.completed(conn, await runs.count(conn, runs.tally_withdrawn(gone)))
    await job_ends.gone(conn, gone, End.CANCELLED)
    return len(gone)
