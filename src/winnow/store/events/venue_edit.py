"""Corrections of a venue by a person: its name, its address, where it is."""

from __future__ import annotations

from typing import Any

import msgspec
from psycopg import AsyncConnection
from psycopg.rows import dict_row

from winnow.errors import InvalidInput, NotFound
from winnow.normalise.text import fold
from winnow.store.events import located
from winnow.store.events.located import Moved, Unlocated
from winnow.store.events.place import Coordinates, key_of
from winnow.store.events.venues import BY_PERSON

CORRECTABLE = ("name", "street", "postal_code", "town", "country", "latitude", "longitude")
_UPDATE = """
UPDATE venues SET name = %(name)s, name_key = %(name_key)s, street = %(street)s, postal_code = %(postal_code)s,
                  town = %(town)s, town_key = %(town_key)s, country = %(country)s, updated_at = now()
WHERE id = %(id)s
"""

Connection = AsyncConnection[Any]


class CorrectedVenue(msgspec.Struct, frozen=True, kw_only=True):
    """`changes` is {field: [before, after]}, `moved` the events whose coordinates changed with the venue's."""

    changes: dict[str, list[Any]] = {}
    moved: list[Moved] = []


async def correct(conn: Connection, venue_id: int, values: dict[str, Any]) -> CorrectedVenue:
    """The names it is listed under stay as they are: they are what its sources write."""
    _check(values)
    where = Unlocated(name="", venue_id=venue_id)
    await located.lock(conn, where)
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute("SELECT * FROM venues WHERE id = %s FOR UPDATE", (venue_id,))
        old = await cursor.fetchone()
    if old is None:
        raise NotFound(f"there is no venue {venue_id}")
    changes = {name: [old[name], value] for name, value in values.items() if old[name] != value}
    if not changes:
        return CorrectedVenue()
    new = old | values
    keys = {"name_key": key_of(new["name"], new["town"]), "town_key": fold(new["town"]) if new["town"] else ""}
    await conn.execute(_UPDATE, new | keys)
    if not changes.keys() & {"latitude", "longitude"}:
        return CorrectedVenue(changes=changes)
    at = Coordinates(new["latitude"], new["longitude"], "exact")
    moved = await located.place(conn, where, at, BY_PERSON)
    return CorrectedVenue(changes=changes, moved=[one for one in moved if one.changes])


def _check(values: dict[str, Any]) -> None:
    unknown = [name for name in values if name not in CORRECTABLE]
    if unknown:
        raise InvalidInput(f"{unknown[0]} cannot be corrected; these can: {', '.join(CORRECTABLE)}", field=unknown[0])
    if "name" in values and not str(values["name"] or "").strip():
        raise InvalidInput("a venue has a name", field="name")
    country = values.get("country")
    if country is not None and not (len(country) == 2 and country.isascii() and country.isupper()):
        raise InvalidInput("a country is written as its two letters, as NL", field="country")
    if ("latitude" in values) != ("longitude" in values):
        raise InvalidInput("latitude and longitude are corrected together", field="latitude")
    if "latitude" in values and not (-90 <= values["latitude"] <= 90 and -180 <= values["longitude"] <= 180):
        raise InvalidInput("these are no coordinates", field="latitude")
