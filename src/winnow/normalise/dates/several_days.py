"""Several days in one text: "12, 13 en 19 april 2026 20:30", "Fri 3 May, Sat 11 May and 2 June"."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import msgspec

from winnow.normalise.dates.tokens import Token

MAX_DAYS = 60


class Stated(msgspec.Struct):
    """A day of the list, as far as it is written."""

    day: int
    month: int | None = None
    year: int | None = None
    weekday: int | None = None


def stated_days(tokens: Sequence[Token]) -> tuple[list[Stated], str] | None:
    """The days in their order and the one hour they share ("" without); None unless the text is just a list of days."""
    found: list[Stated] = []
    times: set[str] = set()
    month: int | None = None
    weekday: int | None = None
    for token in tokens:
        if token.kind == "w":
            weekday = int(token.value)
        elif token.kind == "n":
            found.append(Stated(int(token.value), month, None, weekday))
            weekday = None
        elif token.kind == "m":
            month = _give_month(found, int(token.value))
        elif token.kind == "y":
            _give_year(found, int(token.value))
        elif token.kind == "d":
            whole = date.fromisoformat(token.value)
            found.append(Stated(whole.day, whole.month, whole.year, weekday))
            weekday = None
        elif token.kind in "tr":
            times.add(token.value)
        elif (token.kind, token.value) != ("~", "&"):
            return None
    is_list = 2 <= len(found) <= MAX_DAYS and len(times) <= 1 and all(day.month for day in found)
    return (found, next(iter(times), "")) if is_list else None


def _give_month(found: list[Stated], month: int) -> int | None:
    """A month behind its days is theirs; before them it is that of those that follow."""
    without = [day for day in found if day.month is None]
    for day in without:
        day.month = month
    return None if without else month


def _give_year(found: list[Stated], year: int) -> None:
    for day in found:
        day.year = day.year or year
