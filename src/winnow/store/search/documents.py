"""Writes search documents (C-051, C-052): whole, when an offer says something new, or only price, stock and visibility.

One transaction at a time writes any, under an advisory lock that it holds until it commits. So versions are in the
order of the commits, and a search server that has heard of everything up to a version has missed nothing
(server/push.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from psycopg import AsyncConnection

from winnow.db.sql import load

LOCK = 0x57494E58  # "WINX" (DESIGN §11.21)
WRITE = load("store/search/document_write.sql")
UPDATE = load("store/search/document_update.sql")
ADD_WORDS = load("store/search/words_add.sql")
DELETE = "DELETE FROM search_documents WHERE product_id = ANY(%s)"
# An index that is built anew hears of documents alone.
_DELETED = """
INSERT INTO search_deletions (product_id)
SELECT g.id FROM unnest(%s::bigint[]) AS g (id)
WHERE EXISTS (SELECT FROM search_indexes) AND NOT EXISTS (SELECT FROM search_documents AS d WHERE d.product_id = g.id)
ON CONFLICT (product_id) DO UPDATE SET version = excluded.version, deleted_at = now()
"""

Connection = AsyncConnection[Any]


async def write(conn: Connection, ids: Sequence[int]) -> None:
    """Writes the documents of these offers anew; waits for its turn."""
    await conn.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
    await conn.execute(WRITE, {"id": list(ids)})
    await conn.execute(ADD_WORDS, {"id": list(ids)})


async def delete(conn: Connection, ids: Sequence[int]) -> None:
    """Offers that nobody sees any more are not found either; a trigger notes it for search servers."""
    if ids:
        await conn.execute(DELETE, (list(ids),))


async def try_lock(conn: Connection) -> bool:
    row = await (await conn.execute("SELECT pg_try_advisory_xact_lock(%s)", (LOCK,))).fetchone()
    return bool(row and row[0])


async def update(conn: Connection, ids: Sequence[int]) -> int:
    """Brings price, stock and visibility up to date, under the lock; how many documents that changed."""
    return (await conn.execute(UPDATE, {"id": list(ids)})).rowcount


async def note_deleted(conn: Connection, ids: Sequence[int]) -> None:
    """Of these offers, those that have no document: search servers forget them (under the lock)."""
    await conn.execute(_DELETED, (list(ids),))
