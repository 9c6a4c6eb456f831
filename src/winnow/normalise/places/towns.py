"""Where Dutch towns and postcodes are, offline. A name that several towns have is decided by what stands beside it, or
not at all.

The two lists in `data/` are written by `tools/dutch_places.py`. Other countries need a geocoder.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from math import asin, cos, radians, sin, sqrt
from pathlib import Path

import msgspec

from winnow.normalise.text import fold

DATA = Path(str(files("winnow.normalise.places"))) / "data"
COUNTRY, TIME_ZONE = "NL", "Europe/Amsterdam"
EARTH_KM = 6371.0
# The largest town of a name is meant where it has this many times the inhabitants of the next one: Utrecht is not the
# hamlet, but Bergen may be either.
TIMES_LARGER = 20
NEAR_KM = 60.0  # a source's own surroundings: the town of that name in there is meant
_POSTCODE = re.compile(r"\b([1-9]\d{3})\s?[A-Za-z]{2}\b|^\s*([1-9]\d{3})\s*$")
Point = tuple[float, float]


class Town(msgspec.Struct, frozen=True, gc=False):
    name: str
    municipality: str
    province: str
    latitude: float
    longitude: float
    population: int


class Located(msgspec.Struct, frozen=True, kw_only=True):
    """Coordinates of a postcode or a town. `precision` says which."""

    latitude: float
    longitude: float
    precision: str
    town: str
    municipality: str = ""
    province: str = ""


class Postcode(msgspec.Struct, frozen=True, gc=False):
    town: str
    latitude: float
    longitude: float


def locate(town: str | None, postal_code: str | None = None, near: Point | None = None) -> Located | None:
    """The postcode where one is given, else the town; None where neither is known or the town's name is shared.
    A postcode and a town that contradict each other locate nothing. `near` is where the source is at home."""
    code = read_postcode(postal_code or "")
    if code is not None:
        return _of_postcode(code, town)
    known = find_town(town or "", near)
    return None if known is None else _of_town(known)


def read_postcode(text: str) -> str | None:
    """The four digits of a Dutch postcode."""
    match = _POSTCODE.search(text)
    return (match[1] or match[2]) if match else None


def find_town(name: str, near: Point | None = None) -> Town | None:
    same = towns().get(name_key(name), ())
    if len(same) < 2:
        return same[0] if same else None
    around = [t for t in same if near is not None and distance_km(t.latitude, t.longitude, *near) < NEAR_KM]
    if len(around) == 1:
        return around[0]
    first, second = sorted(same, key=lambda t: -t.population)[:2]
    return first if first.population >= TIMES_LARGER * max(second.population, 500) else None


def municipalities() -> list[Town]:
    """One entry for each, with its largest town's coordinates and the inhabitants of all its towns (E-013)."""
    by_name: dict[tuple[str, str], list[Town]] = {}
    for town in _all_towns():
        if town.municipality and town.population:
            by_name.setdefault((town.municipality, town.province), []).append(town)
    return [_municipality(name, province, own) for (name, province), own in sorted(by_name.items())]


def distance_km(latitude: float, longitude: float, other_latitude: float, other_longitude: float) -> float:
    """Along the surface of the earth, taken as a sphere."""
    north, south = radians(latitude), radians(other_latitude)
    half = sin((south - north) / 2) ** 2
    half += cos(north) * cos(south) * sin(radians(other_longitude - longitude) / 2) ** 2
    return 2 * EARTH_KM * asin(sqrt(min(half, 1.0)))


def _municipality(name: str, province: str, own: Sequence[Town]) -> Town:
    largest = max(own, key=lambda town: town.population)
    people = sum(town.population for town in own)
    return Town(name, name, province, largest.latitude, largest.longitude, people)


def _of_town(town: Town) -> Located:
    return Located(
        latitude=town.latitude,
        longitude=town.longitude,
        precision="town",
        town=town.name,
        municipality=town.municipality,
        province=town.province,
    )


def _of_postcode(code: str, town: str | None) -> Located | None:
    known = postcodes().get(code)
    if known is None:
        stated = find_town(town or "")
        return None if stated is None else _of_town(stated)
    owners = [t for t in towns().get(name_key(known.town), ()) if _is_near(t, known)]
    if town and not _agrees(town, known):
        return None
    owner = owners[0] if owners else None
    return Located(
        latitude=known.latitude,
        longitude=known.longitude,
        precision="postcode",
        town=known.town,
        municipality=owner.municipality if owner else "",
        province=owner.province if owner else "",
    )


def _agrees(town: str, code: Postcode) -> bool:
    """Whether the town named beside a postcode is the postcode's, another name of it, or right beside it; a name that
    is nobody's does not contradict."""
    same = towns().get(name_key(town), ())
    return not same or name_key(town) == name_key(code.town) or any(_is_near(t, code) for t in same)


def _is_near(town: Town, code: Postcode) -> bool:
    return distance_km(town.latitude, town.longitude, code.latitude, code.longitude) < 15


_WORD = re.compile(r"[^\W_]+")


def name_key(name: str) -> str:
    """Letters and digits only: apostrophes and hyphens of "'s-Hertogenbosch" are written in many ways."""
    return " ".join(_WORD.findall(fold(name)))


@cache
def towns() -> dict[str, tuple[Town, ...]]:
    """Key of a name -> the towns that have it."""
    found: dict[str, tuple[Town, ...]] = {}
    for line in _lines("nl_towns.txt"):
        town = _town(line)
        for name in dict.fromkeys(name_key(name) for name in [line[0], *line[1].split("=")] if name):
            found[name] = (*found.get(name, ()), town)
    return found


@cache
def postcodes() -> dict[str, Postcode]:
    """Where several towns share the first four digits, the one that is listed first."""
    found: dict[str, Postcode] = {}
    for code, town, latitude, longitude in _lines("nl_postcodes.txt"):
        found.setdefault(code, Postcode(town, float(latitude), float(longitude)))
    return found


def _all_towns() -> Iterator[Town]:
    return map(_town, _lines("nl_towns.txt"))


def _town(line: Sequence[str]) -> Town:
    name, _, municipality, province, latitude, longitude, population = line
    return Town(name, municipality, province, float(latitude), float(longitude), int(population))


def _lines(file: str) -> Iterator[list[str]]:
    text = (DATA / file).read_text(encoding="utf-8")
    return (line.split("|") for line in text.splitlines())
