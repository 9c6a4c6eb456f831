"""What a run has learnt about the shapes of addresses: whether further pages of a shape still lead to something new."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from psycopg import AsyncConnection
from psycopg.rows import class_row

Connection = AsyncConnection[Any]

_RECORD = """
INSERT INTO crawl_shapes AS s (run_id, shape, visited, fruitful, barren)
SELECT run_id, shape, count(*), count(*) FILTER (WHERE fruitful),
       CASE WHEN bool_or(fruitful) THEN 0 ELSE count(*) END
FROM unnest(%(run_id)b::bigint[], %(shape)b::text[], %(fruitful)b::boolean[]) AS g (run_id, shape, fruitful)
GROUP BY run_id, shape ORDER BY run_id, shape
ON CONFLICT (run_id, shape) DO UPDATE
SET visited = s.visited + excluded.visited, fruitful = s.fruitful + excluded.fruitful,
    barren = CASE WHEN excluded.fruitful > 0 THEN 0 ELSE s.barren + excluded.visited END
"""
_UNDER_WAY = """
SELECT payload -> 'follow_up' ->> 'shape' AS shape, payload -> 'follow_up' ->> 'role' AS role, count(*)::integer AS n
FROM tasks WHERE run_id = %s AND status IN ('queued', 'running') GROUP BY 1, 2
"""
_FORGET = """
DELETE FROM crawl_shapes WHERE (run_id, shape) IN (
    SELECT s.run_id, s.shape FROM crawl_shapes AS s LEFT JOIN scrape_runs AS r ON r.id = s.run_id
    WHERE r.status IS DISTINCT FROM 'RUNNING' LIMIT %s
)
"""


class VisitedShape(msgspec.Struct, frozen=True):
    """A page of some shape was visited; `fruitful`: it showed a product or led to one."""

    run_id: int
    shape: str
    fruitful: bool


class ShapeCounts(msgspec.Struct, frozen=True, kw_only=True):
    """`barren`: how many of the last pages in a row led to nothing new."""

    shape: str
    visited: int = 0
    fruitful: int = 0
    barren: int = 0


class PagesUnderWay(msgspec.Struct, frozen=True, kw_only=True):
    """How many pages of one shape and role are queued or being visited."""

    shape: str | None
    role: str | None
    n: int


async def record(conn: Connection, visited: Sequence[VisitedShape]) -> None:
    if visited:
        given = {name: [getattr(one, name) for one in visited] for name in VisitedShape.__struct_fields__}
        await conn.execute(_RECORD, given)


async def load(conn: Connection, run_id: int) -> list[ShapeCounts]:
    async with conn.cursor(row_factory=class_row(ShapeCounts)) as cursor:
        await cursor.execute("SELECT shape, visited, fruitful, barren FROM crawl_shapes WHERE run_id = %s", (run_id,))
        return await cursor.fetchall()


async def under_way(conn: Connection, run_id: int) -> list[PagesUnderWay]:
    async with conn.cursor(row_factory=class_row(PagesUnderWay)) as cursor:
        await cursor.execute(_UNDER_WAY, (run_id,))
        return await cursor.fetchall()


async def forget(conn: Connection, n: int) -> int:
    """Of runs that ended."""
    return (await conn.execute(_FORGET, (n,))).rowcount
