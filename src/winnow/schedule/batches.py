"""Finished runs for the drift check: each is checked once, in the order they ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from psycopg import AsyncConnection
from psycopg.rows import class_row

Connection = AsyncConnection[Any]

# Runs that ended before anybody looked (an upgrade, upkeep stopped for days) are history, not news.
NEWS = "1 day"
_COUNTERS = """
id, adapter_id, source_id, close_monitoring AS watched, urls_attempted AS attempted, urls_failed AS failed,
urls_robots_blocked AS robots_blocked, oos_no_price_count AS oos, unknown_availability_count AS unknown_availability,
offers_extracted AS extracted, offers_valid AS valid, zero_price_count AS zero_price,
pages_neutral AS neutral, pages_yielding AS yielding
"""
_UNCHECKED = f"""
SELECT {_COUNTERS}, completed_at < now() - interval '{NEWS}' AS old
FROM scrape_runs WHERE completed_at IS NOT NULL AND drift_checked_at IS NULL
ORDER BY completed_at, id LIMIT %s FOR UPDATE SKIP LOCKED
"""
_CHECKED = """
UPDATE scrape_runs SET drift_checked_at = now(),
    status = CASE WHEN %(reason)s::text IS NULL THEN status ELSE 'QUARANTINED' END,
    error_code = CASE WHEN %(reason)s::text IS NULL THEN error_code ELSE 'DRIFT_DETECTED' END,
    error_message = coalesce(%(reason)s, error_message)
WHERE id = %(run_id)s
"""
# The newest are enough for a median; an adapter that runs every minute has thousands in a week.
_RECENT = f"""
SELECT {_COUNTERS}, false AS old
FROM scrape_runs
WHERE adapter_id = %(adapter_id)s AND (%(source_id)s::bigint IS NULL OR source_id = %(source_id)s)
  AND status = 'SUCCESS' AND started_at > now() - make_interval(days => %(days)s)
ORDER BY id DESC LIMIT 1000
"""


class FinishedRun(msgspec.Struct, frozen=True, kw_only=True):
    id: int
    adapter_id: str
    source_id: int
    watched: bool
    attempted: int
    failed: int
    robots_blocked: int
    oos: int
    unknown_availability: int
    extracted: int
    valid: int
    zero_price: int
    neutral: int = 0
    yielding: int = 0
    old: bool = False


async def unchecked(conn: Connection, n: int) -> list[FinishedRun]:
    async with conn.cursor(row_factory=class_row(FinishedRun)) as cursor:
        await cursor.execute(_UNCHECKED, (n,))
        return await cursor.fetchall()


async def checked(conn: Connection, run_id: int, *, quarantined_for: str | None) -> None:
    """Marks a run as checked; with a reason it is quarantined, because it crossed a threshold of drift (PN-10)."""
    await conn.execute(_CHECKED, {"reason": quarantined_for, "run_id": run_id})


async def recent(conn: Connection, adapter_id: str, source_id: int | None, days: int) -> Sequence[FinishedRun]:
    """The successful runs of the last days, of one source or of all."""
    async with conn.cursor(row_factory=class_row(FinishedRun)) as cursor:
        await cursor.execute(_RECENT, {"adapter_id": adapter_id, "source_id": source_id, "days": days})
        return await cursor.fetchall()
