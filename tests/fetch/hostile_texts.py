"""Texts that make a pattern work hard: what each repetition repeats, thousands of times, and nothing that ends it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from re import _constants as code  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

ORDINARY = (
    "a",
    "1",
    " ",
    "\n",
    "<",
    "<a ",
    "1.",
    "1,",
    "a-",
    "a ",
    "1 ",
    ". ",
    '"',
    "'",
    "&",
    "/",
    "\\",
    "€1",
    "(",
    "é",
    "=a ",
)
CANDIDATES = [chr(n) for n in range(9, 127)] + list("éßø€£¥د١一あ가\xa0\u200b–—…·•")
REPEATS = tuple(
    getattr(code, name) for name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT") if hasattr(code, name)
)
LONG = 8  # a repetition of at most this many is none


def texts(pattern: re.Pattern[Any], length: int) -> Iterator[Any]:
    """Of about `length` characters each, for a pattern of text or of bytes."""
    flags, source = pattern.flags, pattern.pattern
    tree = _parser.parse(source, flags & ~re.DEBUG)
    pumps = dict.fromkeys(ORDINARY)
    heads = {"": None}
    for head, pump in _repeated(tree, ""):
        if pump:
            pumps[pump] = None
            heads[head] = None
    seen = set()
    for pump in pumps:
        for head in list(heads)[:6]:
            for unit, first in ((pump, head), (head + pump, "")):
                text = first + unit * (length // max(len(unit), 1)) + "\x00"
                if text not in seen:
                    seen.add(text)
                    yield text.encode("latin-1", "replace") if isinstance(source, bytes) else text


def _repeated(tree: Any, head: str) -> Iterator[tuple[str, str]]:
    """(a text that leads to a repetition, what it repeats) of each repetition in the pattern."""
    for op, value in tree:
        if op in REPEATS:
            _, most, body = value
            if most > LONG:
                for sample in _samples(body):
                    yield head, sample
            yield from _repeated(body, head)
        elif op is code.SUBPATTERN:
            yield from _repeated(value[-1], head)
        elif op is code.BRANCH:
            for branch in value[1]:
                yield from _repeated(branch, head)
        elif op is getattr(code, "ATOMIC_GROUP", None):
            yield from _repeated(value, head)
        elif op in (code.ASSERT, code.ASSERT_NOT):
            yield from _repeated(value[1], head)
        head += _sample([(op, value)])


def _samples(tree: Any) -> list[str]:
    """A few texts that the sub-pattern matches, each of its alternatives once."""
    for op, value in tree:
        if op is code.BRANCH:
            return [_sample(branch) for branch in value[1]][:6]
        if op is code.SUBPATTERN and len(tree) == 1:
            return _samples(value[-1])
        if op is code.IN and len(tree) == 1:
            return [c for c in CANDIDATES if _is_in(value, c)][::7][:6] or [""]
    return [_sample(tree)]


def _sample(tree: Any) -> str:
    """One text that the sub-pattern matches, as short as it comes."""
    return "".join(_one(op, value) for op, value in tree)


def _one(op: Any, value: Any) -> str:
    if op is code.LITERAL:
        return chr(value)
    if op is code.NOT_LITERAL:
        return "a" if value != ord("a") else "b"
    if op is code.ANY:
        return "a"
    if op is code.IN:
        return next((c for c in CANDIDATES if _is_in(value, c)), "a")
    if op is code.BRANCH:
        return _sample(value[1][0])
    if op is code.SUBPATTERN:
        return _sample(value[-1])
    if op is getattr(code, "ATOMIC_GROUP", None):
        return _sample(value)
    if op in REPEATS:
        return _sample(value[2]) * min(value[0], 20)
    return ""


def _is_in(items: Any, character: str) -> bool:
    negated, inside = False, False
    for op, value in items:
        if op is code.NEGATE:
            negated = True
        elif op is code.LITERAL:
            inside |= ord(character) == value
        elif op is code.RANGE:
            inside |= value[0] <= ord(character) <= value[1]
        elif op is code.CATEGORY:
            inside |= _is_of(value, character)
    return inside != negated


def _is_of(category: Any, character: str) -> bool:
    kind = str(category).lower()
    inside = (
        character.isdigit()
        if "digit" in kind
        else character.isspace()
        if "space" in kind
        else character.isalnum() or character == "_"
    )
    return inside != ("not_" in kind)
