"""What Nominatim answers to a search (format jsonv2), read without belief in any of it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

import msgspec

from winnow.errors import ServiceFailed, Trouble

MAX_CANDIDATES = 5
MAX_NAME = 200
# https://nominatim.org/release-docs/latest/customize/Ranking/: what a rank stands for.
_HOUSE, _STREET, _SETTLEMENT = 28, 26, 12
_TOWN_NAMES = ("city", "town", "village", "municipality", "hamlet", "suburb", "city_district")


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """A place the geocoder found. `towns`: every name of a settlement it gives around it."""

    latitude: float
    longitude: float
    precision: str
    towns: list[str] = []
    country: str | None = None


def query(text: str, country: str | None) -> dict[str, str]:
    asked = {"q": text, "format": "jsonv2", "addressdetails": "1", "limit": str(MAX_CANDIDATES)}
    return asked if country is None else asked | {"countrycodes": country.lower()}


def read(answer: Any) -> tuple[list[Candidate], list[Any]]:
    """Candidates, and what was no place. An answer that is no list, or has nothing but nonsense in it, fails."""
    if not isinstance(answer, list):
        raise ServiceFailed(Trouble.NONSENSE, "its answer is no list of places")
    found: list[Candidate] = []
    discarded: list[Any] = []
    for item in answer[: MAX_CANDIDATES * 2]:
        candidate = _candidate(item) if isinstance(item, dict) else None
        if candidate is not None:
            found.append(candidate)
        elif not _too_large(item):
            discarded.append(item)
    if discarded and not found:
        raise ServiceFailed(Trouble.NONSENSE, f"its answer has no coordinates: {str(discarded[0])[:MAX_NAME]}")
    return found, discarded


def _candidate(item: Mapping[str, Any]) -> Candidate | None:
    latitude, longitude = _degrees(item.get("lat"), 90), _degrees(item.get("lon"), 180)
    precision = _precision(item)
    if latitude is None or longitude is None or precision is None or latitude == longitude == 0:
        return None
    address = item.get("address")
    address = address if isinstance(address, dict) else {}
    country = address.get("country_code")
    return Candidate(
        latitude=latitude,
        longitude=longitude,
        precision=precision,
        towns=[name[:MAX_NAME] for key in _TOWN_NAMES if isinstance(name := address.get(key), str)],
        country=country.upper() if isinstance(country, str) and len(country) == 2 else None,
    )


def _degrees(value: Any, most: int) -> float | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        degrees = float(value)
    except ValueError:
        return None
    return degrees if isfinite(degrees) and abs(degrees) <= most else None


def _precision(item: Mapping[str, Any]) -> str | None:
    """None for what is larger than a town, or has no rank."""
    rank = item.get("place_rank")
    if isinstance(rank, bool) or not isinstance(rank, int):
        return None
    if item.get("addresstype", item.get("type")) == "postcode":
        return "postcode"
    if rank >= _STREET:
        return "exact" if rank >= _HOUSE else "street"
    return "town" if rank >= _SETTLEMENT else None


def _too_large(item: Any) -> bool:
    """A province or a country is a place, of no use here."""
    rank = item.get("place_rank") if isinstance(item, dict) else None
    return isinstance(rank, int) and not isinstance(rank, bool) and 0 < rank < _SETTLEMENT
