"""Whether an event takes place and whether it is sold out, from structured data or from the edge of its title."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import cache

from winnow.normalise.doubts import Doubt, Unread, unread
from winnow.normalise.fields import Around
from winnow.normalise.text import fold
from winnow.vocabulary.event_status import status_phrases
from winnow.vocabulary.phrases import any_of


class EventStatus(StrEnum):
    SCHEDULED = "scheduled"
    CANCELLED = "cancelled"
    POSTPONED = "postponed"
    RESCHEDULED = "rescheduled"
    MOVED_ONLINE = "moved_online"


# In the order in which they decide: what is cancelled is not postponed any more.
_WORDS = (
    (EventStatus.CANCELLED, "cancelled"),
    (EventStatus.POSTPONED, "postponed"),
    (EventStatus.RESCHEDULED, "rescheduled"),
    (EventStatus.MOVED_ONLINE, "moved_online"),
    (EventStatus.SCHEDULED, "scheduled"),
)
_BOOLEANS = {"true": True, "false": False}


@cache
def _anywhere(key: str) -> re.Pattern[str]:
    return re.compile(any_of(fold(phrase) for phrase in status_phrases(key)))


@cache
def _at_edge(*keys: str) -> re.Pattern[str]:
    """Words of status at the edge of a title, set off: "CANCELLED: Jazz Night", "Jazz Night (abgesagt)". Titles are not
    folded, so that what is left of them stays as it was written."""
    phrases = [phrase for key in keys for phrase in status_phrases(key)]
    words = any_of(dict.fromkeys([*(phrase.lower() for phrase in phrases), *map(fold, phrases)]))
    return re.compile(
        rf"^[\[(*\s]*(?:{words})\s*(?:[!:|*\])–—]+|\s-)[\s!:|*\])–—-]*(?=\w)"
        rf"|\s*[\[(*|–—]+\s*(?:{words})[\s\])!*.]*$|\s-\s*(?:{words})[\s!*.]*$",
        re.IGNORECASE,
    )


def read_status(raw: str, near: Around) -> EventStatus | Unread:
    text = fold(raw)
    found = next((status for status, key in _WORDS if _anywhere(key).search(text)), None)
    return found or unread(Doubt.UNREADABLE, raw)


def read_sold_out(raw: str, near: Around) -> bool | Unread:
    """Words for "sold out", schema.org availability, and the booleans of data formats."""
    text = fold(raw)
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if _anywhere("sold_out").search(text):
        return True
    return False if _anywhere("on_sale").search(text) else unread(Doubt.UNREADABLE, raw)


def status_in_title(title: str) -> EventStatus | None:
    return next((status for status, key in _WORDS[:4] if _at_edge(key).search(title)), None)


def sold_out_in_title(title: str) -> bool:
    return _at_edge("sold_out").search(title) is not None


def without_status(title: str) -> str:
    """The title without the words of status at its edges, so that a cancelled event keeps its name; as it was where
    nothing else is left."""
    edges = _at_edge("cancelled", "postponed", "rescheduled", "moved_online", "sold_out")
    return " ".join(edges.sub("", title).split()) or title
