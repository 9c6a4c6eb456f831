"""Readings of pages that list events: compared with the reading before, and remembered for the next."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec
from psycopg import AsyncConnection
from psycopg.rows import dict_row

from winnow.db.sql import load
from winnow.store.events import listed
from winnow.store.events.listed import Expected, Listed, Rekeyed
from winnow.store.events.write import encode, lock_sources

EXPECTED = load("store/events/expected.sql")
REKEY = load("store/events/rekey.sql")
REMEMBER = load("store/events/remember_pages.sql")
SEEN_AGAIN = load("store/events/seen_again.sql")
SEEN_KEYS = load("store/events/seen_keys.sql")
SEEN_UNDATED = load("store/events/seen_undated.sql")
_KNOWN = """
SELECT g.n, g.i FROM unnest(%(n)b::bigint[], %(i)b::bigint[], %(source_id)b::bigint[], %(source_key)b::text[],
                            %(occurrence)b::text[]) AS g (n, i, source_id, source_key, occurrence)
JOIN events AS e ON e.source_id = g.source_id AND e.source_key = g.source_key AND e.occurrence = g.occurrence
"""

Connection = AsyncConnection[Any]


class AgendaReading(msgspec.Struct, frozen=True, kw_only=True):
    """A page with the events it lists, held ones as well, and the source keys of those whose day it does not say or
    that nobody can read. `alone`: it is about one event, and lists nothing."""

    source_id: int
    page_hash: str
    url: str
    listed: list[Listed]
    undated: tuple[str, ...] = ()
    target_id: int | None = None
    run_id: int | None = None
    cut: int = 0

    @property
    def alone(self) -> bool:
        return len(self.listed) == 1


async def read(conn: Connection, readings: Sequence[AgendaReading]) -> dict[int, str]:
    """Return why pages are to be held, by their position. Of the others, events that moved or were renamed get the
    keys they have now, so that the writer finds them."""
    if not readings:
        return {}
    await lock_sources(conn, [one.source_id for one in readings])
    expected = await _expected(conn, readings)
    today = datetime.now(UTC).date()
    doubts = {n: why for n, one in enumerate(readings) if (why := listed.doubt(expected[n], one.listed, today))}
    found = {n: listed.rekeyed(expected[n], readings[n].listed) for n in expected if n not in doubts}
    await _rekey(conn, readings, found)
    await _see_listed(conn, readings)
    await _see_undated(conn, readings)
    return doubts


async def _expected(conn: Connection, readings: Sequence[AgendaReading]) -> defaultdict[int, list[Expected]]:
    """What each page listed when it was read last, and no other page of this run or batch has listed since."""
    elsewhere: defaultdict[int, set[tuple[str, str]]] = defaultdict(set)
    for n, one in enumerate(readings):
        for m, other in enumerate(readings):
            if m != n and other.source_id == one.source_id:
                elsewhere[n] |= {event.key for event in other.listed}
    given = {
        "n": list(range(len(readings))),
        "source_id": [one.source_id for one in readings],
        "page_hash": [one.page_hash for one in readings],
        "run_id": [one.run_id for one in readings],
    }
    found: defaultdict[int, list[Expected]] = defaultdict(list)
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(EXPECTED, given)
        for row in await cursor.fetchall():
            n, seen = row.pop("n"), row.pop("seen_in_run")
            event = Expected(**row)
            here = {one.key for one in readings[n].listed}
            if event.key in here or not (seen or event.key in elsewhere[n]):
                found[n].append(event)
    return found


async def _rekey(conn: Connection, readings: Sequence[AgendaReading], found: Mapping[int, Sequence[Rekeyed]]) -> None:
    """Not onto a key that another event has already."""
    pairs = [(n, one) for n, moved in found.items() for one in moved]
    if not pairs:
        return
    given: dict[str, list[Any]] = {
        "n": [n for n, _ in pairs],
        "i": list(range(len(pairs))),
        "source_id": [readings[n].source_id for n, _ in pairs],
        "source_key": [one.source_key for _, one in pairs],
        "occurrence": [one.occurrence for _, one in pairs],
    }
    taken = {i for _, i in await (await conn.execute(_KNOWN, given)).fetchall()}
    free = [one for i, (_, one) in enumerate(pairs) if i not in taken]
    columns = {
        "id": [one.id for one in free],
        "source_key": [one.source_key for one in free],
        "occurrence": [one.occurrence for one in free],
    }
    await conn.execute(REKEY, columns)


async def _see_listed(conn: Connection, readings: Sequence[AgendaReading]) -> None:
    """Events whose record is held now are listed all the same: they are not missing."""
    held = {(one.source_id, *event.key, one.run_id or 0) for one in readings for event in one.listed if event.held}
    rows = sorted(held)
    if not rows:
        return
    given = {
        "source_id": [row[0] for row in rows],
        "source_key": [row[1] for row in rows],
        "occurrence": [row[2] for row in rows],
        "run_id": [row[3] or None for row in rows],
    }
    await conn.execute(SEEN_KEYS, given)


async def _see_undated(conn: Connection, readings: Sequence[AgendaReading]) -> None:
    """A day that cannot be read any more says nothing about the event: it is listed under the name it had."""
    found = {(one.source_id, key, one.run_id or 0) for one in readings for key in one.undated}
    rows = sorted(found)
    if not rows:
        return
    given = {
        "source_id": [row[0] for row in rows],
        "source_key": [row[1] for row in rows],
        "run_id": [row[2] or None for row in rows],
    }
    await conn.execute(SEEN_UNDATED, given)


class Remembered(msgspec.Struct, frozen=True, kw_only=True):
    reading: AgendaReading
    event_ids: list[int]
    held: bool = False


async def remember(conn: Connection, pages: Sequence[Remembered]) -> None:
    """Store what the next reading is compared with. Of a held page the last one that was believed stays."""
    kept = {(one.reading.source_id, one.reading.page_hash): one for one in pages}
    rows = [
        {
            "source_id": source_id, "page_hash": page_hash, "url": one.reading.url, "target_id": one.reading.target_id,
            "run_id": one.reading.run_id, "events": len(one.reading.listed), "event_ids": one.event_ids,
            "records_cut": one.reading.cut, "held": one.held,
        }
        for (source_id, page_hash), one in sorted(kept.items())
    ]  # fmt: skip
    if rows:
        await conn.execute(REMEMBER, {"rows": encode(rows)})


async def seen_again(conn: Connection, pages: Sequence[AgendaReading]) -> None:
    """Pages that have not changed list what they listed."""
    ordered = sorted(pages, key=lambda one: (one.source_id, one.page_hash))
    given = {
        "source_id": [one.source_id for one in ordered],
        "page_hash": [one.page_hash for one in ordered],
        "run_id": [one.run_id for one in ordered],
    }
    if ordered:
        await lock_sources(conn, [one.source_id for one in ordered])
        await conn.execute(SEEN_AGAIN, given)
