"""Where the memory of a feed is kept (see feeds/memory.py): written with the run it is of, or not at all."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from psycopg import AsyncConnection

from winnow.db.sql import load
from winnow.feeds.ids import ID_BYTES

DIRTY = load("feeds/memory_dirty.sql")


async def fetch(conn: AsyncConnection[Any], feed_id: int) -> tuple[str, list[bytes], frozenset[bytes]]:
    """The salt, the entries, and the offers that were changed since by somebody else or by a run that failed."""
    cursor = await conn.execute(
        "SELECT m.salt, m.entries, m.run_id, m.created_at, f.source_id FROM feed_row_memory AS m"
        " JOIN affiliate_feeds AS f ON f.id = m.feed_id WHERE m.feed_id = %s ORDER BY m.part",
        (feed_id,),
        binary=True,
    )
    found = await cursor.fetchall()
    if not found:
        return "", [], frozenset()
    salt, _, run_id, _, source_id = found[0]
    made_at = max(row[3] for row in found)
    given = {"feed_id": feed_id, "source_id": source_id, "run_id": run_id, "made_at": made_at}
    changed = await (await conn.execute(DIRTY, given)).fetchall()
    return salt, [row[1] for row in found], frozenset(row[0].to_bytes(ID_BYTES, "big") for row in changed)


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
