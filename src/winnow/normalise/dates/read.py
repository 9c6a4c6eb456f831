"""Date text -> day, time and range (E-060, E-061), in some twenty-five languages, with the clock as an argument.

    read_when("do 3 sep 20:30 uur", now=…, locale="nl")       -> 2026-09-03 20:30
    read_when("12–14 May 2026", now=…)                        -> 2026-05-12 to 2026-05-14
    read_when("03/04/2026", now=…)                            -> Unread(ambiguous): nobody said which country
    read_when("vor 2 Wochen", now=…, lean=Lean.PAST)          -> 14 days before `now`

What has two readings is not read. A missing year is the one in which the weekday fits, else the next (events) or the
last (postings) time that day comes by.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum

import msgspec

from winnow.normalise.dates.relative import read_relative
from winnow.normalise.dates.timezones import iso_moment, take_zone
from winnow.normalise.dates.tokens import FIRST_YEAR, LAST_YEAR, YEAR_FIRST, Token, tokens_of
from winnow.normalise.dates.words import RECURRING
from winnow.normalise.doubts import Doubt, Unread, unread
from winnow.normalise.text import clean_line, fold

MAX_TEXT = 160
MIDNIGHT = "24:00"  # the end of the day it stands beside (ISO 8601), and so the beginning of the next one
# English where 3/4 is the 4th of March. Everywhere else in the seven languages the day comes first.
_MONTH_FIRST = frozenset(["US", "PH", "PW", "FM", "MH", "GU", "PR", "AS", "VI"])
_UNDECIDED = frozenset(["en", "en-CA"])  # Canada writes both


class Lean(StrEnum):
    """Where a date without a year lies: events are ahead, postings behind."""

    FUTURE = "future"
    PAST = "past"


class When(msgspec.Struct, frozen=True):
    """`zone` is an offset or an IANA name; None when the text does not say. `inferred` names what the text leaves open
    and the clock decided: the "year" of a day without a weekday, the "day" of a weekday alone."""

    start: date
    start_time: time | None = None
    end: date | None = None
    end_time: time | None = None
    zone: str | None = None
    inferred: tuple[str, ...] = ()

    def iso_start(self, zone: str | None = None) -> str:
        return iso_moment(self.start, self.start_time, self.zone or zone)

    def iso_end(self, zone: str | None = None) -> str | None:
        if self.end is None and self.end_time is None:
            return None
        return iso_moment(self.end or self.start, self.end_time, self.zone or zone)


def month_first(locale: str | None) -> bool | None:
    """Whether 3/4 is the 4th of March there; None when the locale does not say."""
    if not locale:
        return None
    language, _, region = locale.replace("_", "-").partition("-")
    if locale in _UNDECIDED or (language == "en" and not region):
        return None
    return language in YEAR_FIRST or (region.rpartition("-")[2].upper() in _MONTH_FIRST and language == "en")


def read_when(
    text: str, *, now: datetime, locale: str | None = None, lean: Lean = Lean.FUTURE, year: int | None = None
) -> When | Unread:
    """`year` is that of a day written without one, where something else on the page gives it."""
    plain = clean_line(text, MAX_TEXT * 2)
    if not plain or len(plain) > MAX_TEXT:
        return unread(Doubt.TOO_LONG if plain else Doubt.EMPTY, text)
    relative = read_relative(fold(plain), now, lean is Lean.PAST)
    if relative is not None:
        return relative if isinstance(relative, Unread) else When(relative.day, relative.clock, zone=relative.zone)
    if RECURRING.search(fold(plain)):
        return unread(Doubt.AMBIGUOUS, text)
    rest, zone = take_zone(plain)
    tokens = tokens_of(fold(rest), month_first(locale), (locale or "")[:2].lower())
    if isinstance(tokens, Unread):
        return tokens
    return _read(tokens, now, lean, zone, text, year)


def read_epoch(text: str) -> When | Unread:
    """Seconds or milliseconds since 1970, as data formats have them."""
    if not text.isdigit() or len(text) not in (10, 13):
        return unread(Doubt.UNREADABLE, text)
    moment = datetime.fromtimestamp(int(text) / (1 if len(text) == 10 else 1000), UTC)
    return When(moment.date(), moment.time().replace(microsecond=0), zone="+00:00")


class _Part(msgspec.Struct):
    """One side of a "to"."""

    day: int | None = None
    month: int | None = None
    year: int | None = None
    times: list[str] = []
    weekday: int | None = None
    several: bool = False
    unknown: bool = False

    @property
    def is_empty(self) -> bool:
        return self.day is None and self.month is None and self.year is None and not self.times


def _read(
    tokens: list[Token], now: datetime, lean: Lean, zone: str | None, text: str, year: int | None
) -> When | Unread:
    parts = [_part(side) for side in _sides(tokens)]
    parts = [part for part in parts if not part.is_empty or part.weekday is not None]
    if not parts:
        return unread(Doubt.UNREADABLE, text)
    if len(parts) > 2 or any(part.several for part in parts):
        return unread(Doubt.AMBIGUOUS, text)
    if len(parts) == 2 and all(part.day is None and part.weekday is not None for part in parts):
        return unread(Doubt.AMBIGUOUS, text)  # "Monday to Friday" is every week
    if len(parts) == 2:
        parts = _merged(parts[0], parts[1])
    first, last = parts[0], parts[-1]
    if any(part.unknown for part in parts) and (first.month is None or first.day is None):
        return unread(Doubt.UNREADABLE, text)
    inferred = _left_open(first, last)
    if inferred == ("year",) and year is not None:
        first.year, inferred = year, ()
    found = _resolved(first, last if len(parts) == 2 else None, now, lean, zone, text)
    return found if isinstance(found, Unread) else msgspec.structs.replace(found, inferred=inferred)


def _left_open(first: _Part, last: _Part) -> tuple[str, ...]:
    if first.day is None and first.month is None and first.weekday is not None:
        return ("day",)
    if first.year is None and last.year is None and first.weekday is None and last.weekday is None:
        return ("year",)
    return ()


def _sides(tokens: list[Token]) -> list[list[Token]]:
    sides: list[list[Token]] = [[]]
    for token in tokens:
        if token.kind == "~":
            sides.append([])
        else:
            sides[-1].append(token)
    return [side for side in sides if side]


def _part(tokens: list[Token]) -> _Part:
    part = _Part()
    for token in tokens:
        _put(part, token)
    return part


def _put(part: _Part, token: Token) -> None:
    if token.kind == "d":
        day = date.fromisoformat(token.value)
        part.several |= part.day is not None
        part.day, part.month, part.year = day.day, day.month, day.year
    elif token.kind in "nmy":
        field = {"n": "day", "m": "month", "y": "year"}[token.kind]
        part.several |= getattr(part, field) not in (None, int(token.value))
        setattr(part, field, int(token.value))
    elif token.kind in "tr":
        part.several |= bool(part.times) and part.times != token.value.split("/")
        part.times = part.times or token.value.split("/")
    elif token.kind == "w":
        part.weekday = int(token.value) if part.weekday is None else part.weekday
    else:
        part.unknown = True


def _merged(left: _Part, right: _Part) -> list[_Part]:
    """ "12 – 14 May", "12 May 20:00 – 23:00", "Friday 12 May – 20:00": what one side lacks the other says."""
    dated = [side for side in (left, right) if side.day is not None]
    if len(dated) == 2:
        left.month, right.month = left.month or right.month, right.month or left.month
        if left.year is None and right.year is not None and left.month and right.month:
            left.year = right.year - (1 if left.month > right.month else 0)
        if right.year is None and left.year is not None and left.month and right.month:
            right.year = left.year + (1 if right.month < left.month else 0)
        return [left, right]
    one = dated[0] if dated else left
    times = left.times + right.times
    return [
        _Part(
            day=one.day,
            month=left.month or right.month,
            year=left.year or right.year,
            times=times,
            weekday=left.weekday if left.weekday is not None else right.weekday,
            several=len(times) > 2,
            unknown=left.unknown or right.unknown,
        )
    ]


def _resolved(
    first: _Part, last: _Part | None, now: datetime, lean: Lean, zone: str | None, text: str
) -> When | Unread:
    start = _day(first, now, lean, text)
    if isinstance(start, Unread):
        return start
    if first.times[:1] == [MIDNIGHT]:
        start += timedelta(days=1)
    times = [_time(t) for t in first.times]
    if last is None:
        end_time = times[1] if len(times) > 1 else None
        over_night = end_time is not None and end_time < times[0]
        end = start + timedelta(days=1) if over_night else None
        return When(start, times[0] if times else None, end, end_time, zone)
    last.year = last.year or (start.year + (1 if (last.month or 0) < start.month else 0))
    end_day = _day(last, now, lean, text)
    if isinstance(end_day, Unread):
        return end_day
    if end_day < start:
        return unread(Doubt.CONTRADICTION, text)
    end_times = [_time(t) for t in last.times]
    return _range(start, end_day, times, end_times, zone)


def _time(text: str) -> time:
    return time(0) if text == MIDNIGHT else time.fromisoformat(text)


def _range(start: date, end: date, times: list[time], end_times: list[time], zone: str | None) -> When:
    """A time after the last day only ("12 – 14 May, 20:00 – 23:00") is that of every day."""
    first = times[0] if times else (end_times[0] if len(end_times) > 1 else None)
    last = end_times[-1] if end_times and (times or len(end_times) > 1) else (times[1] if len(times) > 1 else None)
    if first is None and end_times:
        first = end_times[0]
    return When(start, first, end, last, zone)


def _day(part: _Part, now: datetime, lean: Lean, text: str) -> date | Unread:
    if part.day is None and part.month is None and part.weekday is not None and part.year is None:
        if part.weekday == now.weekday() and not part.times:
            return unread(Doubt.AMBIGUOUS, text)  # today, or in a week
        return _next_weekday(part.weekday, now.date(), lean)
    if part.day is None or part.month is None:
        return unread(Doubt.INCOMPLETE, text)
    if part.year is None:
        return _without_year(part, now.date(), lean, text)
    return _checked(part.year, part, text)


def _checked(year: int, part: _Part, text: str) -> date | Unread:
    if not FIRST_YEAR <= year <= LAST_YEAR:
        return unread(Doubt.INVALID, text)
    try:
        day = date(year, part.month or 0, part.day or 0)
    except ValueError:
        return unread(Doubt.INVALID, text)
    if part.weekday is not None and day.weekday() != part.weekday:
        return unread(Doubt.CONTRADICTION, text)
    return day


def _next_weekday(weekday: int, today: date, lean: Lean) -> date:
    ahead = (weekday - today.weekday()) % 7
    return today + timedelta(days=ahead if lean is Lean.FUTURE or ahead == 0 else ahead - 7)


def _without_year(part: _Part, today: date, lean: Lean, text: str) -> date | Unread:
    """The year in which the weekday fits; without one, the next or the last time the day comes by."""
    days = [_checked(year, part, text) for year in (today.year - 1, today.year, today.year + 1, today.year + 2)]
    real = [day for day in days if isinstance(day, date)]
    if not real:
        found = next((day for day in days if isinstance(day, Unread)), None)
        return found or unread(Doubt.INVALID, text)
    if part.weekday is not None:
        return min(real, key=lambda day: abs((day - today).days))
    if lean is Lean.PAST:
        return max((day for day in real if day <= today + timedelta(days=1)), default=real[0])
    return min((day for day in real if day >= today), default=real[-1])
