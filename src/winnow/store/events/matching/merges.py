"""Merges of events as rows: made, taken back, and remembered. `events.merged_into` is derived from those that stand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from psycopg import AsyncConnection
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from winnow.db.sql import load
from winnow.errors import Conflict, NotFound
from winnow.store.events.write import lock_sources

DERIVE = load("store/events/matching/derive.sql")
MEMBERS = load("store/events/matching/members.sql")
BY_RULES = "rules"
_ADD = """
INSERT INTO event_merges (kept_id, merged_id, reason, score, facts, decided_by)
VALUES (%s, %s, %s, %s, %s, %s) RETURNING id
"""
_UNDO = """
UPDATE event_merges SET undone_at = now(), undone_by = %s WHERE id = %s RETURNING kept_id, merged_id
"""
# What a person took apart, or found to be two, is not put together again; what rules took apart may be.
_FORBIDDEN = """
SELECT 1 FROM event_merges
WHERE undone_at IS NOT NULL AND undone_by <> 'rules'
  AND ((kept_id = ANY(%(a)s) AND merged_id = ANY(%(b)s)) OR (kept_id = ANY(%(b)s) AND merged_id = ANY(%(a)s)))
UNION ALL
SELECT 1 FROM event_doubts
WHERE status = 'distinct'
  AND ((low_id = ANY(%(a)s) AND high_id = ANY(%(b)s)) OR (low_id = ANY(%(b)s) AND high_id = ANY(%(a)s)))
LIMIT 1
"""

Connection = AsyncConnection[Any]


class Member(msgspec.Struct, frozen=True, kw_only=True):
    """One of the events that are shown as one."""

    id: int
    source_id: int
    merged_into: int | None
    event_time: str


class Merged(msgspec.Struct, frozen=True, kw_only=True):
    id: int
    kept_id: int
    merged_id: int
    reason: str
    decided_by: str


async def members(conn: Connection, event_id: int) -> list[Member]:
    """All that stand together with this event, itself included; the shown one first."""
    async with conn.cursor(row_factory=class_row(Member)) as cursor:
        await cursor.execute(MEMBERS, {"id": event_id})
        found = await cursor.fetchall()
    if not found:
        raise NotFound(f"there is no event {event_id}")
    return found


async def merge_by_rules(
    conn: Connection, a: int, b: int, *, reason: str, score: float, facts: dict[str, Any]
) -> Merged | None:
    """None where they stand together already, or may not: one of them with an event of the other's source, or a pair
    that a person took apart."""
    ours, theirs = await members(conn, a), await members(conn, b)
    if {one.id for one in ours} & {one.id for one in theirs}:
        return None
    if {one.source_id for one in ours} & {one.source_id for one in theirs}:
        return None
    given = {"a": [one.id for one in ours], "b": [one.id for one in theirs]}
    if await (await conn.execute(_FORBIDDEN, given)).fetchone() is not None:
        return None
    return await _add(conn, ours[0], theirs[0], reason, score, facts, BY_RULES)


async def merge_by_person(conn: Connection, a: int, b: int, actor: str, reason: str) -> Merged:
    """A person may merge whatever they find to be one, also within a source."""
    await _lock(conn, [a, b])
    ours, theirs = await members(conn, a), await members(conn, b)
    if {one.id for one in ours} & {one.id for one in theirs}:
        raise Conflict(f"events {a} and {b} are one already", existing="merged")
    return await _add(conn, ours[0], theirs[0], reason, 1.0, {}, actor)


async def _add(
    conn: Connection, a: Member, b: Member, reason: str, score: float, facts: dict[str, Any], by: str
) -> Merged:
    """The one that has an hour is shown, else the one that was known first."""
    kept, other = sorted((a, b), key=lambda one: (one.event_time == "TBD", one.id))
    row = await (await conn.execute(_ADD, (kept.id, other.id, reason, score, Jsonb(facts), by))).fetchone()
    assert row is not None
    await conn.execute(DERIVE, {"ids": [one.id for one in await members(conn, kept.id)]})
    return Merged(id=row[0], kept_id=kept.id, merged_id=other.id, reason=reason, decided_by=by)


async def unmerge(conn: Connection, event_id: int, by: str) -> Merged:
    """Take the event out of the one it is shown as. Both are again what their own sources made of them meanwhile."""
    await _lock(conn, [event_id])
    found = await conn.execute(
        "SELECT id FROM event_merges WHERE merged_id = %s AND undone_at IS NULL FOR UPDATE", (event_id,)
    )
    row = await found.fetchone()
    if row is None:
        raise Conflict(f"event {event_id} is not merged into another", existing="not_merged")
    return await undo(conn, row[0], by)


async def undo(conn: Connection, merge_id: int, by: str) -> Merged:
    row = await (await conn.execute(_UNDO, (by, merge_id))).fetchone()
    if row is None:
        raise NotFound(f"there is no merge {merge_id}")
    kept_id, merged_id = row
    ids = {one.id for event in (kept_id, merged_id) for one in await members(conn, event)}
    await conn.execute(DERIVE, {"ids": sorted(ids)})
    return Merged(id=merge_id, kept_id=kept_id, merged_id=merged_id, reason="undone", decided_by=by)


async def _lock(conn: Connection, event_ids: Sequence[int]) -> None:
    """Writers of their sources wait, and those of all that stand together with them."""
    found = [one.source_id for event in event_ids for one in await members(conn, event)]
    await lock_sources(conn, found)
