"""Finds price and stock in lines of their own right below the heading: how a page without markup shows a product."""

from __future__ import annotations

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from winnow.extract.dom.area import Area, ancestors, text_of
from winnow.extract.dom.money_elements import is_amount, is_hidden
from winnow.vocabulary.lazy_pattern import lazy_pattern
from winnow.vocabulary.phrases import any_of
from winnow.vocabulary.stock import phrases

MAX_LEVELS = 2  # elements that wrap the heading, such as a <header>
MAX_BELOW = 14  # elements below the heading
MAX_LINE = 48  # characters of a line that states a price or the stock
MAX_ROWS = 60
_NEXT_PART = frozenset(["h1", "h2", "h3", "h4", "h5", "h6", "article", "section", "footer", "aside", "nav", "form"])
_ROWS = "p, div, span, strong, b, li, td, dd"
_STATES = any_of(phrases("sold_out", "sold_out_line", "promised", "in_stock"))
_LABEL = any_of(phrases("label"))
_STOCK = lazy_pattern(
    rf"(?:(?:{_LABEL})\W{{0,3}}\s?)?(?:{_STATES})(?:\W{{0,3}}\d+(?:\s\w{{1,12}}){{0,2}}\W{{0,2}}|\W{{0,2}})",
    re.IGNORECASE,
)


def has_plain_summary(area: Area) -> bool:
    """Both have to be there: a price alone stands below the heading of many a text."""
    lines = [text for node in _below(area.heading) for text in _lines(node, area)]
    return any(map(is_amount, lines)) and any(map(_STOCK.fullmatch, lines))


def _below(heading: LexborNode | None) -> Iterator[LexborNode]:
    """What follows the heading, up to the next one."""
    for above in ancestors(heading, MAX_LEVELS + 1):
        if above.tag in ("body", "main", "html"):
            return
        found = 0
        node = above.next
        while node is not None and found < MAX_BELOW:
            if node.tag in _NEXT_PART or (node.tag != "-text" and node.css_first("h1, h2, h3, h4") is not None):
                return
            if node.tag != "-text":
                found += 1
                yield node
            node = node.next


def _lines(node: LexborNode, area: Area) -> Iterator[str]:
    for row in [node, *node.css(_ROWS)[:MAX_ROWS]]:
        text = text_of(row)
        if text and len(text) <= MAX_LINE and area.is_own(row) and not is_hidden(row):
            yield text
