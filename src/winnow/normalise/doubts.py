"""Why a text did not become a value. Nothing is guessed: what cannot be read stays unread, with the reason."""

from __future__ import annotations

from enum import StrEnum

import msgspec

MAX_QUOTE = 80  # of what stood there; enough to recognise it in a report


class Doubt(StrEnum):
    EMPTY = "empty"
    UNREADABLE = "unreadable"
    AMBIGUOUS = "ambiguous"  # two readings, and nothing says which
    CONTRADICTION = "contradiction"  # the text disagrees with itself: a weekday that is not that day
    INCOMPLETE = "incomplete"  # a month without a day, an amount without a currency
    INVALID = "invalid"  # has the form but cannot be: 31 February, a number no phone has
    MASKED = "masked"  # the page shows stars instead
    PLACEHOLDER = "placeholder"
    TOO_LONG = "too_long"
    WITHHELD = "withheld"  # it was read, and the gates of its kind do not accept it


class Unread(msgspec.Struct, frozen=True, gc=False):
    why: Doubt
    details: str = ""


def unread(why: Doubt, text: str) -> Unread:
    return Unread(why, text[:MAX_QUOTE])
