"""Days that a language model read where the rules could not (E-061), and whether the text confirms them. Pure.

A model may guess, so its answer counts only as far as the text names the day itself: the number of the day and no other,
the month and no other, the year or else a weekday that fits. What the text leaves open stays unread.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from functools import cache

from winnow.extract.answered_day import MAX_TEXT, AnsweredDay
from winnow.normalise.dates.names import MONTHS, MONTHS_OF_LANGUAGE, WEEKDAYS, misspelled_month
from winnow.normalise.dates.words import NUMBERS, TO
from winnow.normalise.doubts import Doubt
from winnow.normalise.text import fold
from winnow.vocabulary.dates import added_dates
from winnow.vocabulary.event_status import status_phrases
from winnow.vocabulary.phrases import any_of

MAX_DAYS_BACK, MAX_DAYS_AHEAD = 1, 800
ASKABLE = Doubt.UNREADABLE  # no text could confirm an answer to the other doubts
_UNTIL = frozenset(word for word in TO if len(word) > 1)
_MIN_NAME = 4  # letters: short names of months are words of other languages
_CLOCK = re.compile(
    r"\b([01]?\d|2[0-3])\s?[:.h]\s?([0-5]\d)\b(?![.\-/]\d)|\b([01]?\d|2[0-3])\s?(?:uur|uhr|u|h|heures?)\b"
)
_TWELVE = re.compile(r"\b(1[0-2]|0?[1-9])(?:[:.]([0-5]\d))?\s?([ap])\.?m\b\.?")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_ROMAN = re.compile(r"(?<=\d)\s?[./-]\s?(x?i{1,3}|i?[vx]|vi{1,3})\s?[./-]")
_NUMERALS = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii")
_ROMANS = dict(zip(_NUMERALS, range(1, 13), strict=True))
_WORD = re.compile(r"\d+|[^\W\d_]+")
_ORDINAL = re.compile(r"(?:ste|de|te|th|st|nd|rd|e)$")


def confirmed(answer: AnsweredDay, today: date) -> str | None:
    """The moment in ISO 8601 as far as the text confirms it: with its hour, without one, or not at all."""
    day = _parse(answer.day)
    text = fold(answer.text)
    if day is None or len(text) > MAX_TEXT or not _is_near(day, today) or not _names(text, day, today):
        return None
    hours = set(_hours(text))
    return f"{day}T{answer.hour}" if hours == {answer.hour} else day.isoformat()


def _parse(text: str | None) -> date | None:
    try:
        return date.fromisoformat(text or "")
    except ValueError:
        return None


def _is_near(day: date, today: date) -> bool:
    return today - timedelta(days=MAX_DAYS_BACK) <= day <= today + timedelta(days=MAX_DAYS_AHEAD)


@cache
def _taken_back() -> re.Pattern[str]:
    """Words that say of a day beside them that it is not the day."""
    denied = [f"<{word}>" for known in added_dates().values() for word in known.denied]
    moved = [phrase for key in ("cancelled", "postponed", "rescheduled") for phrase in status_phrases(key)]
    return re.compile(any_of(fold(phrase) for phrase in (*denied, *moved)))


def _names(text: str, day: date, today: date) -> bool:
    rest = _TWELVE.sub(" ", _CLOCK.sub(" ", text))
    years = {int(year) for year in _YEAR.findall(rest)}
    words = _WORD.findall(_YEAR.sub(" ", _ROMAN.sub(" ", rest)))
    weekdays = {WEEKDAYS[word] for word in words if word in WEEKDAYS}
    months = {month for word in words for month in _months(word)} | {_ROMANS[r] for r in _ROMAN.findall(rest)}
    numbers = {int(word) for word in words if word.isdigit()} or {n for word in words if (n := _spelt(word))}
    if _UNTIL.intersection([*words, *text.split()]) or _taken_back().search(text) or weekdays - {day.weekday()}:
        return False
    if months != {day.month} or numbers != {day.day}:
        return False
    return years == {day.year} or (not years and bool(weekdays) and day == _next(day, today))


def _next(day: date, today: date) -> date:
    """The first such day of the year that is not over."""
    this = day.replace(year=today.year) if not (day.month == 2 and day.day == 29) else day
    return this if this >= today - timedelta(days=MAX_DAYS_BACK) or this == day else day.replace(year=today.year + 1)


def _months(word: str) -> set[int]:
    """What it may mean in any language."""
    if len(word) < _MIN_NAME:
        return {MONTHS[word]} if word in MONTHS else set()
    found = {names[word] for names in MONTHS_OF_LANGUAGE.values() if word in names}
    misspelled = misspelled_month(word)
    return found or ({misspelled} if misspelled else set())


def _spelt(word: str) -> int | None:
    """A number of those that dates are written with ("achtentwintigste")."""
    for stem in (word, _ORDINAL.sub("", word)):
        if NUMBERS.get(stem, 1) != 1:  # "een" is an article
            return NUMBERS[stem]
        for joint in ("en", "und"):
            small, found, tens = stem.partition(joint)
            if found and small in NUMBERS and NUMBERS.get(tens, 0) >= 20:
                return NUMBERS[small] + NUMBERS[tens]
    return None


def _hours(text: str) -> Iterator[str]:
    for clock in _CLOCK.finditer(_TWELVE.sub(" ", text)):
        yield f"{int(clock[1] or clock[3]):02}:{clock[2] or '00'}"
    for clock in _TWELVE.finditer(text):
        yield f"{int(clock[1]) % 12 + 12 * (clock[3] == 'p'):02}:{clock[2] or '00'}"
