"""Repeated events of a calendar -> their occurrences, within a window and a budget (E-047 … E-049, RFC 5545 §3.8.5).

`recurring-ical-events` does the calculation. What a rule would cost is estimated before: a rule of seconds, or one that
began in 1970 and never fits, would keep the parser busy until it is killed, and with it the whole feed is lost.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

import msgspec

from winnow.extract.event.feeds.ics_events import moment_of
from winnow.extract.event.feeds.ics_text import Component, Property, decodable

if TYPE_CHECKING:
    from icalendar import Component as Decoded

MAX_STEPS = 200_000  # of one rule: dateutil makes about 300 000 a second
MAX_STEPS_OF_FEED = 1_000_000
MAX_OCCURRENCES = 1_000  # of one series in the window: one a day is 396
_PER_DAY = {"SECONDLY": 86_400, "MINUTELY": 1_440, "HOURLY": 24}
_FREQUENCIES = frozenset([*_PER_DAY, "DAILY", "WEEKLY", "MONTHLY", "YEARLY"])
_BOUND = re.compile(r";?(?:UNTIL|COUNT)=[^;]*", re.IGNORECASE)
MAX_COUNT = 10_000  # a rule with more is one without end within the window


class Window(msgspec.Struct, frozen=True):
    first: datetime
    last: datetime


class Budget:
    def __init__(self) -> None:
        self.left = MAX_STEPS_OF_FEED

    def spend(self, steps: int) -> bool:
        """Whether the steps are within the budget; those that are not cost nothing."""
        if steps > min(MAX_STEPS, self.left):
            return False
        self.left -= steps
        return True


def rule_parts(rule: Property) -> dict[str, str]:
    pairs = (part.partition("=") for part in rule.value.upper().split(";"))
    return {name.strip(): value.strip() for name, _, value in pairs if value}


def steps_of(event: Component, window: Window) -> int:
    """How many moments its rules make before the window ends."""
    start = _day_of(event)
    days = max(1, (window.last.date() - start).days) if start else 1
    return sum(_steps_of_rule(rule_parts(rule), days) for rule in event.all("RRULE"))


def _steps_of_rule(parts: dict[str, str], days: int) -> int:
    per_day = _PER_DAY.get(parts.get("FREQ", ""), 1)
    for name, whole in (("BYHOUR", 24), ("BYMINUTE", 60), ("BYSECOND", 60)):
        stated = len([value for value in parts.get(name, "").split(",") if value])
        per_day *= min(stated, whole) if stated and per_day < 86_400 else 1
    steps = days * per_day
    count = parts.get("COUNT", "")
    return min(steps, int(count)) if count.isdigit() and len(count) < 9 and not _selects(parts) else steps


def _selects(parts: dict[str, str]) -> bool:
    """Whether moments are left out, so that `COUNT` of them may take many more steps."""
    return any(name.startswith("BY") for name in parts)


def is_rule(rule: Property) -> bool:
    return rule_parts(rule).get("FREQ") in _FREQUENCIES


def bounded(event: Component, window: Window) -> Component:
    """The event with rules that end with the window: one that never fits would be followed to the year 9999."""
    return Component(event.name, [_bounded_line(line, event, window) for line in event.lines])


def _bounded_line(line: str, event: Component, window: Window) -> str:
    if not line[:6].upper().startswith("RRULE"):
        return line
    name, _, value = line.partition(":")
    parts = rule_parts(Property("RRULE", {}, value))
    count, until = parts.get("COUNT", ""), parts.get("UNTIL", "")
    if count.isdigit() and int(count[:9]) <= MAX_COUNT and len(count) < 9 and not _selects(parts):
        return line
    if count.isdigit() and int(count[:9]) <= MAX_COUNT and len(count) < 9:
        return line if _finds_enough(parts) else f"{name}:{_ended(value, event, window)}"
    if until[:8].isdigit() and until[:8] <= f"{window.last:%Y%m%d}":
        return line
    return f"{name}:{_ended(value, event, window)}"


def _finds_enough(parts: dict[str, str]) -> bool:
    """Whether each month has a day that fits, as far as the rule's parts say it at a glance."""
    return (
        "BYMONTHDAY" not in parts and "BYYEARDAY" not in parts and "BYWEEKNO" not in parts and "BYSETPOS" not in parts
    )


def _ended(value: str, event: Component, window: Window) -> str:
    start = event.get("DTSTART")
    last = f"{window.last:%Y%m%d}"
    if start is not None and "T" in start.value.upper():
        zoned = "TZID" in start.params or start.value.upper().endswith("Z")
        last += "T235959Z" if zoned else "T235959"
    return f"{_BOUND.sub('', value).strip(';')};UNTIL={last}"


def _day_of(event: Component) -> date | None:
    start = event.get("DTSTART")
    digits = start.value[:8] if start else ""
    try:
        return datetime.strptime(digits, "%Y%m%d").date()
    except ValueError:
        return None


def occurrences(events: Sequence[Component], frame: str, window: Window) -> list[Decoded]:
    """Occurrences of one series in the window, in order of time. `frame` are the lines of the calendar that it needs
    (zones). Raises what the library raises on a calendar that makes no sense."""
    import recurring_ical_events
    from icalendar import Calendar

    body = "".join(bounded(decodable(event), window).text for event in events)
    calendar = Calendar.from_ical(f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{frame}{body}END:VCALENDAR\r\n")
    found = recurring_ical_events.of(calendar).between(window.first, window.last)
    return sorted(found, key=_order)[: MAX_OCCURRENCES + 1]


def _order(event: Decoded) -> tuple[str, str]:
    value = moment_of(event, "DTSTART")
    if isinstance(value, datetime):
        utc = value.astimezone(UTC) if value.tzinfo else value
        return utc.strftime("%Y%m%d%H%M%S"), str(event.get("SUMMARY", ""))
    return f"{value:%Y%m%d}", str(event.get("SUMMARY", ""))
