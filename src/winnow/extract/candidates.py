"""Gathers candidates per field, in the order they are trusted, each once."""

from __future__ import annotations

import json
from typing import Any

from winnow.extract.draft import Attempt, Draft, Extracted, Strategy, Value
from winnow.extract.parsed_page import ParsedPage
from winnow.extract.structured.schema_graph import as_list
from winnow.extract.structured.schema_items import Item
from winnow.extract.structured.schema_price import scalar

MAX_CANDIDATES = 40
MAX_RAW = 60_000


class Collected:
    def __init__(self) -> None:
        self.values: dict[str, list[Value]] = {}
        self.block = ""

    def add(self, field: str, raw: str, strategy: Strategy, path: str, numeric: bool = False) -> None:
        text = raw.strip()[:MAX_RAW]
        known = self.values.setdefault(field, [])
        if text and len(known) < MAX_CANDIDATES and all(value.raw != text for value in known):
            known.append(Value(text, strategy, path, numeric))

    def add_all(self, field: str, values: list[Value]) -> None:
        for value in values:
            self.add(field, value.raw, value.strategy, value.path, value.numeric)

    def add_key(self, field: str, item: Item, *keys: str) -> None:
        """Plain properties of a schema.org item; several values are several candidates."""
        for key in keys:
            for index, each in enumerate(as_list(item.node.get(key))):
                found = scalar(each)
                if found is not None:
                    self.add(field, found.raw, item.strategy, f"{item.path}.{key}[{index}]", found.numeric)

    def add_node(self, field: str, node: Any, strategy: Strategy, path: str) -> None:
        """A value with parts (an address, a salary) travels as JSON."""
        self.add(field, json.dumps(node, ensure_ascii=False, default=str), strategy, path)

    def has(self, field: str) -> bool:
        return bool(self.values.get(field))

    def draft(self, kind: str, parsed: ParsedPage) -> Draft:
        values = {field: found for field, found in self.values.items() if found}
        if parsed.facts.lang:
            values["lang"] = [Value(parsed.facts.lang, Strategy.DOM, "html[lang]")]
        return Draft(kind, values, self.block)


def extracted(drafts: list[Draft], parsed: ParsedPage, decisive: str) -> Extracted:
    """`decisive` is the field whose strategy counts as the one that won (E-055)."""
    notes = "; ".join(parsed.schema.notes)
    first = drafts[0].first(decisive) if drafts else None
    winner = first.strategy if first else Strategy.DOM
    return Extracted(drafts, winner, [Attempt(winner, len(drafts), notes)])
