"""How a title is built: parts that punctuation divides, and phrases in them that prepositions join. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from winnow.store.events.matching.meanings import in_english, stem_of
from winnow.vocabulary.event_titles import vocabulary

APOSTROPHES = re.compile("['\u2018\u2019`\u00b4]")
WORD = re.compile(r"[^\W_]+")
_MARKS = r"""[][:|()/+,;!?&*#~"\u201c-\u201e\u00ab\u00bb\u2022\u00b7]"""
_QUOTES = r"(?<!\w)['\u2018\u2019]|['\u2018\u2019](?!\w)"
_BREAK = re.compile(rf"\s[-\u2010-\u2015]+\s|{_MARKS}|{_QUOTES}")

Phrase = set[str]


def is_grown(text: str, words: Sequence[str], both: set[str]) -> bool:
    """Whether no part of a title is made only of what two titles have in common and of words that say little.

    "Film: the tunnel" has a part of its own for the tunnel; "Italian cooking" has none for "Italian".
    """
    parts = _parts(text, set(words))
    holding = [part for part in parts if any(both.intersection(in_english(w)) for phrase in part for w in phrase)]
    return bool(holding) and not any(_stands_alone(part, both) for part in holding)


def _stands_alone(part: list[Phrase], both: set[str]) -> bool:
    """A film in the park is the film, backstage at the film is not: what follows a preposition may be new."""
    last = max(n for n, phrase in enumerate(part) if any(both.intersection(in_english(word)) for word in phrase))
    return not any(_adds(word, both) for phrase in part[: last + 1] for word in phrase)


def _is_common(word: str, both: set[str]) -> bool:
    return both.issuperset(in_english(word))


def _adds(word: str, both: set[str]) -> bool:
    """A lunch concert is a concert, Italian cooking is not Italian."""
    return not _is_common(word, both) and word not in vocabulary().generic and stem_of(word) is None


def _parts(text: str, words: set[str]) -> list[list[Phrase]]:
    known = vocabulary()
    parts: list[list[Phrase]] = []
    for between in _BREAK.split(text):
        parts.append([set()])
        for word in WORD.findall(APOSTROPHES.sub("", between)):
            if word in known.joints:
                parts.append([set()])
            elif word in known.links:
                parts[-1].append(set())
            elif word in words and word not in known.performers:
                parts[-1][-1].add(word)
    return parts
