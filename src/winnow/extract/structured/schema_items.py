"""Every typed item of a page's structured data, whatever syntax it was written in, with where it stood."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from selectolax.lexbor import LexborHTMLParser

from winnow.extract.draft import Strategy
from winnow.extract.limits import MAX_JSON_DEPTH, MAX_NODES
from winnow.extract.structured import microdata, rdfa
from winnow.extract.structured.json_ld_blocks import OverLimit, blocks_from_dom, decode_tolerantly
from winnow.extract.structured.schema_graph import Graph, Node, OverDepth, as_list, types_of
from winnow.extract.structured.schema_price import text_of

# Keys that lead to what the page is about, or only group things; under any other key an item belongs to another one.
_MAIN = frozenset(["mainEntity", "mainEntityOfPage", "about"])
_GROUPS = frozenset(["@graph", "@set", "@list", "itemListElement", "item", "itemList"])


class Item(msgspec.Struct, frozen=True):
    """`key` is the property it hangs on ("" at the top); `main` says the page names it as what it is about."""

    node: Node
    path: str
    strategy: Strategy
    key: str = ""
    main: bool = False
    listed: bool = False

    @property
    def types(self) -> list[str]:
        return types_of(self.node)


class SchemaItems:
    """All items of a page, and a way to follow `{"@id": …}` between them."""

    def __init__(self, tree: LexborHTMLParser) -> None:
        self.notes: list[str] = []
        self._roots = list(self._read(tree))
        self.graph = Graph([root for root, _, _ in self._roots])
        self.items = list(self._walk())

    def _read(self, tree: LexborHTMLParser) -> Iterator[tuple[Any, str, Strategy]]:
        try:
            blocks, notes = decode_tolerantly(blocks_from_dom(tree))
            self.notes += notes
            yield from ((block, f"json_ld[{i}]", Strategy.JSON_LD) for i, block in enumerate(blocks))
            yield from ((n, f"microdata[{i}]", Strategy.MICRODATA) for i, n in enumerate(microdata.items(tree)))
            if tree.css_first("[typeof]") is not None:
                yield from ((n, f"rdfa[{i}]", Strategy.MICRODATA) for i, n in enumerate(rdfa.items(tree)))
        except (OverLimit, OverDepth) as trouble:
            self.notes.append(f"limit: {trouble}")

    def _walk(self) -> Iterator[Item]:
        stack: list[tuple[Any, Item, int]] = [
            (root, Item({}, path, strategy), 0)
            for root, path, strategy in reversed(self._roots)
            if isinstance(root, dict | list)  # a block may hold "null" or a bare text
        ]
        seen = 0
        while stack and seen < MAX_NODES:
            value, at, depth = stack.pop()
            seen += 1
            if isinstance(value, dict):
                item = msgspec.structs.replace(at, node=value)
                if types_of(value):
                    yield item
                value = [(inner, _below(item, key)) for key, inner in value.items()]
            elif isinstance(value, list):
                value = [(v, msgspec.structs.replace(at, path=f"{at.path}[{i}]")) for i, v in enumerate(value)]
            if depth < MAX_JSON_DEPTH:
                stack += [(v, p, depth + 1) for v, p in reversed(value) if isinstance(v, dict | list)]

    def of(self, types: frozenset[str]) -> list[Item]:
        return [item for item in self.items if any(name in types for name in item.types)]

    def node(self, value: Any) -> Node:
        """The item a property holds or refers to; of several the first. {} when it is text."""
        for each in as_list(value)[:1]:
            found = self.graph.resolve(each)
            if isinstance(found, dict):
                return found
        return {}

    def nodes(self, value: Any) -> list[Node]:
        found = [self.graph.resolve(each) for each in as_list(value)]
        return [node for node in found if isinstance(node, dict)]

    def name(self, value: Any) -> str:
        """Text, or the name of the item that stands in its place."""
        node = self.node(value)
        return text_of(node.get("name") or node.get("legalName")) if node else text_of(value)


def _below(item: Item, key: str) -> Item:
    groups = key in _GROUPS
    return Item(
        {},
        f"{item.path}.{key}",
        item.strategy,
        item.key if groups else key,
        key in _MAIN or (groups and item.main),
        item.listed or key in ("itemListElement", "itemList"),
    )
