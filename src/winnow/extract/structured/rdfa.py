"""RDFa Lite -> the same tree JSON-LD gives (https://www.w3.org/TR/rdfa-lite/)."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser, LexborNode

from winnow.extract.dom.area import ancestors
from winnow.extract.draft import Strategy
from winnow.extract.page_facts import PageFacts
from winnow.extract.structured.microdata import put, value_of
from winnow.extract.structured.schema_draft import Findings, read_schema
from winnow.extract.structured.schema_graph import Node, OverDepth

MAX_ELEMENTS = 20_000


def read_rdfa(tree: LexborHTMLParser, facts: PageFacts) -> Findings:
    if tree.css_first("[typeof]") is None:
        return Findings({}, "no typeof")
    try:
        return read_schema(items(tree), facts, Strategy.MICRODATA)
    except OverDepth as trouble:
        return Findings({}, f"limit: {trouble}")


def items(tree: LexborHTMLParser) -> list[Node]:
    """The top-level items of a page, each with its properties and nested items."""
    elements = list({e.mem_id: e for e in tree.css("[typeof], [property]")}.values())
    if len(elements) > MAX_ELEMENTS:
        raise OverDepth(f"{len(elements)} RDFa elements")
    found = {e.mem_id: _item(e) for e in elements if e.attributes.get("typeof")}
    roots: list[Node] = []
    for element in elements:
        item = found.get(element.mem_id)
        owner = next((found[a.mem_id] for a in ancestors(element)[1:] if a.mem_id in found), None)
        names = [
            _local(name) for name in (element.attributes.get("property") or element.attributes.get("rel") or "").split()
        ]
        if owner is None or not names:
            if item is not None:
                roots.append(item)
            continue
        for name in names:
            put(owner, name, item if item is not None else value_of(element, element.attributes))
    return roots


def _item(element: LexborNode) -> Node:
    node: Node = {"@type": [_local(name) for name in (element.attributes.get("typeof") or "").split()]}
    named = element.attributes.get("resource") or element.attributes.get("about")
    if named:
        node["@id"] = named
    return node


def _local(name: str) -> str:
    """`schema:price`, `http://schema.org/price` and `gr:name` without their vocabulary."""
    return name.rstrip("/").rpartition("/")[2].rpartition("#")[2].rpartition(":")[2]
