"""A name that only the text of a page spells: the words that are the domain, and those that mostly follow them."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

from winnow.extract.company.name_words import is_name, with_and

MIN_SPELLED = 7  # shorter domains are words of any text
MAX_LINE = 1_000
MIN_SHARED = 2  # once may be the name of a product


def spelled_in_text(lines: list[str], labels: list[str]) -> list[str]:
    """Words of the text that are the domain, with the words that mostly follow them: "Peak View" and "Roofing Company" on
    peakview.com."""
    found = next(filter(None, (_all_phrases(lines, label) for label in sorted(labels, key=len, reverse=True))), [])
    if not found:
        return []
    name = Counter(" ".join(words[: int(size)]) for size, *words in found).most_common(1)[0][0]
    follows = [words[int(size) :] for size, *words in found if " ".join(words[: int(size)]) == name]
    longer = [name, *_shared(follows)]
    trimmed = " ".join(longer).strip(".,;:!?()\"'®™©|-–… ")
    return [trimmed] if is_name(trimmed) and "." not in name else []


def _all_phrases(lines: list[str], label: str) -> list[list[str]]:
    long = len(label) >= MIN_SPELLED
    spelling = [line for line in lines if long and len(line) <= MAX_LINE and label in with_and(line)]
    return [phrase for line in spelling for phrase in _phrases(line.split(), label)]


# "Dental Group Phoenix AZ": where it is, and how many words the town has cannot be told.
_STATE = re.compile(
    r"A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|PA|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY]|UK|USA"
)


def _phrases(words: list[str], label: str) -> list[list[str]]:
    """How many words are the domain, these words, and the capitalised ones behind them."""
    found = []
    for start, word in enumerate(words):
        if not any(c.isupper() for c in word[:3]):
            continue
        for end in range(start + 1, min(start + 7, len(words) + 1)):
            spelled = with_and(" ".join(words[start:end]))
            if spelled == label:
                found.append([str(end - start), *words[start:end], *_capitalised(words[end - 1 :])])
            if len(spelled) >= len(label):
                break
    return found


def _capitalised(words: list[str]) -> list[str]:
    """Of the words behind the first one those that may belong to a name, up to the end of the clause."""
    kept: list[str] = []
    for before, word in pairwise(words[:6]):
        if before[-1] in ".,;:!?)|" or not (word[0].isupper() or word in ("&", "and", "of", "und", "et", "e", "y")):
            break
        kept.append(word)
    while kept and not kept[-1][0].isupper():
        kept.pop()
    return kept


def _shared(follows: list[list[str]]) -> list[str]:
    """What follows more than half of the time."""
    kept: list[str] = []
    while True:
        at = len(kept)
        words = Counter(words[at].rstrip(".,;:!?") for words in follows if len(words) > at and words[:at] == kept)
        if not words or words.most_common(1)[0][1] * 2 <= len(follows) or len(follows) < MIN_SHARED:
            break
        kept.append(words.most_common(1)[0][0])
    while kept and not kept[-1][0].isupper():
        kept.pop()
    return [] if kept and _STATE.fullmatch(kept[-1]) else kept
