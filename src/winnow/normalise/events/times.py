"""When an event takes place: its moments in the zone of its place, and what of them was inferred (E-060)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, time
from enum import StrEnum
from typing import Any
from zoneinfo import ZoneInfo

import msgspec

from winnow.normalise.dates.read import When, read_epoch, read_when
from winnow.normalise.dates.timezones import COUNTRY_ZONE, iso_moment
from winnow.normalise.doubts import Doubt, Unread, unread
from winnow.normalise.fields import Around

TBD = "TBD"  # E-060: the hour of a day that is known without one
UTC_OFFSET = "+00:00"


class Timing(StrEnum):
    """One evening or one stretch of days; several days; a rule that repeats; always there."""

    SINGLE = "single"
    MULTIPLE = "multiple"
    PERIODIC = "periodic"
    PERMANENT = "permanent"


class Zone(msgspec.Struct, frozen=True):
    """The IANA zone an event is in. `doubt` is why its hours are not sure: "unknown" where nothing names a zone,
    "contradiction" where a stated offset does not hold there."""

    name: str | None = None
    doubt: str = ""


def read_moment(raw: str, near: Around) -> When | Unread:
    if raw.isdigit() and len(raw) in (10, 13):
        return read_epoch(raw)
    return read_when(raw, now=near.now, locale=near.locale, year=near.year)


def read_hour(raw: str, near: Around) -> time | Unread:
    """The hour of a text that names one, whatever day stands beside it."""
    today = near.now.date().isoformat()
    for text in (raw, f"{today} {raw}"):
        found = read_when(text, now=near.now, locale=near.locale)
        if isinstance(found, When) and found.start_time is not None:
            return found.start_time
    return unread(Doubt.UNREADABLE, raw)


def zone_of_place(country: str | None, near: Around) -> str | None:
    """That of the country the event takes place in; at home, the source's own where it states one."""
    if country and country != near.country:
        return COUNTRY_ZONE.get(country)
    return near.timezone or COUNTRY_ZONE.get(near.country or "")


def event_times(values: Mapping[str, Any], place_zone: str | None) -> dict[str, Any]:
    """The fields of a record that say when, of what was read of a draft."""
    start: When | None = values.get("start")
    if start is None:
        return {}
    start = _with_hour(start, values.get("clock"))
    zone = _zone(start, values.get("tzid") or place_zone)
    first = _in_zone(start, zone.name)
    last = _end(start, values.get("end"), zone.name)
    whole = _is_whole_day(first, last)
    found: dict[str, Any] = {
        "start": iso_moment(first.start, None if whole else first.start_time, first.zone or zone.name),
        "event_date": first.start.isoformat(),
        "event_time": TBD if whole or first.start_time is None else first.start_time.strftime("%H:%M"),
        "time_zone": zone.name if first.start_time is not None and not whole else None,
        "inferred": _inferred(start, zone, whole),
    }
    if last is not None and _moment(last) >= _moment(first):
        end = iso_moment(last.start, None if whole else last.start_time, last.zone or zone.name)
        found["end"] = end if end != found["start"] else None
        found["end_date"] = last.start.isoformat() if last.start != first.start else None
    return found | _occurrences(values, first, zone.name)


def _with_hour(start: When, clock: time | None) -> When:
    """An hour that stands apart from its day."""
    if clock is None or start.start_time is not None:
        return start
    return msgspec.structs.replace(start, start_time=clock)


def _zone(start: When, known: str | None) -> Zone:
    """The zone of the place. Another offset than the one that holds there says that one of the two is wrong."""
    if start.start_time is None:
        return Zone(known)
    if start.zone is not None and start.zone[0] not in "+-":
        return Zone(start.zone)
    if known is None:
        return Zone(doubt="" if start.zone else "unknown")
    if start.zone in (None, UTC_OFFSET):
        return Zone(known)
    holds = iso_moment(start.start, start.start_time, known) == iso_moment(start.start, start.start_time, start.zone)
    return Zone(known) if holds else Zone(doubt="contradiction")


def _in_zone(when: When, zone: str | None) -> When:
    """The moment by the clocks of its zone; as stated where its zone is not known."""
    if zone is None or when.start_time is None or when.zone != UTC_OFFSET:
        return when
    stated = datetime.fromisoformat(iso_moment(when.start, when.start_time, when.zone))
    local = stated.astimezone(ZoneInfo(zone))
    return msgspec.structs.replace(when, start=local.date(), start_time=local.time(), zone=zone)


def _end(start: When, stated: When | None, zone: str | None) -> When | None:
    if stated is None and (start.end is not None or start.end_time is not None):
        stated = When(start.end or start.start, start.end_time, zone=start.zone)
    if stated is None:
        return None
    own = stated if stated.zone or stated.start_time is None else msgspec.structs.replace(stated, zone=start.zone)
    return _in_zone(own, zone)


def _moment(when: When) -> tuple[date, time]:
    return when.start, when.start_time or time.min


def _is_whole_day(first: When, last: When | None) -> bool:
    """Midnight to midnight is how systems write "all day"."""
    return _is_midnight(first.start_time) and (last is None or last.start_time is None or _is_midnight(last.start_time))


def _is_midnight(clock: time | None) -> bool:
    return clock is not None and (clock.hour, clock.minute) in ((0, 0), (23, 59))


def _inferred(start: When, zone: Zone, whole: bool) -> list[str] | None:
    found = [*start.inferred, *(["zone"] if zone.doubt and not whole else [])]
    return found or None


def _occurrences(values: Mapping[str, Any], first: When, zone: str | None) -> dict[str, Any]:
    """The days of an event that has several, or the rule by which it repeats."""
    rule, further = values.get("recurrence"), values.get("dates")
    if rule is not None:
        return {"timing": Timing.PERIODIC, "recurrence": rule}
    days = _distinct([first, *(further or [])], zone)
    return {"timing": Timing.MULTIPLE, "dates": days} if len(days) > 1 else {"timing": Timing.SINGLE}


def _distinct(days: Sequence[When], zone: str | None) -> list[str]:
    local = [_in_zone(day, zone) for day in days]
    ordered = sorted(local, key=_moment)
    return list(dict.fromkeys(iso_moment(day.start, day.start_time, day.zone or zone) for day in ordered))
