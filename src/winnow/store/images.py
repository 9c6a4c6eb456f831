"""Pictures of offers (C-036): which are wanted, which task fetches them, what came of it.

A picture is fetched once per address, whoever shows it; the bytes are archived once by content. Runs inside the
caller's transaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import msgspec
from psycopg import AsyncConnection
from psycopg.rows import class_row

Connection = AsyncConnection[Any]

MAX_ATTEMPTS = 3

# A picture that is wanted once stays wanted.
_REQUEST = """
INSERT INTO images AS i (product_id, image_url, alt_text, image_type, position, wanted)
SELECT * FROM unnest(%(product_id)b::bigint[], %(url)b::text[], %(alt)b::text[], %(type)b::text[],
                     %(position)b::integer[], %(wanted)b::boolean[])
ON CONFLICT (product_id, image_url) DO UPDATE
SET alt_text = coalesce(excluded.alt_text, i.alt_text), image_type = excluded.image_type,
    position = excluded.position, wanted = i.wanted OR excluded.wanted
WHERE (i.alt_text, i.image_type, i.position) IS DISTINCT FROM
      (coalesce(excluded.alt_text, i.alt_text), excluded.image_type, excluded.position)
   OR (excluded.wanted AND NOT i.wanted)
"""
# Pictures that the page shows no more; whoever fetches one of them finishes.
_DROP_OTHERS = """
DELETE FROM images AS i
USING unnest(%(product_id)b::bigint[]) AS g (product_id)
WHERE i.product_id = g.product_id AND i.task_id IS NULL
  AND (i.product_id, i.image_url) NOT IN (SELECT * FROM unnest(%(kept_product)b::bigint[], %(kept_url)b::text[]))
"""
# One row per address; those of other offers with the same address wait for the same task.
_WAITING = """
SELECT DISTINCT ON (i.image_url) i.image_url AS url, p.source_id
FROM (
    SELECT id, image_url, product_id FROM images
    WHERE wanted AND content_hash IS NULL AND task_id IS NULL AND attempts < %(attempts)s ORDER BY id LIMIT %(limit)s
) AS i
JOIN source_products AS p ON p.id = i.product_id
ORDER BY i.image_url, i.id
"""
_ASSIGN = """
UPDATE images AS i SET task_id = g.task_id
FROM unnest(%(url)b::text[], %(task_id)b::uuid[]) AS g (url, task_id)
WHERE i.image_url = g.url AND i.content_hash IS NULL AND i.task_id IS NULL
"""
_FETCHED = """
UPDATE images AS i SET
    task_id = NULL, attempts = i.attempts + 1, last_error = g.error, content_hash = g.hash, image_path = g.path,
    content_type = g.type, width = g.width, height = g.height, file_size = g.size
FROM unnest(
    %(task_id)b::uuid[], %(error)b::text[], %(hash)b::text[], %(path)b::text[], %(type)b::text[], %(width)b::integer[],
    %(height)b::integer[], %(size)b::bigint[]
) AS g (task_id, error, hash, path, type, width, height, size)
WHERE i.task_id = g.task_id
"""
# Their task was cancelled, became stale, or lost its workers: whoever ended it knew nothing of pictures.
_RELEASE_GONE = """
UPDATE images SET task_id = NULL, attempts = attempts + 1, last_error = 'the task ended without an answer'
WHERE id IN (
    SELECT i.id FROM images AS i
    WHERE i.content_hash IS NULL AND i.task_id IS NOT NULL
      AND NOT EXISTS (SELECT FROM tasks AS t WHERE t.id = i.task_id AND t.status IN ('queued', 'running'))
    LIMIT 1000
)
"""


class KeptImage(msgspec.Struct, frozen=True):
    id: int
    content_hash: str | None


class WaitingImage(msgspec.Struct, frozen=True):
    url: str
    source_id: int


class Fetched(msgspec.Struct, frozen=True, kw_only=True):
    """`error` says why there is none; the address is tried again as long as it has attempts."""

    task_id: UUID
    error: str | None = None
    hash: str | None = None
    path: str | None = None
    type: str | None = None
    width: int | None = None
    height: int | None = None
    size: int | None = None


class PageImage(msgspec.Struct, frozen=True, kw_only=True):
    """A picture as a page shows it; `wanted`: its bytes are fetched too."""

    product_id: int
    url: str
    alt: str | None = None
    type: str = "primary"
    position: int = 0
    wanted: bool = True


async def request(conn: Connection, pictures: Sequence[PageImage]) -> None:
    """Keeps them in the order of their pages; an address that is known is fetched once."""
    if pictures:
        ordered = sorted(pictures, key=lambda picture: (picture.product_id, picture.url))
        names = PageImage.__struct_fields__
        await conn.execute(_REQUEST, {name: [getattr(p, name) for p in ordered] for name in names})


async def keep_only(conn: Connection, product_ids: Sequence[int], pictures: Sequence[PageImage]) -> None:
    """Forgets pictures of these products that their pages show no more."""
    if product_ids:
        kept = {"kept_product": [p.product_id for p in pictures], "kept_url": [p.url for p in pictures]}
        await conn.execute(_DROP_OTHERS, {"product_id": sorted(product_ids), **kept})


async def waiting(conn: Connection, limit: int) -> list[WaitingImage]:
    async with conn.cursor(row_factory=class_row(WaitingImage)) as cursor:
        await cursor.execute(_WAITING, {"attempts": MAX_ATTEMPTS, "limit": limit})
        return await cursor.fetchall()


async def assign(conn: Connection, tasks: Sequence[tuple[str, UUID]]) -> None:
    """Note which tasks will fetch which addresses."""
    await conn.execute(_ASSIGN, {"url": [url for url, _ in tasks], "task_id": [task for _, task in tasks]})


async def refuse(conn: Connection, url: str, reason: str) -> None:
    """An address that may never be fetched."""
    await conn.execute(
        "UPDATE images SET attempts = %s, last_error = %s WHERE image_url = %s AND content_hash IS NULL",
        (MAX_ATTEMPTS, reason, url),
    )


async def write(conn: Connection, fetched: Sequence[Fetched]) -> None:
    if fetched:
        names = Fetched.__struct_fields__
        await conn.execute(_FETCHED, {name: [getattr(f, name) for f in fetched] for name in names})


async def release_gone(conn: Connection) -> int:
    return (await conn.execute(_RELEASE_GONE)).rowcount


async def one(conn: Connection, image_id: int) -> KeptImage | None:
    async with conn.cursor(row_factory=class_row(KeptImage)) as cursor:
        await cursor.execute("SELECT id, content_hash FROM images WHERE id = %s", (image_id,))
        return await cursor.fetchone()
