"""Rows of `monitor_readings` and `monitor_limits`: what each run brought, and what is allowed of a source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from psycopg import AsyncConnection
from psycopg.rows import class_row, dict_row, scalar_row
from psycopg.types.json import Jsonb

from winnow.db.sql import load
from winnow.errors import InvalidInput, NotFound
from winnow.judge.monitors import RECENT, Limits, Result, RunReading

Connection = AsyncConnection[Any]

CHANGEABLE = frozenset({"enabled", "items_share", "coverage_points", "price_factor", "held_points"})
KEPT = 5 * RECENT  # readings of each source
_READ = load("judge/monitor_reading.sql")
# Runs that ended before anybody looked are history, not news. A cancelled run says nothing about what is usual.
_UNREAD = """
SELECT r.id FROM scrape_runs r
WHERE r.drift_checked_at IS NOT NULL AND r.completed_at > now() - interval '1 day'
    AND r.started_at > now() - interval '30 days' AND NOT r.stopping AND r.urls_attempted > r.urls_cancelled
    AND NOT EXISTS (SELECT FROM monitor_readings m WHERE m.run_id = r.id)
ORDER BY r.completed_at, r.id LIMIT %s
"""
_STORE = """
INSERT INTO monitor_readings (run_id, source_id, kind, taken_at, starts, items, held, seen, coverage, price_median,
                              currency, exponent, results)
VALUES (%(run_id)s, %(source_id)s, %(kind)s, %(taken_at)s, %(starts)s, %(items)s, %(held)s, %(seen)s, %(coverage)s,
        %(price_median)s, %(currency)s, %(exponent)s, %(results)s)
ON CONFLICT (run_id) DO NOTHING
"""
_RECENT = """
SELECT m.*, s.name AS source_name FROM monitor_readings m JOIN sources s ON s.id = m.source_id
WHERE m.source_id = %s ORDER BY m.run_id DESC LIMIT %s
"""
_NEWEST = """
SELECT s.id AS source_id, s.name AS source_name, m.run_id, m.taken_at, m.items, m.held, m.seen, m.coverage,
       m.price_median, m.currency, m.exponent, m.results, l.accepted_at
FROM sources s
CROSS JOIN LATERAL (SELECT * FROM monitor_readings k WHERE k.source_id = s.id ORDER BY k.run_id DESC LIMIT 1) m
LEFT JOIN monitor_limits l ON l.source_id = s.id
WHERE s.id > %(after)s AND (%(source_id)s::bigint IS NULL OR s.id = %(source_id)s)
    AND (NOT %(broken)s OR m.results @> '[{"state": "broken"}]')
ORDER BY s.id LIMIT %(limit)s
"""
_LIMITS = """
SELECT enabled, items_share, coverage_points, price_factor, held_points, accepted_at FROM monitor_limits
WHERE source_id = %s
"""
_CHANGE = """
INSERT INTO monitor_limits AS l (source_id, enabled, items_share, coverage_points, price_factor, held_points)
VALUES (%(source_id)s, %(enabled)s, %(items_share)s, %(coverage_points)s, %(price_factor)s, %(held_points)s)
ON CONFLICT (source_id) DO UPDATE SET enabled = excluded.enabled, items_share = excluded.items_share,
    coverage_points = excluded.coverage_points, price_factor = excluded.price_factor,
    held_points = excluded.held_points, updated_at = now()
"""
_ACCEPT = """
INSERT INTO monitor_limits (source_id, accepted_at)
SELECT id, coalesce((SELECT taken_at FROM monitor_readings WHERE source_id = s.id ORDER BY run_id DESC LIMIT 1), now())
FROM sources s WHERE id = %s
ON CONFLICT (source_id) DO UPDATE SET accepted_at = excluded.accepted_at, updated_at = now()
"""
# The newest reading counts as usual from now on.
_CLEAR = """
UPDATE monitor_readings SET results = '[]'
WHERE run_id = (SELECT max(run_id) FROM monitor_readings WHERE source_id = %s)
"""
_FORGET = """
DELETE FROM monitor_readings WHERE run_id IN (
    SELECT run_id FROM (
        SELECT run_id, row_number() OVER (PARTITION BY source_id ORDER BY run_id DESC) AS nth FROM monitor_readings
    ) AS numbered WHERE nth > %s LIMIT %s
)
"""


async def unread(conn: Connection, n: int) -> list[int]:
    async with conn.cursor(row_factory=scalar_row) as cursor:
        await cursor.execute(_UNREAD, (n,))
        return await cursor.fetchall()


async def take(conn: Connection, run_id: int) -> RunReading | None:
    """None when the run or its source is gone."""
    async with conn.cursor(row_factory=class_row(RunReading)) as cursor:
        await cursor.execute(_READ, {"run_id": run_id})
        return await cursor.fetchone()


async def store(conn: Connection, reading: RunReading, results: Sequence[Result]) -> None:
    given = msgspec.structs.asdict(reading)
    given |= {"coverage": Jsonb(reading.coverage), "results": Jsonb(msgspec.to_builtins(list(results)))}
    await conn.execute(_STORE, given)


async def recent(conn: Connection, source_id: int, n: int = KEPT) -> list[RunReading]:
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(_RECENT, (source_id, n))
        return [RunReading(**row) for row in await cursor.fetchall()]


async def newest(
    conn: Connection, *, broken: bool = False, source_id: int | None = None, after: int = 0, limit: int = 1_000
) -> list[dict[str, Any]]:
    """The last reading of each source, in the order of their ids."""
    async with conn.cursor(row_factory=dict_row) as cursor:
        given = {"broken": broken, "source_id": source_id, "after": after, "limit": limit}
        await cursor.execute(_NEWEST, given)
        return await cursor.fetchall()


async def limits_of(conn: Connection, source_id: int, default: Limits) -> Limits:
    """What is set for the source, and the default for the rest."""
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(_LIMITS, (source_id,))
        row = await cursor.fetchone() or {}
    return msgspec.structs.replace(default, **{name: value for name, value in row.items() if value is not None})


async def change(conn: Connection, source_id: int, changes: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The named limits as they were and as they are; None takes the default again."""
    if unknown := set(changes) - CHANGEABLE:
        raise InvalidInput(f"a monitor has no limit {sorted(unknown)[0]!r}")
    await _check_source(conn, source_id)
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(_LIMITS, (source_id,))
        before = {name: None for name in CHANGEABLE} | {"enabled": True} | (await cursor.fetchone() or {})
    await conn.execute(_CHANGE, {**before, **changes, "source_id": source_id})
    return {name: before[name] for name in changes}, dict(changes)


async def accept(conn: Connection, source_id: int) -> None:
    """Take the newest reading of the source for usual from now on."""
    await _check_source(conn, source_id)
    await conn.execute(_ACCEPT, (source_id,))
    await conn.execute(_CLEAR, (source_id,))


async def forget(conn: Connection, n: int) -> int:
    """Readings beyond those that are needed."""
    return (await conn.execute(_FORGET, (KEPT, n))).rowcount


async def _check_source(conn: Connection, source_id: int) -> None:
    if await (await conn.execute("SELECT FROM sources WHERE id = %s", (source_id,))).fetchone() is None:
        raise NotFound(f"there is no source {source_id}")
