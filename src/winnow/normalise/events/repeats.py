"""Events that repeat by a rule: their first day, and all their days where the text states from when until when."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, time

import msgspec

from winnow.normalise.dates.read import When, read_days, read_when
from winnow.normalise.dates.recurrence import Recurrence, next_occurrence, occurrences
from winnow.normalise.fields import Around


class Repeated(msgspec.Struct, frozen=True):
    """`days` are further ones than the start's. Without a rule, the start is what was stated."""

    start: When | None
    rule: str | None = None
    days: Sequence[date] = ()


def read_repeated(found: Recurrence | None, start: When | None, clock: time | None, near: Around) -> Repeated:
    if found is None:
        return Repeated(start)
    stated = read_days(found.rest, now=near.now, locale=near.locale, year=near.year) if found.rest else None
    hour = _hour(found, stated, clock, near)
    if start is None and isinstance(stated, When) and "day" not in stated.inferred:
        start = msgspec.structs.replace(stated, start_time=stated.start_time or hour)
    if start is None:
        day = next_occurrence(found.rule, near.now.date())
        return Repeated(None if day is None else When(day, hour, inferred=("day",)), found.rule)
    return _between(start, found.rule)


def _hour(found: Recurrence, stated: object, clock: time | None, near: Around) -> time | None:
    if isinstance(stated, When) and stated.start_time is not None:
        return stated.start_time
    timed = read_when(f"{near.now.date().isoformat()} {found.rest}", now=near.now, locale=near.locale)
    return timed.start_time if found.rest and isinstance(timed, When) and timed.start_time is not None else clock


def _between(start: When, rule: str) -> Repeated:
    """Every day of the rule from the start to the end; the rule alone where no end is stated."""
    if start.end is None or start.end == start.start:
        return Repeated(start, rule)
    days = occurrences(rule, start.start, start.end)
    if not days:
        return Repeated(start, rule)
    bounded = rule if "UNTIL=" in rule else f"{rule};UNTIL={start.end:%Y%m%d}"
    return Repeated(msgspec.structs.replace(start, start=days[0], end=None), bounded, tuple(days[1:]))
