"""Agendas and event pages in the shapes real ones have, of venues that do not exist, with what is true about each."""

from __future__ import annotations

from tests.quality import event_days, event_details, event_lists, event_lists_abroad, event_meetings, event_own_days  # noqa: F401 - they register their shapes
from tests.quality.event_shapes import DETAILS, LISTS, OTHERS, EventPage, Shape

__all__ = ["DETAILS", "LISTS", "OTHERS", "EventPage", "pages_of"]


def pages_of(shapes: list[Shape]) -> list[EventPage]:
    return [shape() for shape in shapes]
