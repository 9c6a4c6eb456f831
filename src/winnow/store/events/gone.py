"""Decides which events are missing from their listing, and which are gone (DESIGN §11.31), once for each run that
has ended.

Nothing here says that an event is cancelled: only its source does.
"""

from __future__ import annotations

from typing import Any

import msgspec
from psycopg import AsyncConnection
from psycopg.rows import class_row, dict_row

from winnow.db.sql import load
from winnow.store.events.row import Row
from winnow.store.events.write import add_changes, lock_sources

ENDED = load("store/events/ended_runs.sql")
READING = load("store/events/reading.sql")
MISSING = load("store/events/missing.sql")
GONE = load("store/events/gone.sql")
READINGS_TO_GO = 2
MIN_EXPECTED = 4  # a listing of fewer loses half by a single event
_ADD = """
INSERT INTO event_listings (run_id, source_id, read_at, pages, events, expected, first_day, last_day, complete, why,
                            missing)
VALUES (%(run_id)s, %(source_id)s, %(read_at)s, %(pages)s, %(events)s, %(expected)s, %(first_day)s, %(last_day)s,
        %(complete)s, %(why)s, %(missing)s)
ON CONFLICT (run_id) DO NOTHING
"""

Connection = AsyncConnection[Any]


class EndedRun(msgspec.Struct, frozen=True, kw_only=True):
    run_id: int
    source_id: int
    completed_at: Any
    trouble: str | None


class Closed(msgspec.Struct, frozen=True, kw_only=True):
    """A reading of a source's listing, and the events it made gone."""

    run_id: int
    source_id: int
    complete: bool
    why: str | None
    missing: int
    gone: list[Row] = []


async def close_readings(conn: Connection, n: int = 100) -> list[Closed]:
    """Runs of event sources that have ended since the last time, the oldest first."""
    async with conn.cursor(row_factory=class_row(EndedRun)) as cursor:
        await cursor.execute(ENDED, (n,))
        ended = await cursor.fetchall()
    await lock_sources(conn, [run.source_id for run in ended])
    return [await _close(conn, run) for run in ended]


async def _close(conn: Connection, run: EndedRun) -> Closed:
    reading = await _reading(conn, run)
    why = run.trouble or doubt(reading)
    given = {"run_id": run.run_id, "source_id": run.source_id, "first_day": reading["first_day"],
             "last_day": reading["last_day"]}  # fmt: skip
    missing = (await conn.execute(MISSING, given)).rowcount if why is None else 0
    gone = await _gone(conn, given) if why is None else []
    plain = {name: reading[name] for name in ("pages", "events", "expected")}
    await conn.execute(_ADD, given | plain | {"read_at": run.completed_at, "complete": why is None, "why": why,
                                              "missing": missing})  # fmt: skip
    return Closed(run_id=run.run_id, source_id=run.source_id, complete=why is None, why=why, missing=missing, gone=gone)


async def _reading(conn: Connection, run: EndedRun) -> Row:
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(READING, {"run_id": run.run_id, "source_id": run.source_id})
        row = await cursor.fetchone()
    assert row is not None
    return row


def doubt(reading: Row) -> str | None:
    """Why a run that ended well does not say what is gone; None where it does."""
    if reading["held"]:
        return "a page of it is held"
    if reading["cut"]:
        return "a limit left out records of a page"
    if reading["unread"]:
        return "not all pages of the source were read"
    if not reading["events"]:
        return "it lists nothing"
    if reading["expected"] >= MIN_EXPECTED and reading["events"] * 2 <= reading["expected"]:
        return "it shrank by half"
    return None


async def _gone(conn: Connection, given: dict[str, Any]) -> list[Row]:
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(GONE, given | {"readings": READINGS_TO_GO})
        gone = await cursor.fetchall()
    await add_changes(conn, [(row["id"], None, {"status": ["published", "gone"]}, "gone") for row in gone])
    return gone
