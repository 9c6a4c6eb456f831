"""The ten categories of events, and the words that speak for each, by language.

A word begins and ends where a word does, unless there is a `*`: Dutch and German join them. The order of the file
breaks ties, and `community` is what events are that no word speaks for (E-063).
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

import msgspec

from winnow.vocabulary.load import load
from winnow.vocabulary.phrases import any_of

Words = dict[str, tuple[str, ...]]
UNKNOWN = "community"
_WORD = re.compile(r"[^\W_]+")
_SINGLE = re.compile(r"\*?[^\W_]+\*?")


class Found(msgspec.Struct, frozen=True, gc=False):
    category: str
    word: str


@cache
def category_words() -> dict[str, Words]:
    return load("event_categories", dict[str, Words])


@cache
def categories() -> tuple[str, ...]:
    return tuple(category_words())


def categories_in(text: str) -> list[Found]:
    """Every different word that speaks for a category, in the order of the text. Texts repeat their words, so that a
    word is looked up once and remembered; a search for all words at every place of a text takes 20 ms."""
    lowered = text.lower()
    spaced = [Found(match.lastgroup or UNKNOWN, match[0]) for match in _phrases().finditer(lowered)]
    words = [Found(category, word) for word in _WORD.findall(lowered) if (category := _category_of(word))]
    return list(dict.fromkeys([*spaced, *words]))


@lru_cache(16_384)
def _category_of(word: str) -> str | None:
    match = _words().fullmatch(word)
    return match.lastgroup if match else None


@cache
def _words() -> re.Pattern[str]:
    """For one word: each category's are a group."""
    return re.compile("|".join(f"(?P<{name}>{_whole(words)})" for name, words in category_words().items()))


def _whole(words: Words) -> str:
    known = {word for own in words.values() for word in own if _SINGLE.fullmatch(word)}
    return "|".join(
        rf"{'.*' if w.startswith('*') else ''}{w.strip('*')}{'.*' if w.endswith('*') else ''}" for w in sorted(known)
    )


@cache
def _phrases() -> re.Pattern[str]:
    """Those of several words, and those with a hyphen or an apostrophe."""
    groups = []
    for name, words in category_words().items():
        known = sorted(
            {w for own in words.values() for w in own if not _SINGLE.fullmatch(w)}, key=lambda w: (-len(w), w)
        )
        if known:
            groups.append(f"(?P<{name}>{any_of(w if w.endswith('*') else f'{w}>' for w in known)})")
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(groups)})")
