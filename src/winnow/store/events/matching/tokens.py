"""Titles as words that can be compared: without case, accents, articles, weekdays and places. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

import msgspec

from winnow.normalise.text import fold
from winnow.vocabulary.event_titles import vocabulary

GENERIC_WEIGHT = 0.3  # a word that says what sort of event it is counts, but does not say which
MIN_FUZZY = 6  # letters: of shorter words one other letter makes another word
_CLOCK = re.compile(r"\b([01]?\d|2[0-3])[:.]([0-5]\d)(?:\s*(?:uur|uhr|u|h))?\b")
_APOSTROPHES = re.compile("['\u2018\u2019`\u00b4]")
_WORD = re.compile(r"[^\W_]+")
_DIGITS = re.compile(r"\d+")


class Title(msgspec.Struct, frozen=True):
    """`words` in their order; `numbers` with those written as words; `apart` the ones that make it another event."""

    words: tuple[str, ...]
    numbers: frozenset[int]
    apart: frozenset[str]

    @property
    def distinctive(self) -> set[str]:
        return {word for word in self.words if word not in vocabulary().generic}


class Agreement(msgspec.Struct, frozen=True):
    """How alike two titles are: `overlap` the weighted share of all words both have, `contained` that of the shorter
    title, `shared` the distinctive words in both, `left` those in one only."""

    overlap: float
    contained: float
    shared: int
    left: int


@lru_cache(maxsize=20_000)
def read(title: str, year: int | None = None, drop: frozenset[str] = frozenset()) -> Title:
    """`drop`: words of the place, which some sources add to the title; `year`: that of the event, as others do."""
    known = vocabulary()
    found = _WORD.findall(_APOSTROPHES.sub("", fold(_CLOCK.sub(" ", title))))
    numbers: set[int] = set()
    words: list[str] = []
    for word in found:
        digits = [int(n) for n in _DIGITS.findall(word) if len(n) < 10 and int(n) != year]
        numbers.update(digits)
        if word in known.numbers:
            numbers.add(known.numbers[word])
        elif not word.isdigit() and word not in known.silent:
            words += known.english.get(word, [word])
    kept = [word for word in words if word not in drop]
    apart = frozenset(known.apart.intersection(found))
    return Title(tuple(kept or words), frozenset(numbers), apart)


def compare(a: Title, b: Title) -> Agreement:
    one, other = _joined(a.words, b.words), _joined(b.words, a.words)
    other = {_twin(word, one) for word in other}
    both = one & other
    weigh = _weight
    smaller = min(weigh(one), weigh(other))
    distinctive = {word for word in one | other if word not in vocabulary().generic}
    return Agreement(
        overlap=weigh(both) / (weigh(one | other) or 1.0),
        contained=weigh(both) / (smaller or 1.0),
        shared=len(both & distinctive),
        left=len(distinctive - both),
    )


def shared_part(a: str, b: str) -> float:
    """The weighted share of words two titles have in common."""
    return compare(read(a), read(b)).overlap


def _weight(words: Iterable[str]) -> float:
    generic = vocabulary().generic
    return sum(GENERIC_WEIGHT if word in generic else 1.0 for word in words)


def _joined(words: Sequence[str], other: Sequence[str]) -> set[str]:
    """Two words that the other title writes as one are that one ("jazz festival", "jazzfestival")."""
    there, left = set(other), list(words)
    found: set[str] = set()
    for first, second in pairwise(words):
        if first + second in there and first in left and second in left:
            found.add(first + second)
            left.remove(first)
            left.remove(second)
    return found | set(left)


def _twin(word: str, others: set[str]) -> str:
    """The word of the other title that this one is, but for one letter or a plural."""
    if word in others or len(word) < MIN_FUZZY or word.isdigit():
        return word
    return next((o for o in sorted(others) if len(o) >= MIN_FUZZY and one_edit(word, o)), word)


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
