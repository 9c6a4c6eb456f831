"""Places the geocoder may know: which are looked up, which of its answers is believed, and what follows (E-062).

An answer is believed when it lies where the page and its source say the place is, and no other one of them does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from psycopg import AsyncConnection
from psycopg.rows import class_row, dict_row

from winnow.db.sql import load
from winnow.normalise.places import towns
from winnow.normalise.places.towns import COUNTRY, TIME_ZONE
from winnow.normalise.text import fold
from winnow.services.geocoder.nominatim import Candidate
from winnow.store.events import venues
from winnow.store.events.place import NEAR_ENOUGH, Coordinates, area, cell, is_as_precise, metres
from winnow.store.events.row import Row
from winnow.store.events.write import UPDATE, add_changes, encode, lock_sources, needs_matching

UNLOCATED = load("store/events/unlocated.sql")
UNPLACED = load("store/events/unplaced.sql")
TOWN_METRES = 15_000.0  # from the middle of a town to its edge
ONE_PLACE_METRES = 1_000.0  # entrances and halls of one house; two that are further apart are two
_OF_VENUE = "SELECT source_id FROM events WHERE venue_id = %s AND starts_at > now() GROUP BY source_id"
_OF_EVENT = "SELECT source_id FROM events WHERE id = %s"
_ROWS = """
SELECT * FROM events
WHERE (venue_id = %(venue_id)s OR id = %(event_id)s) AND starts_at > now() AND status <> 'gone'
  AND NOT corrections ? 'latitude'
ORDER BY id FOR UPDATE
"""

Connection = AsyncConnection[Any]


class Unlocated(msgspec.Struct, frozen=True, kw_only=True):
    """A venue, or an event that names none, and what is said of its place. `latitude` is the source's own."""

    name: str
    venue_id: int | None = None
    event_id: int | None = None
    street: str | None = None
    postal_code: str | None = None
    town: str | None = None
    country: str | None = None
    timezone: str | None = None
    latitude: float | None = None
    longitude: float | None = None

    @property
    def number(self) -> int:
        return self.venue_id or self.event_id or 0

    @property
    def in_country(self) -> str | None:
        return self.country or (COUNTRY if self.timezone == TIME_ZONE else None)

    @property
    def surroundings(self) -> tuple[float, float] | None:
        """Around what it has to lie: its town where that is known, else its source where it names no town."""
        source = None if self.latitude is None or self.longitude is None else (self.latitude, self.longitude)
        if self.town is None and self.postal_code is None:
            return source
        known = towns.locate(self.town, self.postal_code, source) if self.in_country == COUNTRY else None
        return None if known is None else (known.latitude, known.longitude)


class Moved(msgspec.Struct, frozen=True, kw_only=True):
    """An event that has better coordinates now."""

    row: Row
    changes: dict[str, list[Any]]


async def next_venues(conn: Connection, after: int, n: int) -> list[Unlocated]:
    return await _next(conn, UNLOCATED, after, n)


async def next_events(conn: Connection, after: int, n: int) -> list[Unlocated]:
    return await _next(conn, UNPLACED, after, n)


async def _next(conn: Connection, statement: Any, after: int, n: int) -> list[Unlocated]:
    async with conn.cursor(row_factory=class_row(Unlocated)) as cursor:
        await cursor.execute(statement, {"after": after, "n": n})
        return await cursor.fetchall()


def texts(place: Unlocated) -> list[str]:
    """What is asked, in this order, until an answer is believed. A name without a town is asked only where the source
    says which surroundings are meant."""
    town = " ".join(part for part in (place.postal_code, place.town) if part)
    if not town and place.surroundings is None:
        return []
    asked = [f"{place.street}, {town}"] if place.street and town else []
    asked.append(f"{place.name}, {place.town}" if place.town and place.town not in place.name else place.name)
    return list(dict.fromkeys(asked))


def believe(candidates: Sequence[Candidate], place: Unlocated) -> Coordinates | None:
    """The first answer that lies where the place has to be; None where two houses do."""
    fitting = [one for one in candidates if _fits(one, place)]
    houses = [one for one in fitting if one.precision in NEAR_ENOUGH]
    chosen = houses or fitting
    if not chosen:
        return None
    first = chosen[0]
    here = (first.latitude, first.longitude)
    apart = max(metres(here, (one.latitude, one.longitude)) for one in chosen)
    if apart > (ONE_PLACE_METRES if houses else TOWN_METRES):
        return None
    return Coordinates(first.latitude, first.longitude, first.precision)


def _fits(one: Candidate, place: Unlocated) -> bool:
    if place.in_country is not None and one.country is not None and one.country != place.in_country:
        return False
    around = place.surroundings
    if around is not None:
        return metres(around, (one.latitude, one.longitude)) <= TOWN_METRES
    return place.town is not None and fold(place.town) in {fold(town) for town in one.towns}


async def place(conn: Connection, where: Unlocated, at: Coordinates, origin: str = "geocoder") -> list[Moved]:
    """Keep what the geocoder found, or a person, and bring the events of days to come there."""
    await lock(conn, where)
    if where.venue_id is not None:
        await venues.locate(conn, where.venue_id, at, origin)
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(_ROWS, {"venue_id": where.venue_id, "event_id": where.event_id})
        rows = await cursor.fetchall()
    by_person = origin == venues.BY_PERSON
    moved = [
        _moved(row, at)
        for row in rows
        if by_person or row["location_flagged"] or _is_better(row["precision"], at.precision)
    ]
    if moved:
        await conn.execute(UPDATE, {"rows": encode([_for_update(one) for one in moved])})
        await add_changes(conn, [(one.row["id"], None, one.changes, "located") for one in moved])
    return moved


async def lock(conn: Connection, where: Unlocated) -> None:
    """The sources of its events, before any row: whoever stores their events takes them in this order."""
    found = await conn.execute(_OF_EVENT if where.venue_id is None else _OF_VENUE, (where.number,))
    await lock_sources(conn, [row[0] for row in await found.fetchall()])


def _is_better(old: str | None, new: str) -> bool:
    return old != new and is_as_precise(old, new)


def _moved(old: Row, at: Coordinates) -> Moved:
    new = {
        "latitude": at.latitude,
        "longitude": at.longitude,
        "precision": at.precision,
        "location_flagged": False,
        "cell": cell(at.latitude, at.longitude) if at.precision in NEAR_ENOUGH else None,
        "area": area(at.latitude, at.longitude),
    }
    changed = {name: [old[name], new[name]] for name in ("latitude", "longitude") if old[name] != new[name]}
    return Moved(row=old | new | {"sequence": old["sequence"] + 1}, changes=changed)


def _for_update(one: Moved) -> Row:
    return one.row | {"sought": needs_matching(one.changes)}
