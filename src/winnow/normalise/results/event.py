"""Event: the record and how each of its fields is read (E-060, E-061, E-066, E-067, E-113)."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Annotated, Any

import msgspec
from pydantic import Field as Limit

from winnow.extract.adapter import Context
from winnow.extract.draft import Draft
from winnow.normalise.categories import classify_event
from winnow.normalise.dates.read import When
from winnow.normalise.dates.recurrence import MAX_RULE, Recurrence, read_recurrence
from winnow.normalise.dates.timezones import known_zone
from winnow.normalise.dates.words import RECURRING
from winnow.normalise.doubts import Doubt, Unread, unread
from winnow.normalise.events.answers import with_answered_day
from winnow.normalise.events.price import EventPrice, read_event_price
from winnow.normalise.events.status import (
    EventStatus,
    read_sold_out,
    read_status,
    sold_out_in_title,
    status_in_title,
    without_status,
)
from winnow.normalise.events.times import Timing, event_times, read_hour, read_moment, read_start, zone_of_place
from winnow.normalise.fields import Around, Field, Normalised, Result, around, line, link, normalise_fields, prose
from winnow.normalise.places.located import PostalAddress, address
from winnow.normalise.results.company import HttpsUrl, Line, Prose
from winnow.normalise.text import clean_line, fold


class Method(StrEnum):
    RULES = "rules"
    AI = "ai"
    HYBRID = "hybrid"


class EventResult(Result):
    """`start`, `end` and `dates` are ISO 8601: a day alone when no hour is known, with an offset when the zone is.
    `event_date` and `event_time` are local; an hour nobody states is "TBD". `dates` are the days of an event that has
    several, `recurrence` the rule (RFC 5545 RRULE) of one that repeats. `inferred` names what no text states: the
    "year" or the "day", where the page left it open, and the "zone", where none is known or two contradict.
    `normalization_method`: "hybrid" where a language model read the day and rules the rest (E-067)."""

    title: Line | None = None
    description: Prose | None = None
    start: str | None = None
    end: str | None = None
    event_date: str | None = None
    event_time: str | None = None
    end_date: str | None = None
    time_zone: str | None = None
    doors: str | None = None
    timing: Timing | None = None
    recurrence: Line | None = None
    dates: list[str] | None = None
    inferred: list[str] | None = None
    status: EventStatus | None = None
    sold_out: bool | None = None
    venue_name: Line | None = None
    location: PostalAddress | None = None
    latitude: Annotated[float, Limit(ge=-90, le=90)] | None = None
    longitude: Annotated[float, Limit(ge=-180, le=180)] | None = None
    online: bool | None = None
    price: EventPrice | None = None
    organiser: Line | None = None
    performers: list[Line] | None = None
    category: Line | None = None
    image_url: HttpsUrl | None = None
    url: HttpsUrl | None = None
    ticket_url: HttpsUrl | None = None
    uid: Line | None = None
    language: Line | None = None
    normalization_method: Method = Method.RULES


def _degrees(raw: str, near: Around) -> float | Unread:
    try:
        value = float(raw.replace(",", "."))
    except ValueError:
        return unread(Doubt.UNREADABLE, raw)
    return value if value == value and value != 0.0 else unread(Doubt.PLACEHOLDER, raw)


def _online(raw: str, near: Around) -> bool | None:
    return {"onlineeventattendancemode": True, "offlineeventattendancemode": False}.get(raw.rpartition("/")[2].lower())


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
    return unread(Doubt.UNREADABLE, raw) if isinstance(read_moment(text, near), When) else text


_LANGUAGE = re.compile(r"([a-z]{2,3})(?:[-_][\w-]+)?", re.IGNORECASE)


def _recurrence(raw: str, near: Around) -> Recurrence | Unread:
    return read_recurrence(raw)


def _zone_name(raw: str, near: Around) -> str | Unread:
    return known_zone(clean_line(raw)) or unread(Doubt.UNREADABLE, raw)


def _language(raw: str, near: Around) -> str | Unread:
    found = _LANGUAGE.fullmatch(raw.strip())
    return found[1].lower() if found else unread(Doubt.UNREADABLE, raw)


FIELDS = {
    "title": Field(line),
    "description": Field(prose),
    "start": Field(read_start),
    "end": Field(read_moment),
    "clock": Field(read_hour),
    "doors": Field(read_hour),
    "tzid": Field(_zone_name),
    "recurrence": Field(_recurrence),
    "dates": Field(read_moment, many=True, most=400),
    "status": Field(read_status),
    "sold_out": Field(read_sold_out),
    "venue_name": Field(_venue),
    "location": Field(address),
    "latitude": Field(_degrees),
    "longitude": Field(_degrees),
    "attendance": Field(_online),
    "price": Field(read_event_price),
    "organiser": Field(line),
    "performers": Field(line, many=True),
    "category": Field(line),
    "image_url": Field(link),
    "url": Field(link),
    "ticket_url": Field(link),
    "uid": Field(line),
    "language": Field(_language),
}
_IDENTITY = ("recurrence_id", "occurrence", "shared_url")


def normalise_event(draft: Draft, ctx: Context) -> Normalised:
    near = msgspec.structs.replace(around(draft, ctx), year=_stated_year(draft))
    answered = with_answered_day(draft, ctx.answered_days, near)
    found = normalise_fields(_in_utc(_with_language(_with_rule(answered))), EventResult, FIELDS, near, _finish)
    if answered is not draft:
        result = found.result.model_copy(update={"normalization_method": Method.HYBRID})
        found = msgspec.structs.replace(found, result=result)
    beside = {name: value.raw for name in _IDENTITY if (value := draft.first(name)) is not None}
    return msgspec.structs.replace(found, identity=beside)


def _with_rule(draft: Draft) -> Draft:
    """A start such as "elke vrijdag 20:30" is the rule by which the event repeats."""
    starts = draft.values.get("start", [])
    rules = [value for value in starts if RECURRING.search(fold(value.raw[:MAX_RULE]))]
    if not rules or "recurrence" in draft.values:
        return draft
    values = {**draft.values, "recurrence": rules, "start": [value for value in starts if value not in rules]}
    return msgspec.structs.replace(draft, values=values)


_MOMENTS = ("start", "end", "dates")
_ICS = "VEVENT."  # where values of calendars stand; there "+00:00" is UTC, which a web page may write by mistake


def _in_utc(draft: Draft) -> Draft:
    moments = {
        name: [
            msgspec.structs.replace(value, raw=value.raw.removesuffix("+00:00") + "Z")
            if value.path.startswith(_ICS) and value.raw.endswith("+00:00")
            else value
            for value in draft.values[name]
        ]
        for name in _MOMENTS
        if name in draft.values
    }
    return msgspec.structs.replace(draft, values=draft.values | moments)


def _with_language(draft: Draft) -> Draft:
    """The language an event states, else that of its page."""
    spoken = draft.values.get("lang")
    if spoken is None or "language" in draft.values:
        return draft
    return msgspec.structs.replace(draft, values={**draft.values, "language": spoken})


def _stated_year(draft: Draft) -> int | None:
    """The year that the whole list gave for days written without one (`kinds.event_years`)."""
    found = draft.first("year")
    return int(found.raw) if found is not None and re.fullmatch(r"(?:19|20)\d\d", found.raw) else None


def _category(values: dict[str, Any]) -> str:
    """E-063. What the source files the event under is one voice among others."""
    stated, venue = (str(values.get(name) or "") for name in ("category", "venue_name"))
    return classify_event(values["title"], str(values.get("description") or ""), stated, venue)


def _finish(values: dict[str, Any], near: Around) -> dict[str, Any]:
    place: PostalAddress | None = values.get("location")
    times = event_times(values, zone_of_place(place.country_code if place else None, near), near)
    for name in ("start", "end", "clock", "tzid", "recurrence", "dates"):
        values.pop(name, None)
    values |= times
    if "doors" in values:
        values["doors"] = values["doors"].strftime("%H:%M")
    if "attendance" in values:
        values["online"] = values.pop("attendance")
    if fold(values.get("venue_name", "")) == fold(values.get("title", "")):
        values.pop("venue_name", None)  # calendars fill the place with the name when nobody entered one
    if "title" in values and values.get("status") in (None, EventStatus.SCHEDULED):
        values["status"] = status_in_title(values["title"]) or values.get("status")
    if "title" in values and sold_out_in_title(values["title"]):
        values["sold_out"] = True
    if "title" in values:
        values["title"] = without_status(values["title"])
        values["category"] = _category(values)
    if ("latitude" in values) != ("longitude" in values):
        values.pop("latitude", None), values.pop("longitude", None)
    return {name: value for name, value in values.items() if value is not None}
