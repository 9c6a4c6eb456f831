"""What somebody typed into a search field: words, "phrases in quotes", -excluded words, and possibly a number. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from winnow.normalise.gtin import as_gtin14, read_gtin

MAX_PARTS = 16
_PART = re.compile(r'(?P<minus>-)?(?:"(?P<phrase>[^"]*)"?|(?P<word>[^\s"]+))')
_SPELLING = re.compile(r"[^\W\d_]{4,40}")  # letters only: a mistyped number is another number


@dataclass(frozen=True, slots=True)
class Part:
    text: str
    phrase: bool = False

    @property
    def may_be_mistyped(self) -> bool:
        return not self.phrase and _SPELLING.fullmatch(self.text) is not None


@dataclass(frozen=True, slots=True)
class Words:
    wanted: list[Part]
    unwanted: list[Part]
    codes: list[str]

    @property
    def is_plain(self) -> bool:
        """Whoever quotes a phrase or excludes a word means exactly that."""
        return not self.unwanted and not any(part.phrase for part in self.wanted)


def read_words(q: str) -> Words:
    wanted: list[Part] = []
    unwanted: list[Part] = []
    for found in list(_PART.finditer(q))[:MAX_PARTS]:
        text = (found["phrase"] if found["phrase"] is not None else found["word"]).strip()
        if any(c.isalnum() for c in text):
            part = Part(text, phrase=found["phrase"] is not None)
            (unwanted if found["minus"] else wanted).append(part)
    return Words(wanted, unwanted, _codes(q))


def _codes(q: str) -> list[str]:
    """As documents have them. A GTIN may be stored as printed: with 8, 12, 13 or 14 digits."""
    text = q.strip().strip('"').upper()
    gtin = read_gtin(q)
    if gtin is not None:
        whole = as_gtin14(gtin)
        return sorted({text, *(whole[-n:] for n in (8, 12, 13, 14) if not whole[:-n].strip("0"))})
    return [text] if text and len(text) <= 255 else []


def edits(one: str, other: str) -> int:
    """How many letters are wrong, missing, too many or swapped with their neighbour."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        previous, row = row, [i] + [0] * len(other)
        for j, b in enumerate(other, 1):
            row[j] = min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                row[j] = min(row[j], before[j - 2] + 1)
        before = previous
    return row[-1]


def max_edits(word: str) -> int:
    """As search engines have it: one in short words, two in longer ones."""
    return 1 if len(word) < 6 else 2


def swaps(word: str) -> list[str]:
    """The word with two neighbouring letters swapped, at each place."""
    return [word[:n] + word[n + 1] + word[n] + word[n + 2 :] for n in range(len(word) - 1)]
