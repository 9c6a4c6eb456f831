"""iCalendar (RFC 5545): stable UIDs, and a SEQUENCE that rises with every change, so that subscribers see updates."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta

from icalendar import Calendar, Event

from winnow.publish.calendars.entry import Entry

CONTENT_TYPE = "text/calendar; charset=utf-8"
REFRESH = timedelta(hours=6)  # how often subscribers should ask again (RFC 7986 §5.7)
# RFC 5545 §3.8.1.11. A postponed event has no day that one can rely on.
_STATUS = {"cancelled": "CANCELLED", "postponed": "TENTATIVE"}
_CONTROL_CHARACTERS = {code: None for code in range(32) if code not in (9, 10)}


def render_ics(entries: Iterable[Entry], name: str, note: str = "") -> bytes:
    """`note` is for whoever subscribes: what the calendar holds."""
    calendar = Calendar()
    calendar.add("prodid", "-//Winnow//Events//EN")
    calendar.add("version", "2.0")
    calendar.add("method", "PUBLISH")
    calendar.add("name", _line(name))
    calendar.add("x-wr-calname", _line(name))
    if note:
        calendar.add("description", _line(note))
        calendar.add("x-wr-caldesc", _line(note))
    calendar.add("refresh-interval", REFRESH, parameters={"VALUE": "DURATION"})
    for entry in entries:
        calendar.add_component(_event(entry))
    calendar.add_missing_timezones()
    rendered: bytes = calendar.to_ical()
    return rendered


def _event(entry: Entry) -> Event:
    event = Event()
    event.add("uid", entry.uid)
    event.add("dtstamp", entry.updated_at.astimezone(UTC))
    event.add("last-modified", entry.updated_at.astimezone(UTC))
    event.add("created", entry.created_at.astimezone(UTC))
    event.add("sequence", entry.sequence)
    event.add("summary", _text(_summary(entry)))
    for name, value in _times(entry):
        event.add(name, value)
    event.add("status", _STATUS.get(entry.event_status, "CONFIRMED"))
    event.add("location", _text(entry.place))
    event.add("geo", (entry.latitude, entry.longitude))
    event.add("categories", [entry.category])
    if entry.description:
        event.add("description", _text(entry.description))
    if entry.url:
        event.add("url", entry.url)
    return event


def _summary(entry: Entry) -> str:
    """Many calendars do not show STATUS, and none shows that nothing is left."""
    if entry.event_status == "cancelled":
        return f"CANCELLED: {entry.title}"
    return f"{entry.title} (sold out)" if entry.sold_out else entry.title


def _times(entry: Entry) -> list[tuple[str, date | datetime]]:
    """A day without an hour is a day: DTEND is the first day after it (RFC 5545 §3.6.1)."""
    if not entry.has_hour:
        last = entry.end_date or entry.event_date
        return [("dtstart", entry.event_date), ("dtend", last + timedelta(days=1))]
    times: list[tuple[str, date | datetime]] = [("dtstart", entry.starts_at.astimezone(entry.zone))]
    if entry.ends_at is not None and entry.ends_at > entry.starts_at:
        times.append(("dtend", entry.ends_at.astimezone(entry.zone)))
    return times


def _line(text: str) -> str:
    """Without line breaks, which the library does not escape in properties it does not know."""
    return " ".join(_text(text).split())


def _text(text: str) -> str:
    return text.translate(_CONTROL_CHARACTERS)
