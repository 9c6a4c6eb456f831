"""Targets: the URLs of a source. Besides what a visit leaves (visited.py), written here only.

ACTIVE --pause--> PAUSED --resume--> ACTIVE
ACTIVE --5 failures--> BROKEN, --waited a day--> STALE; both --requeue--> ACTIVE (P-088, P-071, P-100)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec
from psycopg import AsyncConnection, sql
from psycopg.rows import dict_row, scalar_row
from psycopg.types.json import Jsonb

from winnow.errors import Conflict, InvalidInput, NotFound

Connection = AsyncConnection[Any]


class NewTarget(msgspec.Struct, frozen=True, kw_only=True):
    """Checked, canonical and complete; actions/intake.py makes it. `next_crawl_at` None: only by hand."""

    url: str
    canonical_url: str
    url_hash: str
    domain: str
    source_id: int
    adapter_id: str
    kind: str = "offer"
    schedule: str | None = None
    crawl_frequency: timedelta | None = None
    expected_every: timedelta | None = None
    next_crawl_at: datetime | None = None
    priority: int = 0
    enabled: bool = True
    notes: str | None = None
    created_by: str | None = None
    found_by_run_id: int | None = None
    source_product_id: int | None = None  # the offer it refreshes (P-002, FN-18)
    revisit_least: timedelta | None = None  # with `revisit_most`: its interval follows its changes
    revisit_most: timedelta | None = None
    max_attempts: int | None = None


class Existing(msgspec.Struct, frozen=True):
    """Where a URL is already: the key of the target that was to be added, and the target that is there."""

    source_id: int
    canonical_url: str
    id: int


CHANGEABLE = frozenset(
    {
        "schedule",
        "crawl_frequency",
        "expected_every",
        "next_crawl_at",
        "priority",
        "due_because",
        "revisit_least",
        "revisit_most",
        "max_attempts",
        "enabled",
        "notes",
        "adapter_id",
        "robots_path_blocked",
    }
)

# Sorted, so that two imports that overlap wait for each other instead of deadlocking.
_ADD = """
INSERT INTO scrape_targets (url, canonical_url, url_hash, domain, source_id, adapter_id, kind, schedule,
                            crawl_frequency, expected_every, next_crawl_at, priority, enabled, notes, created_by,
                            found_by_run_id, source_product_id, revisit_least, revisit_most, max_attempts)
SELECT * FROM unnest(
    %(url)b::text[], %(canonical_url)b::text[], %(url_hash)b::text[], %(domain)b::text[],
    %(source_id)b::bigint[], %(adapter_id)b::text[], %(kind)b::text[], %(schedule)b::text[],
    %(crawl_frequency)b::interval[], %(expected_every)b::interval[], %(next_crawl_at)b::timestamptz[],
    %(priority)b::integer[],
    %(enabled)b::boolean[], %(notes)b::text[], %(created_by)b::text[],
    %(found_by_run_id)b::bigint[], %(source_product_id)b::bigint[], %(revisit_least)b::interval[],
    %(revisit_most)b::interval[], %(max_attempts)b::integer[]
) AS g (url, canonical_url)
ORDER BY g.canonical_url
ON CONFLICT DO NOTHING
RETURNING source_id, canonical_url, id
"""
# The same URL of the same source, or, in the catalogue, of any source (C-022).
_EXISTING = """
SELECT g.source_id, g.canonical_url, min(t.id) AS id
FROM unnest(%(source_id)b::bigint[], %(canonical_url)b::text[], %(url_hash)b::text[], %(kind)b::text[])
     AS g (source_id, canonical_url, url_hash, kind)
JOIN scrape_targets AS t
  ON (t.source_id = g.source_id AND t.canonical_url = g.canonical_url)
  OR (g.kind = 'product' AND t.kind = 'product' AND t.url_hash = g.url_hash)
GROUP BY 1, 2
"""


async def add(conn: Connection, new: NewTarget) -> int:
    """Its id; a URL the source has already is a Conflict that names the target."""
    added = await add_many(conn, [new])
    if added:
        return added[0].id
    there = await existing(conn, [new])
    raise Conflict(f"this URL is target {there[0].id} already", existing=str(there[0].id))


async def add_many(conn: Connection, new: Sequence[NewTarget]) -> list[Existing]:
    """One statement for all; returns those that were added. Nothing is added twice."""
    return await _places(conn, _ADD, new)


async def existing(conn: Connection, wanted: Sequence[NewTarget]) -> list[Existing]:
    return await _places(conn, _EXISTING, wanted)


async def set_choice(conn: Connection, target_id: int, choice: Mapping[str, str] | None) -> dict[str, str] | None:
    """What of its page is read, and what it was before. The page is read again even if it has not changed."""
    row = await get(conn, target_id, lock=True)
    await conn.execute(
        "UPDATE scrape_targets SET choice = %s, last_adapter_version = NULL, updated_at = now() WHERE id = %s",
        (None if choice is None else Jsonb(dict(choice)), target_id),
    )
    before: dict[str, str] | None = row["choice"]
    return before


async def link(conn: Connection, target_id: int, offer_id: int) -> bool:
    """Makes a target refresh an offer; False if it refreshes another one already."""
    query = "UPDATE scrape_targets SET source_product_id = %(offer)s, updated_at = now() WHERE id = %(id)s"
    done = await conn.execute(
        f"{query} AND coalesce(source_product_id, %(offer)s) = %(offer)s", {"id": target_id, "offer": offer_id}
    )
    return done.rowcount == 1


async def update(conn: Connection, target_id: int, changes: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Changes the named columns and returns them as they were and as they are."""
    unknown = set(changes) - CHANGEABLE
    if unknown:
        raise InvalidInput(f"a target has no field {sorted(unknown)[0]!r} that can be changed")
    row = await get(conn, target_id, lock=True)
    if changes:
        assignments = sql.SQL(", ").join(
            sql.SQL("{} = {}").format(sql.Identifier(name), sql.Placeholder(name)) for name in changes
        )
        query = sql.SQL("UPDATE scrape_targets SET {}, updated_at = now() WHERE id = {}").format(
            assignments, sql.Placeholder("target_id")
        )
        await conn.execute(query, {**changes, "target_id": target_id})
    return {name: row[name] for name in changes}, dict(changes)


async def get(conn: Connection, target_id: int, *, lock: bool = False) -> dict[str, Any]:
    query = f"SELECT * FROM scrape_targets WHERE id = %s{' FOR UPDATE' if lock else ''}"
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(query, (target_id,))
        row = await cursor.fetchone()
    if row is None:
        raise NotFound(f"there is no target {target_id}")
    return row


async def expect(conn: Connection, ids: Sequence[int], every: timedelta | None) -> None:
    """Set how often targets without a cadence of their own are visited by runs that find them again."""
    await conn.execute(
        "UPDATE scrape_targets SET expected_every = %(every)s::interval WHERE id = ANY(%(ids)s::bigint[]) "
        "AND found_by_run_id IS NOT NULL AND schedule IS NULL AND crawl_frequency IS NULL "
        "AND expected_every IS DISTINCT FROM %(every)s::interval",
        {"every": every, "ids": sorted(ids)},
    )


async def pause(conn: Connection, ids: Sequence[int]) -> list[int]:
    """Those that were not paused yet. What is queued of them is the queue's business."""
    return await _changed(conn, "SET status = 'PAUSED'", "status <> 'PAUSED'", ids)


async def resume(conn: Connection, ids: Sequence[int]) -> list[int]:
    """Goes on where it stopped: a due time that has passed meanwhile makes it due at once (C-003)."""
    return await _changed(conn, "SET status = 'ACTIVE'", "status = 'PAUSED'", ids)


async def due_now(conn: Connection, ids: Sequence[int]) -> list[int]:
    """Visited as soon as possible, because a person asks for it (C-020); paused ones when they are resumed."""
    return await _changed(conn, "SET next_crawl_at = now(), due_because = 'hand'", "enabled", ids)


async def end_cadence(conn: Connection, ids: Sequence[int]) -> list[int]:
    """Visited no more by themselves."""
    return await _changed(conn, "SET next_crawl_at = NULL", "next_crawl_at IS NOT NULL", ids)


async def requeue(conn: Connection, ids: Sequence[int]) -> list[int]:
    """STALE and BROKEN targets are visited again, now (P-100)."""
    change = "SET status = 'ACTIVE', consecutive_failures = 0, next_crawl_at = now(), due_because = 'hand'"
    return await _changed(conn, change, "status IN ('STALE', 'BROKEN')", ids)


async def make_due(conn: Connection, ids: Sequence[int]) -> None:
    """Visit active ones as soon as their site may be asked."""
    change = "UPDATE scrape_targets SET next_crawl_at = now() WHERE id = ANY(%s) AND status = 'ACTIVE' AND enabled"
    if ids:
        await conn.execute(change, (list(ids),))


async def remove(conn: Connection, ids: Sequence[int]) -> list[dict[str, Any]]:
    """The rows that were removed. Prices found through them stay: they belong to the offer."""
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(
            "DELETE FROM scrape_targets WHERE id = ANY(%s) "
            "RETURNING id, url, source_id, adapter_id, schedule, priority, status, notes",
            (list(ids),),
        )
        return await cursor.fetchall()


async def of_source(conn: Connection, source_id: int, statuses: Sequence[str]) -> list[int]:
    """Ids of a source's targets in one of these statuses."""
    async with conn.cursor(row_factory=scalar_row) as cursor:
        await cursor.execute(
            "SELECT id FROM scrape_targets WHERE source_id = %s AND status = ANY(%s) ORDER BY id",
            (source_id, list(statuses)),
        )
        return await cursor.fetchall()


async def missing(conn: Connection, ids: Sequence[int]) -> list[int]:
    """Which of the ids do not exist."""
    async with conn.cursor(row_factory=scalar_row) as cursor:
        await cursor.execute("SELECT id FROM scrape_targets WHERE id = ANY(%s)", (list(ids),))
        found = set(await cursor.fetchall())
    return [i for i in ids if i not in found]


async def visitable(conn: Connection, ids: Sequence[int]) -> set[int]:
    """Those that no person paused or disabled."""
    async with conn.cursor(row_factory=scalar_row) as cursor:
        await cursor.execute(
            "SELECT id FROM scrape_targets WHERE id = ANY(%s) AND enabled AND status <> 'PAUSED'", (list(ids),)
        )
        return set(await cursor.fetchall())


async def _changed(conn: Connection, change: str, where: str, ids: Sequence[int]) -> list[int]:
    query = f"UPDATE scrape_targets {change}, updated_at = now() WHERE id = ANY(%s) AND {where} RETURNING id"
    async with conn.cursor(row_factory=scalar_row) as cursor:
        await cursor.execute(query, (sorted(set(ids)),))
        return sorted(await cursor.fetchall())


async def _places(conn: Connection, query: Any, new: Sequence[NewTarget]) -> list[Existing]:
    columns = {name: [getattr(t, name) for t in new] for name in NewTarget.__struct_fields__}
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(query, columns)
        return [Existing(row["source_id"], row["canonical_url"], row["id"]) for row in await cursor.fetchall()]
