"""Days that count from today or from a month, anywhere in a text -> ISO dates: "morgen", "volgende week zaterdag", "komende
vrijdag", "the third Tuesday of May 2027".

All folded. What has two readings stays as it is or is Unread: on a Monday "next Friday" is in this week or the next.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Iterable
from datetime import date, timedelta

import msgspec

from winnow.normalise.dates.names import MONTHS, WEEKDAYS
from winnow.normalise.dates.words import DAYS_AWAY
from winnow.normalise.doubts import Doubt, Unread, unread
from winnow.normalise.text import fold
from winnow.vocabulary.dates import AddedDates, added_dates
from winnow.vocabulary.phrases import any_word

_ADDED = tuple(added_dates().values())


class Days(msgspec.Struct, frozen=True):
    """`counted`: a day was counted from today or from a month, so that no other word may be left unread."""

    text: str
    counted: bool = False


def _words(choose: Callable[[AddedDates], Iterable[str]]) -> str:
    found = {fold(word) for added in _ADDED for word in choose(added)}
    return any_word(sorted(found, key=len, reverse=True))


_LONG_DAYS = {name: number for name, number in WEEKDAYS.items() if len(name) > 1}
_WEEKDAY = rf"(?P<weekday>{any_word(sorted(_LONG_DAYS, key=len, reverse=True))})\.?"
_MONTH = rf"(?P<month>{any_word(sorted((m for m in MONTHS if len(m) > 2), key=len, reverse=True))})\.?"
_COMPOUNDS = {fold(word): fold(meant) for a in _ADDED for word, meant in a.compounds.items()}
_COMPOUND = re.compile(rf"(?<!\w)(?:{any_word(sorted(_COMPOUNDS, key=len, reverse=True))})(?!\w)")
# "vrijdagavond", "samstagabend": weekdays of languages that write them as one word with the part of the day.
_WEEKDAY_PART = re.compile(
    rf"\b({any_word(sorted((n for n in WEEKDAYS if n.endswith(('dag', 'tag', 'woch'))), key=len, reverse=True))})\s?"
    r"(avond|middag|namiddag|ochtend|morgen|nacht|abend|nachmittag|vormittag|morgens|abends)\b"
)
_PART_WORD = {"morgen": "ochtend"}
_WORD_DAYS = {w: n for w, n in DAYS_AWAY.items() if w not in ("now", "nu", "agora", "ahora", "just now", "just posted")}
_WORD_DAY = re.compile(rf"(?<![\w'])(?:{any_word(sorted(_WORD_DAYS, key=len, reverse=True))})(?!\w)")
_WEEKS = {fold(w): n for a in _ADDED for n, words in a.weeks.items() for w in words}
_WEEK = rf"(?P<week>{any_word(sorted(_WEEKS, key=len, reverse=True))})"
_IN_WEEK = re.compile(rf"(?<!\w){_WEEK}\s(?:op\s|on\s|am\s)?{_WEEKDAY}(?!\w)")
_OF_WEEK = re.compile(rf"(?<!\w){_WEEKDAY}\s(?:in\s|der\s)?{_WEEK}(?!\w)")
_ANY_WEEK = re.compile(rf"(?<!\w){_WEEK}(?!\w)")
_COMING, _THIS, _NEXT, _LAST = (
    _words(lambda a, name=name: getattr(a, name)) for name in ("coming", "this", "next", "last")  # type: ignore[misc]
)  # fmt: skip
_BEFORE = re.compile(
    rf"(?<!\w)(?:(?P<coming>{_COMING})|(?P<this>{_THIS})|(?P<next>{_NEXT})|(?P<last>{_LAST}))\s{_WEEKDAY}(?!\w)"
)
_BEHIND = re.compile(
    rf"(?<!\w){_WEEKDAY}\s(?:(?P<coming>a\.s\.|aanstaande|prochaine?)|(?P<last>dernier|derniere|jl\.?))(?!\w)"
)
_ANY_OF = re.compile(rf"(?<!\w)(?:{_COMING}|{_THIS}|{_NEXT})\s(?=\w)")
_ORDINALS = {fold(w): n for a in _ADDED for n, words in a.ordinals.items() for w in words}
_ORDINAL = rf"(?P<nth>{any_word(sorted(_ORDINALS, key=len, reverse=True))})"
_NTH = re.compile(
    rf"(?<!\w){_ORDINAL}\s{_WEEKDAY}\s(?:{_words(lambda a: a.of)})\s?(?:de\s|the\s)?{_MONTH}(?:,?\s(?P<year>(?:19|20)\d\d))?(?!\w)"
)
# "the first of march", "march first": an ordinal in words beside a month is a day.
_FIRST_OF = re.compile(rf"(?<![\w-]){_ORDINAL}\s(?:of\s|van\s|de\s)?(?={_MONTH}(?!\w))")
_MONTH_FIRST = re.compile(rf"(?<!\w)(?P<all>{_MONTH})\s(?:the\s)?{_ORDINAL}(?!\w|\s(?:\w+dag|\w+day))")
_DATED = re.compile(
    rf"(?<!\w){_MONTH}(?!\w)|(?<![\d.:])\d{{1,2}}[/-]\d{{1,2}}(?![\d:.h])|\d{{4}}-\d\d-\d\d|(?<![\d.:])\d{{1,2}}[./-]\s?\d{{1,2}}[./-]"
)


# "zo 19.10", alone or before an hour: as well ten past seven, unless it is that weekday.
_DOTTED = re.compile(rf"{_WEEKDAY},? (?P<d>\d\d)\.(?P<m>\d\d)(?=$| ?[,|]? ?\d\d?:\d\d)")
# "3e dinsdag", "second Sunday": of a month that is not named.
_COUNTS = any_word(sorted((word for word, number in _ORDINALS.items() if number > 0), key=len, reverse=True))
_NTH_OF_NONE = re.compile(rf"(?<!\w)(?:{_COUNTS}|[1-5](?:st|nd|rd|th|e|de|ste|\.))\s{_WEEKDAY}(?!\w)")


def place_days(text: str, today: date) -> Days | Unread:
    text = _DOTTED.sub(lambda m: f"{m['weekday']} {m['d']}.{m['m']}." if _fits(m, today) else m[0], text)
    text = _COMPOUND.sub(lambda m: _COMPOUNDS[m[0]], text)
    text = _WEEKDAY_PART.sub(lambda m: f"{m[1]} {_PART_WORD.get(m[2], m[2])}", text)
    if _DATED.search(text):
        return _dated(text, today)
    return _undated(text, today)


def _fits(found: re.Match[str], today: date) -> bool:
    """Whether day and month are on that weekday within a year from about now."""
    for year in (today.year, today.year + 1):
        try:
            day = date(year, int(found["m"]), int(found["d"]))
        except ValueError:
            return False
        if -60 <= (day - today).days <= 300 and day.weekday() == WEEKDAYS[found["weekday"]]:
            return True
    return False


def _dated(text: str, today: date) -> Days | Unread:
    """Beside a written date, "next" and "this" say nothing more; only weekdays of a month are counted."""
    found = _NTH.search(text)
    if found:
        day = _nth(found, today)
        if day is None:
            return unread(Doubt.INVALID, text)
        return Days(text[: found.start()] + day.isoformat() + text[found.end() :], counted=True)
    text = _MONTH_FIRST.sub(lambda m: f"{_ordinal_day(m)} {m['all']}", text)
    text = _FIRST_OF.sub(lambda m: f"{_ordinal_day(m)} ", text)
    return Days(_ANY_OF.sub("", text))


def _ordinal_day(match: re.Match[str]) -> str:
    number = _ORDINALS[match["nth"]]
    return str(number) if number > 0 else match["nth"]


def _undated(text: str, today: date) -> Days | Unread:
    for pattern in (_IN_WEEK, _OF_WEEK):
        found = pattern.search(text)
        if found:
            return _placed(text, found, _in_week(found, today))
    if _NTH_OF_NONE.search(text):
        return unread(Doubt.INCOMPLETE, text)
    if _ANY_WEEK.search(text):
        return unread(Doubt.INCOMPLETE, text)  # a week is not a day
    found = _BEFORE.search(text) or _BEHIND.search(text)
    if found:
        day = _beside(found, today)
        return unread(Doubt.AMBIGUOUS, text) if day is None else _placed(text, found, day)
    found = _WORD_DAY.search(text)
    if found:
        return _placed(text, found, today + timedelta(days=_WORD_DAYS[found[0]]))
    return Days(text)


def _placed(text: str, found: re.Match[str], day: date) -> Days:
    return Days(f"{text[: found.start()]}{day.isoformat()}{text[found.end() :]}", counted=True)


def _in_week(found: re.Match[str], today: date) -> date:
    monday = today - timedelta(days=today.weekday())
    return monday + timedelta(weeks=_WEEKS[found["week"]], days=WEEKDAYS[found["weekday"]])


def _beside(found: re.Match[str], today: date) -> date | None:
    """ "Coming" is the first such day after today; "this" too, and today is doubtful; "next" is not in this week, unless
    that would be the first one."""
    groups = found.groupdict()
    away = (WEEKDAYS[found["weekday"]] - today.weekday()) % 7 or 7
    if groups.get("coming"):
        return today + timedelta(days=away)
    if groups.get("last"):
        back = away - 7 or -7
        return None if today.weekday() + back >= 0 else today + timedelta(days=back)
    if groups.get("this"):
        return None if away == 7 else today + timedelta(days=away)
    return None if today.weekday() + away <= 6 else today + timedelta(days=away)


def _nth(found: re.Match[str], today: date) -> date | None:
    """The third Tuesday of a month; without a year, the next one."""
    number, weekday, month = _ORDINALS[found["nth"]], WEEKDAYS[found["weekday"]], MONTHS[found["month"]]
    if found["year"]:
        return nth_weekday(int(found["year"]), month, number, weekday)
    days = [nth_weekday(year, month, number, weekday) for year in (today.year, today.year + 1)]
    return next((day for day in days if day is not None and day >= today), None)


def nth_weekday(year: int, month: int, number: int, weekday: int) -> date | None:
    """The `number`-th such weekday of a month, -1 for its last; None when the month has none."""
    if number < 0:
        last = date(year, month, monthrange(year, month)[1])
        return last - timedelta(days=(last.weekday() - weekday) % 7)
    day = 1 + (weekday - date(year, month, 1).weekday()) % 7 + 7 * (number - 1)
    return date(year, month, day) if day <= monthrange(year, month)[1] else None
