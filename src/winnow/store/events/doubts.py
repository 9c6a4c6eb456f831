"""Pairs of events that may be one, as a person decides about them."""

from __future__ import annotations

from typing import Any

import msgspec
from psycopg import AsyncConnection
from psycopg.rows import class_row

from winnow.errors import Conflict, NotFound

_LOCK = "SELECT id, low_id, high_id, score, status, decided_by FROM event_doubts WHERE id = %s FOR UPDATE"
_DECIDE = "UPDATE event_doubts SET status = %s, decided_by = %s, decided_at = now() WHERE id = %s"

Connection = AsyncConnection[Any]


class Doubt(msgspec.Struct, frozen=True, kw_only=True):
    id: int
    low_id: int
    high_id: int
    score: float
    status: str
    decided_by: str | None


async def take(conn: Connection, doubt_id: int) -> Doubt:
    """Lock an open doubt; raise with the name of who decided it when it is not open."""
    async with conn.cursor(row_factory=class_row(Doubt)) as cursor:
        await cursor.execute(_LOCK, (doubt_id,))
        found = await cursor.fetchone()
    if found is None:
        raise NotFound(f"there is no doubt {doubt_id}")
    if found.status != "open":
        raise Conflict(f"doubt {doubt_id} was decided already, by {found.decided_by}", existing=found.status)
    return found


async def decide(conn: Connection, doubt_id: int, status: str, actor: str) -> None:
    await conn.execute(_DECIDE, (status, actor, doubt_id))
