"""How long pages are kept (C-049, DESIGN §11.26): bodies for a while, their rows longer, orphans not at all.

Many pages may share a body, so it is deleted when the last row that names it has released it. Rows release it first,
then it is deleted: a crash in between leaves a body without a row, which the sweep finds. A body that was stored
or asked for within the last hour is never deleted, because the row that names it may not be committed yet.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

import msgspec
from psycopg import AsyncConnection
from psycopg.rows import scalar_row

from winnow.db.sql import load
from winnow.fetch.archive.archive import Archive

Connection = AsyncConnection[Any]

EXPIRE, UNREFERENCED = load("fetch/archive/expire.sql"), load("fetch/archive/unreferenced.sql")
LET_GO = """
UPDATE pages SET body_deleted_at = now()
WHERE (id = ANY(%(ids)s::uuid[]) OR url = ANY(%(urls)s::text[]) OR final_url = ANY(%(urls)s::text[]))
  AND content_hash IS NOT NULL AND body_deleted_at IS NULL
RETURNING content_hash, screenshot_hash
"""
BATCH = 500
MIN_AGE = timedelta(hours=1)  # longer than any commit waits for its database before its leases expire
UNFINISHED = timedelta(hours=1)


class RetentionRules(msgspec.Struct, frozen=True):
    """Days. `personal` is for pages about people."""

    bodies: float = 90.0
    personal: float = 30.0
    rows: float = 365.0


class Removed(msgspec.Struct, kw_only=True):
    expired: int = 0
    deleted: int = 0
    rows: int = 0


async def expire(conn: Connection, archive: Archive, rules: RetentionRules, limit: int = BATCH) -> Removed:
    """One batch: releases old bodies, deletes those no other row names, removes old rows."""
    limits = {"days": rules.bodies, "personal_days": min(rules.personal, rules.bodies), "limit": limit}
    rows = await (await conn.execute(EXPIRE, limits)).fetchall()
    hashes = sorted({name for row in rows for name in row if name is not None})
    deleted = await delete_unreferenced(conn, archive, hashes)
    gone = await conn.execute(
        "DELETE FROM pages WHERE id IN (SELECT id FROM pages WHERE created_at < now() - %s * interval '1 day' "
        "AND (content_hash IS NULL OR body_deleted_at IS NOT NULL) ORDER BY created_at LIMIT %s)",
        (rules.rows, limit),
    )
    return Removed(expired=len(rows), deleted=deleted, rows=gone.rowcount)


async def let_go(conn: Connection, ids: Sequence[UUID], urls: Sequence[str]) -> tuple[int, list[str]]:
    """Releases the bodies of these pages and addresses, whatever their age. Returns how many, and their hashes."""
    rows = await (await conn.execute(LET_GO, {"ids": list(ids), "urls": list(urls)})).fetchall()
    return len(rows), sorted({name for row in rows for name in row if name is not None})


async def sweep(conn: Connection, archive: Archive, prefix: str) -> int:
    """Deletes bodies under a prefix of the hash (two digits) that no row names: what crashes left behind."""
    deleted = 0
    names = await archive.names(prefix)
    for start in range(0, len(names), BATCH):
        deleted += await delete_unreferenced(conn, archive, names[start : start + BATCH])
    return deleted


async def delete_unreferenced(conn: Connection, archive: Archive, hashes: Sequence[str]) -> int:
    if not hashes:
        return 0
    async with conn.cursor(row_factory=scalar_row) as cursor:
        await cursor.execute(UNREFERENCED, {"hashes": list(hashes)})
        unneeded = await cursor.fetchall()
    return sum([await archive.delete(name, older_than=MIN_AGE) for name in unneeded])
