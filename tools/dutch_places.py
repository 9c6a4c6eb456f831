"""Writes `src/winnow/normalise/places/data` anew: Dutch towns and four-digit postcodes with their coordinates.

    python -m tools.dutch_places CITIES500.json CITIES1000.csv POSTCODES.csv

The facts come from public lists, see docs/decisions/gazetteer.md: towns above 500 inhabitants of GeoNames (as JSON,
one object a place: name, latitude, longitude, population, alternatenames, admin1code), those above 1 000 with the
name of their municipality (as CSV: lat, lon, name, admin1, admin2, cc), and the places of four-digit postcodes (as
CSV: postcode, woonplaats, gemeente, provincie, latitude, longitude, soort).
"""

from __future__ import annotations

import csv
import json
import sys
from collections import defaultdict
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from winnow.normalise.places.towns import DATA, distance_km, name_key
from winnow.normalise.text import fold

# The names of provinces as GeoNames numbers them.
PROVINCES = {
    "01": "Drenthe", "02": "Friesland", "03": "Gelderland", "04": "Groningen", "05": "Limburg", "06": "Noord-Brabant",
    "07": "Noord-Holland", "09": "Utrecht", "10": "Zeeland", "11": "Zuid-Holland", "15": "Overijssel",
    "16": "Flevoland",
}  # fmt: skip
_PREFIXES = ("Gemeente ", "Municipality of ")
MAX_DISTANCE_KM = 4.0  # of a town of one list to the one of the same name in another: they are one
NO_STREETS = ("Postbus", "Onbekend")  # a postcode of post boxes is not where anything happens


class Town(NamedTuple):
    name: str
    others: tuple[str, ...]
    municipality: str
    province: str
    latitude: float
    longitude: float
    population: int


def main(cities: str, municipalities: str, postcodes: str) -> None:
    codes = _rows(postcodes)
    towns = _towns(_known(cities), _municipalities(municipalities), codes)
    DATA.mkdir(exist_ok=True)
    lines = [
        _line(*town[:1], "=".join(town.others), *town[2:4], *_degrees(*town[4:6]), town.population) for town in towns
    ]
    (DATA / "nl_towns.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    placed = sorted({_postcode(row) for row in codes if row["soort"] not in NO_STREETS and float(row["latitude"] or 0)})
    (DATA / "nl_postcodes.txt").write_text("\n".join(placed) + "\n", encoding="utf-8")


def _rows(path: str) -> list[dict[str, str]]:
    with Path(path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _line(*values: object) -> str:
    return "|".join(map(str, values))


def _degrees(latitude: float, longitude: float) -> tuple[str, str]:
    return f"{latitude:.3f}", f"{longitude:.3f}"


def _postcode(row: dict[str, str]) -> str:
    return _line(row["postcode"], row["woonplaats"], *_degrees(float(row["latitude"]), float(row["longitude"])))


def _known(path: str) -> list[dict[str, Any]]:
    found = json.loads(Path(path).read_text(encoding="utf-8"))
    return [place for place in found.values() if place["countrycode"] == "NL"]


def _municipalities(path: str) -> dict[str, list[tuple[float, float, str]]]:
    """Folded town -> where it is and what its municipality is called."""
    found: dict[str, list[tuple[float, float, str]]] = defaultdict(list)
    for row in _rows(path):
        if row["cc"] == "NL":
            found[fold(row["name"])].append((float(row["lat"]), float(row["lon"]), _bare(row["admin2"])))
    return found


def _bare(name: str) -> str:
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    return name.strip()


def _towns(
    known: list[dict[str, Any]], municipalities: dict[str, list[tuple[float, float, str]]], codes: list[dict[str, str]]
) -> list[Town]:
    by_code = _of_postcodes(codes)
    found = [_town(place, municipalities, by_code) for place in known]
    names = {fold(name): town for town in found for name in (town.name, *town.others)}
    for town in by_code:
        same = names.get(fold(town.name))
        if same is None or distance_km(*same[4:6], *town[4:6]) > 10:
            at = town.latitude, town.longitude
            found.append(town._replace(municipality=_today(town.municipality, at, municipalities)))
    return sorted(found, key=lambda town: (fold(town.name), -town.population, town.latitude))


def _town(
    place: dict[str, Any], municipalities: dict[str, list[tuple[float, float, str]]], by_code: list[Town]
) -> Town:
    at = place["latitude"], place["longitude"]
    name = place["name"]
    near = [m for lat, lon, m in municipalities.get(fold(name), []) if distance_km(*at, lat, lon) < MAX_DISTANCE_KM]
    same = [t for t in by_code if fold(t.name) == fold(name) and distance_km(*at, *t[4:6]) < 10]
    stated = near[0] if near else (same[0].municipality if same else "")
    municipality = _today(stated, at, municipalities)
    return Town(name, _others(place), municipality, PROVINCES.get(place["admin1code"], ""), *at, place["population"])


def _today(name: str, at: tuple[float, float], municipalities: dict[str, list[tuple[float, float, str]]]) -> str:
    """Municipalities merge: a name that is none any more becomes that of the nearest town."""
    places = [place for same in municipalities.values() for place in same]
    if name in {municipality for _, _, municipality in places}:
        return name
    return min(places, key=lambda place: distance_km(*at, place[0], place[1]))[2]


def _others(place: dict[str, Any]) -> tuple[str, ...]:
    """Other names in Latin letters that are not just this one without its accents; at most a few are of use."""
    own = fold(place["name"])
    found = {fold(name): name for name in place["alternatenames"] if _is_usable(name) and fold(name) != own}
    return tuple(sorted(found.values())) if place["population"] >= 50_000 else ()


USABLE_LANGUAGES = ("The Hague", "La Haye", "Den Haag", "'s-Gravenhage", "Hertogenbosch", "Den Bosch", "Ljouwert")


def _is_usable(name: str) -> bool:
    return any(name.endswith(known) for known in USABLE_LANGUAGES)


def _of_postcodes(codes: list[dict[str, str]]) -> list[Town]:
    """Towns as the post knows them, each in the middle of its postcodes. Their inhabitants are not known."""
    rows: dict[tuple[str, str], list[dict[str, str]]] = defaultdict(list)
    for row in codes:
        if float(row["latitude"] or 0) and row["soort"] not in NO_STREETS:
            rows[row["woonplaats"], row["gemeente"]].append(row)
    return [
        Town(
            town,
            _aliases(town, own),
            municipality,
            own[0]["provincie"],
            median(float(row["latitude"]) for row in own),
            median(float(row["longitude"]) for row in own),
            0,
        )
        for (town, municipality), own in rows.items()
    ]


def _aliases(town: str, rows: list[dict[str, str]]) -> tuple[str, ...]:
    """Other spellings, which the post writes in capitals, unless they are read as the same name."""
    stated = {alias.strip() for row in rows for alias in row["alternatieve_schrijfwijzen"].split(",")}
    return tuple(sorted(alias.title() for alias in stated if alias and name_key(alias) != name_key(town)))


if __name__ == "__main__":
    main(*sys.argv[1:4])
