"""Merges of events as rows: made, taken back, and remembered. `events.merged_into` is derived from those that stand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from psycopg import AsyncConnection
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from winnow.db.sql import load
from winnow.errors import Conflict, NotFound
from winnow.store.events.matching.groups import Groups, Join, Member, Proposal, kept_first
from winnow.store.events.write import lock_sources

DERIVE = load("store/events/matching/derive.sql")
GROUPS = load("store/events/matching/groups.sql")
BY_RULES = "rules"
_ADD = """
INSERT INTO event_merges (kept_id, merged_id, reason, score, facts, decided_by)
SELECT * FROM unnest(%(kept_id)b::bigint[], %(merged_id)b::bigint[], %(reason)b::text[],
                     %(score)b::double precision[], %(facts)b::jsonb[], %(decided_by)b::text[])
RETURNING id, kept_id, merged_id, reason, decided_by
"""
_UNDO = """
UPDATE event_merges SET undone_at = now(), undone_by = %s WHERE id = %s RETURNING kept_id, merged_id
"""
# What a person took apart, or found to be two, is not put together again; what rules took apart may be.
_APART = """
SELECT kept_id, merged_id FROM event_merges
WHERE undone_at IS NOT NULL AND undone_by <> 'rules' AND kept_id = ANY(%(ids)s) AND merged_id = ANY(%(ids)s)
UNION ALL
SELECT low_id, high_id FROM event_doubts
WHERE status = 'distinct' AND low_id = ANY(%(ids)s) AND high_id = ANY(%(ids)s)
"""

Connection = AsyncConnection[Any]


class Merged(msgspec.Struct, frozen=True, kw_only=True):
    id: int
    kept_id: int
    merged_id: int
    reason: str
    decided_by: str


class GroupRow(Member, frozen=True, kw_only=True):
    seed: int


async def members(conn: Connection, event_id: int) -> list[Member]:
    """All that stand together with this event, itself included; the shown one first."""
    found = await _groups(conn, [event_id])
    if event_id not in found:
        raise NotFound(f"there is no event {event_id}")
    return found[event_id]


async def _groups(conn: Connection, event_ids: Iterable[int]) -> dict[int, list[Member]]:
    found: dict[int, list[Member]] = {}
    async with conn.cursor(row_factory=class_row(GroupRow)) as cursor:
        await cursor.execute(GROUPS, {"ids": sorted(set(event_ids))})
        for row in await cursor.fetchall():
            found.setdefault(row.seed, []).append(row)
    return found


async def merge_by_rules(conn: Connection, proposals: Sequence[Proposal]) -> list[Merged]:
    """In their order; what may not be merged is left out."""
    if not proposals:
        return []
    found = await _groups(conn, (event_id for one in proposals for event_id in (one.a, one.b)))
    ids = sorted({member.id for members in found.values() for member in members})
    apart = await (await conn.execute(_APART, {"ids": ids})).fetchall()
    groups = Groups(found, apart)
    joins = [join for one in proposals if (join := groups.join(one)) is not None]
    return await _add(conn, joins, groups.members(joins), BY_RULES)


async def merge_by_person(conn: Connection, a: int, b: int, actor: str, reason: str) -> Merged:
    """A person may merge whatever they find to be one, also within a source."""
    await _lock(conn, [a, b])
    ours, theirs = await members(conn, a), await members(conn, b)
    if {one.id for one in ours} & {one.id for one in theirs}:
        raise Conflict(f"events {a} and {b} are one already", existing="merged")
    kept, other = kept_first(ours[0], theirs[0])
    proposal = Proposal(a=a, b=b, reason=reason, score=1.0, facts={})
    join = Join(kept_id=kept.id, merged_id=other.id, proposal=proposal)
    (merged,) = await _add(conn, [join], [one.id for one in [*ours, *theirs]], actor)
    return merged


async def _add(conn: Connection, joins: Sequence[Join], involved: Sequence[int], by: str) -> list[Merged]:
    if not joins:
        return []
    given = {
        "kept_id": [join.kept_id for join in joins],
        "merged_id": [join.merged_id for join in joins],
        "reason": [join.proposal.reason for join in joins],
        "score": [join.proposal.score for join in joins],
        "facts": [Jsonb(join.proposal.facts) for join in joins],
        "decided_by": [by] * len(joins),
    }
    async with conn.cursor(row_factory=class_row(Merged)) as cursor:
        await cursor.execute(_ADD, given)
        made = await cursor.fetchall()
    await conn.execute(DERIVE, {"ids": list(involved)})
    return made


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
