"""A place without how is worked there: "Full Time Remote" is no place, "Munich or remote" is Munich."""

from __future__ import annotations

import re
from functools import cache

from winnow.vocabulary.phrases import any_word
from winnow.vocabulary.work_modes import mode_companions, work_modes


def names_only_modes(text: str) -> bool:
    """Nothing is left of it without the words for ways to work, and there is at least one of them."""
    rest = _modes().sub(" ", _spaced(text))
    return rest != _spaced(text) and all(word in mode_companions() for word in re.findall(r"[^\W_]+", rest))


def without_modes(text: str) -> str:
    """What stands before or behind ways to work; the text itself where no mode or companion is at an end of it."""
    kept = text.strip()
    while (shorter := _ends().sub("", kept).strip(" -–/,")) != kept:
        kept = shorter
    return kept


def _spaced(text: str) -> str:
    return " ".join(re.sub(r"[-_/+,]", " ", text.casefold()).split())


@cache
def _modes() -> re.Pattern[str]:
    longest_first = sorted(work_modes(), key=len, reverse=True)
    return re.compile(rf"(?<![^\W_])(?:100\s?%\s)?(?:{'|'.join(map(re.escape, longest_first))})(?![^\W_])")


@cache
def _ends() -> re.Pattern[str]:
    words = any_word(sorted(work_modes() | mode_companions(), key=len, reverse=True))
    return re.compile(rf"^(?:{words})[\s/-]+|[\s/-]+(?:{words})$", re.IGNORECASE)
