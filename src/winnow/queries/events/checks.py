"""Filters of events as people state them: which make sense, and a sentence where one does not."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from winnow.errors import InvalidInput
from winnow.normalise.places import towns
from winnow.queries.events.lists import Around, Filters
from winnow.vocabulary.event_categories import categories as known_categories

_DEGREES = re.compile(r"\s*(-?\d{1,2}(?:\.\d+)?)\s*[,;\s]\s*(-?\d{1,3}(?:\.\d+)?)\s*")


def categories(names: Sequence[str]) -> tuple[str, ...]:
    unknown = [name for name in names if name not in known_categories()]
    if unknown:
        raise InvalidInput(
            f"no category {unknown[0]!r}; there are {', '.join(sorted(known_categories()))}", field="category"
        )
    return tuple(names)


def circle(latitude: float | None, longitude: float | None, radius_m: float | None) -> Around | None:
    if latitude is None and longitude is None and radius_m is None:
        return None
    if latitude is None or longitude is None or radius_m is None:
        raise InvalidInput("latitude, longitude and radius_m are given together or not at all", field="radius_m")
    return Around(latitude, longitude, radius_m)


def place(text: str, metres: float) -> Around:
    """A Dutch town or postcode, or latitude and longitude."""
    if (degrees := _DEGREES.fullmatch(text)) is not None:
        latitude, longitude = float(degrees[1]), float(degrees[2])
        if abs(latitude) > 90 or abs(longitude) > 180:
            raise InvalidInput(f"{text!r} is no place on earth: latitude first, then longitude", field="place")
        return Around(latitude, longitude, metres)
    found = towns.locate(None if towns.read_postcode(text) else text, text)
    if found is None:
        raise InvalidInput(
            f"no one Dutch town or postcode is called {text!r}; give latitude and longitude, as 52.09, 5.12",
            field="place",
        )
    return Around(found.latitude, found.longitude, metres)


def day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise InvalidInput(f"{text!r} is no day; write it as 2026-12-31", field="day") from None


def before(first: date) -> datetime:
    """A moment before that day has begun anywhere."""
    return datetime.combine(first - timedelta(days=1), time(), UTC)


def of_subscription(stated: Mapping[str, Any]) -> Filters:
    """The filters a subscription was made with."""
    return Filters(
        around=circle(stated.get("latitude"), stated.get("longitude"), stated.get("radius_m")),
        categories=tuple(stated.get("categories", ())),
        text=stated.get("q"),
        source_id=stated.get("source_id"),
        venue_id=stated.get("venue_id"),
    )
