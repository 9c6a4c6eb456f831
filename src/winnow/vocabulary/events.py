"""The words agendas are written with, by language (`data/events.json`)."""

from __future__ import annotations

from functools import cache

import msgspec

from winnow.vocabulary.load import load

Words = tuple[str, ...]


class EventWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`agenda`: what lists of events, and what is in them, are called; `meeting`: who meets in public. `doors`,
    `start`, `end`: labels of a time. `not_the_day`: a day beside such a word is not the day of the event. `generic`:
    texts of links and marks that never name an event. `columns`: headings of tables, by what stands below them.
    `empty` and `related` are regular expressions, all others plain words."""

    agenda: Words = ()
    meeting: Words = ()
    doors: Words = ()
    start: Words = ()
    end: Words = ()
    not_the_day: Words = ()
    empty: Words = ()
    next: Words = ()
    generic: Words = ()
    related: Words = ()
    sold_out: Words = ()
    cancelled: Words = ()
    postponed: Words = ()
    rescheduled: Words = ()
    columns: dict[str, Words] = {}


@cache
def event_words() -> dict[str, EventWords]:
    return load("events", dict[str, EventWords])
