"""Event: the result and how each of its fields is read (E-060, E-061, E-066, E-113)."""

from __future__ import annotations

import json
import re
from datetime import time
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field as Limit

from winnow.extract.adapter import Context
from winnow.extract.draft import Draft
from winnow.normalise.dates.read import When, read_epoch, read_when
from winnow.normalise.dates.timezones import COUNTRY_ZONE, iso_moment
from winnow.normalise.doubts import Doubt, Unread, unread
from winnow.normalise.fields import Around, Field, Normalised, Result, around, line, link, normalise_fields, prose
from winnow.normalise.money.currencies import exponent, read_currency
from winnow.normalise.money.signs import SIGN, decide_currency
from winnow.normalise.places.located import PostalAddress, address
from winnow.normalise.results.company import HttpsUrl, Line, Prose
from winnow.normalise.text import clean_line, fold


class EventStatus(StrEnum):
    SCHEDULED = "scheduled"
    CANCELLED = "cancelled"
    POSTPONED = "postponed"
    RESCHEDULED = "rescheduled"
    MOVED_ONLINE = "moved_online"


class EventPrice(Result):
    """Integer minor units. Free events cost 0, in no currency when the page names none."""

    low_minor: int
    high_minor: int
    currency: str | None = None


class EventResult(Result):
    """`start` and `end` are ISO 8601: a day alone when no time is known, with an offset when the zone is."""

    title: Line | None = None
    start: str | None = None
    end: str | None = None
    time_zone: str | None = None
    status: EventStatus | None = None
    venue_name: Line | None = None
    location: PostalAddress | None = None
    latitude: Annotated[float, Limit(ge=-90, le=90)] | None = None
    longitude: Annotated[float, Limit(ge=-180, le=180)] | None = None
    online: bool | None = None
    price: EventPrice | None = None
    organiser: Line | None = None
    performers: list[Line] | None = None
    description: Prose | None = None
    image_url: HttpsUrl | None = None
    url: HttpsUrl | None = None


_STATUS = (
    (EventStatus.CANCELLED, r"cancell?ed|abgesagt|f[aä]llt aus|entf[aä]llt|geannuleerd|afgelast|annul[eé]e?|cancelad[oa]|annullat[oa]|suspendid[oa]"),
    (EventStatus.POSTPONED, r"postponed|verschoben|uitgesteld|report[eé]e?|aplazad[oa]|pospuest[oa]|rinviat[oa]|adiad[oa]"),
    (EventStatus.RESCHEDULED, r"rescheduled|neuer termin|verlegt|nieuwe datum|verplaatst|reprogramad[oa]|remarcad[oa]"),
    (EventStatus.MOVED_ONLINE, r"movedonline|moved online"),
    (EventStatus.SCHEDULED, r"eventscheduled|^scheduled$"),
)  # fmt: skip
# A state in the title stands at its edge, set off: "CANCELLED: Jazz Night", "Jazz Night (abgesagt)".
_EDGE = r"^\W*(?:{0})\s*[!:|–—-]|[\[(*|–—-]\s*(?:{0})\W*$|^\W*(?:{0})\W+(?=[A-Z])"


def _status(raw: str, near: Around) -> EventStatus | Unread:
    text = fold(raw)
    found = next((status for status, pattern in _STATUS if re.search(fold_pattern(pattern), text)), None)
    return found or unread(Doubt.UNREADABLE, raw)


def fold_pattern(pattern: str) -> str:
    return pattern.replace("[aä]", "a").replace("[eé]", "e")


def status_in_title(title: str) -> EventStatus | None:
    for status, pattern in _STATUS[:3]:
        if re.search(_EDGE.format(fold_pattern(pattern)), fold(title)) or re.search(
            rf"\((?:{pattern})\)|\[(?:{pattern})\]", title, re.I
        ):
            return status
    return None


def _moment(raw: str, near: Around) -> When | Unread:
    if raw.isdigit() and len(raw) in (10, 13):
        return read_epoch(raw)
    return read_when(raw, now=near.now, locale=near.locale)


def _degrees(raw: str, near: Around) -> float | Unread:
    try:
        value = float(raw.replace(",", "."))
    except ValueError:
        return unread(Doubt.UNREADABLE, raw)
    return value if value == value and value != 0.0 else unread(Doubt.PLACEHOLDER, raw)


def _online(raw: str, near: Around) -> bool | None:
    return {"onlineeventattendancemode": True, "offlineeventattendancemode": False}.get(raw.rpartition("/")[2].lower())


def _price(raw: str, near: Around) -> EventPrice | Unread:
    try:
        offers = [offer for offer in json.loads(raw) if offer]
        lows = [_decimal(offer["low"]) for offer in offers]
        highs = [_decimal(offer["high"]) for offer in offers]
    except (ValueError, KeyError, InvalidOperation, TypeError):
        return unread(Doubt.UNREADABLE, raw)
    currencies = {_currency(offer["currency"], near) for offer in offers}
    if not offers or min(lows) < 0 or len(currencies) > 1:
        return unread(Doubt.AMBIGUOUS if offers else Doubt.EMPTY, raw)
    currency = currencies.pop()
    if currency is None and max(highs) > 0:
        return unread(Doubt.INCOMPLETE, raw)
    scale = 10 ** exponent(currency or "EUR")
    return EventPrice(low_minor=int(min(lows) * scale), high_minor=int(max(highs) * scale), currency=currency)


def _currency(stated: str, near: Around) -> str | None:
    """A code, or a sign as the page's country means it."""
    if not stated or (code := read_currency(stated)):
        return code if stated else None
    found = decide_currency([stated], None, near.locale)
    return read_currency(found) if isinstance(found, str) else None


def _decimal(text: str) -> Decimal:
    return Decimal(SIGN.sub("", text).strip())


# "Location(s): City Hall" is called City Hall, and "Location(s):" is called nothing.
_VENUE_LABEL = re.compile(
    r"^(?:event )?(?:location(?:\(s\)|s)?|venue|where|place|address|(?:veranstaltungs)?ort|wo|adresse|lieu|o[uù]|locatie|waar|adres|lugar|d[oó]nde"
    r"|luogo|dove|local|onde)\s*(?::\s*|$)",
    re.IGNORECASE,
)


def _venue(raw: str, near: Around) -> str | Unread:
    """A name: not the link to a call, and not the day that stood in the next cell."""
    text = _VENUE_LABEL.sub("", clean_line(raw, 200))
    if not text or text.startswith(("http:", "https:", "www.")):
        return unread(Doubt.UNREADABLE, raw)
    return unread(Doubt.UNREADABLE, raw) if isinstance(_moment(text, near), When) else text


FIELDS = {
    "title": Field(line),
    "start": Field(_moment),
    "end": Field(_moment),
    "status": Field(_status),
    "venue_name": Field(_venue),
    "location": Field(address),
    "latitude": Field(_degrees),
    "longitude": Field(_degrees),
    "attendance": Field(_online),
    "price": Field(_price),
    "organiser": Field(line),
    "performers": Field(line, many=True),
    "description": Field(prose),
    "image_url": Field(link),
    "url": Field(link),
}


def normalise_event(draft: Draft, ctx: Context) -> Normalised:
    return normalise_fields(draft, EventResult, FIELDS, around(draft, ctx), _finish)


def _finish(values: dict[str, Any], near: Around) -> dict[str, Any]:
    place: PostalAddress | None = values.get("location")
    start: When | None = values.pop("start", None)
    end: When | None = values.pop("end", None)
    if start is not None:
        values |= _times(start, end, _local_zone(place.country_code if place else None, near))
    if "attendance" in values:
        values["online"] = values.pop("attendance")
    if fold(values.get("venue_name", "")) == fold(values.get("title", "")):
        values.pop("venue_name", None)  # calendars fill the place with the name when nobody entered one
    if "title" in values and values.get("status") in (None, EventStatus.SCHEDULED):
        values["status"] = status_in_title(values["title"]) or values.get("status")
    if ("latitude" in values) != ("longitude" in values):
        values.pop("latitude", None), values.pop("longitude", None)
    return {name: value for name, value in values.items() if value is not None}


def _local_zone(country: str | None, near: Around) -> str | None:
    """That of the country the event takes place in; at home, the source's own where it states one."""
    if country and country != near.country:
        return COUNTRY_ZONE.get(country)
    return near.timezone or COUNTRY_ZONE.get(near.country or "")


def _times(start: When, end: When | None, zone: str | None) -> dict[str, Any]:
    """Midnight to midnight is how systems write "all day"; an end before the start is not an end."""
    if end is None and (start.end is not None or start.end_time is not None):
        end = When(start.end or start.start, start.end_time, zone=start.zone)
    whole = _is_midnight(start.start_time) and (end is None or _is_midnight(end.start_time) or end.start_time is None)
    first = iso_moment(start.start, None if whole else start.start_time, start.zone or zone)
    found: dict[str, Any] = {
        "start": first,
        "time_zone": _zone(start, zone) if start.start_time and not whole else None,
    }
    if end is not None and (end.start, end.start_time or time.max) >= (start.start, start.start_time or time.min):
        last = iso_moment(end.start, None if whole else end.start_time, end.zone or start.zone or zone)
        found["end"] = last if last != first else None
    return found


def _is_midnight(clock: time | None) -> bool:
    return clock is not None and (clock.hour, clock.minute) in ((0, 0), (23, 59))


def _zone(start: When, zone: str | None) -> str | None:
    """The country's zone, unless the page states an offset that does not hold there on that day."""
    if start.zone is None or zone is None or start.zone == zone:
        return start.zone or zone
    there = iso_moment(start.start, start.start_time, zone)
    return zone if there == iso_moment(start.start, start.start_time, start.zone) else start.zone
