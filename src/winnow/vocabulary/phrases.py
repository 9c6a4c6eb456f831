"""Phrases of the vocabulary -> regular expressions.

A phrase is written as it is read, and a few signs stand for what varies:

    (a|b)   one of these            [a|b]   one of these, or nothing
    #       a number                *       the rest of the word
    <  >    a word begins, ends     {12}    up to 12 characters of anything
    ^  $    the text begins, ends   \\       the next sign as it is

An apostrophe is also the curly one. Case is left to the caller.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_SIGNS = {
    "(": "(?:",
    ")": ")",
    "[": "(?:",
    "]": ")?",
    "|": "|",
    "#": r"\d+",
    "*": r"\w*",
    "<": r"(?<![^\W_])",
    ">": r"(?![^\W_])",
    "^": "^",
    "$": "$",
    "'": "['’]",
}
_PIECE = re.compile(r"\\(.)|\{(\d+)\}|([()\[\]|#*<>^$'])|([^\\{()\[\]|#*<>^$']+)", re.DOTALL)
_GROUP = re.compile(r"\(([^()\[\]]*)\)|\[([^()\[\]]*)\]")
_NO_LITERAL = re.compile(r"[#{<>^$\\]")


def pattern(phrase: str) -> str:
    """The regular expression of one phrase."""
    return "".join(_tokens(phrase))


def any_of(phrases: Iterable[str]) -> str:
    """One expression for all of them, the first that fits is what is found. It is a tree of their letters: at a place
    in a text one branch is tried for each first letter, not for each phrase, which is three to four times as fast."""
    return "|".join(_branches(list(dict.fromkeys(map(_tokens, phrases)))))


def any_word(words: Iterable[str]) -> str:
    """Like `any_of`, of words in which no sign stands for anything."""
    return "|".join(_branches(list(dict.fromkeys(tuple(map(re.escape, word)) for word in words))))


def _tokens(phrase: str) -> tuple[str, ...]:
    """One for each letter up to the first sign, not counting a leading `^`, and one for all the rest."""
    tokens: list[str] = []
    for piece in _PIECE.finditer(phrase):
        escaped, _, sign, text = piece.groups()
        if not (escaped or text or sign == "^"):
            return (*tokens, _expression(phrase[piece.start() :]))
        tokens += map(re.escape, escaped or text) if sign is None else "^"
    return tuple(tokens)


def _expression(phrase: str) -> str:
    found = []
    for piece in _PIECE.finditer(phrase):
        escaped, most, sign, text = piece.groups()
        found.append(_SIGNS[sign] if sign else f".{{0,{most}}}" if most else re.escape(escaped or text))
    return "".join(found)


def _branches(phrases: list[tuple[str, ...]]) -> list[str]:
    """Phrases that begin alike are one branch: those that do not can never fit at the same place, but for one that ends
    here, which keeps its rank among them."""
    branches: list[str] = []
    groups: dict[str, list[tuple[str, ...]]] = {}
    for tokens in [*phrases, ()]:
        if tokens:
            groups.setdefault(tokens[0], []).append(tokens[1:])
            continue
        branches += [first + _rest(rests) for first, rests in groups.items()] + [""]
        groups = {}
    return branches[:-1]


def _rest(phrases: list[tuple[str, ...]]) -> str:
    if len(phrases) == 1:
        return "".join(phrases[0])
    inner = _branches(phrases)
    return inner[0] if len(inner) == 1 else f"(?:{'|'.join(inner)})"


def literals(phrase: str) -> list[str]:
    """Every spelling of a phrase that has a finite number of them; of a stem, what is written before the `*`."""
    if _NO_LITERAL.search(phrase):
        raise ValueError(f"{phrase!r} has no finite number of spellings")
    group = _GROUP.search(phrase)
    if group is None:
        return [phrase.rstrip("*")]
    choices = group[1].split("|") if group[1] is not None else ["", *group[2].split("|")]
    rests = [phrase[: group.start()] + choice + phrase[group.end() :] for choice in choices]
    return [spelling for rest in rests for spelling in literals(rest)]
