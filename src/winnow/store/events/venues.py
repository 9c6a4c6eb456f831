"""Venues: found by the names they are listed under, made when nobody has listed them yet, merged by a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from psycopg import AsyncConnection
from psycopg.rows import class_row

from winnow.errors import Conflict, NotFound
from winnow.store.events.place import Coordinates, Named, Place, choose, is_as_precise, looked_up, metres
from winnow.store.events.row import SourceFacts

Connection = AsyncConnection[Any]
SAME_PLACE_METRES = 300.0  # DESIGN §11.30
BY_PERSON = "person"

_COLUMNS = "v.id, v.name, v.name_key, v.town_key, v.latitude, v.longitude, v.precision, v.coordinates_from"
_BY_ALIAS = f"""
SELECT g.n, {_COLUMNS}
FROM unnest(%(n)b::bigint[], %(alias)b::text[], %(town)b::text[]) AS g (n, alias, town)
JOIN venue_aliases AS a ON a.alias_key = g.alias AND a.town_key = g.town
JOIN venues AS v ON v.id = a.venue_id
"""
_BY_NAME = f"""
SELECT 0 AS n, {_COLUMNS} FROM venues AS v
WHERE v.name_key = %s AND v.merged_into IS NULL AND v.latitude IS NOT NULL AND v.precision IN ('exact','street')
"""
_ADD = """
INSERT INTO venues (name, name_key, street, postal_code, town, town_key, country, latitude, longitude, precision,
                    coordinates_from)
VALUES (%(name)s, %(name_key)s, %(street)s, %(postal_code)s, %(town)s, %(town_key)s, %(country)s, %(latitude)s,
        %(longitude)s, %(precision)s, %(coordinates_from)s)
RETURNING id
"""
_ADD_ALIAS = """
INSERT INTO venue_aliases (alias_key, town_key, venue_id) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING RETURNING venue_id
"""
_LOCATE = """
UPDATE venues SET latitude = %(latitude)s, longitude = %(longitude)s, precision = %(precision)s,
                  coordinates_from = %(coordinates_from)s, updated_at = now()
WHERE id = %(id)s
"""


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """A place a record names, in the source that says so."""

    named: Named
    source_id: int
    stated: Coordinates | None = None
    location: Mapping[str, Any] = {}

    @property
    def alias(self) -> tuple[str, str]:
        return self.named.key, self.named.town_key or f"source:{self.source_id}"


class Venue(msgspec.Struct, frozen=True, kw_only=True):
    id: int
    name: str
    name_key: str
    town_key: str
    latitude: float | None = None
    longitude: float | None = None
    precision: str | None = None
    coordinates_from: str | None = None
    n: int = 0

    @property
    def coordinates(self) -> Coordinates | None:
        if self.latitude is None or self.longitude is None or self.precision is None:
            return None
        return Coordinates(self.latitude, self.longitude, self.precision)


def place_of(asked: Asked, venue: Venue | None, source: SourceFacts) -> Place:
    """Return where an event is: the single place that decides about coordinates, whoever finds them (the page, a
    gazetteer, a geocoder). Where a person put its venue counts more than what a page states."""
    if venue is not None and venue.coordinates_from == BY_PERSON:
        return Place(coordinates=venue.coordinates)
    return choose(asked.stated or looked_up(asked.location, source), venue.coordinates if venue else None, source)


async def resolve(conn: Connection, asked: Sequence[Asked]) -> list[Venue | None]:
    """Return the venues in the order of `asked`; None where a record names no single place. Locks in the order of
    names, so that two batches that make the same venues wait for each other and never in a circle."""
    wanted = {one.alias: one for one in asked if one.named.key}
    found = await _known(conn, list(wanted))
    for alias in sorted(wanted.keys() - found.keys()):
        found[alias] = await _nearby(conn, wanted[alias]) or await _add(conn, wanted[alias])
    for alias, venue in found.items():
        found[alias] = await _improve(conn, venue, wanted[alias].stated)
    return [found.get(one.alias) for one in asked]


async def _known(conn: Connection, aliases: Sequence[tuple[str, str]]) -> dict[tuple[str, str], Venue]:
    given = {"n": list(range(len(aliases))), "alias": [a for a, _ in aliases], "town": [t for _, t in aliases]}
    async with conn.cursor(row_factory=class_row(Venue)) as cursor:
        await cursor.execute(_BY_ALIAS, given)
        return {aliases[venue.n]: venue for venue in await cursor.fetchall()}


async def _nearby(conn: Connection, asked: Asked) -> Venue | None:
    """A venue of that name at the stated coordinates, under a town that another source wrote differently."""
    if asked.stated is None:
        return None
    async with conn.cursor(row_factory=class_row(Venue)) as cursor:
        await cursor.execute(_BY_NAME, (asked.named.key,))
        namesakes = await cursor.fetchall()
    here = (asked.stated.latitude, asked.stated.longitude)
    near = [
        v for v in namesakes if (at := v.coordinates) and metres(here, (at.latitude, at.longitude)) <= SAME_PLACE_METRES
    ]
    if not near:
        return None
    await conn.execute(_ADD_ALIAS, (*asked.alias, near[0].id))
    return near[0]


async def _add(conn: Connection, asked: Asked) -> Venue:
    """Another transaction may make it at the same moment: the first one's stays."""
    name, at, place = asked.named, asked.stated, asked.location
    given = {
        "name": name.name, "name_key": name.key, "town": name.town, "town_key": name.town_key,
        "street": place.get("street"), "postal_code": place.get("postal_code"), "country": _country(place),
        "latitude": at and at.latitude, "longitude": at and at.longitude, "precision": at and at.precision,
        "coordinates_from": "stated" if at else None,
    }  # fmt: skip
    venue_id = await _one(conn, _ADD, given)
    if await _one(conn, _ADD_ALIAS, (*asked.alias, venue_id)) is None:
        await conn.execute("DELETE FROM venues WHERE id = %s", (venue_id,))
        return (await _known(conn, [asked.alias]))[asked.alias]
    located = {} if at is None else msgspec.structs.asdict(at)
    return Venue(id=venue_id, name=name.name, name_key=name.key, town_key=name.town_key, **located)


def _country(place: Mapping[str, Any]) -> str | None:
    code = place.get("country_code")
    return code if isinstance(code, str) and len(code) == 2 else None


async def _improve(conn: Connection, venue: Venue, at: Coordinates | None) -> Venue:
    """Coordinates that a page states take the place of none, or of those of the town."""
    if at is None or venue.precision == at.precision or not is_as_precise(venue.precision, at.precision):
        return venue
    await locate(conn, venue.id, at, "stated")
    return msgspec.structs.replace(venue, latitude=at.latitude, longitude=at.longitude, precision=at.precision)


async def locate(conn: Connection, venue_id: int, at: Coordinates, origin: str) -> None:
    given = {"id": venue_id, "latitude": at.latitude, "longitude": at.longitude, "precision": at.precision}
    await conn.execute(_LOCATE, given | {"coordinates_from": origin})


_MERGE = """
WITH taken AS (
    UPDATE venue_aliases SET venue_id = %(into)s, merged_from = coalesce(merged_from, %(id)s) WHERE venue_id = %(id)s
)
UPDATE venues SET merged_into = %(into)s, updated_at = now() WHERE id = %(id)s
"""
_UNMERGE = """
WITH given_back AS (
    UPDATE venue_aliases SET venue_id = %(id)s, merged_from = NULL WHERE venue_id = %(into)s AND merged_from = %(id)s
)
UPDATE venues SET merged_into = NULL, updated_at = now() WHERE id = %(id)s
"""
# Events keep the name their source gives; which venue that is follows from the aliases.
_REPOINT = """
UPDATE events AS e SET venue_id = a.venue_id, match_requested_at = now(), updated_at = now()
FROM venue_aliases AS a
WHERE e.venue_id = ANY(%(ids)s) AND a.alias_key = e.venue_key AND a.venue_id <> e.venue_id
  AND a.town_key = CASE WHEN e.town_key <> '' THEN e.town_key ELSE 'source:' || e.source_id END
"""


async def merge(conn: Connection, venue_id: int, into: int) -> None:
    """Every name of the one is a name of the other from now on; its events move."""
    if venue_id == into:
        raise Conflict("a venue cannot be merged into itself", existing="same")
    for one in sorted((venue_id, into)):
        row = await (await conn.execute("SELECT merged_into FROM venues WHERE id = %s FOR UPDATE", (one,))).fetchone()
        if row is None:
            raise NotFound(f"there is no venue {one}")
        if row[0] is not None:
            raise Conflict(f"venue {one} was merged into {row[0]}", existing=str(row[0]))
    given = {"id": venue_id, "into": into}
    await conn.execute(_MERGE, given)
    await conn.execute(_REPOINT, {"ids": [venue_id]})


async def unmerge(conn: Connection, venue_id: int) -> int:
    """Take a merge back; returns the venue it was part of."""
    row = await (await conn.execute("SELECT merged_into FROM venues WHERE id = %s FOR UPDATE", (venue_id,))).fetchone()
    if row is None:
        raise NotFound(f"there is no venue {venue_id}")
    if row[0] is None:
        raise Conflict(f"venue {venue_id} is not merged", existing="not_merged")
    await conn.execute(_UNMERGE, {"id": venue_id, "into": row[0]})
    await conn.execute(_REPOINT, {"ids": [row[0]]})
    return int(row[0])


async def _one(conn: Connection, statement: Any, given: Any) -> Any:
    row = await (await conn.execute(statement, given)).fetchone()
    return None if row is None else row[0]
