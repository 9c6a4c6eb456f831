"""Reads and writes the row memory of a feed (feeds/read/memory.py), in the transaction that ends its run."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

import msgspec
from psycopg import AsyncConnection

_RUNS_SINCE = "SELECT id FROM affiliate_feed_runs WHERE feed_id = %s AND id > %s AND id <> ALL (%s::bigint[])"
_PRICED_BY = "SELECT DISTINCT source_product_id FROM prices WHERE affiliate_feed_run_id = ANY (%s)"


class StoredMemory(msgspec.Struct, frozen=True, kw_only=True):
    """`made_at`: nothing in it is true of an offer that somebody changed later."""

    salt: str = ""
    parts: list[bytes] = []
    run_id: int = 0
    made_at: datetime | None = None

    @property
    def seed(self) -> int:
        """That its digests were made with; 0 if there are none."""
        return int(self.salt.partition("-")[2] or "0", 16)


async def fetch(conn: AsyncConnection[Any], feed_id: int) -> StoredMemory:
    cursor = await conn.execute(
        "SELECT salt, entries, run_id, created_at FROM feed_row_memory WHERE feed_id = %s ORDER BY part",
        (feed_id,),
        binary=True,
    )
    found = await cursor.fetchall()
    if not found:
        return StoredMemory()
    salt, _, run_id, _ = found[0]
    made_at = max(row[3] for row in found)
    return StoredMemory(salt=salt, parts=[row[1] for row in found], run_id=run_id, made_at=made_at)


async def priced_since(conn: AsyncConnection[Any], feed_id: int, run_id: int, without: Iterable[int]) -> list[int]:
    """Offers priced after run `run_id`, by runs that did not get as far as being remembered."""
    runs = await (await conn.execute(_RUNS_SINCE, (feed_id, run_id, list(without)))).fetchall()
    if not runs:  # the usual; the question itself looks at every price there is
        return []
    found = await (await conn.execute(_PRICED_BY, ([run[0] for run in runs],))).fetchall()
    return [row[0] for row in found]


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
