"""Titles as words that can be compared: without case, accents, articles, weekdays and places. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date
from functools import lru_cache

import msgspec

from winnow.normalise.text import fold
from winnow.store.events.matching.meanings import halves, in_english
from winnow.store.events.matching.phrases import APOSTROPHES, WORD, is_grown
from winnow.vocabulary.dates import CldrDates, cldr_dates
from winnow.vocabulary.event_titles import vocabulary

GENERIC_WEIGHT = 0.3  # a word that says what sort of event it is counts, but does not say which
MIN_FUZZY = 6  # letters: of shorter words one other letter makes another word
MIN_PLURAL = 4  # letters of a word that is the same with an s
_CLOCK = re.compile(r"\b([01]?\d|2[0-3])[:.]([0-5]\d)(?:\s*(?:uur|uhr|u|h))?\b")
_AGES = re.compile(r"\b\d{1,2}\s*(?:\+|(?:t/?m|tot|bis|to|-|\u2013)\s*\d{1,2}\s*(?:jaar|jr|jahre?|years?)\b)")
_GROUP = re.compile(r"\s([A-H])(?=$|\s*[(\[:|-])")  # "Podium A"
_ABBREVIATION = re.compile(r"\b(?:[a-z]\.){3,}")  # "o.l.v."
_INITIALS = re.compile(r"\b[a-z]\.")
# "(EN)" beside "(NL)". Codes of countries, which say where an act is from, are others.
_TONGUES = re.compile(r"[(\[]([A-Z /,&+-]{2,20})[)\]]")
_TONGUE = re.compile(r"\b(?:EN|ENG|NL|NED|DE|DUI|FR|FRA)\b")
_UMLAUT = re.compile("([aou])e")
_DIGITS = re.compile(r"\d+")
_NUMBER = re.compile(r"\d+(?:e|de|ste|te|th|st|nd|rd)?")
_ROMAN_OR_ORDINAL = re.compile("[ivx]+|.*(?:de|ste|te|ter|th|st|nd|rd)")
_BETWEEN = ("", "s")  # what joins the words of a compound: "stad" and "wandeling" are "stadswandeling"
MAX_JOINED = 3  # words that another title writes as one


class Title(msgspec.Struct, frozen=True):
    """`words` in their order; `numbers` with those written as words; `spelt`: counting words that belong to a name
    and number nothing ("two fires"); `ages` for whom it is; `weekdays` from Monday (0) on; `tongues` the codes of
    languages in brackets, by their first letter; `text` as it stood."""

    words: tuple[str, ...]
    numbers: frozenset[int]
    spelt: frozenset[int] = frozenset()
    ages: frozenset[str] = frozenset()
    weekdays: frozenset[int] = frozenset()
    tongues: frozenset[str] = frozenset()
    text: str = ""


class Agreement(msgspec.Struct, frozen=True):
    """How alike two titles are: `overlap` the weighted share of all words both have, `contained` that of the shorter
    title, `shared` the distinctive words in both, `left` those in the first or the second only, `apart` the words in
    one of them only that make it another event, `day_parts` whether both may be of one part of the day, `grown` whether
    the one with words of its own says them in one breath with the others ("Italian", "Italian cooking")."""

    overlap: float
    contained: float
    shared: int
    left: tuple[int, int]
    apart: tuple[frozenset[str], frozenset[str]]
    day_parts: bool = True
    grown: bool = False


@lru_cache(maxsize=20_000)
def read(title: str, day: date | None = None, drop: frozenset[str] = frozenset()) -> Title:
    """`drop`: words of the place, which some sources add to the title; `day`: that of the event, as others do."""
    known = vocabulary()
    folded = fold(_CLOCK.sub(" ", title))
    if day is not None and any(map(str.isdigit, folded)):
        folded = _own_date(day).sub(" ", folded)
    folded = _INITIALS.sub(" ", _ABBREVIATION.sub(_without_dots, folded))
    found = WORD.findall(APOSTROPHES.sub("", _AGES.sub(" ", folded)))
    year = None if day is None else str(day.year)
    numbers = {-ord(letter) for letter in _GROUP.findall(title)}
    spelt: set[int] = set()
    words: list[str] = []
    for word in found:
        if word not in known.english:  # "4tet"
            numbers.update(int(n) for n in _DIGITS.findall(word) if len(n) < 10 and n != year)
        if word in known.numbers:
            (numbers if _ROMAN_OR_ORDINAL.fullmatch(word) else spelt).add(known.numbers[word])
        elif not _NUMBER.fullmatch(word) and word not in known.silent:
            words.append(word)
    if spelt and (numbers or known.parts.intersection(words)):
        numbers |= spelt
        spelt = set()
    kept = [word for word in words if word not in drop]
    ages = frozenset("".join(age.split()) for age in _AGES.findall(folded))
    weekdays = frozenset(known.weekdays[word] for word in found if word in known.weekdays)
    tongues = frozenset(tongue[0] for codes in _TONGUES.findall(title) for tongue in _TONGUE.findall(codes))
    return Title(tuple(kept or words), frozenset(numbers), frozenset(spelt), ages, weekdays, tongues, folded)


@lru_cache(maxsize=1_000)
def _own_date(day: date) -> re.Pattern[str]:
    """A date that says the day of the event once more ("(postponed to 9 May)")."""
    months = sorted({fold(name) for known in cldr_dates().values() for name in _names(known, day.month)}, key=len)
    name = "|".join(re.escape(each.rstrip(".")) for each in reversed(months) if each)
    number, year = rf"0?{day.day}(?:e|de|ste|th|st|nd|rd|\.)?", rf"(?:[\s,/.-]+{day.year})?"
    named = rf"{number}\s+(?:of\s+)?(?:{name})|(?:{name})\.?\s+{number}"
    return re.compile(rf"\b(?:{named}|0?{day.day}[/.-]0?{day.month}){year}\b")


def _names(known: CldrDates, month: int) -> list[str]:
    return f"{known.months[month - 1]} {known.short_months[month - 1]}".split()


def _without_dots(found: re.Match[str]) -> str:
    return found[0].replace(".", "") + " "


def same_numbers(a: Title, b: Title) -> bool:
    """A counting word counts only where the other title has numbers too."""
    one, other = (
        a.numbers or (a.spelt if b.numbers or b.spelt else a.numbers),
        b.numbers or (b.spelt if a.numbers or a.spelt else b.numbers),
    )
    if any(one and other and one != other for one, other in ((a.weekdays, b.weekdays), (a.tongues, b.tongues))):
        return False
    return one == other and not (a.ages and b.ages and a.ages != b.ages)


def compare(a: Title, b: Title) -> Agreement:
    raw, other_raw = _joined(a.words, b.words), _joined(b.words, a.words)
    one, other = _meanings(raw), _meanings(other_raw)
    twins = {word: _twin(word, one) for word in other}
    alike = one | {word for word, twin in twins.items() if twin in one}
    other = set(twins.values())
    both = one & other
    smaller = min(_weight(one), _weight(other))
    generic = vocabulary().generic
    left = one - both - generic, other - both - generic
    return Agreement(
        overlap=_weight(both) / (_weight(one | other) or 1.0),
        contained=_weight(both) / (smaller or 1.0),
        shared=len(both - generic),
        left=(len(left[0]), len(left[1])),
        apart=(_apart(raw, other_raw, other), _apart(other_raw, raw, alike)),
        day_parts=_day_parts(one, other),
        grown=bool(left[0]) != bool(left[1]) and is_grown(*((a.text, a.words) if left[0] else (b.text, b.words)), both),
    )


def _day_parts(one: set[str], other: set[str]) -> bool:
    parts = vocabulary().day_parts
    here, there = ({parts[word] for word in words if word in parts} for words in (one, other))
    return not here or not there or here == there


def _apart(raw: set[str], other_raw: set[str], other: set[str]) -> frozenset[str]:
    """Words that make it another event, where the other title does not say them, in whatever language."""
    found = vocabulary().apart & (raw | halves(raw)) - other_raw - halves(other_raw)
    return frozenset(word for word in found if not other.issuperset(in_english(word)))


def shared_part(a: str, b: str) -> float:
    """The weighted share of words two titles have in common."""
    return compare(read(a), read(b)).overlap


def _weight(words: Iterable[str]) -> float:
    generic = vocabulary().generic
    return sum(GENERIC_WEIGHT if word in generic else 1.0 for word in words)


def _joined(words: Sequence[str], other: Sequence[str]) -> set[str]:
    """Two or three words that the other title writes as one are that one ("jazz festival", "jazzfestival")."""
    there, left = set(other), list(words)
    if there.issuperset(left):
        return set(left)
    found: set[str] = set()
    for length in range(MAX_JOINED, 1, -1):
        for at in range(len(left) - length, -1, -1):
            together = _compounds(left[at : at + length]) & there
            if together:
                found |= together
                del left[at : at + length]
    return found | set(left)


def _compounds(words: list[str]) -> set[str]:
    """Two of them in either order: an "orgelconcert" is a "concert" on the "orgel"."""
    orders = (words, words[::-1]) if len(words) == 2 else (words,)
    return {between.join(order) for order in orders for between in _BETWEEN}


def _meanings(words: Iterable[str]) -> set[str]:
    return {meaning for word in words for meaning in in_english(word)}


def _twin(word: str, others: set[str]) -> str:
    """The word of the other title that this one is, but for one letter or a plural."""
    if word in others or len(word) < MIN_PLURAL or word.isdigit():
        return word
    return next((o for o in sorted(others) if _alike(word, o)), word)


def _alike(a: str, b: str) -> bool:
    short, long = sorted((a, b), key=len)
    if len(long) < MIN_FUZZY:
        return len(short) >= MIN_PLURAL and long == short + "s"
    return (len(short) >= MIN_FUZZY and one_edit(a, b)) or long == short + "s" or _plain(a) == _plain(b)


def _plain(word: str) -> str:
    """Without the e of an umlaut: "mueller" and "muller"."""
    return _UMLAUT.sub(r"\1", word)


def one_edit(a: str, b: str) -> bool:
    """Whether one letter was added, left out or changed."""
    if a == b:
        return True
    if len(a) > len(b):
        a, b = b, a
    if len(b) - len(a) > 1:
        return False
    n = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), len(a))
    return a[n:] == b[n + 1 :] or (len(a) == len(b) and a[n + 1 :] == b[n + 1 :])
