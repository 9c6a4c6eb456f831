"""The hours on the page of one event: when it begins and ends, and when the doors open, by the labels beside them."""

from __future__ import annotations

import re

from winnow.extract.candidates import Collected
from winnow.extract.draft import Strategy, Value
from winnow.extract.event.entry_times import Hours, labelled_hours, starts_of
from winnow.extract.event.listing import Listing
from winnow.extract.event.marks import Mark
from winnow.extract.event.outline import Outline
from winnow.extract.event.page_role import ABOVE, own_marks
from winnow.extract.event.records import Record

_FRAME_TAGS = frozenset(["footer", "nav", "aside"])
BELOW = 40  # lines below its heading in which an event's page says its hours
_MIDNIGHT = re.compile(r"(\d{4}-\d\d-\d\d)[T ]00:00(?::00(?:\.0+)?)?(?:[+-]\d\d:?\d\d)?")
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)")


def with_hours(found: list[Collected], page: Outline, listing: Listing) -> list[Collected]:
    """The page's one event with the hours that stand around its day; several are left as they are."""
    own = _own_day(page, listing) if len(found) == 1 else None
    if own is None:
        return found
    heading, mark = own
    hours, one = _hours(page, heading, mark), found[0]
    stated = one.values["start"][0]
    corrected = (
        _relabelled(stated.raw, mark, hours) if stated.strategy is Strategy.DOM else _corrected(stated.raw, hours)
    )
    for text, path in starts_of(mark, hours):
        one.add("start", text, Strategy.DOM, path)  # for a start that nobody can read: "Invalid date"
    if corrected != stated.raw:
        value = Value(corrected, stated.strategy, f"{stated.path} at the hour shown")
        one.values["start"] = [value, *one.values["start"]]
    if hours.start and not re.search(r"\d:\d\d", corrected) and not one.has("clock"):
        one.add("clock", f"{hours.start} - {hours.end}" if hours.end else hours.start, Strategy.DOM, "page hour")
    if not one.has("doors"):
        one.add("doors", hours.doors, Strategy.DOM, "page hour")
    return found


def _own_day(page: Outline, listing: Listing) -> tuple[int, Mark] | None:
    """(line of the heading, day)"""
    headings = listing.own.found
    mark = next(iter(own_marks(page, listing)), None)
    return (headings[0][0], mark) if mark is not None and len({text for _, text in headings}) == 1 else None


def _hours(page: Outline, heading: int, mark: Mark) -> Hours:
    frames = (e.first for e in page.elements if e.tag in _FRAME_TAGS and e.first > heading)
    last = min(heading + BELOW, min(frames, default=len(page.lines)))
    found, _ = labelled_hours(page, Record(0, max(0, heading - ABOVE), last, [mark]), mark)
    return found


def _relabelled(stated: str, mark: Mark, hours: Hours) -> str:
    """The day with the hour of its label, where the reading took another hour that stands below."""
    day = " ".join(mark.text.split())
    if not hours.start or not day or hours.start in stated or day.lower() not in stated.lower():
        return stated
    return f"{day} {mark.under} {hours.start}" if mark.under else f"{day} {hours.start}"


def _corrected(stated: str, hours: Hours) -> str:
    """Midnight stands for a day whose hour the data do not know, and the hour of the doors for that of the event, where the
    page names another beginning."""
    if not hours.start:
        return stated
    midnight = _MIDNIGHT.fullmatch(stated.strip())
    if midnight is not None:
        return midnight[1]
    moment, begins = _MOMENT.match(stated.strip()), _clock(hours.start)
    if moment is not None and begins and moment[2] == _clock(hours.doors):
        return f"{moment[1]}T{begins}{stated.strip()[moment.end() :]}"
    return stated


def _clock(text: str) -> str:
    """20:15 of "20.15 uur"; "" where it is not on the clock of 24 hours."""
    found = re.fullmatch(r"([01]?\d|2[0-3])[:.h]([0-5]\d)(?:\s?(?:uur|uhr|h|u))?", text.strip(), re.IGNORECASE)
    return f"{int(found[1]):02}:{found[2]}" if found else ""
