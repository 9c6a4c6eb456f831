"""Walks schema.org data (JSON-LD, or microdata turned into the same shape) and finds its products.

Where a product stands decides whether it can be the page's own: the top level and `mainEntity` can, an
ItemList or "related" cannot.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache
from typing import Any

import msgspec

from winnow.extract.limits import MAX_JSON_DEPTH, MAX_NODES

Node = dict[str, Any]

_PRODUCT_NAMES = """
    product productgroup productmodel individualproduct someproducts vehicle car motorcycle
"""
PRODUCT_TYPES = frozenset(_PRODUCT_NAMES.split())
# Works and programs are sold too, but are described on many pages that sell nothing: only with offers.
_SOLD_TYPES = frozenset(["book", "audiobook", "movie", "musicalbum", "softwareapplication", "videogame", "game"])
OFFER_TYPES = frozenset(["offer", "aggregateoffer", "offerforpurchase"])
# Nodes that never lead to the page's product; looking inside only costs time.
_DEAD_END_NAMES = """
    organization website breadcrumblist imageobject review person localbusiness faqpage searchaction
"""
_DEAD_ENDS = frozenset(_DEAD_END_NAMES.split())
_MAIN_KEYS = frozenset(["mainEntity", "mainEntityOfPage", "itemOffered"])
_NEUTRAL_KEYS = frozenset(["@graph", "about", "item", "@set", "@list", "potentialAction"])


_ACTION_OFFER = (
    "price",
    "priceCurrency",
    "priceSpecification",
    "availability",
)  # of a BuyAction


class Place(StrEnum):
    MAIN = "main"  # the page says: this is what I am about
    TOP = "top"
    LISTED = "listed"


class Found(msgspec.Struct, frozen=True):
    """One product node, the path to it, and where it stood."""

    node: Node
    path: str
    place: Place


class OverDepth(ValueError):
    """More nodes or deeper nesting than a page needs (R-17)."""


def types_of(node: Node) -> list[str]:
    """Lower-case type names without their vocabulary."""
    declared = node.get("@type")
    if type(declared) is str:
        return [_type_name(declared)]
    return [_type_name(name) for name in as_list(declared) if isinstance(name, str)]


@lru_cache(1_024)
def _type_name(declared: str) -> str:
    return declared.rstrip("/").rpartition("/")[2].rpartition(":")[2].lower()


def is_product(node: Node) -> bool:
    return _describes_product(node, types_of(node))


def is_offer(node: Node) -> bool:
    return not OFFER_TYPES.isdisjoint(types_of(node))


def _describes_product(node: Node, kinds: list[str]) -> bool:
    return not PRODUCT_TYPES.isdisjoint(kinds) or ("offers" in node and not _SOLD_TYPES.isdisjoint(kinds))


def as_list(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    return [] if value is None else [value]


class Graph:
    """All roots of a page together, so that `{"@id": …}` can be followed from one block to another."""

    def __init__(self, roots: list[Any]) -> None:
        self._roots = [root for root in roots if isinstance(root, dict | list)]  # a block may be "false"
        self._by_id: dict[str, Node] | None = None
        self.types: set[str] = set()  # of the items that stand beside the products, filled by `products`
        self.trails: list[tuple[Node, str]] = []  # lists of breadcrumbs and where they stand, filled by `products`

    def products(self) -> list[Found]:
        """Every product once; one that the page also names as its main entity counts as that."""
        best: dict[int, Found] = {}
        for found in self._walk():
            known = best.get(id(found.node))
            if known is None or found.place is Place.MAIN:
                best[id(found.node)] = found
        return list(best.values())

    def resolve(self, value: Any) -> Any:
        """The node a bare reference points to; anything else as it is."""
        if not isinstance(value, dict) or "@id" not in value or len(value) > 2:
            return value
        if not set(value) <= {"@id", "@type"}:
            return value
        if self._by_id is None:
            self._by_id = {node["@id"]: node for node in self._nodes() if _is_named(node)}
        return self._by_id.get(str(value["@id"]), value)

    def _walk(self) -> Iterator[Found]:
        stack = [(root, f"[{i}]", Place.TOP, 0) for i, root in reversed(list(enumerate(self._roots)))]
        seen = 0
        while stack:
            value, path, place, depth = stack.pop()
            seen += 1
            if depth > MAX_JSON_DEPTH or seen > MAX_NODES:
                raise OverDepth(f"structured data beyond {MAX_NODES} nodes or {MAX_JSON_DEPTH} levels")
            if isinstance(value, list):
                stack += [(v, f"{path}[{i}]", place, depth + 1) for i, v in reversed(list(enumerate(value)))]
            elif isinstance(value, dict):
                value = self.resolve(value) if place is Place.MAIN else value
                kinds = types_of(value)
                found = self._as_product(value, kinds, path, place)
                if found is not None:
                    yield found
                    continue
                if place is not Place.LISTED:
                    self.types.update(kinds)
                if "breadcrumblist" in kinds:
                    self.trails.append((value, path))
                elif _DEAD_ENDS.isdisjoint(kinds):
                    stack += _children(value, path, place, depth)

    def _as_product(self, node: Node, kinds: list[str], path: str, place: Place) -> Found | None:
        if _describes_product(node, kinds):
            return Found(node, path, place)
        bought = self.resolve(node.get("object")) if "buyaction" in kinds else None
        if isinstance(bought, dict) and is_product(bought):
            stated = {key: node[key] for key in _ACTION_OFFER if key in node}
            return Found({"offers": stated, **bought} if stated else bought, f"{path}.object", place)
        sold = self.resolve(node["itemOffered"]) if "itemOffered" in node else None
        if isinstance(sold, dict) and not OFFER_TYPES.isdisjoint(kinds) and is_product(sold):
            rest = {key: value for key, value in node.items() if key != "itemOffered"}
            return Found({**sold, "offers": rest}, f"{path}.itemOffered", place)
        return None

    def _nodes(self) -> Iterator[Node]:
        stack: list[tuple[Any, int]] = [(root, 0) for root in self._roots]
        seen = 0
        while stack and seen < MAX_NODES:
            value, depth = stack.pop()
            seen += 1
            if depth > MAX_JSON_DEPTH:
                continue
            if isinstance(value, dict):
                yield value
            inner = value.values() if isinstance(value, dict) else value
            stack += [(v, depth + 1) for v in inner if isinstance(v, dict | list)]


def _is_named(node: Node) -> bool:
    return isinstance(node.get("@id"), str) and len(node) > 1 and set(node) != {"@id", "@type"}


def _children(node: Node, path: str, place: Place, depth: int) -> list[tuple[Any, str, Place, int]]:
    return [
        (value, f"{path}.{key}", _place_of(key, place), depth + 1)
        for key, value in reversed(node.items())
        if isinstance(value, dict | list)
    ]


def _place_of(key: str, place: Place) -> Place:
    if place is Place.LISTED or key in _NEUTRAL_KEYS:
        return place
    return Place.MAIN if key in _MAIN_KEYS else Place.LISTED
