"""What a visit leaves on its target."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import msgspec
from psycopg import AsyncConnection
from psycopg.rows import scalar_row

from winnow.db.sql import load

VISITED = load("sources/visited.sql")


class Visited(msgspec.Struct, frozen=True, kw_only=True):
    """`failure` True counts towards BROKEN, False resets it, None says nothing about the URL (PN-06).
    `fresh`: a new body arrived, so its validators and hash replace the old ones. `full_fetch`: any body arrived;
    `not_modified`: the server only said that it has not changed. `again_in_seconds`: what it said needs
    a second visit soon, unless it is visited only by hand. `says_new`: whether what it says has changed, as far as that
    is known; the interval of an adaptive target follows it."""

    target_id: int
    task_id: UUID
    status: str
    page_id: UUID | None = None
    error: str | None = None
    failure: bool | None = None
    verdict: str | None = None
    adapter_version: str | None = None
    fresh: bool = False
    etag: str | None = None
    last_modified: str | None = None
    content_hash: str | None = None
    unchanged: bool = False
    not_modified: bool = False
    full_fetch: bool = False
    again_in_seconds: float | None = None
    says_new: bool | None = None
    accepted: int = 0
    held: int = 0
    rejected: int = 0


async def record(conn: AsyncConnection[Any], visits: Sequence[Visited]) -> None:
    if visits:
        ordered = sorted(visits, key=lambda v: v.target_id)
        columns = {name: [getattr(v, name) for v in ordered] for name in Visited.__struct_fields__}
        await conn.execute(VISITED, columns)


async def accepted(conn: AsyncConnection[Any], target_id: int, task_id: UUID) -> None:
    """A person accepted what this task had read: unless the target was visited since, its page counts as accepted."""
    await conn.execute(
        "UPDATE scrape_targets SET last_verdict = 'accept', last_status = 'accepted', updated_at = now(), "
        "last_accepted = last_accepted + 1, last_held = greatest(last_held - 1, 0) "
        "WHERE id = %s AND last_task_id = %s",
        (target_id, task_id),
    )


async def make_stale(conn: AsyncConnection[Any], target_ids: Sequence[int]) -> int:
    """P-071: their tasks waited too long. Only a person puts them back. How many targets are stale now."""
    await conn.execute(
        "UPDATE scrape_targets SET status = 'STALE', updated_at = now() WHERE id = ANY(%s) AND status = 'ACTIVE'",
        (list(target_ids),),
    )
    async with conn.cursor(row_factory=scalar_row) as cursor:
        await cursor.execute("SELECT count(*) FROM scrape_targets WHERE status = 'STALE'")
        return int(await cursor.fetchone() or 0)
