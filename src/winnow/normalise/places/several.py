"""One text that names several places: "New York, NY; Chicago, IL; Remote", "Austin, TX / Denver, CO"."""

from __future__ import annotations

import re

from winnow.normalise.places.gazetteer import country_code
from winnow.normalise.places.read import read_place

MAX_PLACES = 10
_BETWEEN = re.compile(r"\s*[;|]\s*|\s+/\s+|\s+(?:or|oder|ou|o|of|lub|nebo)\s+(?=[^\W\d_a-z])")


def places_in(raw: str) -> list[str]:
    """Each of them, when at least two are places for themselves; else the text as it stands."""
    pieces = [piece.strip() for piece in _BETWEEN.split(raw) if piece.strip()]
    known = [piece for piece in pieces[:MAX_PLACES] if _is_place(piece)]
    return known if len(known) > 1 else [raw]


def _is_place(text: str) -> bool:
    found = read_place(text)
    return found.city is not None or country_code(text) is not None
