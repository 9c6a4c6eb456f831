"""Where a feed says its day only in words: the piece of a title or a text that holds it.

Which day it is, the date reader says; here a text is chosen only when it can hold nothing but a day of the event.
"""

from __future__ import annotations

import re
from functools import cache
from html import unescape

from winnow.extract.event.event_words import DATE_LABELS, NOT_THE_DAY
from winnow.vocabulary.dates import added_dates, cldr_dates

MAX_TEXT = 160
_TAG = re.compile(r"<br\s*/?>|</(?:p|div|li|dt|dd|h\d|tr|td)>", re.IGNORECASE)
_ANY_TAG = re.compile(r"<[^<>]*>")
_LANGUAGES = ("nl", "en", "de", "fr", "es", "it", "pt", "da", "sv", "nb", "pl")
_CLOCK = r"(?:\d{1,2}\s?[:.h]\s?\d\d(?:\s?[ap]\.?m\b\.?)?|\d{1,2}\s?(?:[ap]\.?m\b\.?|uur|uhr|h\b))"


@cache
def _day() -> re.Pattern[str]:
    """A whole day in figures, or with the name of its month, perhaps with weekday, range and time around it."""
    months = {name for lang in _LANGUAGES for names in _months(lang) for name in names.split()}
    weekdays = {name for lang in _LANGUAGES for names in _weekdays(lang) for name in names.split()}
    month = "|".join(sorted((re.escape(name.rstrip(".")) for name in months if len(name) > 2), key=len, reverse=True))
    weekday = "|".join(sorted((re.escape(name.rstrip(".")) for name in weekdays), key=len, reverse=True))
    year = r"(?:,?\s+(?:de\s+)?(?:19|20)\d\d)"
    day = r"\d{1,2}(?:st|nd|rd|th|er|\.|º)?"
    named = rf"{day}(?:\s?(?:-|–|to|t/m|bis|au)\s?{day})?\s+(?:de\s+|of\s+)?(?:{month})\.?{year}?|(?:{month})\.?\s+{day}(?:\s?[-–]\s?{day})?{year}?"
    figures = r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:?\d\d)?)?|\d{1,2}[./-]\d{1,2}[./-](?:20)?\d\d"
    one = rf"(?:(?:{weekday})\.?,?\s+)?(?:{figures}|{named})(?!\w)"
    clock = rf"(?:\s*(?:,|@|\||-|–|at|om|um|à|van|from|von|ab)?\s*{_CLOCK}(?:\s*(?:-|–|to|tot|bis|until)\s*{_CLOCK})?)"
    return re.compile(rf"(?<![\w./-])({one}(?:\s*(?:-|–|t/m|to|tot|until|bis|au)\s*{one})?{clock}?)", re.IGNORECASE)


def _months(lang: str) -> list[str]:
    known, added = cldr_dates().get(lang), added_dates().get(lang)
    own = [*known.months, *known.short_months] if known else []
    return own + ([word for words in added.months.values() for word in words] if added else [])


def _weekdays(lang: str) -> list[str]:
    known, added = cldr_dates().get(lang), added_dates().get(lang)
    own = [*known.weekdays, *known.short_weekdays] if known else []
    return own + ([word for words in added.weekdays.values() for word in words] if added else [])


def title_day(title: str) -> tuple[str, str]:
    """The day at an edge of a title, and the title without it; ("", title) where there is none."""
    for match in _day().finditer(title[:300]):
        before, after = title[: match.start()].strip(" -–—:|,([@•·"), title[match.end() :].strip(" -–—:|,)]•·")
        if NOT_THE_DAY.search(title):
            return "", title
        if not before or not after:
            return match[1].strip(), before or after or title
    return "", title


def text_day(html: str) -> tuple[str, bool]:
    """The day a description names in a line of its own, or behind a label; and whether a label said so."""
    lines = plain_lines(html)[:30]
    for line in lines:
        label, colon, rest = line.partition(":")
        if colon and label.strip(" *-•").lower() in DATE_LABELS and (found := _day().search(rest[:MAX_TEXT])):
            return found[1].strip(), True
    for line in lines[:4]:
        found = _day().match(line.strip(" -–—:|•·("))
        if found and len(line) <= MAX_TEXT and not NOT_THE_DAY.search(line):
            return found[1].strip(), False
    return "", False


def plain_lines(html: str) -> list[str]:
    text = unescape(_ANY_TAG.sub(" ", _TAG.sub("\n", html[:20_000])))
    return [line for line in (" ".join(part.split()) for part in text.split("\n")) if line]
