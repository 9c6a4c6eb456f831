"""One pass over what a page shows: where every element stands, which texts hold a digit, which are short lines."""

from __future__ import annotations

import re

import msgspec
from selectolax.lexbor import LexborHTMLParser, LexborNode

MAX_NODES = 60_000  # elements and texts; the largest product pages of real shops have about half of that
MAX_LINE = 90  # characters of a stock line
_DIGIT = re.compile(r"\d")
# Texts in these elements are hidden, or visible only after a list is opened.
_UNSHOWN_TAGS = "script style noscript template option select textarea svg title iframe"
_UNSHOWN = frozenset(_UNSHOWN_TAGS.split())


class Line(msgspec.Struct, frozen=True):
    """A text and the element it stands in."""

    node: LexborNode
    text: str


class Walk:
    """`order` numbers elements (by mem_id) and texts in the order they stand on the page."""

    def __init__(self, tree: LexborHTMLParser) -> None:
        self.order: dict[int, int] = {}
        self.digits: list[Line] = []
        self.lines: list[Line] = []
        if tree.body is not None:
            self._read(tree.body)

    def _read(self, body: LexborNode) -> None:
        for number, node in enumerate(body.traverse(include_text=True)):
            if number > MAX_NODES:
                return
            if node.tag != "-text":
                self.order[node.mem_id] = number
                continue
            text = node.text_content or ""
            parent = node.parent
            if parent is None or parent.tag in _UNSHOWN or text.isspace():
                continue
            if _DIGIT.search(text):
                self.digits.append(Line(parent, text))
            if len(text) <= MAX_LINE:
                self.lines.append(Line(parent, text))
