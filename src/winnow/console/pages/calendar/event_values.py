"""The values of an event as a person reads them, each with where it comes from. Pure."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from winnow.console.widgets import formatting
from winnow.queries.reading import Row

BY_A_PERSON = "corrected by a person"
DERIVED = "derived from other values"
OWN = "kept by Winnow"


class ShownValue(msgspec.Struct, frozen=True):
    """A line of the table: its label, the columns it shows, and the fields of the record they were read as."""

    label: str
    columns: tuple[str, ...]
    fields: tuple[str, ...]
    format: Callable[[Row], Any]


def describe_values(event: Row) -> tuple[list[tuple[str, str, str]], list[str]]:
    """(label, value, where it was read) of each that is known, and the labels of those that are not."""
    known, unknown = [], []
    for line in LINES:
        value = formatting.text(line.format(event))
        if value == formatting.NOTHING and not _is_corrected(line, event):
            unknown.append(line.label.lower())
        else:
            known.append((line.label, value, _origin(line, event)))
    return known, unknown


def _is_corrected(line: ShownValue, event: Row) -> bool:
    return any(column in event["corrections"] for column in line.columns)


def _origin(line: ShownValue, event: Row) -> str:
    if _is_corrected(line, event):
        return BY_A_PERSON
    if not line.fields:
        return OWN
    places = (event["provenance"].get(field) for field in line.fields)
    return "; ".join(dict.fromkeys(place for place in places if place)) or DERIVED


def _simple(label: str, column: str, *fields: str) -> ShownValue:
    return ShownValue(label, (column,), fields or (column,), lambda event: event[column])


def _start(event: Row) -> str:
    hour = "hour not known" if event["event_time"] == "TBD" else event["event_time"]
    return f"{event['event_date']:%A} {event['event_date']}, {hour} {event['time_zone'] or ''}".strip()


def _end(event: Row) -> str | None:
    if event["ends_at"] is not None:
        return f"{_local(event['ends_at'], event['time_zone']):%Y-%m-%d %H:%M}"
    return None if event["end_date"] is None else str(event["end_date"])


def _local(moment: datetime, zone: str | None) -> datetime:
    try:
        return moment.astimezone(ZoneInfo(zone or "UTC"))
    except (ZoneInfoNotFoundError, ValueError):
        return moment.astimezone(UTC)


def _address(event: Row) -> str | None:
    place = event["structured_location"]
    parts = [place.get(name) for name in ("street", "postal_code", "city", "country")]
    return ", ".join(str(part) for part in parts if part) or None


def _coordinates(event: Row) -> str | None:
    if event["latitude"] is None:
        return None
    flagged = ", of the source itself: to be looked up" if event["location_flagged"] else ""
    return f"{event['latitude']:.5f}, {event['longitude']:.5f} ({event['precision']}{flagged})"


def _price(event: Row) -> str | None:
    low, high, currency = event["price_low_minor"], event["price_high_minor"], event["currency"]
    if low is None:
        return None
    if high == 0:
        return "free"
    shown = formatting.money(low, currency)
    return shown if low == high else f"{shown} – {formatting.money(high, currency)}"


def _seen(event: Row) -> str:
    first, last = (formatting.absolute(event[name]) for name in ("first_seen_at", "last_seen_at"))
    return f"first {first}, last {last}"


def _missing(event: Row) -> str | None:
    if event["gone_at"] is not None:
        return f"gone since {formatting.absolute(event['gone_at'])}"
    if event["missing_since"] is None:
        return None
    missed = formatting.count(event["misses"], "complete reading")
    return f"since {formatting.absolute(event['missing_since'])}, in {missed}"


LINES = (
    _simple("Title", "title"),
    ShownValue("Begins", ("event_date", "event_time"), ("start", "event_date", "event_time"), _start),
    ShownValue("Ends", ("ends_at", "end_date"), ("end", "end_date"), _end),
    _simple("Doors", "doors"),
    ShownValue("Kind of time", ("timing",), ("timing", "recurrence"),
               lambda event: event["recurrence"] or formatting.humanize(event["timing"])),
    ShownValue("Takes place", ("event_status",), ("status",),
               lambda event: formatting.humanize(event["event_status"])),
    _simple("Sold out", "sold_out"),
    _simple("Venue", "venue_name"),
    ShownValue("Address", ("structured_location",), ("location",), _address),
    ShownValue("Coordinates", ("latitude", "longitude"), ("latitude", "longitude"), _coordinates),
    _simple("Online", "online"),
    ShownValue("Category", ("category",), ("category",), lambda event: formatting.humanize(event["category"])),
    _simple("Organiser", "organiser"),
    _simple("Performers", "performers"),
    ShownValue("Price", ("price_low_minor",), ("price",), _price),
    _simple("Its page", "url"),
    _simple("Tickets", "ticket_url"),
    _simple("Picture", "image_url"),
    _simple("Language", "language"),
    _simple("Calendar UID", "uid"),
    ShownValue("Confidence", ("confidence",), (),
               lambda event: f"{formatting.percent(event['confidence'], 1)}, read by {event['normalization_method']}"),
    ShownValue("Version", ("sequence",), (), lambda event: f"{event['sequence']} (SEQUENCE of its calendar entry)"),
    ShownValue("Key in its source", ("source_key",), (),
               lambda event: f"{event['source_key']} @ {event['occurrence']}"),
    ShownValue("Seen", ("last_seen_at",), (), _seen),
    ShownValue("Missing", ("missing_since",), (), _missing),
)  # fmt: skip
