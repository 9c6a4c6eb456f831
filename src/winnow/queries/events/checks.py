"""Filters of events as people state them: which make sense, and a sentence where one does not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from winnow.errors import InvalidInput
from winnow.queries.events.lists import Around, Filters
from winnow.vocabulary.event_categories import categories as known_categories


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


def of_subscription(stated: Mapping[str, Any]) -> Filters:
    """The filters a subscription was made with."""
    return Filters(
        around=circle(stated.get("latitude"), stated.get("longitude"), stated.get("radius_m")),
        categories=tuple(stated.get("categories", ())),
        text=stated.get("q"),
        source_id=stated.get("source_id"),
        venue_id=stated.get("venue_id"),
    )
