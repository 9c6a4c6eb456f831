"""Compares what a page lists now with what it listed before: whether it can be trusted, and which events moved. Pure.

DESIGN §11.31: a page that shrinks by half or moves most of its dates at once is held.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from datetime import date

import msgspec

from winnow.store.events.matching.tokens import shared_part

# Of a page with fewer events half is a handful: cancelled by chance, not by a broken reader.
MIN_EXPECTED = 8
MIN_LOST = 3  # a handful may shrink, or change altogether where a page shows a choice, but hardly both at once
MIN_MOVED = 5
SAME_TITLE = 0.5  # of the words, when day, hour and place are the same and nothing else fits


class Listed(msgspec.Struct, frozen=True, kw_only=True):
    """An event a page lists, by its key. `held`: its record waits for a person."""

    source_key: str
    occurrence: str
    title: str
    day: date
    hour: str
    venue_key: str = ""
    held: bool = False

    @property
    def key(self) -> tuple[str, str]:
        return self.source_key, self.occurrence


class Expected(Listed, frozen=True, kw_only=True):
    """An event of a day to come that the page listed when it was read last."""

    id: int


class Rekeyed(msgspec.Struct, frozen=True):
    """A known event that the page lists under another key now."""

    id: int
    source_key: str
    occurrence: str


def doubt(expected: Sequence[Expected], listed: Sequence[Listed], today: date) -> str | None:
    """Why the page is not believed; None where it is. Days that passed are not expected, and cancelled is listed."""
    upcoming = sum(one.day >= today for one in listed)
    shrank = upcoming * 2 <= len(expected)
    if shrank and len(expected) >= MIN_EXPECTED:
        return f"it lists {upcoming} of days to come, and listed {len(expected)} of them before"
    if shrank and upcoming and len(expected) >= MIN_LOST and not _known(expected, listed):
        return f"it lists {upcoming} of days to come, and none of the {len(expected)} it listed before"
    moved, kept = _moves(expected, listed)
    if moved >= MIN_MOVED and moved > kept:
        return f"{moved} of {moved + kept} events have another day or hour than before"
    return None


def _known(expected: Sequence[Expected], listed: Sequence[Listed]) -> bool:
    """Whether an event of the last reading is listed still, under whatever key, title or moment."""
    now = {one.key for one in listed}
    return any(one.key in now for one in expected) or bool(rekeyed(expected, listed))


def _moves(expected: Sequence[Expected], listed: Sequence[Listed]) -> tuple[int, int]:
    now = {one.key: one for one in listed}
    same = [(old, now[old.key]) for old in expected if old.key in now]
    other_hour = sum("TBD" not in (old.hour, new.hour) and old.hour != new.hour for old, new in same)
    other_day = len(_pairs_by_key(expected, listed))
    return other_hour + other_day, len(same) - other_hour


def rekeyed(expected: Sequence[Expected], listed: Sequence[Listed]) -> list[Rekeyed]:
    """Return the events that vanished under one key and appeared under another, where there is exactly one of both."""
    pairs = _pairs_by_key(expected, listed)
    gone, new = _left(expected, listed, pairs)
    pairs += _pairs(gone, new, lambda one: (one.title, one.day, one.hour))
    gone, new = _left(expected, listed, pairs)
    nameless = [one for one in gone if one.source_key.startswith("KEY:")]
    renamed = _pairs(nameless, [n for n in new if n.source_key.startswith("KEY:")], lambda one: (one.day, one.hour))
    pairs += [(old, found) for old, found in renamed if shared_part(old.title, found.title) >= SAME_TITLE]
    return [Rekeyed(old.id, found.source_key, found.occurrence) for old, found in pairs]


def _pairs_by_key(expected: Sequence[Expected], listed: Sequence[Listed]) -> list[tuple[Expected, Listed]]:
    gone, new = _left(expected, listed, [])
    return _pairs(gone, new, lambda one: one.source_key)


def _left(
    expected: Sequence[Expected], listed: Sequence[Listed], pairs: Sequence[tuple[Expected, Listed]]
) -> tuple[list[Expected], list[Listed]]:
    """What vanished and what appeared, without what is paired already."""
    before, now = {one.key for one in expected}, {one.key for one in listed}
    before |= {found.key for _, found in pairs}
    now |= {old.key for old, _ in pairs}
    return [one for one in expected if one.key not in now], [one for one in listed if one.key not in before]


def _pairs(
    gone: Sequence[Expected], new: Sequence[Listed], by: Callable[[Listed], Hashable]
) -> list[tuple[Expected, Listed]]:
    old_by: defaultdict[Hashable, list[Expected]] = defaultdict(list)
    new_by: defaultdict[Hashable, list[Listed]] = defaultdict(list)
    for old in gone:
        old_by[by(old)].append(old)
    for one in new:
        new_by[by(one)].append(one)
    return [(olds[0], new_by[k][0]) for k, olds in old_by.items() if len(olds) == 1 and len(new_by.get(k, ())) == 1]
