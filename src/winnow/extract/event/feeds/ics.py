"""ICS calendars -> drafts (RFC 5545): single events as they stand, series expanded for twelve months.

Times keep their zone: that of the property (IANA, Windows, or described in the calendar), else `X-WR-TIMEZONE`, else they
float and are the source's. Of several versions of one event the one with the highest SEQUENCE holds.
"""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from winnow.extract.candidates import Collected
from winnow.extract.draft import Strategy
from winnow.extract.event.feeds.found import Found
from winnow.extract.event.feeds.ics_events import moment_of, read_event
from winnow.extract.event.feeds.ics_series import MAX_OCCURRENCES, Budget, Window, is_rule, occurrences, steps_of
from winnow.extract.event.feeds.ics_text import Component, Parts, decodable, split_calendar, unescape
from winnow.extract.event.feeds.ics_zones import zone_of, zone_table
from winnow.extract.page import Page

if TYPE_CHECKING:
    from icalendar import Component as Decoded

AHEAD = timedelta(days=366)  # E-049: a rule is followed for twelve months
BEHIND = timedelta(days=31)  # what is just over is still shown as it ended
MAX_AHEAD_YEARS = 10  # of a single event; later ones are "never" (9999) or a mistake
MAX_DRAFTS = 2_000  # what a page may have (kinds/assess.py); icalendar decodes about 1 300 events a second
ONCE = "once"  # the occurrence of an event that has an UID of its own: moved to another day it is the same event
_TIMES = ("DTSTART", "DTEND", "EXDATE", "RDATE", "RECURRENCE-ID")
_TZID = re.compile(r";TZID=(?:\"([^\"]*)\"|([^\":;]*))", re.IGNORECASE)
_ISO = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):?(\d\d)(?::?(\d\d))?(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?\Z", re.IGNORECASE
)


def read_ics(page: Page) -> Found:
    parts = split_calendar(page)
    return _Reader(parts, page.fetched_at).read()


class _Reader:
    def __init__(self, parts: Parts, now: datetime) -> None:
        self._now = now.astimezone(UTC)
        self._window = Window(self._now - BEHIND, self._now + AHEAD)
        self._zones = parts.zones
        self._table = zone_table(parts.zones)
        self._events = [self._cleaned(event) for event in parts.events]
        self._parts = parts
        self._zone = _calendar_zone(parts.calendar)
        method = parts.calendar.get("METHOD")
        self._cancelled = method is not None and method.value.strip().upper() == "CANCEL"
        self._budget = Budget()
        self.found = Found()

    def read(self) -> Found:
        for group in sorted(self._groups(), key=self._nearness):
            if len(self.found.drafts) >= MAX_DRAFTS:
                self.found.skip("too many events", len(group))
            elif any(event.get("RRULE") or event.get("RDATE") for event in group):
                self._series(group)
            else:
                self._singles(group)
        self._order()
        if not self.found.drafts and not self.found.cut:
            self.found.empty = _empty_words(len(self._events))
        return self.found

    def _nearness(self, group: list[Component]) -> str:
        """Series first, then single events by day: what a limit cuts is the furthest away."""
        starts = [start.value[:8] for event in group if (start := event.get("DTSTART"))]
        return "" if any(event.get("RRULE") for event in group) else min(starts)

    def _order(self) -> None:
        """By their beginning, so that what is too much is the end of the calendar."""
        drafts = self.found.drafts
        drafts.sort(key=lambda draft: draft.values["start"][0].raw[:16])
        if len(drafts) > MAX_DRAFTS:
            self.found.skip("too many events", len(drafts) - MAX_DRAFTS)
            del drafts[MAX_DRAFTS:]

    def _cleaned(self, event: Component) -> Component:
        return Component(event.name, [self._cleaned_line(line) for line in event.lines])

    def _cleaned_line(self, line: str) -> str:
        """Zones by names that the libraries know, moments in the form of the standard."""
        if not line[:13].upper().startswith(_TIMES):
            return line
        name, _, value = line.rpartition(":") if _ISO.search(line) is None else _at_value(line)
        return f"{_TZID.sub(self._zone_parameter, name)}:{_compact(value)}"

    def _zone_parameter(self, match: re.Match[str]) -> str:
        name = match[1] if match[1] is not None else match[2]
        known = zone_of(name) or self._table.get(name)
        if known is None and name not in self._table:
            return ""  # nobody knows it: the time floats
        return f";TZID={known or chr(34) + name + chr(34)}"

    def _groups(self) -> list[list[Component]]:
        """Events by UID, without singles that are over; what has no UID stands alone."""
        groups: dict[str, list[Component]] = {}
        for n, event in enumerate(self._events):
            why = self._skipped(event)
            if why == "over":
                self.found.over += 1
            elif why:
                self.found.skip(why)
            else:
                uid = event.get("UID")
                groups.setdefault(uid.value.strip() if uid and uid.value.strip() else f"\0{n}", []).append(event)
        return list(groups.values())

    def _skipped(self, event: Component) -> str:
        start, end = event.get("DTSTART"), event.get("DTEND")
        if start is None or not start.value[:8].isdigit():
            return "an event without a readable beginning"
        if int(start.value[:4]) > self._now.year + MAX_AHEAD_YEARS:
            return "an event too far ahead"
        if event.get("RRULE") or event.get("RDATE") or event.get("DURATION"):
            return ""
        last = max(start.value[:8], end.value[:8] if end and end.value[:8].isdigit() else "")
        return "over" if last < f"{self._window.first:%Y%m%d}" else ""

    def _series(self, group: list[Component]) -> None:
        """Occurrences of a series; the event alone where its rule cannot be read; cut where it costs too much."""
        masters = [event for event in group if not event.get("RECURRENCE-ID")]
        rules = [rule for event in masters for rule in event.all("RRULE")]
        if not all(is_rule(rule) for rule in rules):
            self.found.notes.append("a rule that cannot be read")
            self._singles([_without_rules(event) for event in group])
            return
        if not self._budget.spend(sum(steps_of(event, self._window) for event in masters)):
            self.found.skip("a rule with too many moments")
            return
        listed = self._occurrences(group)
        if listed is None:
            self.found.skip("a series that cannot be calculated")
            return
        if len(listed) > MAX_OCCURRENCES:
            self.found.skip("too many occurrences")
        rule = f"RRULE:{rules[0].value.strip()}" if rules else ""
        self._add_occurrences(listed[:MAX_OCCURRENCES], group, rule)

    def _occurrences(self, group: list[Component]) -> list[Decoded] | None:
        for frame, events in ((self._frame(), group), ("", [_floating(event) for event in group])):
            try:
                return occurrences(events, frame, self._window)
            except Exception as broken:  # noqa: BLE001 - whatever a library makes of nonsense costs this series only
                self.found.notes.append(f"series: {type(broken).__name__}")
        return None

    def _frame(self) -> str:
        """What a series needs of its calendar: zones that only the calendar describes, and the calendar's own, in which
        a rule of times of UTC is followed."""
        own = [zone for zone in self._zones if (tzid := zone.get("TZID")) and self._table.get(tzid.value) is None]
        named = f"X-WR-TIMEZONE:{self._zone.key}\r\n" if self._zone else ""
        return named + "".join(zone.text for zone in own[:20])

    def _add_occurrences(self, listed: list[Decoded], group: list[Component], rule: str) -> None:
        """The day of an occurrence names it where a series has one a day: a series that moves by an hour is the same."""
        ids = _ids_of(listed)
        daily = len({each[:8] for each in ids}) == len(ids)
        for event, name in zip(listed, ids, strict=True):
            into = read_event(event, self._zone, self._cancelled)
            if into is not None and into.has("title"):
                into.add("recurrence", rule, Strategy.FEED, "VEVENT.RRULE")
                into.add("recurrence_id", name[:8] if daily else name, Strategy.FEED, "VEVENT.RECURRENCE-ID")
                _add_uid(into, group[0])
                self.found.add(into, group[0].text)
            else:
                self.found.skip("an event without a title or a beginning")

    def _singles(self, group: list[Component]) -> None:
        kept = _newest(group)
        titles = {_title(event) for event in kept}
        for event in kept:
            decoded = self._decoded(event)
            into = None if decoded is None else read_event(decoded, self._zone, self._cancelled)
            if into is None or not into.has("title"):
                self.found.skip("an event without a title or a beginning")
                continue
            _identify(into, event, alone=len(kept) == 1, same=len(titles) == 1)
            self.found.add(into, event.text)

    def _decoded(self, event: Component) -> Decoded | None:
        from icalendar import Calendar

        needed = decodable(event)
        for frame, text in ((self._frame(), needed.text), ("", _floating(needed).text)):
            try:
                calendar = Calendar.from_ical(f"BEGIN:VCALENDAR\r\n{frame}{text}END:VCALENDAR\r\n")
                return next(iter(calendar.walk("VEVENT")), None)
            except Exception as broken:  # noqa: BLE001 - as above: one event
                self.found.notes.append(f"event: {type(broken).__name__}")
        return None


def _calendar_zone(calendar: Component) -> ZoneInfo | None:
    stated = calendar.get("X-WR-TIMEZONE") or calendar.get("TIMEZONE-ID")
    name = zone_of(unescape(stated.value)) if stated else None
    return ZoneInfo(name) if name and name not in ("UTC", "Etc/UTC", "GMT") else None


def _empty_words(events: int) -> str:
    return f"the calendar's {events} events are over" if events else "the calendar has no events"


def _at_value(line: str) -> tuple[str, str, str]:
    """A moment written with colons: the value begins behind the first colon outside quotes."""
    match = re.match(r"((?:[^\":]|\"[^\"]*\")*):(.*)\Z", line, re.DOTALL)
    return (match[1], ":", match[2]) if match else (line, ":", "")


def _compact(value: str) -> str:
    """`2026-05-01T20:30:00+02:00` in the form of the standard; lists and anything else as they stand."""
    match = _ISO.match(value.strip())
    if match is None:
        return value.strip()
    day = match[1] + match[2] + match[3]
    if match[4] is None:
        return day
    local = f"{day}T{match[4]}{match[5]}{match[6] or '00'}"
    if match[7] is None or match[7].upper() == "Z":
        return local + (match[7] or "").upper()
    try:
        return (
            datetime.strptime(local + match[7].replace(":", ""), "%Y%m%dT%H%M%S%z")
            .astimezone(UTC)
            .strftime("%Y%m%dT%H%M%SZ")
        )
    except ValueError:
        return value.strip()


def _floating(event: Component) -> Component:
    return Component(
        event.name, [_TZID.sub("", line) if line[:13].upper().startswith(_TIMES) else line for line in event.lines]
    )


def _without_rules(event: Component) -> Component:
    rules = ("RRULE", "RDATE", "EXRULE", "EXDATE")
    return Component(event.name, [line for line in event.lines if not line[:7].upper().startswith(rules)])


def _recurrence_id(event: Decoded) -> str:
    return _text_of(moment_of(event, "RECURRENCE-ID") or moment_of(event, "DTSTART"))


def _begins(event: Decoded) -> str:
    return _text_of(moment_of(event, "DTSTART"))


def _text_of(value: object) -> str:
    return f"{value:%Y%m%dT%H%M%S}" if isinstance(value, datetime) else f"{value:%Y%m%d}"


def _ids_of(listed: list[Decoded]) -> list[str]:
    """What tells the occurrences apart. A change of all that follow (RANGE=THISANDFUTURE, RFC 5545 §3.2.13) gives them one
    RECURRENCE-ID: there it is their own beginning."""
    stated = [_recurrence_id(event) for event in listed]
    shared = {each for each, times in Counter(stated).items() if times > 1}
    return [_begins(event) if each in shared else each for event, each in zip(listed, stated, strict=True)]


def _title(event: Component) -> str:
    title = event.get("SUMMARY")
    return " ".join(unescape(title.value).lower().split()) if title else ""


def _newest(group: list[Component]) -> list[Component]:
    """Each version of an event once. Events that only share an UID differ in their title or their day."""
    best: dict[tuple[str, str], Component] = {}
    alike = len({_title(event) for event in group}) == 1 and any(_version(event) != (0, "") for event in group)
    for event in group:
        own = event.get("RECURRENCE-ID")
        start = event.get("DTSTART")
        key = (own.value if own else "", "" if alike and not own else f"{_title(event)}@{start.value if start else ''}")
        if key not in best or _version(event) > _version(best[key]):
            best[key] = event
    return list(best.values())


def _version(event: Component) -> tuple[int, str]:
    sequence, changed = event.get("SEQUENCE"), event.get("LAST-MODIFIED")
    number = sequence.value.strip() if sequence else "0"
    return int(number[:9]) if number[:9].isdigit() else 0, changed.value.strip() if changed else ""


def _identify(into: Collected, event: Component, *, alone: bool, same: bool) -> None:
    """An UID that other events of the feed bear names none of them."""
    own = event.get("RECURRENCE-ID")
    if own is not None:
        into.add("recurrence_id", own.value.strip()[:8], Strategy.FEED, "VEVENT.RECURRENCE-ID")
        _add_uid(into, event)
    elif alone or same:
        _add_uid(into, event)
        if alone and into.has("uid"):
            into.add("occurrence", ONCE, Strategy.FEED, "VEVENT.UID")


def _add_uid(into: Collected, event: Component) -> None:
    uid = event.get("UID")
    into.add("uid", unescape(uid.value)[:500] if uid else "", Strategy.FEED, "VEVENT.UID")
