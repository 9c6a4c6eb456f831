"""Idempotent submits: a caller's Idempotency-Key finds what its first submit made."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import msgspec
from psycopg import AsyncConnection
from psycopg.rows import class_row

from winnow.errors import Conflict

KEEP_HOURS = 24.0  # how long a repeated submit is recognised

# Whoever comes second waits here until the first has committed or given up.
_REMEMBER = """
INSERT INTO submissions (caller, key, digest, task_id, job_id)
VALUES (%(caller)s, %(key)s, %(digest)s, %(task_id)s, %(job_id)s)
ON CONFLICT (caller, key) DO NOTHING RETURNING key
"""
_KNOWN = "SELECT digest, task_id, job_id FROM submissions WHERE caller = %s AND key = %s"
_FORGET = """
DELETE FROM submissions WHERE (caller, key) IN (
    SELECT caller, key FROM submissions WHERE created_at < now() - make_interval(hours => %s) LIMIT %s
)
"""

Connection = AsyncConnection[Any]


class Submission(msgspec.Struct, frozen=True, kw_only=True):
    """`digest` is of what was asked for; one of task_id and job_id is set."""

    digest: str
    task_id: UUID | None = None
    job_id: UUID | None = None


async def remember(conn: Connection, caller: str, key: str, new: Submission) -> Submission | None:
    """None for the first submit with this key. Else what the first one made; the same key for something else is a
    Conflict."""
    given = {"caller": caller, "key": key, **msgspec.structs.asdict(new)}
    if await (await conn.execute(_REMEMBER, given)).fetchone() is not None:
        return None
    async with conn.cursor(row_factory=class_row(Submission)) as cursor:
        await cursor.execute(_KNOWN, (caller, key))
        known = await cursor.fetchone()
    if known is None or known.digest != new.digest:
        raise Conflict("this Idempotency-Key was used for another request")
    return known


async def forget(conn: Connection, n: int = 10_000) -> int:
    return (await conn.execute(_FORGET, (int(KEEP_HOURS), n))).rowcount
