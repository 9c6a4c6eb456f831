"""One VEVENT -> the fields of a draft."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from icalendar.prop.broken import vBroken

from winnow.extract.candidates import Collected
from winnow.extract.draft import Strategy
from winnow.extract.event.feeds.place_text import add_place

if TYPE_CHECKING:
    from icalendar import Component as Decoded

FEED = Strategy.FEED
MAX_DAYS = 800  # an exhibition may last two years; a longer "event" is a mistake or a policy
_SCHEDULED = {"CONFIRMED": "scheduled", "CANCELLED": "cancelled", "CANCELED": "cancelled"}
_GEO_URI = re.compile(r"geo:(-?\d+(?:\.\d+)?),(-?\d+(?:\.\d+)?)", re.IGNORECASE)
_IMAGE = re.compile(r"https?://\S+\.(?:jpe?g|png|webp|gif|avif)(?:\?\S*)?\Z", re.IGNORECASE)


def read_event(event: Decoded, zone: ZoneInfo | None, cancelled: bool) -> Collected | None:
    """`zone` is the calendar's, for times that name none; `cancelled` says so of the whole calendar. None: no beginning."""
    into = Collected()
    _add(into, "title", event, "SUMMARY")
    if not _times(into, event, zone):
        return None
    _add(into, "description", event, "DESCRIPTION", "X-ALT-DESC")
    for field, name in (
        ("url", "URL"),
        ("ticket_url", "X-TICKETS-URL"),
        ("price", "X-COST"),
        ("location", "X-ADDRESS"),
    ):
        _add(into, field, event, name)
    _add(into, "organiser", event, "X-ORGANIZER")
    into.add("organiser", _parameter(_one(event.get("ORGANIZER")), "CN"), FEED, "VEVENT.ORGANIZER;CN")
    _place(into, event)
    into.add("category", ", ".join(_categories(event)), FEED, "VEVENT.CATEGORIES")
    _image(into, event)
    status = "CANCELLED" if cancelled else _text(event.get("STATUS")).upper()
    into.add("status", _SCHEDULED.get(status, ""), FEED, "VEVENT.STATUS")
    into.add("language", _parameter(_one(event.get("SUMMARY")), "LANGUAGE"), FEED, "VEVENT.SUMMARY;LANGUAGE")
    return into


def moment(value: date, zone: ZoneInfo | None) -> str:
    """ISO 8601: a day, a time with the offset that holds then, or a floating time as it stands."""
    if not isinstance(value, datetime):
        return value.isoformat()
    local = localised(value, zone)
    return local.isoformat(timespec="seconds" if local.second else "minutes")


def localised(value: datetime, zone: ZoneInfo | None) -> datetime:
    """A time of UTC or of no zone is one of the calendar's zone, where it has one."""
    if zone is None:
        return value
    if value.tzinfo is None:
        return value.replace(tzinfo=zone)
    return value.astimezone(zone) if str(value.tzinfo) in ("UTC", "Etc/UTC", "GMT") else value


def _times(into: Collected, event: Decoded, zone: ZoneInfo | None) -> bool:
    start = moment_of(event, "DTSTART")
    if start is None:
        return False
    into.add("start", moment(start, zone), FEED, "VEVENT.DTSTART")
    if isinstance(start, datetime):
        key = str(getattr(localised(start, zone).tzinfo, "key", ""))
        into.add("tzid", key if "/" in key and not key.startswith("Etc/") else "", FEED, "VEVENT.DTSTART;TZID")
    end, path = _end_of(event, start)
    if end is not None and end != start and _lasts(start, end):
        into.add("end", moment(end, zone), FEED, path)
    return True


def _end_of(event: Decoded, start: date) -> tuple[date | None, str]:
    """The last day of an event of whole days is the one before DTEND (RFC 5545 §3.6.1)."""
    end, path = moment_of(event, "DTEND"), "VEVENT.DTEND"
    if end is None:
        lasts = getattr(_one(event.get("DURATION")), "dt", None)
        path = "VEVENT.DURATION"
        end = start + lasts if isinstance(lasts, timedelta) and timedelta(0) < lasts < timedelta(MAX_DAYS) else None
    if end is None or isinstance(start, datetime) != isinstance(end, datetime):
        return None, path
    return (end if isinstance(end, datetime) else end - timedelta(days=1)), path


def _lasts(start: date, end: date) -> bool:
    try:
        return timedelta(0) < end - start < timedelta(MAX_DAYS)
    except TypeError:  # one with a zone, one without
        return False


def moment_of(event: Decoded, name: str) -> date | None:
    """The day or time of a property; None where it is missing or no date."""
    found = getattr(_one(event.get(name)), "dt", None)
    return found if isinstance(found, date) else None


def _place(into: Collected, event: Decoded) -> None:
    structured = _one(event.get("X-APPLE-STRUCTURED-LOCATION"))
    title = _parameter(structured, "X-TITLE").replace("\\n", "\n")
    add_place(into, title.partition("\n")[0], FEED, "VEVENT.X-APPLE-STRUCTURED-LOCATION;X-TITLE")
    add_place(into, _text(event.get("LOCATION")), FEED, "VEVENT.LOCATION")
    geo = _one(event.get("GEO"))
    latitude, longitude = getattr(geo, "latitude", None), getattr(geo, "longitude", None)
    path = "VEVENT.GEO"
    if latitude is None and (match := _GEO_URI.match(str(structured or ""))):
        latitude, longitude, path = match[1], match[2], "VEVENT.X-APPLE-STRUCTURED-LOCATION"
    if latitude is not None and longitude is not None and (float(latitude), float(longitude)) != (0.0, 0.0):
        into.add("latitude", str(latitude), FEED, path, numeric=True)
        into.add("longitude", str(longitude), FEED, path, numeric=True)


def _categories(event: Decoded) -> list[str]:
    found: list[str] = []
    for each in _all(event.get("CATEGORIES")):
        found += [str(name).strip() for name in getattr(each, "cats", [each])]
    return list(dict.fromkeys(name for name in found if name))[:20]


def _image(into: Collected, event: Decoded) -> None:
    for name in ("IMAGE", "ATTACH", "X-WP-IMAGES-URL"):
        for each in _all(event.get(name)):
            kind = _parameter(each, "FMTTYPE").lower()
            url = str(each)
            if url.startswith("http") and (kind.startswith("image/") or _IMAGE.match(url)):
                into.add("image_url", url, FEED, f"VEVENT.{name}")


def _add(into: Collected, field: str, event: Decoded, *names: str) -> None:
    for name in names:
        into.add(field, _text(event.get(name)), FEED, f"VEVENT.{name}")


def _parameter(value: Any, name: str) -> str:
    return str(getattr(value, "params", {}).get(name, ""))


def _one(value: Any) -> Any:
    return next(iter(_all(value)), None)


def _all(value: Any) -> list[Any]:
    """The values of a property, without those that icalendar could not read."""
    listed = value if isinstance(value, list) else [value]
    return [each for each in listed if each is not None and not isinstance(each, vBroken)]


def _text(value: Any) -> str:
    found = _one(value)
    return "" if found is None else str(found).strip()
