"""When an event takes place: its moments in the zone of its place, and what of them was inferred (E-060)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time
from enum import StrEnum
from typing import Any
from zoneinfo import ZoneInfo

import msgspec

from winnow.normalise.dates.clock_times import is_half_open
from winnow.normalise.dates.read import MAX_TEXT, When, read_days, read_epoch, read_when
from winnow.normalise.dates.timezones import (
    COUNTRY_ZONE,
    UTC_NAME,
    holds_there,
    is_clock_change,
    iso_moment,
    offsets_of,
)
from winnow.normalise.doubts import Doubt, Unread, unread
from winnow.normalise.events.repeats import Repeated, read_repeated
from winnow.normalise.fields import Around
from winnow.normalise.text import fold

TBD = "TBD"  # E-060: the hour of a day that is known without one
_ZERO = "+00:00"


class Timing(StrEnum):
    """One evening or one stretch of days; several days; a rule that repeats; always there."""

    SINGLE = "single"
    MULTIPLE = "multiple"
    PERIODIC = "periodic"
    PERMANENT = "permanent"


def read_moment(raw: str, near: Around) -> When | Unread:
    if raw.isdigit() and len(raw) in (10, 13):
        return read_epoch(raw)
    return read_days(raw, now=near.now, locale=near.locale, year=near.year)


# "t/m 15 maart" says when it ends.
_ENDS = re.compile(r"^\W*(?:nog\b.{0,20}\s|now\s|nu\s)?(?:t/m|tot|until|till|bis|through|jusqu)\b", re.IGNORECASE)


def read_start(raw: str, near: Around) -> When | Unread:
    """Like `read_moment`; a text that only says until when has no start."""
    if len(raw) <= MAX_TEXT and _ENDS.search(raw):
        return unread(Doubt.INCOMPLETE, raw)
    return read_moment(raw, near)


def read_hour(raw: str, near: Around) -> time | Unread:
    """The hour of a text that names one, whatever day stands beside it; none of "7:30" on a clock of twelve hours."""
    if is_half_open(fold(raw[:MAX_TEXT]), near.locale):
        return unread(Doubt.AMBIGUOUS, raw)
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


def event_times(values: Mapping[str, Any], place_zone: str | None, near: Around) -> dict[str, Any]:
    """The fields of a record that say when, of what was read of a draft."""
    repeated = read_repeated(values.get("recurrence"), values.get("start"), values.get("clock"), near)
    start = repeated.start
    if start is None:
        return {}
    known = values.get("tzid") or place_zone
    start, zone, doubt = _settled(start, values.get("clock"), known)
    first = _in_zone(start, zone)
    last = _end(start, values.get("end"), zone)
    whole = _is_whole_day(first, last)
    found: dict[str, Any] = {
        "start": iso_moment(first.start, None if whole else first.start_time, first.zone or zone),
        "event_date": first.start.isoformat(),
        "event_time": TBD if whole or first.start_time is None else first.start_time.strftime("%H:%M"),
        "time_zone": zone if first.start_time is not None and not whole else None,
        "inferred": [*start.inferred, *(["zone"] if doubt and not whole else [])] or None,
    }
    if last is not None and _moment(last) >= _moment(first):
        end = iso_moment(last.start, None if whole else last.start_time, last.zone or zone)
        found["end"] = end if end != found["start"] else None
        found["end_date"] = last.start.isoformat() if last.start != first.start else None
    return found | _occurrences(repeated, values.get("dates") or [], first, zone)


def _settled(start: When, clock: time | None, known: str | None) -> tuple[When, str | None, bool]:
    """The start with the hour and in the zone that its text, an hour shown apart and the place agree on; and whether
    the zone stays in doubt. Two hours that contradict are none: the day is right without one."""
    if "hour" in start.inferred:
        agrees = clock is not None and (clock.minute, clock.hour % 12) == _of_twelve(start.start_time)
        rest = tuple(name for name in start.inferred if name != "hour")
        start = msgspec.structs.replace(start, start_time=clock if agrees else None, inferred=rest)
    if start.start_time is None and clock is not None:
        start = msgspec.structs.replace(start, start_time=clock)
    if start.start_time is None:
        return start, known, False
    if start.zone not in (None, UTC_NAME) and start.zone[0] not in "+-":
        return start, start.zone, is_clock_change(start.start, start.start_time, start.zone or "")
    if known is None:
        return start, None, start.zone is None
    if start.zone is None:
        return start, known, is_clock_change(start.start, start.start_time, known)
    return _with_offset(start, clock, known)


def _of_twelve(clock: time | None) -> tuple[int, int] | None:
    return None if clock is None else (clock.minute, clock.hour % 12)


def _with_offset(start: When, clock: time | None, known: str) -> tuple[When, str | None, bool]:
    """An offset that does not hold at the place on that day: in structured data "+00:00", or the one of the other half
    of the year, often stands behind a local time. An hour that is shown decides; without one there is none."""
    if start.zone == UTC_NAME or start.start_time is None:
        return start, known, False
    if holds_there(start.start, start.start_time, start.zone or "", known):
        return start, known, False
    local = _in_zone(msgspec.structs.replace(start, zone=UTC_NAME if start.zone == _ZERO else start.zone), known)
    if clock is not None and clock == start.start_time:
        return msgspec.structs.replace(start, zone=None), known, False
    if clock is not None and clock == local.start_time:
        return local, known, False
    is_careless = start.zone == _ZERO or start.zone in offsets_of(known, start.start.year)
    if is_careless and local.start == start.start:
        return msgspec.structs.replace(start, start_time=None, zone=None), known, False
    return start, None, True


def _in_zone(when: When, zone: str | None) -> When:
    """The moment by the clocks of its zone; as stated where its zone is not known."""
    if zone is None or when.start_time is None or when.zone is None or when.zone == zone:
        return when
    stated = datetime.fromisoformat(iso_moment(when.start, when.start_time, when.zone))
    local = stated.astimezone(ZoneInfo(zone))
    return msgspec.structs.replace(when, start=local.date(), start_time=local.time(), zone=zone)


def _end(start: When, stated: When | None, zone: str | None) -> When | None:
    if stated is None and (start.end is not None or start.end_time is not None):
        stated = When(start.end or start.start, start.end_time, zone=start.zone)
    if stated is None:
        return None
    if start.start_time is None or (start.zone is None and zone is not None and stated.zone != UTC_NAME):
        clock = stated.start_time if start.start_time is not None else None
        return msgspec.structs.replace(stated, start_time=clock, zone=None)  # its offset is no better than the start's
    own = stated if stated.zone or stated.start_time is None else msgspec.structs.replace(stated, zone=start.zone)
    return _in_zone(own, zone)


def _moment(when: When) -> tuple[date, time]:
    return when.start, when.start_time or time.min


def _is_whole_day(first: When, last: When | None) -> bool:
    """Midnight to midnight is how systems write "all day"."""
    return _is_midnight(first.start_time) and (last is None or last.start_time is None or _is_midnight(last.start_time))


def _is_midnight(clock: time | None) -> bool:
    return clock is not None and (clock.hour, clock.minute) in ((0, 0), (23, 59))


def _occurrences(repeated: Repeated, further: Sequence[When], first: When, zone: str | None) -> dict[str, Any]:
    """The days of an event that has several, or the rule by which it repeats."""
    listed = [msgspec.structs.replace(first, start=day) for day in (*first.others, *repeated.days)]
    days = _distinct([first, *listed, *(each for day in further for each in _each_day(day))], zone)
    dates = {"dates": days} if len(days) > 1 else {}
    if repeated.rule is not None:
        return {"timing": Timing.PERIODIC, "recurrence": repeated.rule, **dates}
    return {"timing": Timing.MULTIPLE, **dates} if dates else {"timing": Timing.SINGLE}


def _each_day(when: When) -> list[When]:
    return [when, *(msgspec.structs.replace(when, start=day) for day in when.others)]


def _distinct(days: Sequence[When], zone: str | None) -> list[str]:
    local = [_in_zone(day, zone) for day in days]
    ordered = sorted(local, key=_moment)
    return list(dict.fromkeys(iso_moment(day.start, day.start_time, day.zone or zone) for day in ordered))
