"""What visits teach about a source: the way its pages can be fetched, and that a person has to look at it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from psycopg import AsyncConnection
from psycopg.rows import class_row

_FETCHERS = """
UPDATE sources AS s SET preferred_fetcher = g.way, fetcher_learnt_at = now()
FROM (
    SELECT DISTINCT ON (id) id, way FROM unnest(%(id)b::bigint[], %(way)b::text[]) WITH ORDINALITY AS g (id, way, n)
    ORDER BY id, n DESC
) AS g
WHERE s.id = g.id
"""
_FLAG = """
UPDATE sources AS s SET needs_review = true, review_reason = g.reason, updated_at = now()
FROM unnest(%(id)b::bigint[], %(reason)b::text[]) AS g (id, reason)
WHERE s.id = g.id AND NOT s.needs_review
RETURNING s.id AS source_id, g.reason
"""


_UNFLAG = """
UPDATE sources SET needs_review = false, review_reason = NULL, updated_at = now()
WHERE id = ANY(%s) AND needs_review AND review_reason = %s
RETURNING id
"""


class Works(msgspec.Struct, frozen=True):
    source_id: int
    way: str


class Review(msgspec.Struct, frozen=True):
    source_id: int
    reason: str


async def fetchers(conn: AsyncConnection[Any], works: Sequence[Works]) -> None:
    """E-036: kept until something else is learnt. The time says when it is worth checking again."""
    if works:
        ordered = sorted(works, key=lambda w: w.source_id)
        await conn.execute(_FETCHERS, {"id": [w.source_id for w in ordered], "way": [w.way for w in ordered]})


async def flag(conn: AsyncConnection[Any], reviews: Mapping[int, Review]) -> list[Review]:
    """Those that were not flagged already: a person is told once."""
    if not reviews:
        return []
    given = {"id": sorted(reviews), "reason": [reviews[id].reason for id in sorted(reviews)]}
    async with conn.cursor(row_factory=class_row(Review)) as cursor:
        await cursor.execute(_FLAG, given)
        return await cursor.fetchall()


async def unflag(conn: AsyncConnection[Any], source_ids: Sequence[int], reason: str) -> list[int]:
    """Those that were flagged for this reason and no other: it holds no longer."""
    if not source_ids:
        return []
    found = await conn.execute(_UNFLAG, (sorted(set(source_ids)), reason))
    return [row[0] for row in await found.fetchall()]
