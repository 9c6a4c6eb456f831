"""Schema.org data of a page -> one draft of the page's own product, whatever syntax it was written in."""

from __future__ import annotations

from typing import Any

import msgspec

from winnow.extract.draft import Strategy
from winnow.extract.page_facts import PageFacts
from winnow.extract.structured.breadcrumbs import read_trail
from winnow.extract.structured.main_item import Choice, choose
from winnow.extract.structured.schema_graph import Graph, Place
from winnow.extract.structured.schema_price import Values
from winnow.extract.structured.schema_product import ProductReading, read_product


class Findings(msgspec.Struct, frozen=True):
    """`values` is empty when the page's own product was not found; `note` says why, for the trace. `types` are those of
    the other items at the top of the data, `listed` counts products in lists: both tell what type of page it is."""

    values: Values
    note: str = ""
    types: frozenset[str] = frozenset()
    listed: int = 0


def read_schema(roots: list[Any], facts: PageFacts, strategy: Strategy) -> Findings:
    graph = Graph(roots)
    products = graph.products()
    choice = choose(products, facts)
    values = _merged(choice, ProductReading(graph, facts, strategy))
    if graph.trails and values and (trail := read_trail(graph, strategy)):
        values["breadcrumb"] = trail
    listed = sum(found.place is Place.LISTED for found in products) if len(products) > 1 else 0
    return Findings(values, choice.note, frozenset(graph.types), listed + len(choice.rivals))


def _merged(choice: Choice, reading: ProductReading) -> Values:
    if len(choice.own) == 1:
        return read_product(choice.own[0], reading)
    values: Values = {}
    for found in choice.own:
        for field, candidates in read_product(found, reading).items():
            values.setdefault(field, []).extend(candidates)
    return values or _rival_values(choice, reading)


def _rival_values(choice: Choice, reading: ProductReading) -> Values:
    """Prices of products of which none is known to be the page's own: evidence for a person, not a price."""
    read = [read_product(found, reading) for found in choice.rivals]
    prices = [value for values in read for value in values.get("price", []) + values.get("price_from", [])]
    stock = [value for values in read for value in values.get("availability", [])]
    return {"price_rival": prices, "availability": stock} if prices and stock else {}
