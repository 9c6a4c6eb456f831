"""Names of time zones in calendars -> IANA names: their own, those of Windows, with a maker's prefix, or described."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from zoneinfo import available_timezones

from winnow.extract.event.feeds.ics_text import Component

_GMT_NAME = re.compile(r"\((?:UTC|GMT)[^)]*\)\s*", re.IGNORECASE)


@cache
def _known() -> dict[str, str]:
    return {name.lower(): name for name in available_timezones()}


@cache
def _windows() -> dict[str, str]:
    from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

    return {name.lower(): zone for name, zone in WINDOWS_TO_OLSON.items()}


@cache
def _cities() -> dict[str, str]:
    """The last part of each zone's name, where it names one zone only."""
    found: dict[str, set[str]] = {}
    for name in available_timezones():
        if "/" in name and not name.startswith(("Etc/", "posix/", "right/", "US/", "SystemV/")):
            found.setdefault(name.rpartition("/")[2].replace("_", " ").lower(), set()).add(name)
    return {city: zones.pop() for city, zones in found.items() if len(zones) == 1}


def zone_of(tzid: str) -> str | None:
    """The IANA name of a TZID; None when its name alone does not say."""
    name = tzid.strip().strip('"').strip()
    if not name:
        return None
    plain = name.lower().replace(" ", "_")
    if plain in _known():
        return _known()[plain]
    tail = [part for part in re.split(r"[/\\]", name) if part]
    for length in (3, 2):
        if (prefixed := "/".join(tail[-length:]).lower()) in _known():
            return _known()[prefixed]
    return _windows_zone(name) or _city_zone(name)


def _windows_zone(name: str) -> str | None:
    """ "W. Europe Standard Time", also numbered or of summer."""
    base = (
        re.sub(r"\s*\d+$", "", name).replace("Daylight Time", "Standard Time").replace("Summer Time", "Standard Time")
    )
    return _windows().get(base.strip().lower())


def _city_zone(name: str) -> str | None:
    """ "(UTC+01:00) Amsterdam, Berlin, Bern, Rome": the zone of the first city that has one of its own."""
    if not _GMT_NAME.match(name):
        return None
    cities = (part.strip().lower() for part in re.split(r"[,/]", _GMT_NAME.sub("", name)))
    return next((_cities()[city] for city in cities if city in _cities()), None)


def zone_table(zones: Iterable[Component]) -> dict[str, str | None]:
    """What the calendar's own VTIMEZONEs mean: the IANA name where their name or `X-LIC-LOCATION` says it, else None,
    and then their rules hold."""
    table: dict[str, str | None] = {}
    for zone in zones:
        tzid = zone.get("TZID")
        if tzid is not None:
            place = zone.get("X-LIC-LOCATION")
            table[tzid.value] = zone_of(tzid.value) or (zone_of(place.value) if place else None)
    return table
