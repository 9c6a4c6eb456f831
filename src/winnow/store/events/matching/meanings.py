"""What words of titles mean: in English where they are known, and what compounds are made of. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from winnow.vocabulary.event_titles import vocabulary

MIN_STEM = 4  # letters of a compound's first part


@lru_cache(maxsize=20_000)
def in_english(word: str) -> tuple[str, ...]:
    """As English where the word is known; a compound as its parts ("zomerconcert", "halloweenfeest")."""
    known = vocabulary()
    if word in known.english:
        return tuple(known.english[word])
    if word in known.generic or word in known.apart:
        return (word,)
    stem = stem_of(word)
    if stem is None:
        return _known_halves(word) or (word,)
    ending = word[len(stem) :]
    return (*known.english.get(stem, _known_halves(stem) or [stem]), *known.english.get(ending, [ending]))


def _known_halves(word: str) -> tuple[str, ...]:
    english = vocabulary().english
    return tuple(meaning for half in _halves_of(word) for meaning in english[half])


@lru_cache(maxsize=20_000)
def _halves_of(word: str) -> tuple[str, ...]:
    """The two known words of a compound that is not known itself ("kinder|boeken")."""
    english = vocabulary().english
    if word in english:
        return ()
    for at in range(MIN_STEM, len(word) - MIN_STEM + 1):
        if word[:at] in english and word[at:] in english:
            return word[:at], word[at:]
    return ()


def halves(words: Iterable[str]) -> set[str]:
    """The parts of compounds, as far as they are known."""
    compounds = [word for word in words if word not in vocabulary().generic]
    return {half for word in compounds for half in (stem_of(word), _apart_ending(word), *_halves_of(word)) if half}


@lru_cache(maxsize=20_000)
def _apart_ending(word: str) -> str | None:
    """The end of a compound that makes it another event ("kinderworkshop")."""
    endings = (end for end in sorted(vocabulary().apart) if len(end) > MIN_STEM and len(word) - len(end) >= MIN_STEM)
    return next((end for end in endings if word.endswith(end)), None)


@lru_cache(maxsize=20_000)
def stem_of(word: str) -> str | None:
    """The first part of a compound whose last one is known."""
    for ending in vocabulary().endings:
        if word.endswith(ending) and len(word) >= len(ending) + MIN_STEM:
            return word[: -len(ending)]
    return None
