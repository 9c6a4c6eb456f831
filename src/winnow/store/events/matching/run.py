"""Compares new and changed events with those of other sources: a chore, fed by `events.match_requested_at`.

Not in the writer's transaction: a merge touches rows of two sources, and writers of two sources would wait for each
other in a circle. The cost of an event is that of its day at its place, however many events there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import msgspec
from psycopg import AsyncConnection
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from winnow.db.sql import load
from winnow.store.events.matching import merges
from winnow.store.events.matching.decision import Decision, Match, Side, Similarity, decide
from winnow.store.events.matching.groups import Proposal
from winnow.store.events.matching.merges import Merged
from winnow.store.events.matching.vectors import NoVectors, Vectors
from winnow.store.events.write import lock_sources

CANDIDATES = load("store/events/matching/candidates.sql")
BATCH = 1_000
LOCK = 0x77_65_6D_67  # "wemg": one process compares at a time
_TAKE = """
SELECT id, match_requested_at FROM events WHERE match_requested_at IS NOT NULL ORDER BY match_requested_at LIMIT %s
"""
_SIDES = """
SELECT id, source_id, title, event_date AS day, event_time AS hour, venue_id, venue_key, town_key, latitude, longitude,
       precision
FROM events WHERE id = ANY(%s)
"""
_DONE = """
UPDATE events AS e SET match_requested_at = NULL
FROM unnest(%(id)b::bigint[], %(at)b::timestamptz[]) AS g (id, at)
WHERE e.id = g.id AND e.match_requested_at = g.at
"""
_STANDING = """
SELECT id, kept_id, merged_id, reason, decided_by FROM event_merges
WHERE undone_at IS NULL AND decided_by = 'rules' AND (kept_id = ANY(%(ids)s) OR merged_id = ANY(%(ids)s))
"""
_DOUBTS = """
INSERT INTO event_doubts AS d (low_id, high_id, score, facts)
SELECT * FROM unnest(%(low_id)b::bigint[], %(high_id)b::bigint[], %(score)b::double precision[], %(facts)b::jsonb[])
ON CONFLICT (low_id, high_id) DO UPDATE SET score = excluded.score, facts = excluded.facts WHERE d.status = 'open'
"""

# What vectors may still decide: some words agree, and not enough of them.
ASK_VECTORS = ("some words agree", "other words")

Connection = AsyncConnection[Any]
Pair = tuple[int, int]


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    taken: int = 0
    merged: list[Merged] = []
    undone: list[Merged] = []
    doubts: int = 0


async def titles_in_question(conn: Connection, n: int = BATCH) -> list[str]:
    """Return the titles a model will be asked about in the next batch, as far as known without a lock."""
    ids = [event_id for event_id, _ in await (await conn.execute(_TAKE, (n,))).fetchall()]
    pairs = await _pairs(conn, ids)
    sides = {side.id: side for side in await _sides(conn, sorted({event_id for pair in pairs for event_id in pair}))}
    asked = [(a, b) for a, b in pairs if decide(sides[a], sides[b]).reason in ASK_VECTORS]
    return list(dict.fromkeys(sides[event_id].title for pair in asked for event_id in pair))


async def run_once(conn: Connection, vectors: Vectors | None = None, n: int = BATCH) -> Compared:
    """Compare one batch, in the caller's transaction."""
    row = await (await conn.execute("SELECT pg_try_advisory_xact_lock(%s)", (LOCK,))).fetchone()
    if row is None or not row[0]:
        return Compared()
    asked = await (await conn.execute(_TAKE, (n,))).fetchall()
    if not asked:
        return Compared()
    ids = [event_id for event_id, _ in asked]
    pairs = await _pairs(conn, ids)
    standing = await _standing(conn, ids)
    others = [(m.kept_id, m.merged_id) for m in standing]
    involved = sorted({*ids, *(event_id for pair in [*pairs, *others] for event_id in pair)})
    await lock_sources(conn, [side.source_id for side in await _sides(conn, involved)])
    sides = {side.id: side for side in await _sides(conn, involved)}  # again: they may have changed before the lock
    decided = await _decide(pairs, sides, vectors or NoVectors())
    undone = [await merges.undo(conn, m.id, merges.BY_RULES) for m in standing if _fell_apart(m, sides)]
    merged = await merges.merge_by_rules(conn, [_proposal(*one) for one in decided if one[1].outcome is Match.MERGE])
    doubts = [one for one in decided if one[1].outcome is Match.DOUBT]
    await _doubt(conn, doubts)
    await conn.execute(_DONE, {"id": ids, "at": [at for _, at in asked]})
    return Compared(taken=len(ids), merged=merged, undone=undone, doubts=len(doubts))


async def _pairs(conn: Connection, ids: Sequence[int]) -> list[Pair]:
    rows = await (await conn.execute(CANDIDATES, {"id": list(ids)})).fetchall()
    return sorted({(min(a, b), max(a, b)) for a, b in rows})


async def _standing(conn: Connection, ids: Sequence[int]) -> list[Merged]:
    async with conn.cursor(row_factory=class_row(Merged)) as cursor:
        await cursor.execute(_STANDING, {"ids": list(ids)})
        return await cursor.fetchall()


async def _sides(conn: Connection, ids: Sequence[int]) -> list[Side]:
    async with conn.cursor(row_factory=class_row(Side)) as cursor:
        await cursor.execute(_SIDES, (list(ids),))
        return await cursor.fetchall()


async def _decide(pairs: Sequence[Pair], sides: dict[int, Side], vectors: Vectors) -> list[tuple[Pair, Decision]]:
    """Days that passed are left alone. Vectors are asked only for pairs that words leave open."""
    since = datetime.now(UTC).date() - timedelta(days=1)
    recent = [pair for pair in pairs if sides[pair[0]].day >= since]
    first = {pair: decide(sides[pair[0]], sides[pair[1]]) for pair in recent}
    open_ones = [] if isinstance(vectors, NoVectors) else [pair for pair in recent if first[pair].reason in ASK_VECTORS]
    titles = [(sides[a].title, sides[b].title) for a, b in open_ones]
    for pair, alike in zip(open_ones, await vectors.similarities(titles), strict=True):
        first[pair] = decide(sides[pair[0]], sides[pair[1]], partial(_known, alike))
    found = [(pair, one) for pair, one in first.items() if one.outcome is not Match.DISTINCT]
    return sorted(found, key=lambda one: (-one[1].score, one[0]))  # the surest first: a source is merged in once


def _known(alike: Similarity | None, _a: str, _b: str) -> Similarity | None:
    return alike


def _proposal(pair: Pair, found: Decision) -> Proposal:
    return Proposal(a=pair[0], b=pair[1], reason=found.reason, score=found.score, facts=dict(found.facts))


async def _doubt(conn: Connection, doubts: Sequence[tuple[Pair, Decision]]) -> None:
    """Pairs have the smaller id first. In one order, as another transaction may find the same ones."""
    ordered = sorted(doubts, key=lambda one: one[0])
    given = {
        "low_id": [low for (low, _), _ in ordered],
        "high_id": [high for (_, high), _ in ordered],
        "score": [found.score for _, found in ordered],
        "facts": [Jsonb({**found.facts, "reason": found.reason}) for _, found in ordered],
    }
    if ordered:
        await conn.execute(_DOUBTS, given)


def _fell_apart(merged: Merged, sides: dict[int, Side]) -> bool:
    """Rules take back what rules merged when one source has moved its event since."""
    a, b = sides[merged.kept_id], sides[merged.merged_id]
    return a.source_id != b.source_id and decide(a, b).outcome is Match.DISTINCT
