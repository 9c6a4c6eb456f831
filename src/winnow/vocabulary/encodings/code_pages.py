"""Which code page text is written in that is not Unicode: Windows-1252 unless another is clear."""

from __future__ import annotations

import re
from collections.abc import Callable

from winnow.vocabulary.encodings.evidence import ASCII, HIGH
from winnow.vocabulary.encodings.guess import guess
from winnow.vocabulary.encodings.latin_pages import page_by_language

_RUNS = re.compile(rb"[\x80-\xff]{2,}")
_LATIN_PAGES = frozenset(["cp1252", "cp1250", "cp1254", "cp1257"])
_PROVED = frozenset(["cp932", "euc_jp", "cp949"])  # by kana or hangul, whose bytes stand between ASCII ones
_C1 = re.compile(rb"[\x80-\x9f]")
_SIGN_IN_WORD = re.compile(rb"[a-z][\xb1\xb6\xa1\xa6\xac]|[\xb1\xb6\xa1\xa6\xac][a-z]", re.IGNORECASE)
_DESKTOP_PAGES = ("cp850", "mac_roman", "cp852")
_CELL_ENDS = re.compile(r"[;,\t|^~\"']+")
_HEBREW = frozenset(range(0xE0, 0xFB))  # from alef to tav
_POINTS = re.compile("[\u05b0-\u05c7]")  # vowels of Hebrew, which shops do not write
_OUT_OF_PLACE = re.compile(
    r"(?<=[^\W\d_])[^\w\s\x00-\x7f’‘´·–—®™°](?=[^\W\d_])|(?<=[a-zß-ÿ])[À-ÖØ-ÞŠŽŒŸ](?![A-ZÀ-ÖØ-ÞŠŽŒ])"
)
MIN_OUT_OF_PLACE = 4
MIN_LETTERS = 8  # beyond ASCII, for another alphabet to be believed
SIDE_BY_SIDE = 0.7
ENOUGH_LINES = 200
_FIRST, _FRAMES, _SECOND = bytes(range(0xA0, 0xB0)), bytes(range(0xB0, 0xE0)), bytes(range(0xE0, 0xF0))


def lines_with_letters(block: bytes) -> list[bytes]:
    return [line for line in block.splitlines() if not line.isascii()][:ENOUGH_LINES]


def code_page(block: bytes, is_known: Callable[[str], bool]) -> str:
    """Of text that is not UTF-8. Another alphabet is believed only where its letters stand side by side: an accent in a
    Latin word stands alone. `is_known`: whether a cell of the first line is the name of a column."""
    informative = b"\n".join(lines_with_letters(block))
    high = HIGH.findall(informative)
    found = guess(informative)
    if _is_cyrillic_of_dos(informative):
        return "cp866"
    if found in _LATIN_PAGES or len(high) < MIN_LETTERS:
        return _latin(informative, found, is_known) if found in _LATIN_PAGES else "cp1252"
    if found in _PROVED:
        return found
    if found == "koi8-r" and _HEBREW.issuperset(informative.translate(None, ASCII)):
        found = "cp1255"  # in the other page it would be nothing but capitals
    if found == "cp1255" and len(_POINTS.findall(informative.decode(found, "ignore"))) * 10 > len(high):
        found = "cp1256"  # Arabic, whose letters stand where those do
    together = sum(len(run) for run in _RUNS.findall(informative))
    return found if together >= SIDE_BY_SIDE * len(high) else _latin(informative, "cp1252", is_known)


def _latin(informative: bytes, found: str, is_known: Callable[[str], bool]) -> str:
    """Spreadsheets also save for DOS and for the old Macintosh. Read as a page of Windows such text has signs and
    capitals in the middle of its words; it is believed only where it has none of them when read right."""
    odd = _out_of_place(informative, found)
    if odd >= MIN_OUT_OF_PLACE:
        other = min(_DESKTOP_PAGES, key=lambda page: _out_of_place(informative, page))
        if _out_of_place(informative, other) * 20 < odd:
            return other
    found = _by_header(informative, is_known) or page_by_language(informative) or found
    if found == "cp1252" and b"\xa4" in informative and not _C1.search(informative):
        return "iso8859-15"  # the euro stands there; nobody writes the sign that Windows has in its place
    return _central_european(informative, found)


def _by_header(informative: bytes, is_known: Callable[[str], bool]) -> str | None:
    """The page in which more cells of the first line are names of columns than in any other: a few letters, but which
    column is the currency hangs on them."""
    first = informative.split(b"\n", 1)[0]
    cells = {page: _CELL_ENDS.split(first.decode(page, "replace")) for page in ("cp1252", "cp1250", "cp1257", "cp1254")}
    named = {page: sum(map(is_known, filter(None, texts))) for page, texts in cells.items()}
    best = max(named, key=named.__getitem__)
    return best if [*named.values()].count(named[best]) == 1 else None


def _out_of_place(informative: bytes, page: str) -> int:
    return len(_OUT_OF_PLACE.findall(informative.decode(page, "replace")))


def _central_european(informative: bytes, found: str) -> str:
    """ISO 8859-2 has letters where Windows-1250 has signs that stand in no word."""
    unlike = found == "cp1250" and not _C1.search(informative) and _SIGN_IN_WORD.search(informative)
    return "iso8859-2" if unlike else found


def _is_cyrillic_of_dos(informative: bytes) -> bool:
    """Its small letters stand in two places, and between them lines that frame tables. No other page has words of
    letters in the first of them, and none of them where the lines are."""
    high = b"".join(_RUNS.findall(informative))
    first, frames, second = (len(high) - len(high.translate(None, place)) for place in (_FIRST, _FRAMES, _SECOND))
    alike = first * 3 > len(high) and second * 8 > len(high) and frames * 50 < len(high)
    return alike and MIN_LETTERS <= len(high) >= SIDE_BY_SIDE * len(HIGH.findall(informative))
