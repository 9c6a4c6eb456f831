"""Microdata -> the same tree JSON-LD gives, so that one reader serves both (HTML standard §5, WHATWG)."""

from __future__ import annotations

import re
from typing import Any

from selectolax.lexbor import LexborHTMLParser, LexborNode

from winnow.extract.dom.area import text_of, without_spoken
from winnow.extract.draft import Strategy
from winnow.extract.page_facts import PageFacts
from winnow.extract.structured.schema_draft import Findings, read_schema
from winnow.extract.structured.schema_graph import Node, OverDepth, is_offer, is_product

MAX_ELEMENTS = 20_000  # itemprops of a listing of a thousand products
MAX_CLIMB = 512  # levels between a property and its item

# Where the value of a property stands, by element (HTML standard §5.2.4). `content` wins everywhere: shops
# put it on any element, and search engines read it there.
_ATTRIBUTE = {
    "a": "href", "area": "href", "link": "href", "audio": "src", "embed": "src", "iframe": "src", "img": "src",
    "source": "src", "track": "src", "video": "src", "object": "data", "data": "value", "meter": "value",
    "time": "datetime", "input": "value",
}  # fmt: skip
_SCHEMA_ORG = re.compile(r"https?://(?:www\.)?schema\.org/", re.IGNORECASE)


def read_microdata(tree: LexborHTMLParser, facts: PageFacts) -> Findings:
    try:
        roots = items(tree)
        return read_schema(roots, facts, Strategy.MICRODATA)
    except OverDepth as trouble:
        return Findings({}, f"limit: {trouble}")


Attributes = dict[str, str | None]


def items(tree: LexborHTMLParser) -> list[Node]:
    """The top-level items of a page, each with its properties and nested items."""
    elements = {e.mem_id: e for e in tree.css("[itemscope], [itemprop]")}  # both match once each
    if len(elements) > MAX_ELEMENTS:
        raise OverDepth(f"{len(elements)} microdata elements")
    # Reading the attributes makes a dictionary each time: once per element is enough.
    stated = {mine: element.attributes for mine, element in elements.items()}
    found = {mine: _item(own) for mine, own in stated.items() if "itemscope" in own}
    references = {ref: found[mine] for mine in found for ref in _words(stated[mine], "itemref")}
    roots: list[Node] = []
    for mine, element in elements.items():
        owner = _owner(element, stated[mine], found, references)
        _place(element, stated[mine], found.get(mine), owner, roots)
    return roots


def _item(own: Attributes) -> Node:
    node: Node = {"@type": [_SCHEMA_ORG.sub("", name) for name in _words(own, "itemtype")]}
    if own.get("itemid"):
        node["@id"] = own["itemid"]
    return node


def _place(element: LexborNode, own: Attributes, item: Node | None, owner: Node | None, roots: list[Node]) -> None:
    """Hangs a property or item where it belongs."""
    names = _words(own, "itemprop")
    if item is not None and not names and owner is not None:
        names = _adopted(item, owner)
    if owner is None or not names:
        if item is not None and (owner is None or not is_product(owner)):
            roots.append(item)
        return
    value = item if item is not None else value_of(element, own)
    for name in names:
        put(owner, name, value)


def _adopted(item: Node, owner: Node) -> list[str]:
    """An Offer inside a Product that forgot to say itemprop="offers". (A Product inside another one's element
    without a property is one the page also shows: it is dropped in `_place`.)"""
    return ["offers"] if is_offer(item) and is_product(owner) else []


def put(owner: Node, name: str, value: Any) -> None:
    if value in ("", None):
        return
    if name not in owner:
        owner[name] = value
    elif isinstance(owner[name], list):
        owner[name].append(value)
    else:
        owner[name] = [owner[name], value]


def _owner(element: LexborNode, own: Attributes, found: dict[int, Node], references: dict[str, Node]) -> Node | None:
    """The nearest item around an element, or the one that points to it by itemref."""
    above = element.parent
    referred = references.get(own.get("id") or "") if references else None
    for _ in range(MAX_CLIMB):
        if above is None:
            return referred
        if above.mem_id in found:
            return referred or found[above.mem_id]
        if references and referred is None:
            referred = references.get(above.attributes.get("id") or "")
        above = above.parent
    raise OverDepth(f"microdata nested deeper than {MAX_CLIMB}")


_HEADINGS = frozenset(["h1", "h2", "h3", "h4"])


def value_of(element: LexborNode, own: Attributes) -> str:
    stated = own.get("content")
    if stated is None:
        stated = own.get(_ATTRIBUTE.get(element.tag or "", ""))
    if stated:
        return stated.strip()
    return without_spoken(text_of(element), element) if element.tag in _HEADINGS else text_of(element)


def _words(own: Attributes, attribute: str) -> list[str]:
    return (own.get(attribute) or "").split()
