"""Names of months and weekdays: those any page is read with, and those of one language only.

A name that two languages use for different months or days ("listopad") is read on pages of a known language only. So
are short forms ("to" is a Finnish Thursday), except those of the languages most pages are written in and those of other
alphabets.

All folded: lower case, no accents (`text.fold`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

from winnow.normalise.text import fold
from winnow.vocabulary.dates import added_dates, cldr_dates

Names = dict[str, int]
_SHORT_FORMS_READ_ANYWHERE = frozenset(["en", "nl", "de", "fr", "es", "it", "pt"])
_MAX_LATIN = "\u024f"
_FIRST_MONTH, _MONDAY = 1, 0


def _numbered(texts: Iterable[str], first: int) -> Iterator[tuple[str, int]]:
    return ((fold(name), number) for number, text in enumerate(texts, first) for name in text.split())


def _added(names: dict[int, tuple[str, ...]]) -> Iterator[tuple[str, int]]:
    return ((fold(name), number) for number, forms in names.items() for name in forms)


def _agreed(names: Iterable[tuple[str, int]]) -> Names:
    """Names with one meaning."""
    meanings: dict[str, set[int]] = {}
    for name, number in names:
        meanings.setdefault(name, set()).add(number)
    return {name: numbers.pop() for name, numbers in meanings.items() if len(numbers) == 1}


def _is_read_anywhere(language: str, name: str) -> bool:
    return language in _SHORT_FORMS_READ_ANYWHERE or name > _MAX_LATIN


def _language(tag: str) -> str:
    """Norwegian pages say `no`; Serbian is written in two alphabets."""
    return tag.partition("_")[0]


def _read_anywhere() -> tuple[Names, Names]:
    months: list[tuple[str, int]] = []
    weekdays: list[tuple[str, int]] = []
    for tag, known in cldr_dates().items():
        short = [pair for pair in _numbered(known.short_months, _FIRST_MONTH) if _is_read_anywhere(tag, pair[0])]
        months += [*_numbered(known.months, _FIRST_MONTH), *short]
        short = [pair for pair in _numbered(known.short_weekdays, _MONDAY) if _is_read_anywhere(tag, pair[0])]
        weekdays += [*_numbered(known.weekdays, _MONDAY), *short]
    for extra in added_dates().values():
        months += _added(extra.months)
        weekdays += _added(extra.weekdays)
    return _agreed(months), _agreed(weekdays)


def _of_languages() -> tuple[dict[str, Names], dict[str, Names]]:
    months: dict[str, Names] = {}
    weekdays: dict[str, Names] = {}
    for tag, known in cldr_dates().items():
        language = _language(tag)
        pairs = [*_numbered(known.months, _FIRST_MONTH), *_numbered(known.short_months, _FIRST_MONTH)]
        months.setdefault(language, {}).update(_agreed(pairs))
        pairs = [*_numbered(known.weekdays, _MONDAY), *_numbered(known.short_weekdays, _MONDAY)]
        weekdays.setdefault(language, {}).update(_agreed(pair for pair in pairs if len(pair[0]) > 1))
    for language, extra in added_dates().items():
        months.setdefault(language, {}).update(_added(extra.months))
        weekdays.setdefault(language, {}).update(_added(extra.weekdays))
    months["no"], weekdays["no"] = months["nb"], weekdays["nb"]
    return months, weekdays


MONTHS, WEEKDAYS = _read_anywhere()
MONTHS_OF_LANGUAGE, WEEKDAYS_OF_LANGUAGE = _of_languages()
# "mar" is March, or Tuesday when a month stands beside it.
WEEKDAYS_BESIDE_MONTH = dict(pair for extra in added_dates().values() for pair in _added(extra.weekdays_beside_month))
_MIN_LONG = 4
_ENGLISH = "en"  # themes leave English dates on pages of any language


# Short months of other languages that are English words: "15 minutes ago" has no August.
_ENGLISH_WORDS = frozenset(["ago", "out", "set", "mag"])
_ENGLISH_MONTHS = {name: number for name, number in MONTHS.items() if name not in _ENGLISH_WORDS}


@cache
def months_of(language: str) -> Names:
    """Names of months on a page of this language: all long ones, and the short ones of its language and of English."""
    return _ENGLISH_MONTHS if language == _ENGLISH else _of(language, MONTHS, MONTHS_OF_LANGUAGE)


@cache
def weekdays_of(language: str) -> Names:
    return _of(language, WEEKDAYS, WEEKDAYS_OF_LANGUAGE)


def _long(names: Names) -> Names:
    return {name: number for name, number in names.items() if len(name) >= _MIN_LONG or name > _MAX_LATIN}


def _of(language: str, anywhere: Names, by_language: dict[str, Names]) -> Names:
    if language == _ENGLISH or language not in by_language:
        return anywhere
    return _long(anywhere) | by_language[_ENGLISH] | by_language[language]


MIN_MISSPELLED = 6  # shorter names are a letter away from other words: "maart" from "kaart", "march" from "match"


_CORRECTED = {
    name: number
    for language in ("nl", "en", "de", "fr")
    for name, number in MONTHS_OF_LANGUAGE[language].items()
    if len(name) >= MIN_MISSPELLED
}


def misspelled_month(word: str) -> int | None:
    """The month whose name differs by one letter that is missing, doubled, wrong or swapped ("febuary", "setpember")."""
    found = {number for name, number in _CORRECTED.items() if _is_one_off(word, name)}
    return found.pop() if len(found) == 1 and word not in MONTHS else None


def _is_one_off(word: str, name: str) -> bool:
    if abs(len(word) - len(name)) > 1 or word[0] != name[0]:
        return False
    same = next((n for n, (a, b) in enumerate(zip(word, name, strict=False)) if a != b), min(len(word), len(name)))
    rest, other = word[same:], name[same:]
    return (
        rest[1:] == other[1:]
        or rest[1:] == other
        or rest == other[1:]
        or (rest[:2] == other[1::-1] and rest[2:] == other[2:])
    )
