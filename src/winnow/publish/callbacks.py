"""Jobs call back when they are over: body, address and the one delivery (S-072 … S-075, properties 40 … 43).

Whoever closes a job calls `put` in that transaction: the callback exists exactly when the end of the job does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from winnow.db.engine import Connection
from winnow.publish import deliveries

TOPIC = "job.completed"
MAX_RESULTS = 100  # property 41
TERMINAL = frozenset({"completed", "partially_completed", "failed", "cancelled"})  # property 43


def body(
    job_id: UUID, status: str, total: int, completed: int, failed: int, results: Sequence[Mapping[str, Any]] | None
) -> dict[str, Any]:
    """All results of a job of at most a hundred tasks; of a larger one the summary only."""
    inline = results is not None and total <= MAX_RESULTS
    return {
        "job_id": str(job_id),
        "status": status,
        "summary": {"total": total, "completed": completed, "failed": failed},
        "results": [dict(result) for result in results or ()] if inline else None,
    }


def address(callback_url: str | None, default_url: str | None) -> str | None:
    """Property 42: what the request named wins; with neither there is no callback (S-075)."""
    return callback_url or default_url or None


async def create(
    conn: Connection,
    *,
    job_id: UUID,
    status: str,
    total: int,
    completed: int,
    failed: int,
    results: Sequence[Mapping[str, Any]] | None,
    callback_url: str | None,
    default_url: str | None = None,
) -> bool:
    """Create the delivery of a job's callback; False when it exists already or no address is set."""
    if status not in TERMINAL:
        raise ValueError(f"a job that is {status} is not over")
    url = address(callback_url, default_url)
    if url is None:
        return False
    payload = body(job_id, status, total, completed, failed, results)
    return await deliveries.create_direct(conn, url=url, topic=TOPIC, payload=payload, job_id=job_id)
