"""The stored circuits of domains: one row per domain that is not simply healthy.

Many tasks settle together, so answers are recorded together. A domain that only succeeds costs one read per
batch and has no row. Opening a circuit holds its lane and leaves it half-open for when the hold is over: from then on
lane_room() grants one request at a time, whichever process asks, until a probe has an answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import msgspec
import structlog
from psycopg import AsyncConnection
from psycopg.rows import class_row, dict_row

from winnow.db.sql import load
from winnow.schedule import circuit
from winnow.schedule.circuit import CircuitRules, CircuitState, DomainCircuit
from winnow.schedule.queue import queue

log = structlog.get_logger(__name__)

REFUSE_OPEN = load("schedule/refuse_open.sql")

Connection = AsyncConnection[Any]


class CircuitAnswer(msgspec.Struct, frozen=True):
    """What one request says about its domain. `granted_at` None: the grant was taken just before it was sent."""

    domain: str
    ok: bool
    granted_at: datetime | None = None


class Turned(msgspec.Struct, frozen=True):
    """A domain whose circuit opened (`open_until`) or closed (None)."""

    domain: str
    open_until: datetime | None


# Rows are made in order, so that two batches never wait for each other.
_MAKE = "INSERT INTO domain_circuits (domain) SELECT unnest(%s::text[]) ON CONFLICT DO NOTHING"
_LOAD = """
SELECT domain, state, recent, opened_at, open_until, statement_timestamp() AS moment
FROM domain_circuits WHERE domain = ANY(%s) ORDER BY domain FOR UPDATE
"""
_STORE = """
UPDATE domain_circuits AS c
SET state = g.state, recent = string_to_array(g.recent, NULL)::boolean[], opened_at = g.opened_at,
    open_until = g.open_until, updated_at = now()
FROM unnest(%(domain)b::text[], %(state)b::text[], %(recent)b::text[], %(opened_at)b::timestamptz[],
            %(open_until)b::timestamptz[]) AS g (domain, state, recent, opened_at, open_until)
WHERE c.domain = g.domain
"""
_MARK_HALF_OPEN = """
UPDATE domain_circuits SET state = 'half_open', updated_at = now() WHERE state = 'open' AND open_until <= now()
"""
_FORGET = "DELETE FROM domain_circuits WHERE domain = ANY(%s)"
# A hold that is left when a circuit closes was the probe's own (see lane_take), or is over.
_STEER = """
UPDATE lanes AS l
SET held_until = CASE WHEN g.open_until IS NULL THEN NULL ELSE greatest(l.held_until, g.open_until) END,
    half_open = g.open_until IS NOT NULL
FROM unnest(%(domain)b::text[], %(open_until)b::timestamptz[]) AS g (domain, open_until)
WHERE l.lane = g.domain
"""


async def record(conn: Connection, answers: Sequence[CircuitAnswer], rules: CircuitRules) -> list[Turned]:
    """Add answers, in the order they came. Call `apply_to_lanes` with the result, last in the same transaction."""
    given: dict[str, list[CircuitAnswer]] = {}
    for answer in answers:
        given.setdefault(answer.domain, []).append(answer)
    failing = sorted(domain for domain, of in given.items() if not all(a.ok for a in of))
    if failing:
        await conn.execute(_MAKE, (failing,))
    known, moment = await _known(conn, given)
    changed = {
        domain: (before, after)
        for domain, before in known.items()
        if (after := _after(before, given[domain], moment, rules)) != before
    }
    await _store(conn, {domain: after for domain, (_, after) in changed.items()})
    return [turned for domain, (before, after) in changed.items() if (turned := _turned(domain, before, after))]


async def apply_to_lanes(conn: Connection, turned: Sequence[Turned]) -> None:
    """Lanes follow their circuits. After queue.free, which locks the same lanes in order."""
    if not turned:
        return
    given = {"domain": [t.domain for t in turned], "open_until": [t.open_until for t in turned]}
    await conn.execute(_STEER, given)
    for change in turned:
        if change.open_until is None:
            log.info("circuit_closed", domain=change.domain)
        else:
            log.warning("circuit_opened", domain=change.domain, until=change.open_until.isoformat())


async def mark_half_open(conn: Connection) -> int:
    """Store which open circuits time has made half-open, for the lists; no decision depends on it."""
    done = await conn.execute(_MARK_HALF_OPEN)
    return done.rowcount


async def refuse_waiting(conn: Connection, n: int = 500) -> list[queue.Withdrawn]:
    """On-demand tasks that wait behind an open circuit fail at once (S-035). The caller closes them
    (run/closing.py)."""
    async with conn.cursor(row_factory=class_row(queue.Withdrawn)) as cursor:
        await cursor.execute(REFUSE_OPEN, {"n": n})
        return await cursor.fetchall()


async def _known(conn: Connection, domains: Iterable[str]) -> tuple[dict[str, DomainCircuit], datetime]:
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(_LOAD, (list(domains),))
        rows = await cursor.fetchall()
    known = {
        row["domain"]: DomainCircuit(
            CircuitState(row["state"]), tuple(row["recent"]), row["opened_at"], row["open_until"]
        )
        for row in rows
    }
    return known, rows[0]["moment"] if rows else datetime.min


def _after(
    before: DomainCircuit, answers: Iterable[CircuitAnswer], moment: datetime, rules: CircuitRules
) -> DomainCircuit:
    now = before
    for answer in answers:
        now = circuit.after(now, answer.ok, answer.granted_at, moment, rules)
    return now


def _turned(domain: str, before: DomainCircuit, after: DomainCircuit) -> Turned | None:
    if after.state is CircuitState.OPEN and after.open_until != before.open_until:
        return Turned(domain, after.open_until)
    return (
        Turned(domain, None) if before.state is not CircuitState.CLOSED and after.state is CircuitState.CLOSED else None
    )


async def _store(conn: Connection, changed: dict[str, DomainCircuit]) -> None:
    kept = {domain: c for domain, c in changed.items() if not circuit.is_idle(c)}
    if kept:
        columns = {
            "domain": list(kept),
            "state": [c.state for c in kept.values()],
            "recent": ["".join("t" if ok else "f" for ok in c.recent) for c in kept.values()],
            "opened_at": [c.opened_at for c in kept.values()],
            "open_until": [c.open_until for c in kept.values()],
        }
        await conn.execute(_STORE, columns)
    if len(kept) < len(changed):
        await conn.execute(_FORGET, ([domain for domain in changed if domain not in kept],))
