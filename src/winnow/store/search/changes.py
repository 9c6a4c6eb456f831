"""Works off what triggers noted (`search_changes`), the sources whose documents are all looked at again
(`search_walks`), and documents whose time is up. Each call is one short transaction; nothing that writes prices or
trust ever waits for it.
"""

from __future__ import annotations

from typing import Any

from psycopg import AsyncConnection

from winnow.store.search import documents

BATCH = 2_000

_TAKE = "SELECT id, product_id, source_id, hides FROM search_changes ORDER BY id LIMIT %s"
_DONE = "DELETE FROM search_changes WHERE id = ANY(%s)"
_DUE = "SELECT product_id FROM search_documents WHERE recheck_at < now() ORDER BY recheck_at LIMIT %s"
_WALK = """
INSERT INTO search_walks AS w (source_id, hides, requested_at)
SELECT source_id, bool_or(hides), min(changed_at) FROM search_changes
WHERE id = ANY(%s) AND source_id IS NOT NULL GROUP BY source_id
ON CONFLICT (source_id) DO UPDATE
SET after_id = 0, hides = w.hides OR excluded.hides, finished_version = NULL, requested_at = excluded.requested_at
"""
_NEXT_WALK = "SELECT source_id, after_id FROM search_walks WHERE finished_version IS NULL ORDER BY requested_at LIMIT 1"
_OF_SOURCE = """
SELECT product_id FROM search_documents WHERE source_id = %s AND product_id > %s ORDER BY product_id LIMIT %s
"""
_WALKED = "UPDATE search_walks SET after_id = %s WHERE source_id = %s"
_FINISHED = """
UPDATE search_walks SET finished_version = (SELECT last_value FROM search_version) WHERE source_id = %s
"""
# What every index has heard of. Without a search server that is everything.
_FORGET_WALKS = """
DELETE FROM search_walks WHERE finished_version <= coalesce((SELECT min(version) FROM search_indexes), finished_version)
"""
_FORGET_DELETIONS = """
DELETE FROM search_deletions WHERE version <= coalesce((SELECT min(version) FROM search_indexes), version)
"""

Connection = AsyncConnection[Any]


async def run_once(conn: Connection, n: int = BATCH) -> int:
    """The next changes, in the caller's transaction; how many there were. 0 also when another process is at it."""
    if not await documents.try_lock(conn):
        return 0
    taken = await (await conn.execute(_TAKE, (n,))).fetchall()
    if taken:
        return await _apply(conn, taken)
    due = [row[0] for row in await (await conn.execute(_DUE, (n,))).fetchall()]
    if due:
        await documents.update(conn, due)
        return len(due)
    return await _walk(conn, n)


async def _apply(conn: Connection, taken: list[Any]) -> int:
    ids = [row[0] for row in taken]
    offers = sorted({row[1] for row in taken if row[1] is not None})
    await documents.update(conn, offers)
    await documents.note_deleted(conn, offers)
    await conn.execute(_WALK, (ids,))
    await conn.execute(_DONE, (ids,))
    return len(taken)


async def _walk(conn: Connection, n: int) -> int:
    walk = await (await conn.execute(_NEXT_WALK)).fetchone()
    if walk is None:
        await conn.execute(_FORGET_WALKS)
        await conn.execute(_FORGET_DELETIONS)
        return 0
    source_id, after = walk
    ids = [row[0] for row in await (await conn.execute(_OF_SOURCE, (source_id, after, n))).fetchall()]
    if ids:
        await documents.update(conn, ids)
        await conn.execute(_WALKED, (ids[-1], source_id))
    if len(ids) < n:
        await conn.execute(_FINISHED, (source_id,))
    return max(len(ids), 1)
