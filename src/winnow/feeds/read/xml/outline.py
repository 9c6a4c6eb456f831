"""Outlines a sample of XML from its tags alone: which element is the item, which one is the root."""

from __future__ import annotations

import re
from collections.abc import Iterator

_NOT_TAGS = re.compile(r"<!\[CDATA\[.*?\]\]>|<!--.*?-->", re.DOTALL)
_TAG = re.compile(r"<(/?)([^\W\d][\w.:-]*)((?:\s[^<>]*?)?)(/?)>")
DEEPEST = 3  # offers/offer/price
_ATTRIBUTE = re.compile(r"(?:[\w.-]+:)?([\w.-]+)\s*=\s*[\"']")


def outline(sample: str) -> Iterator[tuple[str, set[str]]]:
    """Every element name of a sample with the names inside it, some levels deep, for finding which one is the item.
    Reads tags only and forgives what a parser may not: the first item can be the broken one."""
    inside: dict[str, set[str]] = {}
    stack: list[str] = []
    for closing, tag, attributes, empty in _TAG.findall(_NOT_TAGS.sub("", sample)):
        name = tag.rpartition(":")[2]
        if closing:
            _close(stack, name)
            continue
        inside.setdefault(name, set()).update(_ATTRIBUTE.findall(attributes))
        if stack:
            inside[stack[-1]].add(name)
        for depth in range(2, min(len(stack), DEEPEST) + 1):
            inside[stack[-depth]].add("/".join([*stack[1 - depth :], name]))
        if not empty:
            stack.append(name)
    return iter(inside.items())


def root_of(sample: str) -> str:
    """The element the whole file is in, as it is written."""
    found = _TAG.search(_NOT_TAGS.sub("", sample))
    return found[2] if found else ""


def _close(stack: list[str], name: str) -> None:
    if name in stack:
        while stack.pop() != name:
            pass
