"""Where a line of text holds a day, a part of one, or a time. What they mean is for the reader of dates to say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import msgspec

from winnow.vocabulary.dates import added_dates, cldr_dates

# Read on every page beside the page's own language: names in these are common on pages of others.
_COMMON = ("en", "nl", "de", "fr")
_UNSTATED = (*_COMMON, "es", "it", "pt", "sv", "da", "pl", "cs")
_NUMBER = r"(?:0?[1-9]|[12]\d|3[01])"
_ORDINAL = r"(?:\s?(?:st|nd|rd|th|er|ste|de|e|º|ª)\b|\.)?"
_YEAR = r"(?:(?:19|20)\d\d)(?!\d)"
_DASH = r"\s*(?:-|–|—|‐|t/m|tot(?: en met)?|bis|to|until|through|thru|al|au|&|\+|and|en|und|et|y)\s*"


class Span(msgspec.Struct, frozen=True, gc=False):
    """A day as it stands in a line. `year` says that a year stands with it."""

    start: int
    end: int
    text: str
    year: bool


class Clock(msgspec.Struct, frozen=True, gc=False):
    start: int
    end: int
    first: str
    last: str = ""  # of "20:00 – 23:00"


class Names(msgspec.Struct, frozen=True, gc=False):
    """What finds days in texts of one language."""

    day: re.Pattern[str]
    month_only: re.Pattern[str]  # "September 2026", the heading of a part of a list
    bare_month: re.Pattern[str]
    weekday_day: re.Pattern[str]  # "vr 4", "Sat 12": a day where the month stands above
    weekday: re.Pattern[str]
    relative: re.Pattern[str]
    quick: re.Pattern[str]  # only a line with this can hold a day


def names_for(lang: str) -> Names:
    own = lang.replace("_", "-").partition("-")[0].lower()
    return _names(own if own in cldr_dates() else "")


@cache
def _names(own: str) -> Names:
    tags = tuple(dict.fromkeys((own, *_COMMON))) if own else _UNSTATED
    known = [cldr_dates()[tag] for tag in tags]
    added = [added_dates()[tag] for tag in tags if tag in added_dates()]
    months = _joined(
        [_forms(k.months, k.short_months) for k in known] + [[f for w in a.months.values() for f in w] for a in added]
    )
    weekdays = _joined(
        [_forms(k.weekdays, k.short_weekdays) for k in known]
        + [[f for w in (*a.weekdays.values(), *a.weekdays_beside_month.values()) for f in w] for a in added]
    )
    relative = _joined([[f for n, w in a.days.items() if n in (0, 1, 2) for f in w] for a in added])
    return _compiled(months, weekdays, relative)


def _forms(*names: tuple[str, ...]) -> list[str]:
    return [form.rstrip(".") for group in names for text in group for form in text.split()]


def _joined(groups: list[list[str]]) -> str:
    words = {word for group in groups for word in group if len(word) > 1 or word > "\u024f"}
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True)) or "(?!)"


def _compiled(months: str, weekdays: str, relative: str) -> Names:
    month = rf"(?<![^\W\d_])(?:{months})(?![^\W\d_])\.?"
    weekday = rf"(?<![^\W\d_])(?:{weekdays})(?![^\W\d_])\.?"
    year = rf"(?:\s*,?\s*(?:de\s+|of\s+)?(?P<y{{0}}>{_YEAR}|['’]\d\d\b))?"
    number = rf"(?<![\d:.,/€$£]){_NUMBER}"
    days = "|".join(
        [
            r"(?<!\d)(?P<y1>(?:19|20)\d\d)[-/.](?:0?[1-9]|1[0-2])[-/.](?:0?[1-9]|[12]\d|3[01])(?!\d)",
            rf"{number}{_ORDINAL}(?:{_DASH}(?:{weekday},?\s*)?{_NUMBER}{_ORDINAL}(?=\W{{0,3}}(?:de\s+|of\s+)?{month}))?"
            rf"\s*[-/,]?\s*(?:de\s+|of\s+|d['’])?{month}(?:[-/])?{year.format(2)}",
            rf"{month}\s*[-/]?\s*{_NUMBER}(?!\d|:\d|\s?[ap]\.?m\b){_ORDINAL}(?:{_DASH}{_NUMBER}(?!\d|:\d|\s?[ap]\.?m\b){_ORDINAL})?[-/]?{year.format(3)}",
            r"(?<![\d.,/:€$£-])\d{1,2}(?P<s4>\s?[./-]\s?)\d{1,2}(?P=s4)(?P<y4>(?:19|20)\d\d|\d\d)(?![\d%]|[.:]\d)",
            r"(?P<y5>(?:19|20)\d\d)\s?年\s?\d{1,2}\s?月\s?\d{1,2}\s?日?|\d{1,2}\s?月\s?\d{1,2}\s?日",
            r"(?P<y6>(?:19|20)\d\d)\s?년\s?\d{1,2}\s?월\s?\d{1,2}\s?일",
            rf"{weekday},?\s*\d{{1,2}}\s?[./-]\s?\d{{1,2}}(?![\d:])\.?",
        ]
    )
    flags = re.IGNORECASE
    return Names(
        day=re.compile(rf"(?:(?:{weekday}{_DASH})?{weekday}\W{{0,3}}(?:(?:den|de|le|el|the)\s+)?)?(?:{days})", flags),
        month_only=re.compile(rf"\W*{month}\W{{0,3}}(?:{_YEAR})?\W*", flags),
        bare_month=re.compile(rf"{month}", flags),
        weekday_day=re.compile(
            rf"[^\w(]*(?:{weekday}\W{{0,3}})?{_NUMBER}{_ORDINAL}(?:\W{{0,3}}{weekday})?(?:{_DASH}{weekday}\W{{0,3}}{_NUMBER}{_ORDINAL})?\W*",
            flags,
        ),
        weekday=re.compile(rf"\W*{weekday}\W*", flags),
        relative=re.compile(rf"(?<![^\W_])(?:{relative})(?![^\W_])", flags),
        quick=re.compile(r"\d"),
    )


# "22-4", the whole of a short line; "4.5" is as well a rating.
_D, _M = r"(?:0?[1-9]|[12]\d|3[01])", r"(?:0?[1-9]|1[0-2])"
_SHORT_NUMERIC = re.compile(
    rf"[^\w€$£]{{0,2}}(?:\d{{1,2}}\s?[/-]\s?\d{{1,2}}\.?|{_D}\.\s?{_M}\.|(?:0[1-9]|[12]\d|3[01])\.(?:0[1-9]|1[0-2]))[^\w€$£]{{0,2}}"
)
MAX_RELATIVE = 30  # "20.30 vandaag" and no sentence
MAX_LINE = 400  # a longer line is a paragraph: days in it are told, not listed


def days_in(line: str, names: Names) -> Iterator[Span]:
    if len(line) > MAX_LINE:
        return
    if names.quick.search(line):
        found = False
        for match in names.day.finditer(line):
            found = True
            year = any(text for name, text in match.groupdict().items() if name[0] == "y")
            yield Span(match.start(), match.end(), match[0].strip(), year)
        if not found and _SHORT_NUMERIC.fullmatch(line):
            yield Span(0, len(line), line.strip(), False)
            return
    if len(line) <= MAX_RELATIVE:
        near = names.relative.search(line)
        rest = line[: near.start()] + line[near.end() :] if near else "x"
        if near and not re.search(r"[^\W\d_]{4,}", rest):
            yield Span(near.start(), near.end(), near[0], False)


_T = r"(?:[01]?\d|2[0-4])\s?[:h]\s?[0-5]\d(?::[0-5]\d(?!\d))?(?:\s?[ap]\.?\s?m\b\.?)?|(?:1[0-2]|0?\d)(?:\.[0-5]\d)?\s?[ap]\.?\s?m\b\.?"
_SUFFIX = r"(?:\s?(?:uhr|uur|hrs?|h|hod\.?|godz\.?|u\.?)(?![^\W\d_]))"
_DOTTED = (
    rf"(?:[01]?\d|2[0-4])\.[0-5]\d(?={_SUFFIX})|(?:[01]?\d|2[0-4])(?={_SUFFIX})|(?:[01]?\d|2[0-4])[時시](?:\d\d[分분])?"
)
_WORDS = r"\b(?:noon|midnight|12 noon)\b"
_ONE = rf"(?<![\d.,:/€$£-])(?:{_T}|{_DOTTED}|{_WORDS})"
_HALF = r"(?:1[0-2]|0?[1-9])(?::[0-5]\d)?(?=\s*(?:-|–|—|to)\s*(?:1[0-2]|0?[1-9])(?::[0-5]\d)?\s?[ap]\.?m)"
_TO = r"\s*(?:-|–|—|to|bis|tot|à|until|till|t/m)\s*"
# "19.30 - 21.00 uur": the word stands once, and is said of both.
_FIRST_DOTTED = rf"(?:[01]?\d|2[0-4])\.[0-5]\d(?=\s*(?:-|–|—|to|bis|tot|t/m)\s*(?:[01]?\d|2[0-4])\.[0-5]\d{_SUFFIX})"
_CLOCKS = re.compile(
    rf"(?P<a>{_ONE}|(?<![\d.,:/€$£-])(?:{_HALF}|{_FIRST_DOTTED})){_SUFFIX}?(?:{_TO}(?P<b>(?:{_T}|{_DOTTED}|\d{{1,2}}[.:][0-5]\d|{_WORDS}){_SUFFIX}?))?",
    re.IGNORECASE,
)
# After a label or beside a day "20.30" is an hour too.
_LOOSE = re.compile(
    r"(?<![\d.,:/€$£-])(?P<a>(?:[01]?\d|2[0-3])\.[0-5]\d)(?![\d.,%€])(?:\s*(?:-|–|—|to|bis|tot)\s*(?P<b>(?:[01]?\d|2[0-3])\.[0-5]\d)(?![\d.,%€]))?"
)


def clocks_in(text: str, loose: bool = False) -> list[Clock]:
    found = [_clock(match) for match in _CLOCKS.finditer(text)] if re.search(r"\d|noon|midnight", text) else []
    if not found and loose:
        found = [_clock(match) for match in _LOOSE.finditer(text)]
    return found


def _clock(match: re.Match[str]) -> Clock:
    """ "6:00 – 8:00 pm": the half of the day stands once, and is said of both."""
    first, last = match[0][: match.end("a") - match.start()], (match["b"] or "").strip()
    first = match[0][: match.start("b") - match.start()].rstrip(" -–—").strip() if last else match[0].strip()
    first = re.sub(r"(?:-|–|—|\b(?:to|bis|tot|until|till|t/m))\s*$|\sà\s*$", "", first, flags=re.IGNORECASE).strip()
    half = re.search(r"[ap]\.?\s?m\b\.?$", last, re.IGNORECASE)
    if half and not re.search(r"[ap]\.?\s?m\b", first, re.IGNORECASE) and _is_before(first, last):
        first = f"{first} {half[0]}"
    return Clock(match.start(), match.end(), first, last)


def _is_before(first: str, last: str) -> bool:
    """11 – 2 pm begins in the morning, and is left as it stands."""
    hours = [re.match(r"\d{1,2}", text) for text in (first, last)]
    return all(hours) and int(hours[0][0]) % 12 <= int(hours[1][0]) % 12  # type: ignore[index]


def letters_in(text: str) -> int:
    return sum(c.isalpha() for c in text)


_BEGINNINGS = "jan|feb|maa mrt mar|apr avr|may mei mai|jun|jul|aug|sep|okt oct|nov|dec dez"
_MONTH_NUMBERS = {name: n for n, names in enumerate(_BEGINNINGS.split("|"), 1) for name in names.split()}
# Not Mondays and Tuesdays: maandag, mardi, martedì, martes.
_MONTH_NAMES = re.compile(rf"(?<![^\W\d_])(?!maandag|mardi|marted|martes)({'|'.join(_MONTH_NUMBERS)})[^\W\d_]*")


def day_and_month(text: str) -> tuple[int, int] | None:
    """Of a day with one month in words; months are known by how they begin, "sep" and "september"."""
    number = re.search(r"(?<!\d)0?(\d{1,2})(?!\d|:)", text)
    months = {_MONTH_NUMBERS[name] for name in _MONTH_NAMES.findall(text.lower())}
    return (int(number[1]), months.pop()) if number and len(months) == 1 else None
