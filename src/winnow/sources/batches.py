"""Batches of URLs that were submitted together (C-005). The only writer of `crawl_batches` and its targets.

running ⇄ paused, both ─▶ stopped
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from psycopg import AsyncConnection
from psycopg.rows import dict_row, scalar_row

from winnow.errors import NotFound

Connection = AsyncConnection[Any]

_ADD = "INSERT INTO crawl_batches (requested_by, note) VALUES (%s, %s) RETURNING id"
_ADD_TARGETS = """
INSERT INTO crawl_batch_targets (batch_id, target_id, created)
SELECT %(batch_id)s, g.target_id, bool_or(g.created)
FROM unnest(%(target_id)s::bigint[], %(created)s::boolean[]) AS g (target_id, created)
GROUP BY g.target_id
ON CONFLICT DO NOTHING
"""
_TARGETS = "SELECT target_id FROM crawl_batch_targets WHERE batch_id = %s ORDER BY target_id"


async def add(conn: Connection, requested_by: str, note: str | None, targets: Sequence[tuple[int, bool]]) -> int:
    """Its id. `targets`: each with whether it was not known before."""
    async with conn.cursor(row_factory=scalar_row) as cursor:
        await cursor.execute(_ADD, (requested_by, note))
        batch_id = int(await cursor.fetchone() or 0)
    given = {"batch_id": batch_id, "target_id": [t for t, _ in targets], "created": [new for _, new in targets]}
    await conn.execute(_ADD_TARGETS, given)
    return batch_id


async def get(conn: Connection, batch_id: int, *, lock: bool = False) -> Mapping[str, Any]:
    query = f"SELECT * FROM crawl_batches WHERE id = %s{' FOR UPDATE' if lock else ''}"
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(query, (batch_id,))
        row = await cursor.fetchone()
    if row is None:
        raise NotFound(f"there is no batch {batch_id}")
    return row


async def targets_of(conn: Connection, batch_id: int) -> list[int]:
    async with conn.cursor(row_factory=scalar_row) as cursor:
        await cursor.execute(_TARGETS, (batch_id,))
        return await cursor.fetchall()


async def set_state(conn: Connection, batch_id: int, state: str) -> None:
    await conn.execute("UPDATE crawl_batches SET state = %s, updated_at = now() WHERE id = %s", (state, batch_id))
