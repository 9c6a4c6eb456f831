"""The words of agendas (`vocabulary/events`) as what readers search with."""

from __future__ import annotations

import re
from functools import cache

from winnow.vocabulary.events import event_words


def _all(*names: str) -> list[str]:
    found = [word for words in event_words().values() for name in names for word in getattr(words, name)]
    return sorted(set(found), key=len, reverse=True)


def _words(*names: str) -> str:
    return "|".join(re.escape(word) for word in _all(*names))


def _phrases(name: str) -> str:
    """These are regular expressions."""
    return "|".join(_all(name))


AGENDA = re.compile(rf"(?<![^\W_])(?:{_words('agenda')})(?![^\W_])", re.IGNORECASE)
# What meets in public: days below such a heading are its meetings.
MEETING = re.compile(rf"(?<![^\W_])(?:{_words('meeting')})(?![^\W_])", re.IGNORECASE)
# A label is what stands last before a time: "zaal open: 19:30", "Doors at 8".
_AT = r"\W*(?:(?:at|om|um|à|ab|from|vanaf|ore|a las|from)\W*)?$"
DOORS_LABEL = re.compile(rf"(?<![^\W_])(?:{_words('doors')}){_AT}", re.IGNORECASE)
START_LABEL = re.compile(rf"(?<![^\W_])(?:{_words('start')}){_AT}", re.IGNORECASE)
END_LABEL = re.compile(rf"(?<![^\W_])(?:{_words('end')})\W*$", re.IGNORECASE)
# The same as lines of their own, with the time in the next line or cell.
DOORS_LINE = re.compile(rf"(?:{_words('doors')})\s*[:：]?", re.IGNORECASE)
START_LINE = re.compile(rf"(?:{_words('start')})\s*[:：]?", re.IGNORECASE)
END_LINE = re.compile(rf"(?:{_words('end')})\s*[:：]?", re.IGNORECASE)
NOT_THE_DAY = re.compile(rf"(?<![^\W_])(?:{_words('not_the_day')})(?![^\W_])|©", re.IGNORECASE)
EMPTY = re.compile(rf"(?<![^\W_])(?:{_phrases('empty')})", re.IGNORECASE)
RELATED = re.compile(rf"^\W*(?:{_phrases('related')})", re.IGNORECASE)
SOLD_OUT = re.compile(rf"(?<![^\W_])(?:{_words('sold_out')})(?![^\W_])", re.IGNORECASE)
STATES = tuple(
    (state, re.compile(rf"(?<![^\W_])(?:{_words(state)})(?![^\W_])", re.IGNORECASE))
    for state in ("cancelled", "postponed", "rescheduled")
)
_NEXT = frozenset(_all("next"))
_GENERIC = frozenset(_all("generic"))
_DECORATION = " \t\n:.…»«›‹>→←+-–—|/!*()[]▸►•·&\u200b\xa0"


def is_generic(text: str) -> bool:
    """Whether a text is what links and marks of any entry say, and never the name of an event."""
    return text.strip(_DECORATION).lower() in _GENERIC


def is_next(text: str) -> bool:
    plain = text.strip(_DECORATION + "0123456789").lower()
    return plain in _NEXT


@cache
def columns() -> dict[str, str]:
    """Heading of a column -> what stands below it."""
    found: dict[str, str] = {}
    for words in event_words().values():
        for field, names in words.columns.items():
            for name in names:
                found.setdefault(name, field)
    return found
