"""State a page carries for its own scripts -> the page's own product.

States are made for one program and name things as they like. What is taken must be named like the page and
priced in a way
that can be read: a whole number counts as units or as cents only when the page shows it so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec
from selectolax.lexbor import LexborHTMLParser

from winnow.extract.limits import MAX_NODES
from winnow.extract.page_facts import PageFacts
from winnow.extract.state.hydration_states import PageState, states
from winnow.extract.state.state_product import Node, Resolve, name_of, read_state_product
from winnow.extract.structured.main_item import CLEAR, name_overlap
from winnow.extract.structured.schema_draft import Findings
from winnow.extract.structured.schema_price import Values
from winnow.extract.visible_text import VisibleText

MAX_DEPTH = 40
_FOREIGN_KEYS = re.compile(
    r"relat|recommend|similar|upsell|cross|carousel|recent|viewed|cart|basket|wishlist|bundle|accessor|menu|nav|footer|search|"
    r"suggest|alsoBought|also_|category|collection|listing|hits|breadcrumb|review",
    re.IGNORECASE,
)


class Candidate(msgspec.Struct, frozen=True):
    node: Node
    path: str
    root: Any


def read_hydration(tree: LexborHTMLParser, facts: PageFacts) -> Findings:
    found = [candidate for state in states(tree) for candidate in [*_unnamed(state, facts), *_candidates(state)]]
    own = [candidate for candidate in found if _is_own(candidate, facts)]
    if not own:
        return Findings({}, f"{len(found)} products in state, none the page's own" if found else "no state")
    return Findings(_merged(own, VisibleText(tree), facts))


def _unnamed(state: PageState, facts: PageFacts) -> list[Candidate]:
    """States that are about the page's product by where they stand, and do not name it."""
    data = state.data
    if state.name == "BCData" and isinstance(data, dict) and isinstance(data.get("product_attributes"), dict):
        node = data["product_attributes"]
    elif state.name == "data-product_variations" and isinstance(data, list):
        node = {"variants": data}
    else:
        return []
    name = facts.titles[1:2] or facts.titles[:1]
    return [Candidate({**node, "name": name[0] if name else ""}, state.name, data)]


def _merged(own: list[Candidate], text: VisibleText, facts: PageFacts) -> Values:
    """The first that has a price gives all; others that describe the same product add their price."""
    values: Values = {}
    for candidate in own[:8]:
        read = read_state_product(candidate.node, candidate.path, Resolve(candidate.root), text, facts)
        if not values:
            values = read
        else:
            values = {**read, **values}
            known = {value.raw for value in values.get("price", [])}
            more = [value for value in read.get("price", []) if value.raw not in known]
            if more:
                values["price"] = values.get("price", []) + more
    return values


def _is_own(candidate: Candidate, facts: PageFacts) -> bool:
    """Named like the page: the title, the heading, or the last part of the address."""
    if is_named_like(name_of(candidate.node), facts):
        return True
    handle = (
        candidate.node.get("handle")
        or candidate.node.get("slug")
        or candidate.node.get("urlKey")
        or candidate.node.get("url_key")
    )
    return isinstance(handle, str) and any(
        url.split("?")[0].rstrip("/").endswith("/" + handle.strip("/")) for url in facts.urls
    )


def is_named_like(name: str, facts: PageFacts) -> bool:
    return any(_alike(name, title) for title in facts.titles)


def _alike(name: str, title: str) -> bool:
    mine, theirs = name_overlap(name, title)
    return mine >= CLEAR and theirs >= 0.3


def _candidates(state: PageState) -> Iterator[Candidate]:
    stack: list[tuple[Any, str, int]] = [(state.data, state.name, 0)]
    seen = 0
    while stack and seen < MAX_NODES:
        value, path, depth = stack.pop()
        seen += 1
        if depth > MAX_DEPTH:
            continue
        if isinstance(value, list):
            stack += [
                (inner, f"{path}[{i}]", depth + 1)
                for i, inner in reversed(list(enumerate(value[:200])))
                if isinstance(inner, dict | list)
            ]
        elif isinstance(value, dict):
            if name_of(value) and _is_priced(value):
                yield Candidate(value, path, state.data)
            elif parts := _in_parts(value):
                yield Candidate(parts, path, state.data)
            stack += [
                (inner, f"{path}.{key}", depth + 1)
                for key, inner in reversed(value.items())
                if isinstance(inner, dict | list) and not _FOREIGN_KEYS.search(str(key))
            ]


def _in_parts(node: Node) -> Node | None:
    """A product whose name, price and stock stand side by side, each in a part of its own."""
    parts = {str(key).lower(): inner for key, inner in node.items() if isinstance(inner, dict)}
    named = next((part for key, part in parts.items() if _PRODUCT.search(key) and name_of(part)), None)
    priced = next((part for key, part in parts.items() if "price" in key), None)
    if named is None or priced is None:
        return None
    stock = next((part for key, part in parts.items() if _STOCK.search(key)), {})
    return {**stock, **named, "prices": priced}


_PRODUCT, _STOCK = re.compile(r"product|item|goods|info"), re.compile(r"stock|inventory|quantity|availab")


def _is_priced(node: Node) -> bool:
    return any("price" in str(key).lower() or key in ("offers", "variants", "pricing") for key in node)
