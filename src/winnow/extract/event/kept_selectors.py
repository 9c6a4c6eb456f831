"""Selectors of a list (E-058): which ones describe the list of a page, and how a page is read with those that are kept.

The reader finds lists without selectors. They help where a redesign leaves the entries and takes away what told that they
are events: they are believed only where most of what they match has a name and a day, and where they match several.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from selectolax.lexbor import LexborNode

from winnow.extract.candidates import Collected
from winnow.extract.draft import Strategy
from winnow.extract.event.day_text import clocks_in, names_for
from winnow.extract.event.entry_draft import read_entry
from winnow.extract.event.listing import MAX_ENTRIES, Listing
from winnow.extract.event.marks import Mark, find_marks
from winnow.extract.event.outline import Element, Outline
from winnow.extract.event.records import Record
from winnow.extract.page_facts import absolute
from winnow.extract.parsed_page import ParsedPage, text_in
from winnow.extract.selector_set import SelectorSet

MOST = 0.8  # of the entries that one selector has to match
MAX_CLASSES = 2
_NAME = re.compile(r"[A-Za-z_][\w-]*")
_STATE = re.compile(r"\d|^(?:odd|even|first|last|active|is-|js-)", re.IGNORECASE)


def describe(parsed: ParsedPage, page: Outline, listing: Listing) -> SelectorSet | None:
    """The selector of most entries of a list; None where no class tells them from the rest of the page."""
    roots = [page.elements[record.root] for record in listing.records if record.under is None]
    tags = {element.tag for element in roots}
    if len(roots) < 2 or len(tags) != 1:
        return None
    names = [set(element.names.split()) for element in roots]
    shared = [name for name in roots[0].names.split() if sum(name in own for own in names) >= MOST * len(names)]
    usable = [name for name in shared if _NAME.fullmatch(name) and not _STATE.search(name)][:MAX_CLASSES]
    if not usable:
        return None
    item = ".".join([tags.pop(), *usable])
    found = _matches(parsed, item)
    is_list = MOST * len(roots) <= len(found) <= 1.5 * len(roots) + 1
    return SelectorSet(item=item) if is_list else None


def read_with(
    parsed: ParsedPage, page: Outline, sets: Sequence[SelectorSet]
) -> tuple[list[Collected], SelectorSet] | None:
    """The entries by the set that finds most of them."""
    marks = find_marks(page, names_for(parsed.facts.lang)) if sets else []
    by_node = {element.node.mem_id: element for element in page.elements} if sets else {}
    best: tuple[list[Collected], SelectorSet] | None = None
    for one in sets:
        nodes = _matches(parsed, one.item)
        elements = [by_node[node.mem_id] for node in nodes if node.mem_id in by_node]
        entries = [entry for element in elements if (entry := _entry(parsed, page, element, marks, one)) is not None]
        if len(entries) * 2 >= len(elements) and len(entries) > (len(best[0]) if best else 1):
            best = entries, one
    return best


def _matches(parsed: ParsedPage, selector: str) -> list[LexborNode]:
    """Nothing where the text is no selector: a model may have written it."""
    try:
        return parsed.clean_tree.css(selector)[:MAX_ENTRIES]
    except Exception:  # noqa: BLE001 - whatever the library makes of nonsense
        return []


def _entry(
    parsed: ParsedPage, page: Outline, element: Element, marks: Sequence[Mark], sets: SelectorSet
) -> Collected | None:
    dated = _part(element, sets.date)
    own = [mark for mark in marks if element.at <= mark.element < element.end]
    if dated is not None:
        inside = {node.mem_id for node in dated.traverse()}
        own = [mark for mark in own if page.elements[mark.element].node.mem_id in inside] or own
    if not own:
        return None
    record = Record(element.at, element.first, max(element.last, element.first + 1), own)
    into = read_entry(page, parsed.url, record)
    _replace(into, "title", _text(element, sets.title))
    _replace(into, "venue_name", _text(element, sets.venue))
    clock = next(iter(clocks_in(_text(element, sets.time), loose=True)), None)
    _replace(into, "clock", clock.first if clock else "")
    link = _part(element, sets.link)
    _replace(into, "url", absolute(parsed.url, (link.attributes.get("href") or "") if link else ""))
    return into if into.has("title") and into.has("start") else None


def _part(element: Element, selector: str | None) -> LexborNode | None:
    try:
        return element.node.css_first(selector) if selector else None
    except Exception:  # noqa: BLE001 - as above
        return None


def _text(element: Element, selector: str | None) -> str:
    node = _part(element, selector)
    return text_in(node) if node is not None else ""


def _replace(into: Collected, field: str, text: str) -> None:
    if text:
        into.values.pop(field, None)
        into.add(field, text[:200], Strategy.DOM, "selector")
