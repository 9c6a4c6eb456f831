"""Date text -> day, time and range (E-060, E-061), in some twenty-five languages, with the clock as an argument.

    read_when("do 3 sep 20:30 uur", now=…, locale="nl")       -> 2026-09-03 20:30
    read_when("12–14 May 2026", now=…)                        -> 2026-05-12 to 2026-05-14
    read_when("03/04/2026", now=…)                            -> Unread(ambiguous): nobody said which country
    read_when("vor 2 Wochen", now=…, lean=Lean.PAST)          -> 14 days before `now`

What has two readings is not read. A missing year is the one in which the weekday fits, else the next (events) or the
last (postings) time that day comes by.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from functools import lru_cache

import msgspec

from winnow.normalise.dates.clock_times import is_half_open
from winnow.normalise.dates.day_phrases import place_days
from winnow.normalise.dates.door_times import without_doors
from winnow.normalise.dates.relative import Counted, read_relative
from winnow.normalise.dates.several_days import stated_days
from winnow.normalise.dates.spoken_hours import read_hours
from winnow.normalise.dates.timezones import UTC_NAME, iso_moment, take_zone
from winnow.normalise.dates.tokens import FIRST_YEAR, LAST_YEAR, YEAR_FIRST, Token, tokens_of
from winnow.normalise.dates.words import RECURRING
from winnow.normalise.doubts import Doubt, Unread, unread
from winnow.normalise.text import clean_line, fold

MAX_TEXT = 160
MIDNIGHT = "24:00"  # the end of the day it stands beside (ISO 8601), and so the beginning of the next one
# English where 3/4 is the 4th of March. Everywhere else in the seven languages the day comes first.
_MONTH_FIRST = frozenset(["US", "PH", "PW", "FM", "MH", "GU", "PR", "AS", "VI"])
_DASHES = re.compile(r"[‐‑‒–—―−→⟶➔➜]")
_UNDECIDED = frozenset(["en", "en-CA"])  # Canada writes both


class Lean(StrEnum):
    """Where a date without a year lies: events are ahead, postings behind."""

    FUTURE = "future"
    PAST = "past"


class When(msgspec.Struct, frozen=True):
    """`zone` is an offset or an IANA name; None when the text does not say. `inferred` names what the text leaves open
    and the clock decided: the "year" of a day without a weekday, the "month" of a day without a name, the "day" of a weekday alone, the half of
    the day of a spoken "hour". `others` are further days of a list, at the same hour."""

    start: date
    start_time: time | None = None
    end: date | None = None
    end_time: time | None = None
    zone: str | None = None
    inferred: tuple[str, ...] = ()
    others: tuple[date, ...] = ()

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
    """One day or one range. `year` is that of a day written without one, where something else on the page gives it."""
    found = read_days(text, now=now, locale=locale, lean=lean, year=year)
    return unread(Doubt.AMBIGUOUS, text) if isinstance(found, When) and found.others else found


def read_days(
    text: str, *, now: datetime, locale: str | None = None, lean: Lean = Lean.FUTURE, year: int | None = None
) -> When | Unread:
    """Like `read_when`, and lists of days ("12, 13 en 19 april")."""
    return _read_days(text, now.replace(tzinfo=None), locale, lean, year)


@lru_cache(8_192)  # the same text is read for the list, for its record, and for the next card with that day
def _read_days(text: str, now: datetime, locale: str | None, lean: Lean, year: int | None) -> When | Unread:
    """`now` is local and has no zone: two moments of different zones are equal, and may be on different days."""
    plain = clean_line(text, MAX_TEXT * 2)
    if not plain or len(plain) > MAX_TEXT:
        return unread(Doubt.TOO_LONG if plain else Doubt.EMPTY, text)
    if RECURRING.search(fold(plain)):
        return unread(Doubt.AMBIGUOUS, text)
    rest, zone = take_zone(plain)
    folded = _DASHES.sub("-", without_doors(fold(rest))).replace("’", "'")
    days = place_days(folded, now.date())
    if isinstance(days, Unread):
        return days
    counted = None if days.counted else _counted(folded, now, lean, zone)
    if counted is not None:
        return counted
    hours = read_hours(days.text)
    tokens = tokens_of(hours.text, month_first(locale), (locale or "")[:2].lower())
    if isinstance(tokens, Unread):
        return tokens
    if hours.doubtful and any(token.kind in "tr" for token in tokens):
        return unread(Doubt.AMBIGUOUS, text)
    if days.counted and any(token.kind == "x" for token in tokens):
        return _counted(folded, now, lean, zone) or unread(Doubt.UNREADABLE, text)
    found = _several(tokens, now, lean, zone, text, year) or _read(tokens, now, lean, zone, text, year)
    if isinstance(found, When) and found.start_time is not None and (hours.inferred or is_half_open(folded, locale)):
        return msgspec.structs.replace(found, inferred=(*found.inferred, "hour"))
    return found


def _counted(folded: str, now: datetime, lean: Lean, zone: str | None) -> When | Unread | None:
    found = read_relative(folded, now, lean is Lean.PAST)
    return When(found.day, found.clock, zone=found.zone or zone) if isinstance(found, Counted) else found


def _several(
    tokens: list[Token], now: datetime, lean: Lean, zone: str | None, text: str, year: int | None
) -> When | Unread | None:
    listed = stated_days(tokens)
    if listed is None:
        return None
    stated, clock = listed
    if len(stated) == 2 and any(token.kind == "~" for token in tokens):
        return None  # two days in a row are a range
    is_open = stated[0].year is None and year is None and stated[0].weekday is None
    days: list[date] = []
    for each in stated:
        part = _Part(each.day, each.month, each.year or (days[-1].year if days else year), weekday=each.weekday)
        day = _day(part, now, lean, text)
        if isinstance(day, date) and each.year is None and days and day < days[-1]:
            part.year = days[-1].year + 1
            day = _day(part, now, lean, text)
        if isinstance(day, Unread):
            return day
        days.append(day)
    times = [_time(t) for t in clock.split("/")] if clock else []
    if days != sorted(days) or (days[-1] - days[0]).days > 400 or clock.startswith(MIDNIGHT):
        return unread(Doubt.CONTRADICTION, text)
    return When(
        days[0],
        times[0] if times else None,
        end_time=times[1] if len(times) > 1 and times[1] > times[0] else None,
        zone=zone,
        inferred=("year",) if is_open else (),
        others=tuple(dict.fromkeys(days[1:])),
    )


def read_epoch(text: str) -> When | Unread:
    """Seconds or milliseconds since 1970, as data formats have them."""
    if not text.isdigit() or len(text) not in (10, 13):
        return unread(Doubt.UNREADABLE, text)
    moment = datetime.fromtimestamp(int(text) / (1 if len(text) == 10 else 1000), UTC)
    return When(moment.date(), moment.time().replace(microsecond=0), zone=UTC_NAME)


class _Part(msgspec.Struct):
    """One side of a "to"."""

    day: int | None = None
    month: int | None = None
    year: int | None = None
    times: list[str] = []
    weekday: int | None = None
    several: bool = False
    unknown: bool = False
    ordinal: bool = False
    shows: bool = False

    @property
    def is_empty(self) -> bool:
        return self.day is None and self.month is None and self.year is None and not self.times


def _read(
    tokens: list[Token], now: datetime, lean: Lean, zone: str | None, text: str, year: int | None
) -> When | Unread:
    if _begins_unknown(tokens):
        return unread(Doubt.UNREADABLE, text)
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
    if any(part.shows for part in parts):
        first.times = (
            last.times
        ) = []  # "14:00 and 16:00" are two evenings of one day: the day is known, its hour is not
    inferred = _left_open(first, last)
    if inferred == ("year",) and year is not None:
        first.year, inferred = year, ()
    found = _resolved(first, last if len(parts) == 2 else None, now, lean, zone, text)
    return found if isinstance(found, Unread) else msgspec.structs.replace(found, inferred=inferred)


def _left_open(first: _Part, last: _Part) -> tuple[str, ...]:
    if first.day is not None and first.month is None and last.month is None:
        return ("month",)
    if first.day is None and first.month is None and first.weekday is not None:
        return ("day",)
    if first.year is None and last.year is None and first.weekday is None and last.weekday is None:
        return ("year",)
    return ()


def _begins_unknown(tokens: list[Token]) -> bool:
    """ "du treize au 15 juillet": the first day of a range is a word that nobody knows."""
    to = next((n for n, token in enumerate(tokens) if (token.kind, token.value) == ("~", "to")), 0)
    return to > 0 and all(token.kind == "x" for token in tokens[:to])


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
        part.ordinal |= token.is_ordinal
        setattr(part, field, int(token.value))
    elif token.kind in "tr":
        part.shows |= bool(part.times) and part.times != token.value.split("/")
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
            shows=left.shows or right.shows or len(times) > 2,
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
    if part.day is not None and part.month is None and part.year is None and part.ordinal:
        return _next_day_of_month(part, now.date(), text)
    if part.day is None or part.month is None:
        return unread(Doubt.INCOMPLETE, text)
    if part.year is None:
        return _without_year(part, now.date(), lean, text)
    return _checked(part.year, part, text)


def _next_day_of_month(part: _Part, today: date, text: str) -> date | Unread:
    """ "the 15th", "Thu 15th": the next one, and with a weekday the next one on which it falls within a year."""
    for months in range(13):
        year, month = divmod(today.year * 12 + today.month - 1 + months, 12)
        day = _checked(year, _Part(part.day, month + 1, weekday=part.weekday), text)
        if isinstance(day, date) and day >= today:
            return day
    return unread(Doubt.INVALID, text)


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
