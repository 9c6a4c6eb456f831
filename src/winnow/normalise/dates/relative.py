"""Dates that count from today: "3 days ago", "gisteren", "vor 2 Wochen", "next Friday"."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date, datetime, time, timedelta

import msgspec

from winnow.normalise.dates.names import WEEKDAYS
from winnow.normalise.dates.words import (
    AGO,
    AHEAD,
    AT_LEAST,
    BESIDE_ANOTHER,
    COMING,
    COUNT_PHRASES,
    DAYS_AWAY,
    LAST,
    NEXT,
    NUMBERS,
    POSTED,
    UNIT_OF,
)
from winnow.normalise.doubts import Doubt, Unread, unread

_CLOCK = re.compile(
    r"[,\s]*(?:at|um|om|a las|a|alle|as|kl\.?|klo|o|godz\.?|v|ve|saat|ora|ob|u|в|о|στις|luc|jam|pukul|@|-)?\s*"
    r"(\d{1,2})(?:[:.h](\d\d))?\s*(am|pm|uhr|uur|h)?$"
)
_TRAILING_CLOCK = re.compile(
    r"[,\s]+(?:(?:at|um|om|a las|a|alle|as|kl\.?|@)\s)?\d{1,2}(?:[:.]\d\d(?:\s?(?:uur|uhr|h))?|\s?(?:am|pm|uur|uhr))$"
)
_NUMBER = re.compile(r"(?<![\d.,])\d{1,4}(?![\d.,]\d|\d)")
_COUNTED_UNIT = re.compile(
    rf"(?<![\w.,:/])(?:\d{{1,3}}|{'|'.join(NUMBERS)})\s(?:{'|'.join(word for word in UNIT_OF if len(word) > 2)})\b"
)
_AGO = re.compile(r"\b(?:ago|geleden)\b")  # stands behind nothing but a count


_LONGEST_FIRST = sorted(DAYS_AWAY, key=len, reverse=True)
_WORD = re.compile(r"[^\W\d_]+")
_MAX_LATIN = "\u024f"
# One of these words is in every text that counts from today; most date texts have none and need no look at the phrases.
_COUNTING = frozenset(
    word
    for text in (*DAYS_AWAY, *COUNT_PHRASES, *UNIT_OF)
    for word in _WORD.findall(text)
    if word not in ("uur", "uhr", "h", "u", "a", "de", "om", "в", "i", "o", "e", "y", "d", "m")
)


def _may_count(text: str) -> bool:
    if any(c > _MAX_LATIN for c in text):
        return True
    return not _COUNTING.isdisjoint(_WORD.findall(text)) or bool(
        NEXT.search(text) or LAST.search(text) or _HOURS.search(text) or BESIDE_ANOTHER.search(text)
    )


_HOURS = re.compile(r"\b(?:over|in|binnen|vor|dans|ago|geleden|hace|fa|fra|tra)\b")


class Counted(msgspec.Struct, frozen=True):
    day: date
    clock: time | None = None
    zone: str | None = None


def read_relative(folded: str, now: datetime, past: bool) -> Counted | Unread | None:
    """None when the text does not count from today."""
    if not _may_count(folded):
        return None
    text = POSTED.sub("", folded).strip(" .,!")
    if text in ("-", ""):
        return None
    whole = _whole_days(text, now)
    if whole is not None:
        return whole
    tail = _TRAILING_CLOCK.search(text)
    if tail is not None:
        ahead, clock = read_relative(text[: tail.start()], now, past), _clock(tail[0])
        if isinstance(ahead, Counted) and ahead.clock is None and clock is not None:
            return msgspec.structs.replace(ahead, clock=clock)
    if len(_COUNTED_UNIT.findall(text)) > 1 or BESIDE_ANOTHER.search(text):
        return unread(Doubt.AMBIGUOUS, folded)  # "1 month and 21 days ago", "2 weeks before 3 May"
    for patterns, sign in ((AGO, -1), (AHEAD, 1)):
        for pattern in patterns:
            match = pattern.fullmatch(text) or (
                pattern.search(text) if _AGO.search(text) or AT_LEAST.search(text) else None
            )
            if match:
                return unread(Doubt.INCOMPLETE, folded) if AT_LEAST.search(text) else _counted(match, sign, now)
    phrase = _NUMBER.sub("{0}", text, count=1)
    phrase = phrase if phrase in COUNT_PHRASES else phrase.replace(" ", "")
    if phrase in COUNT_PHRASES:
        unit, sign = COUNT_PHRASES[phrase]
        return _away(int(_NUMBER.findall(text)[0]), unit, sign, now)
    if AT_LEAST.search(text) and any(word in UNIT_OF for word in re.findall(r"[a-z]+", text)):
        return unread(Doubt.INCOMPLETE, folded)
    return _named_weekday(text, now)


def _whole_days(text: str, now: datetime) -> Counted | Unread | None:
    if text in DAYS_AWAY:
        return Counted(now.date() + timedelta(days=DAYS_AWAY[text]))
    for word in _LONGEST_FIRST:
        if text.startswith(word):
            clock = _clock(text[len(word) :])
            if clock is not None:
                return Counted(now.date() + timedelta(days=DAYS_AWAY[word]), clock)
    return None


def _clock(rest: str) -> time | None:
    match = _CLOCK.fullmatch(rest)
    if match is None or not (match[2] or match[3]):
        return None
    hour = int(match[1])
    if match[3] in ("am", "pm"):
        hour = hour % 12 + (12 if match[3] == "pm" else 0)
    return time(hour, int(match[2] or 0)) if hour < 24 and int(match[2] or 0) < 60 else None


def _counted(match: re.Match[str], sign: int, now: datetime) -> Counted:
    count = int(match[1]) if match[1].isdigit() else NUMBERS[match[1]]
    return _away(count, UNIT_OF[match[2]], sign, now)


def _away(count: int, unit: str, sign: int, now: datetime) -> Counted:
    if unit in ("month", "year"):
        return Counted(_months_away(now.date(), sign * count * (12 if unit == "year" else 1)))
    if unit in ("minute", "hour"):
        moment = now + sign * timedelta(**{f"{unit}s": count})
        return Counted(moment.date())
    return Counted(now.date() + sign * timedelta(days=count * (7 if unit == "week" else 1)))


def _months_away(day: date, months: int) -> date:
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return day.replace(year=year, month=month + 1, day=min(day.day, monthrange(year, month + 1)[1]))


def _named_weekday(text: str, now: datetime) -> Counted | Unread | None:
    """ "next Friday", "vorigen Montag". On a Monday "next Friday" is in this week or in the next one, and so it is not
    read; "coming" always means the first one after today."""
    ahead, behind = NEXT.search(text), LAST.search(text)
    if bool(ahead) == bool(behind):
        return None
    rest = (NEXT if ahead else LAST).sub("", text).strip()
    if rest not in WEEKDAYS or len(rest) < 4:
        return None
    away = (WEEKDAYS[rest] - now.weekday()) % 7 or 7
    away = away if ahead else away - 7 if away != 7 else -7
    is_this_week = 0 <= now.weekday() + away <= 6
    if is_this_week and not COMING.search(text):
        return unread(Doubt.AMBIGUOUS, text)
    return Counted(now.date() + timedelta(days=away))
