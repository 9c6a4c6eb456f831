"""The words dates are written with, by language.

Names of months and weekdays and phrases such as "3 days ago" come from CLDR (`data/cldr/dates.json`); other forms, days
such as "yesterday" and numbers in words are added by hand (`data/dates.json`).
"""

from __future__ import annotations

from functools import cache

import msgspec

from winnow.vocabulary.load import load

Words = tuple[str, ...]


class CldrDates(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Each entry of `months` and `weekdays` holds the forms of one name, with spaces between them. January is the first
    month, Monday the first weekday. `ago` and `ahead`: unit -> phrases with {0} for the number."""

    months: Words
    short_months: Words
    weekdays: Words
    short_weekdays: Words
    ago: dict[str, Words]
    ahead: dict[str, Words]


class AddedDates(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Keys are the number of a month (from 1) or weekday (Monday is 0), of days from today, or the number a word means.

    `weekdays_beside_month`: short for a weekday, but only where a month stands beside it. `ago` and `ahead` are phrases
    with {n} for a number in digits or words and {unit} for any of `units`.

    `compounds` are words that stand for several ("vanavond" is "vandaag avond"). `parts`: the part of the day ->
    what it is called beside a day or an hour. `weeks`: weeks from this one. `coming`, `this`, `next` and `last` stand
    beside a weekday, `ordinals` before one ("the third Tuesday `of` May"; -1 is the last).

    Hours in words, {h} for the hour and {m} for minutes: `half_to` is half an hour before {h}, `half_past` after it,
    and so on; `past_half_to` counts from half an hour before {h}. `doors` stands beside the hour at which doors open,
    `begins` beside the one at which it begins, `ends_late` where an end is left open. `every` begins a rule;
    `denied` takes back the day beside it.
    """

    months: dict[int, Words] = {}
    weekdays: dict[int, Words] = {}
    weekdays_beside_month: dict[int, Words] = {}
    days: dict[int, Words] = {}
    units: dict[str, Words] = {}
    numbers: dict[int, Words] = {}
    ago: Words = ()
    ahead: Words = ()
    compounds: dict[str, str] = {}
    parts: dict[str, Words] = {}
    weeks: dict[int, Words] = {}
    coming: Words = ()
    this: Words = ()
    next: Words = ()
    last: Words = ()
    ordinals: dict[int, Words] = {}
    of: Words = ()
    half_to: Words = ()
    half_past: Words = ()
    quarter_past: Words = ()
    quarter_to: Words = ()
    past: Words = ()
    to: Words = ()
    past_half_to: Words = ()
    to_half_to: Words = ()
    oclock: Words = ()
    doors: Words = ()
    begins: Words = ()
    ends_late: Words = ()
    every: Words = ()
    denied: Words = ()


@cache
def cldr_dates() -> dict[str, CldrDates]:
    return load("cldr/dates", dict[str, CldrDates])


@cache
def added_dates() -> dict[str, AddedDates]:
    return load("dates", dict[str, AddedDates])
