"""Whether visits of pages are paused as a whole (C-003): one row that the scheduler and every claim look at."""

from __future__ import annotations

from typing import Any

from psycopg import AsyncConnection
from psycopg.rows import dict_row

Connection = AsyncConnection[Any]

_PAUSE = """
INSERT INTO scheduler_state AS s (id, paused_at, paused_by) VALUES (1, now(), %(by)s)
ON CONFLICT (id) DO UPDATE SET paused_at = now(), paused_by = %(by)s, updated_at = now() WHERE s.paused_at IS NULL
"""
_RESUME = """
UPDATE scheduler_state SET paused_at = NULL, paused_by = NULL, updated_at = now() WHERE id = 1 AND paused_at IS NOT NULL
"""


async def pause(conn: Connection, by: str) -> bool:
    """Whether it was not paused yet."""
    return bool((await conn.execute(_PAUSE, {"by": by})).rowcount)


async def resume(conn: Connection) -> bool:
    return bool((await conn.execute(_RESUME)).rowcount)


async def state(conn: Connection) -> dict[str, Any]:
    """`paused_at` and `paused_by`; None where it is not paused."""
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute("SELECT paused_at, paused_by FROM scheduler_state WHERE id = 1")
        return await cursor.fetchone() or {"paused_at": None, "paused_by": None}
