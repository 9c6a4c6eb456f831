"""Which code page a text in Latin letters is written in, told by the languages that are written so.

A page is right when there is a language that has nearly all letters of the text, read in that page, and signs stand in
none of its words. Read in the wrong page, Lithuanian has Icelandic letters beside French ones, and Polish has raised
numbers in its words: no language has both. Where several pages are right, or none is, nothing is told.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from itertools import chain
from typing import NamedTuple

from winnow.vocabulary.encodings.evidence import ASCII
from winnow.vocabulary.encodings.languages import languages

MIN_TELLING = 3  # letters that Windows-1252 cannot explain, for another page to be believed
MIN_OWN = 3  # different letters of a language that stand where Windows-1252 has others
MAX_UNEXPLAINED = 0.04  # of the letters: names of brands come from anywhere
TIMES_BETTER = 8
_WESTERN, _CENTRAL, _TURKISH, _BALTIC = "cp1252", "cp1250", "cp1254", "cp1257"
# Letters of brands and borrowed words, which stand in the texts of any language.
_BORROWED = {_WESTERN: "äöüéèêßåøñçµ", _TURKISH: "äéßµ"}
_PAGES = (_WESTERN, _CENTRAL, "iso8859-2", _TURKISH, _BALTIC)  # of several that fit, the first
_SIGN_IN_WORD = re.compile(r"(?<=[^\W\d_])(?:[^\w\s\x00-\x7f’‘´·–—®™°©]|[¹²³])(?=[^\W\d_])|[ªº](?=[^\W\d_])")


class Fit(NamedTuple):
    unexplained: int
    page: str


def page_by_language(text: bytes) -> str | None:
    """None where nothing is told: too few letters, or those of several languages or of none."""
    high = Counter(text.translate(None, ASCII))
    letters = sum(count for byte, count in high.items() if byte >= 0xC0)
    western = _best(text, high, [_WESTERN]).unexplained
    if western <= MAX_UNEXPLAINED * letters / 2:
        return _WESTERN if letters >= MIN_TELLING else None
    other = _best(text, high, [page for page in _PAGES if page != _WESTERN])
    clear = western >= MIN_TELLING and other.unexplained * TIMES_BETTER <= western
    return other.page if clear and other.unexplained <= MAX_UNEXPLAINED * high.total() else None


def _best(text: bytes, high: Counter[int], pages: list[str]) -> Fit:
    """The first of those that fit best; a language without the letters it always has does not fit."""
    best = Fit(high.total(), _WESTERN)
    for page in pages:
        signs = sum(1 for _ in _SIGN_IN_WORD.finditer(text.decode(page, "replace")))
        for letters, needed in _written_in(page):
            strange = sum(count for byte, count in high.items() if byte in _strange(page, letters))
            if signs + strange < best.unexplained and _has_own_letters(high, page, letters, needed):
                best = Fit(signs + strange, page)
    return best


def _has_own_letters(high: Counter[int], page: str, letters: str, needed: str) -> bool:
    """Whether letters are there that only this language has in these places: one alone can be another's."""
    if page == _WESTERN:
        return not needed or any(byte in high for byte in _bytes(page, needed))
    own = [letter for letter in letters if _bytes(page, letter).isdisjoint(_shared(page))]
    shown = [letter for letter in own if any(byte in high for byte in _bytes(page, letter))]
    return len(shown) >= max(2, min(MIN_OWN, len(own) - 1))


@cache
def _written_in(page: str) -> tuple[tuple[str, str], ...]:
    """Letters, and needed letters, of each language that is written in a page."""
    return tuple((known.letters, known.needed) for known in languages().values() if page in known.pages)


@cache
def _strange(page: str, letters: str) -> frozenset[int]:
    """Bytes that are letters of other languages, or nothing at all. Those that are the same in Windows-1252 say nothing
    about the page, but for Turkish, which differs from it in six letters only."""
    known = _bytes(page, letters + _BORROWED.get(page, ""))
    known |= _shared(page) if page not in _BORROWED else frozenset()
    return frozenset(byte for byte in range(0x80, 0x100) if byte not in known and not _is_sign(byte, page))


@cache
def _shared(page: str) -> frozenset[int]:
    return frozenset(byte for byte in range(0x80, 0x100) if _read(byte, page) == _read(byte, _WESTERN))


def _is_sign(byte: int, page: str) -> bool:
    read = _read(byte, page)
    return read in "\xa0ªº" or (read != "\ufffd" and read.isprintable() and not read.isalpha())


def _read(byte: int, page: str) -> str:
    return bytes([byte]).decode(page, "replace")


@cache
def _bytes(page: str, letters: str) -> frozenset[int]:
    both = chain(letters, letters.upper())
    found = chain.from_iterable(letter.encode(page, "ignore") for letter in both)
    return frozenset(byte for byte in found if byte >= 0x80)
