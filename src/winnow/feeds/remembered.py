"""Where the memory of a feed is kept (see feeds/memory.py): written with the run it is of, or not at all."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from psycopg import AsyncConnection

from winnow.db.sql import load

DIRTY = load("feeds/memory_dirty.sql")


async def fetch(conn: AsyncConnection[Any], feed_id: int) -> tuple[str, list[bytes], frozenset[bytes]]:
    """The salt, the entries, and the offers that were changed since by somebody else or by a run that failed."""
    cursor = await conn.execute(
        "SELECT salt, entries FROM feed_row_memory WHERE feed_id = %s ORDER BY part", (feed_id,), binary=True
    )
    found = await cursor.fetchall()
    if not found:
        return "", [], frozenset()
    changed = await conn.execute(DIRTY, {"feed_id": feed_id})
    return (
        found[0][0],
        [row[1] for row in found],
        frozenset(row[0].to_bytes(8, "big") for row in await changed.fetchall()),
    )


async def keep(conn: AsyncConnection[Any], feed_id: int, run_id: int, salt: str, parts: Iterable[bytes]) -> None:
    await forget(conn, feed_id)
    for number, part in enumerate(parts):
        await conn.execute(
            "INSERT INTO feed_row_memory (feed_id, part, run_id, salt, entries, created_at)"
            " VALUES (%s, %s, %s, %s, %b, clock_timestamp())",
            (feed_id, number, run_id, salt, part),
        )


async def forget(conn: AsyncConnection[Any], feed_id: int) -> None:
    await conn.execute("DELETE FROM feed_row_memory WHERE feed_id = %s", (feed_id,))
