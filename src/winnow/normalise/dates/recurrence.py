"""Rules by which an event repeats, as RFC 5545 RRULE: "elke vrijdag", "every 2nd Tuesday of the month", "wekelijks".

A rule is expanded only between days that are stated ("elke vrijdag van 3 april t/m 26 juni 2026").
"""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta

import msgspec
from dateutil.rrule import rrulestr

from winnow.normalise.dates.names import WEEKDAYS
from winnow.normalise.doubts import Doubt, Unread, unread
from winnow.normalise.text import clean_line, fold
from winnow.vocabulary.dates import added_dates
from winnow.vocabulary.phrases import any_word

MAX_OCCURRENCES = 400  # a day each for more than a year
MAX_RULE = 400
_CODES = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_RULE = re.compile(r"(?:RRULE:)?((?:[A-Z]+=[\w+,:/-]+;)*FREQ=(?:DAILY|WEEKLY|MONTHLY|YEARLY)(?:;[A-Z]+=[\w+,:/-]+)*);?")
_ADDED = tuple(added_dates().values())


def _all(field: str) -> str:
    return any_word(sorted({fold(word) for added in _ADDED for word in getattr(added, field)}, key=len, reverse=True))


_PLURALS = {f"{name}{end}": number for name, number in WEEKDAYS.items() if len(name) > 4 for end in ("s", "en")}
_DAYS = {name: number for name, number in WEEKDAYS.items() if len(name) > 1} | _PLURALS
_WEEKDAY = any_word(sorted(_DAYS, key=len, reverse=True))
_ORDINALS = {fold(w): n for a in _ADDED for n, words in a.ordinals.items() for w in words} | {
    f"{n}{end}": n for n in range(1, 6) for end in ("e", "de", "ste", ".", "st", "nd", "rd", "th")
}
_ORDINAL = any_word(sorted(_ORDINALS, key=len, reverse=True))
_EVERY = rf"(?:{_all('every')})"
_NEXT_DAY = rf"(?:\s?(?:,|&|\+|/|en|and|und|et)\s?(?:op\s|on\s|{_EVERY}\s)?(?:{_WEEKDAY})\.?(?!\w))"
_WEEKLY = re.compile(rf"(?<!\w){_EVERY}\s(?P<days>(?:{_WEEKDAY})\.?(?!\w){_NEXT_DAY}*)")
_RANGE = re.compile(
    rf"(?<!\w){_EVERY}\s(?P<first>{_WEEKDAY})\s?(?:-|t/m|tot en met|to|through|bis|au)\s?(?P<last>{_WEEKDAY})(?!\w)"
)
_OF_MONTH = r"\s(?:van\s(?:de|elke|iedere)\smaand|(?:of|in)\s(?:the|each|every)\smonth|im\smonat|(?:des|eines|jedes|jeden)\smonats|(?:du|de\schaque)\smois|per\smaand)"
_MONTHLY = re.compile(
    rf"(?<!\w)(?:{_EVERY}\s)?(?:(?:the|de|le|am)\s)?(?P<nth>{_ORDINAL})\s?(?P<day>{_WEEKDAY})(?P<month>{_OF_MONTH})?(?!\w)"
)
_OTHER = re.compile(
    rf"(?<!\w)(?:every other|om de week(?: op)?|elke twee weken(?: op)?|alle zwei wochen(?: am)?|jeden zweiten?|every two weeks(?: on)?)\s(?P<day>{_WEEKDAY})(?!\w)"
)
_ADVERB = re.compile(rf"(?<!\w)(?P<day>{_WEEKDAY})(?!\w)")
_EACH_WEEK = re.compile(
    r"(?<!\w)(?:wekelijks|weekly|wochentlich|elke week|iedere week|every week|jede woche|chaque semaine|hebdomadaire)(?!\w)"
)
_EACH_DAY = re.compile(
    r"(?<!\w)(?:dagelijks|daily|taglich|elke dag|iedere dag|every day|jeden tag|tous les jours|chaque jour)(?!\w)"
)
_ADVERBS = re.compile(
    r"(?<!\w)(?P<day>mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays|montags|dienstags|mittwochs|donnerstags|freitags|samstags|sonntags)(?!\w)"
)
_IN_GERMAN = {
    "montags": 0,
    "dienstags": 1,
    "mittwochs": 2,
    "donnerstags": 3,
    "freitags": 4,
    "samstags": 5,
    "sonntags": 6,
}


class Recurrence(msgspec.Struct, frozen=True):
    """The rule, and the text without it: its hours, and the days between which it holds."""

    rule: str
    rest: str = ""


def read_recurrence(text: str) -> Recurrence | Unread:
    stated = _RULE.fullmatch(text.strip().upper())
    if stated is not None:
        return Recurrence(stated[1]) if _is_valid(stated[1]) else unread(Doubt.INVALID, text)
    folded = re.sub(r"[‐‑‒–—―−]", "-", fold(clean_line(text, MAX_RULE)))
    for pattern, rule_of in _READERS:
        found = pattern.search(folded)
        rule = rule_of(found) if found else None
        if found and rule:
            return Recurrence(rule, f"{folded[: found.start()]} {folded[found.end() :]}".strip(" ,;-"))
    return unread(Doubt.UNREADABLE, text)


def _other(found: re.Match[str]) -> str | None:
    return f"FREQ=WEEKLY;INTERVAL=2;BYDAY={_CODES[_DAYS[found['day']]]}"


def _monthly(found: re.Match[str]) -> str | None:
    """Without "of the month" only where a digit says so: "every second Tuesday" is as well every other one."""
    number = _ORDINALS[found["nth"]]
    is_repeated = re.match(_EVERY, found[0]) is not None
    is_of_months = found["month"] is not None and (
        is_repeated or bool(re.search(_EVERY + "|each|maand|monat|mois|month", found["month"]))
    )
    if not is_of_months and not (is_repeated and (found["nth"][0].isdigit() or number != 2)):
        return None
    return f"FREQ=MONTHLY;BYDAY={number}{_CODES[_DAYS[found['day']]]}"


def _range(found: re.Match[str]) -> str | None:
    first, last = _DAYS[found["first"]], _DAYS[found["last"]]
    days = [(first + n) % 7 for n in range((last - first) % 7 + 1)]
    return f"FREQ=WEEKLY;BYDAY={','.join(_CODES[day] for day in sorted(days))}"


def _weekly(found: re.Match[str]) -> str | None:
    days = {_DAYS[name] for name in re.findall(rf"(?<!\w)(?:{_WEEKDAY})(?!\w)", found["days"])}
    return f"FREQ=WEEKLY;BYDAY={','.join(_CODES[day] for day in sorted(days))}"


def _adverb(found: re.Match[str]) -> str | None:
    day = _IN_GERMAN.get(found["day"], _DAYS.get(found["day"]))
    return None if day is None else f"FREQ=WEEKLY;BYDAY={_CODES[day]}"


def _each_week(found: re.Match[str]) -> str | None:
    day = _ADVERB.search(found.string)
    return f"FREQ=WEEKLY;BYDAY={_CODES[_DAYS[day['day']]]}" if day else "FREQ=WEEKLY"


_READERS = (
    (_OTHER, _other),
    (_MONTHLY, _monthly),
    (_RANGE, _range),
    (_WEEKLY, _weekly),
    (_ADVERBS, _adverb),
    (_EACH_WEEK, _each_week),
    (_EACH_DAY, lambda _found: "FREQ=DAILY"),
)


def _is_valid(rule: str) -> bool:
    try:
        rrulestr(rule, dtstart=datetime(2000, 1, 3))
    except (ValueError, TypeError, KeyError, OverflowError):
        return False
    return True


def occurrences(rule: str, first: date, last: date) -> list[date]:
    """The days of a rule from `first` to `last`, both included; [] where they are more than a calendar can show."""
    if not timedelta(0) <= last - first <= timedelta(days=3 * 366):
        return []
    bounded = ";".join(part for part in rule.split(";") if not part.startswith(("UNTIL=", "COUNT=")))
    days: list[date] = []
    for moment in rrulestr(bounded, dtstart=datetime.combine(first, time.min)):
        if moment.date() > last:
            return days
        if len(days) == MAX_OCCURRENCES:
            return []
        days.append(moment.date())
    return days


def next_occurrence(rule: str, today: date) -> date | None:
    """The first day of a rule that names its weekdays, from today on; None where the rule alone does not tell it."""
    if "INTERVAL" in rule or ("BYDAY" not in rule and "FREQ=DAILY" not in rule):
        return None
    found = rrulestr(rule, dtstart=datetime.combine(today, time.min)).after(datetime.combine(today, time.min), inc=True)
    return found.date() if found is not None else None
