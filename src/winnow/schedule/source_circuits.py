"""The stored circuits of sources (E-107). They guard scheduling only: what is queued goes on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import msgspec
import structlog
from psycopg import AsyncConnection
from psycopg.rows import dict_row, scalar_row

from winnow.schedule import source_circuit
from winnow.schedule.source_circuit import CLOSED, SourceCircuit, SourceCircuitState

log = structlog.get_logger(__name__)

Connection = AsyncConnection[Any]


class VisitEnd(msgspec.Struct, frozen=True):
    """What one finished visit says about its source."""

    source_id: int
    ok: bool
    granted_at: datetime
    run_id: int | None = None


class SourceTurned(msgspec.Struct, frozen=True):
    """A source whose circuit opened (`open_until`) or closed (None)."""

    source_id: int
    open_until: datetime | None


_COLUMNS = ("state", "failure_count", "last_failure_at", "cooldown_until", "consecutive_opens")
_MAKE = """
INSERT INTO source_circuits (source_id) SELECT id FROM sources WHERE id = ANY(%s) ORDER BY id ON CONFLICT DO NOTHING
"""
_LOAD = f"""
SELECT source_id, {", ".join(_COLUMNS)}, statement_timestamp() AS moment
FROM source_circuits WHERE source_id = ANY(%s) ORDER BY source_id FOR UPDATE
"""
_STORE = """
UPDATE source_circuits AS c
SET state = g.state, failure_count = g.failure_count, last_failure_at = g.last_failure_at,
    cooldown_until = g.cooldown_until, consecutive_opens = g.consecutive_opens, updated_at = now()
FROM unnest(%(source_id)b::bigint[], %(state)b::text[], %(failure_count)b::integer[],
            %(last_failure_at)b::timestamptz[], %(cooldown_until)b::timestamptz[], %(consecutive_opens)b::integer[])
     AS g (source_id, state, failure_count, last_failure_at, cooldown_until, consecutive_opens)
WHERE c.source_id = g.source_id
"""
_FORGET = "DELETE FROM source_circuits WHERE source_id = ANY(%s)"
_MOSTLY_FAILING = "SELECT id FROM scrape_runs WHERE id = ANY(%s) AND urls_failed >= urls_succeeded"


async def record(conn: Connection, ends: Sequence[VisitEnd]) -> list[SourceTurned]:
    """Adds visits, in the order they ended; after their runs have counted them. A source that only succeeds
    has no row. Those whose circuit opened or closed."""
    given: dict[int, list[VisitEnd]] = {}
    for end in ends:
        given.setdefault(end.source_id, []).append(end)
    failing = sorted(source for source, of in given.items() if not all(end.ok for end in of))
    if failing:
        await conn.execute(_MAKE, (failing,))
    known, moment = await _known(conn, given)
    bad_runs = await _mostly_failing(conn, [end for source in failing for end in given[source]])
    changed = {
        source: after
        for source, before in known.items()
        if (after := _after(before, given[source], moment, bad_runs)) != before
    }
    await _store(conn, changed)
    return _turned({source: (known[source], after) for source, after in changed.items()})


async def mark_probing(conn: Connection, source_id: int) -> None:
    """The cooldown is over and one visit is on its way: its end decides."""
    await conn.execute(
        "UPDATE source_circuits SET state = 'HALF_OPEN', updated_at = now() WHERE source_id = %s AND state = 'OPEN'",
        (source_id,),
    )


async def _known(conn: Connection, sources: Iterable[int]) -> tuple[dict[int, SourceCircuit], datetime]:
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(_LOAD, (list(sources),))
        rows = await cursor.fetchall()
    known = {
        row["source_id"]: SourceCircuit(
            **{**{name: row[name] for name in _COLUMNS}, "state": SourceCircuitState(row["state"])}
        )
        for row in rows
    }
    return known, rows[0]["moment"] if rows else datetime.min


async def _mostly_failing(conn: Connection, ends: Sequence[VisitEnd]) -> set[int | None]:
    """The runs with at least as many failures as successes. Visits outside a run speak for themselves."""
    runs = {end.run_id for end in ends if end.run_id is not None}
    if not runs:
        return {None}
    async with conn.cursor(row_factory=scalar_row) as cursor:
        await cursor.execute(_MOSTLY_FAILING, (list(runs),))
        return {None, *await cursor.fetchall()}


def _after(
    before: SourceCircuit, ends: Iterable[VisitEnd], moment: datetime, bad_runs: set[int | None]
) -> SourceCircuit:
    now = before
    for end in ends:
        bad = end.run_id in bad_runs
        now = source_circuit.after(now, end.ok, end.granted_at, moment, mostly_failing=bad)
    return now


async def _store(conn: Connection, changed: dict[int, SourceCircuit]) -> None:
    kept = {source: c for source, c in changed.items() if c != CLOSED}
    if kept:
        columns: dict[str, list[Any]] = {name: [getattr(c, name) for c in kept.values()] for name in _COLUMNS}
        await conn.execute(_STORE, {"source_id": list(kept), **columns})
    if len(kept) < len(changed):
        await conn.execute(_FORGET, ([source for source in changed if source not in kept],))


def _turned(changed: dict[int, tuple[SourceCircuit, SourceCircuit]]) -> list[SourceTurned]:
    turned = []
    for source, (before, after) in changed.items():
        if after.consecutive_opens > before.consecutive_opens and after.cooldown_until is not None:
            log.warning("source_circuit_opened", source_id=source, until=after.cooldown_until.isoformat())
            turned.append(SourceTurned(source, after.cooldown_until))
        elif after.state is SourceCircuitState.CLOSED and before.state is not SourceCircuitState.CLOSED:
            log.info("source_circuit_closed", source_id=source)
            turned.append(SourceTurned(source, None))
    return turned
