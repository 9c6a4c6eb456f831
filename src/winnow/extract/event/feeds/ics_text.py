"""The text of a calendar -> its components, each with its lines unfolded (RFC 5545 §3.1).

Every VEVENT is cut out before anything is decoded: a broken one costs itself, years of past events cost a look at their
dates, and the text of each is at hand for its draft.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from winnow.extract.event.feeds.sniff import decode
from winnow.extract.page import Page

MAX_LINE = 60_000  # a property; pictures travel inline as base64
_FOLD = re.compile(rb"\r?\n[ \t]")
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")
_PROPERTY = re.compile(r"([A-Za-z][A-Za-z0-9-]*)((?:;[^=:;\s]+=(?:\"[^\"]*\"|[^\":;]*))*):(.*)\Z", re.DOTALL)
_PARAMETER = re.compile(r";([^=:;\s]+)=(?:\"([^\"]*)\"|([^\":;]*))")
_SKIPPED = frozenset(["VALARM", "VTODO", "VJOURNAL", "VFREEBUSY"])


# What is read of an event: decoding the rest costs more than all of this.
_READ = re.compile(
    r"(?:SUMMARY|DTSTART|DTEND|DURATION|DESCRIPTION|X-ALT-DESC|URL|LOCATION|GEO|CATEGORIES|STATUS|ORGANIZER|UID|RRULE|RDATE"
    r"|EXDATE|EXRULE|RECURRENCE-ID|SEQUENCE|IMAGE|X-TICKETS-URL|X-COST|X-ADDRESS|X-ORGANIZER|X-APPLE-STRUCTURED-LOCATION"
    r"|X-WP-IMAGES-URL|ATTACH)[;:]",
    re.IGNORECASE,
)


class Property(msgspec.Struct, frozen=True):
    """`value` is as it stood, still escaped."""

    name: str
    params: dict[str, str]
    value: str


class Component(msgspec.Struct, frozen=True):
    name: str
    lines: list[str]

    def get(self, name: str) -> Property | None:
        return next(self.all(name), None)

    def all(self, name: str) -> Iterator[Property]:
        wanted = name.upper()
        for line in self.lines:
            if line[: len(name)].upper() == wanted and (found := read_property(line)) and found.name == wanted:
                yield found

    @property
    def text(self) -> str:
        return "\r\n".join([f"BEGIN:{self.name}", *self.lines, f"END:{self.name}", ""])


class Parts(msgspec.Struct, frozen=True):
    """A file may hold several calendars: `calendar` are the properties of all of them."""

    calendar: Component
    events: list[Component]
    zones: list[Component]


def read_property(line: str) -> Property | None:
    match = _PROPERTY.match(line)
    if match is None:
        return None
    params = {m[1].upper(): m[2] if m[2] is not None else m[3] for m in _PARAMETER.finditer(match[2])}
    return Property(match[1].upper(), params, match[3])


def decodable(event: Component) -> Component:
    return Component(event.name, [line for line in event.lines if _READ.match(line)])


def unescape(value: str) -> str:
    return re.sub(r"\\([nN,;\\:\"])", lambda m: "\n" if m[1] in "nN" else m[1], value).strip()


def split_calendar(page: Page) -> Parts:
    calendar = Component("VCALENDAR", [])
    events: list[Component] = []
    zones: list[Component] = []
    current: Component | None = None
    depth, skipping = 0, ""
    for line in _lines(page):
        upper = line[:40].strip().upper()
        if skipping:
            skipping = "" if upper == f"END:{skipping}" else skipping
        elif upper.startswith("BEGIN:"):
            name = upper[6:]
            if name in _SKIPPED:
                skipping = name
            elif name in ("VEVENT", "VTIMEZONE"):
                current, depth = Component(name, []), 0
                (events if name == "VEVENT" else zones).append(current)
            elif current is not None:
                depth += 1
                current.lines.append(line)
        elif upper.startswith("END:"):
            if current is not None and upper[4:] == current.name:
                current = None
            elif current is not None and depth:
                depth -= 1
                current.lines.append(line)
        else:
            (calendar if current is None else current).lines.append(line)
    return Parts(calendar, events, zones)


def _lines(page: Page) -> Iterator[str]:
    """Unfolded as bytes: a fold may stand in the middle of a character."""
    body = page.body if page.body.startswith(_WIDE_MARKS) else _FOLD.sub(b"", page.body)
    text = decode(body, page).replace("\0", "")
    pending = ""
    for line in re.split(r"\r\n|\n|\r", text):
        if pending and line and _PROPERTY.match(line) is None:
            pending += "\\n" + line  # a text that was written over several lines without being folded
            continue
        if pending and len(pending) <= MAX_LINE:
            yield pending
        pending = line.strip("\ufeff")
    if pending and len(pending) <= MAX_LINE:
        yield pending
