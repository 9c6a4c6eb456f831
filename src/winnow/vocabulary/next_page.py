"""How the links and buttons are called that lead to more of a list (`data/next_page.json`)."""

from __future__ import annotations

import re
from functools import cache

import msgspec

from winnow.vocabulary.load import gather, load

MAX_LABEL = 40  # characters: longer is a sentence
_MARKS = re.compile(r"[\s›»>→↓+…]+")


class NextPageWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """In lower case: whole labels of a link to the next page, and how labels of buttons begin that load more."""

    next: tuple[str, ...] = ()
    more: tuple[str, ...] = ()


def leads_to_more(label: str) -> bool:
    """Whether a link or button with this text shows more of its list."""
    if len(label) > MAX_LABEL or not label.strip():
        return False
    text = _MARKS.sub(" ", label).strip().lower()
    return text in _words("next") or not text or f"{text} ".startswith(_beginnings())


@cache
def _words(section: str) -> frozenset[str]:
    return frozenset(gather(load("next_page", dict[str, NextPageWords]), section))


@cache
def _beginnings() -> tuple[str, ...]:
    return tuple(f"{word} " for word in sorted(_words("more")))
