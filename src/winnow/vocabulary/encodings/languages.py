"""Which letters a language has beyond ASCII, and the code pages it is written in (`data/encodings.json`)."""

from __future__ import annotations

from functools import cache

import msgspec

from winnow.vocabulary.load import load


class LanguageLetters(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`letters` beyond ASCII by which a text in Latin letters is recognised in one of `pages`; `needed`: those of which
    it has at least one in any longer text, where another language has the same letters. `undeclared`: the page of web
    pages that name this language and no encoding, unless it is Windows-1252."""

    letters: str = ""
    needed: str = ""
    pages: tuple[str, ...] = ()
    undeclared: str | None = None


@cache
def languages() -> dict[str, LanguageLetters]:
    return load("encodings", dict[str, LanguageLetters])
