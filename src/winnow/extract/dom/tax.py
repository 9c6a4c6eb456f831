"""Whether a page says that tax comes on top of a price it shows: beside the amount, or in the line under it."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborNode

from winnow.extract.dom.area import Area, ancestors
from winnow.extract.dom.money_words import GROSS_NOTE, NET_NOTE, NET_WORDS
from winnow.extract.dom.signs import NUMBER, SIGN

_LEVELS = 6
MAX_NOTE = 160  # characters of a note on tax; a paragraph speaks of other things too
_LINES = 2  # elements after the price in which the note can stand


# A note on tax that belongs to one other amount ("Netto: 65,03") does not speak of this one.
_OTHER = re.compile(
    rf"{NUMBER}\s?(?:{SIGN})?\s?[(（]?\s?(?:{NET_WORDS})|(?:{NET_WORDS})\s?:?\s?(?:{SIGN})?\s?{NUMBER}", re.IGNORECASE
)


def is_untaxed(node: LexborNode, area: Area) -> bool:
    around = [above for above in ancestors(node, _LEVELS) if above.mem_id not in area.spine]
    texts = [text for above in around[-1:] for text in [area.spaced(above), *_lines_after(above, area)]]
    notes = [_OTHER.sub(" ", text) for text in texts if len(text) <= MAX_NOTE]
    return any(map(NET_NOTE.search, notes)) and not any(map(GROSS_NOTE.search, notes))


def is_gross(node: LexborNode, area: Area) -> bool:
    """Whether words right beside an amount say that its tax is included."""
    texts = [area.spaced(above) for above in ancestors(node, 3) if above.mem_id not in area.spine]
    near = [text for text in texts if len(text) <= MAX_NOTE]
    return any(map(GROSS_NOTE.search, near[:1]))


def _lines_after(node: LexborNode, area: Area) -> list[str]:
    found: list[str] = []
    after = node.next
    while after is not None and len(found) < _LINES:
        if after.is_element_node:
            found.append(area.spaced(after))
        after = after.next
    return found
