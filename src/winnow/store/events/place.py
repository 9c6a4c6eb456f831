"""Where an event is: which of the known coordinates count, and the squares of the map they lie in. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from math import asin, cos, floor, radians, sin, sqrt
from typing import Any

import msgspec

from winnow.normalise.places import towns
from winnow.normalise.places.towns import COUNTRY, TIME_ZONE
from winnow.normalise.text import fold
from winnow.store.events.row import SourceFacts
from winnow.vocabulary.event_titles import vocabulary

EARTH = 6_371_000.0  # metres, mean radius
NEAR_ENOUGH = ("exact", "street")  # precisions that tell two houses apart
_RANK = {"exact": 0, "street": 1, "postcode": 2, "town": 3}
# Squares of 0.005° by 0.01°: at least 380 m wide up to 70° north, so what is within 300 m lies in a neighbouring one.
CELL_LATITUDE, CELL_LONGITUDE = 0.005, 0.01
AREA_DEGREES = 0.25  # 28 km north to south: a city and its surroundings are a few of them
_COLUMNS, _AREA_COLUMNS = 100_000, 2_000


class Coordinates(msgspec.Struct, frozen=True):
    latitude: float
    longitude: float
    precision: str


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """`coordinates` None: none are known. `flagged`: they are the source's own (E-062)."""

    coordinates: Coordinates | None
    flagged: bool = False


class Named(msgspec.Struct, frozen=True, kw_only=True):
    """The name of a place as a record gives it. `key` "" where it names no one place: a town, or nothing."""

    name: str
    key: str
    town: str | None
    town_key: str


def choose(stated: Coordinates | None, venue: Coordinates | None, source: SourceFacts) -> Place:
    """The most precise of what the page states and what is known of the venue; else the source's own, flagged."""
    known = sorted([c for c in (stated, venue) if c is not None], key=lambda c: _RANK[c.precision])
    if known:
        return Place(coordinates=known[0])
    if source.latitude is None or source.longitude is None:
        return Place(coordinates=None)
    return Place(coordinates=Coordinates(source.latitude, source.longitude, "town"), flagged=True)


def looked_up(location: Mapping[str, Any], source: SourceFacts) -> Coordinates | None:
    """Those of the postcode or town the record names, from the gazetteer. Names of other countries are not looked up
    among Dutch towns: where the record names no country, the source's own clock has to be the Dutch one."""
    country = location.get("country_code")
    if country != COUNTRY and (country is not None or source.timezone != TIME_ZONE):
        return None
    near = (source.latitude, source.longitude) if source.latitude is not None and source.longitude is not None else None
    found = towns.locate(location.get("city"), location.get("postal_code"), near)
    return None if found is None else Coordinates(found.latitude, found.longitude, found.precision)


def stated(record: Mapping[str, Any]) -> Coordinates | None:
    latitude, longitude = record.get("latitude"), record.get("longitude")
    return None if latitude is None or longitude is None else Coordinates(latitude, longitude, "exact")


def named(record: Mapping[str, Any], source: SourceFacts) -> Named | None:
    """E-062: the venue, else the location as it stood, else the source, where an operator placed that on the map."""
    location = record.get("location") or {}
    town = location.get("city")
    town_key = fold(town) if town else ""
    if venue := record.get("venue_name"):
        return Named(name=venue, key=key_of(venue, town), town=town, town_key=town_key)
    if text := location.get("raw") or town:
        own = key_of(text) if location.get("street") else ""
        return Named(name=text[:200], key=own, town=town, town_key=town_key)
    if source.latitude is None:
        return None
    return Named(name=source.name, key=key_of(source.name), town=None, town_key="")


def key_of(name: str, town: str | None = None) -> str:
    """Names that differ in case, accents and punctuation are one, and so are the rooms of one house: "Paradiso, Grote
    Zaal" and "Paradiso Amsterdam". What is nothing but a room or the town keeps its words."""
    words = _words(name)
    beside = vocabulary().halls | set(_words(town or ""))
    return " ".join([word for word in words if word not in beside] or words)


def _words(text: str) -> list[str]:
    return "".join(c if c.isalnum() else " " for c in fold(text)).split()


def is_as_precise(old: str | None, new: str | None) -> bool:
    """Whether a precision is no worse than the other."""
    return new is not None and (old is None or _RANK[new] <= _RANK[old])


def cell(latitude: float, longitude: float) -> int:
    return floor(latitude / CELL_LATITUDE) * _COLUMNS + floor(longitude / CELL_LONGITUDE)


def cells_around(latitude: float, longitude: float) -> list[int]:
    own = cell(latitude, longitude)
    return [own + down * _COLUMNS + right for down in (-1, 0, 1) for right in (-1, 0, 1)]


def area(latitude: float, longitude: float) -> int:
    return floor(latitude / AREA_DEGREES) * _AREA_COLUMNS + floor(longitude / AREA_DEGREES)


def areas_around(latitude: float, longitude: float, metres: float, most: int = 400) -> list[int] | None:
    """The areas a circle touches; None where they are too many to be of use."""
    north = metres / 111_000
    east = north / max(0.05, cos(radians(latitude)))
    rows = range(floor((latitude - north) / AREA_DEGREES), floor((latitude + north) / AREA_DEGREES) + 1)
    columns = range(floor((longitude - east) / AREA_DEGREES), floor((longitude + east) / AREA_DEGREES) + 1)
    if len(rows) * len(columns) > most:
        return None
    return [row * _AREA_COLUMNS + column for row in rows for column in columns]


def metres(a: tuple[float, float], b: tuple[float, float]) -> float:
    """Great-circle distance of two (latitude, longitude)."""
    (north, east), (south, west) = (map(radians, a), map(radians, b))
    half = sin((north - south) / 2) ** 2 + cos(north) * cos(south) * sin((east - west) / 2) ** 2
    return 2 * EARTH * asin(sqrt(min(1.0, half)))


def place_columns(name: Named, place: Place, venue_id: int | None, record: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of an event's place."""
    at = place.coordinates
    return {
        "venue_id": venue_id,
        "venue_name": name.name,
        "venue_key": name.key,
        "town_key": name.town_key,
        "structured_location": dict(record.get("location") or {}),
        "latitude": at and at.latitude,
        "longitude": at and at.longitude,
        "precision": at and at.precision,
        "location_flagged": place.flagged or at is None,
        "cell": cell(at.latitude, at.longitude) if at and at.precision in NEAR_ENOUGH else None,
        "area": area(at.latitude, at.longitude) if at else None,
    }
