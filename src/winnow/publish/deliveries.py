"""Storage of deliveries: claimed with a lease and a fence, settled once, redelivered on a person's request.

A crash between sending and settling is the one way a message is sent twice; both times it carries the same id.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID, uuid4

import msgspec
from psycopg import AsyncConnection
from psycopg.rows import class_row, scalar_row
from psycopg.types.json import Jsonb

from winnow.db.sql import load
from winnow.publish.attempt import Conclusion, ReceiverResponse

CLAIM = load("publish/claim.sql")
SETTLE = load("publish/settle.sql")
LEASE_SECONDS = 60.0  # an attempt takes 10 s at most (S-074)
AT_ONCE_EACH = 8  # to one receiver; more would be a flood to it, and one that hangs would hold more of us

_LOST = """
UPDATE deliveries SET status = 'pending', lease_until = NULL, next_attempt_at = now()
WHERE status = 'sending' AND lease_until <= now()
RETURNING id
"""
_PUT = """
INSERT INTO deliveries (message_id, endpoint_id, job_id, receiver, key, channel, url, topic, payload)
VALUES (%(message_id)s, %(endpoint_id)s, %(job_id)s, %(receiver)s, %(key)s, %(channel)s, %(url)s, %(topic)s,
        %(payload)s)
ON CONFLICT DO NOTHING RETURNING id
"""
# In order, so that the earlier of two about one thing goes first again.
_REDELIVER = """
UPDATE deliveries
SET status = 'pending', attempts = 0, next_attempt_at = now(), delivered_at = NULL
WHERE id = ANY(%s) AND status IN ('dead', 'delivered')
RETURNING id
"""
_BURY = """
UPDATE deliveries SET status = 'dead', lease_until = NULL, last_error = %s
WHERE endpoint_id = %s AND status = 'pending'
"""
_FORGET = """
DELETE FROM deliveries WHERE id IN (
    SELECT id FROM deliveries
    WHERE status = %s AND created_at < now() - make_interval(secs => %s) ORDER BY created_at LIMIT %s
)
"""

Connection = AsyncConnection[Any]


class ClaimedDelivery(msgspec.Struct, frozen=True, kw_only=True):
    """A delivery in this process's hands."""

    id: int
    message_id: UUID
    endpoint_id: int | None
    channel: str
    url: str
    topic: str
    payload: dict[str, Any]
    attempts: int
    fence: int


async def create_direct(
    conn: Connection,
    *,
    url: str,
    topic: str,
    payload: dict[str, Any],
    job_id: UUID | None = None,
    about: UUID | None = None,
) -> bool:
    """A message for one address, outside any subscription. False: this job has its callback already. `about` is what an
    operator looks for when it is not a job."""
    given = {
        "message_id": uuid4(),
        "endpoint_id": None,
        "job_id": job_id,
        "receiver": f"host:{urlsplit(url).netloc.lower()}",
        "key": str(job_id or about or uuid4()),
        "channel": "webhook",
        "url": url,
        "topic": topic,
        "payload": Jsonb(payload),
    }
    return await (await conn.execute(_PUT, given)).fetchone() is not None


async def claim(conn: Connection, n: int) -> list[ClaimedDelivery]:
    async with conn.cursor(row_factory=class_row(ClaimedDelivery)) as cursor:
        await cursor.execute(CLAIM, {"n": n, "each": AT_ONCE_EACH, "lease": LEASE_SECONDS})
        return await cursor.fetchall()


async def take_back_lost(conn: Connection) -> list[int]:
    """Requeue deliveries whose sender died. Whether they arrived is unknown, so the attempt is not counted."""
    return await _ids(conn, _LOST, ())


async def settle(conn: Connection, claimed: ClaimedDelivery, answer: ReceiverResponse, conclusion: Conclusion) -> bool:
    """Store the result of an attempt; False when another sender has taken the delivery over meanwhile."""
    given = {
        "id": claimed.id,
        "fence": claimed.fence,
        "status": conclusion.status,
        "wait": conclusion.wait_s,
        "status_code": answer.status_code,
        "error": None if answer.ok else answer.error,
        "duration_ms": answer.duration_ms,
    }
    return (await conn.execute(SETTLE, given)).rowcount == 1


async def redeliver(conn: Connection, ids: Sequence[int]) -> list[int]:
    """Send dead or delivered ones again under the same id, so that a receiver can recognise a duplicate."""
    return await _ids(conn, _REDELIVER, (list(ids),))


async def mark_undeliverable(conn: Connection, endpoint_id: int, why: str) -> int:
    """What waits for a receiver that is no more. It can be redelivered."""
    return (await conn.execute(_BURY, (why, endpoint_id))).rowcount


async def forget(conn: Connection, status: str, days: float, n: int = 10_000) -> int:
    """Delivered or dead ones made longer ago."""
    return (await conn.execute(_FORGET, (status, days * 86_400, n))).rowcount


async def _ids(conn: Connection, statement: str, given: tuple[Any, ...]) -> list[int]:
    async with conn.cursor(row_factory=scalar_row) as cursor:
        await cursor.execute(statement, given)
        return sorted(await cursor.fetchall())
