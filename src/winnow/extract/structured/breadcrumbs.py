"""The trail of a page in schema.org data (BreadcrumbList) -> one value for each step."""

from __future__ import annotations

from typing import Any

from winnow.extract.draft import Strategy, Value
from winnow.extract.structured.schema_graph import Graph, Node, as_list
from winnow.extract.structured.schema_price import scalar, text_of

MAX_STEPS = 12
MAX_NAME = 255


def read_trail(graph: Graph, strategy: Strategy) -> list[Value]:
    """The longest of the page: some name one for each way that leads to it, and the first steps alone are one too."""
    trails = [_steps(graph, node, path, strategy) for node, path in graph.trails]
    return max(trails, key=len, default=[])


def _steps(graph: Graph, node: Node, path: str, strategy: Strategy) -> list[Value]:
    elements = [graph.resolve(e) for e in as_list(node.get("itemListElement"))[:MAX_STEPS]]
    listed = [e for e in elements if isinstance(e, dict)]
    ordered = sorted(listed, key=_position) if all("position" in e for e in listed) else listed
    names = [" ".join(_name(graph, e).split())[:MAX_NAME] for e in ordered]
    return [Value(name, strategy, f"{path}.itemListElement") for name in names if name]


def _position(element: Node) -> float:
    found = scalar(element.get("position"))
    try:
        return float(found.raw) if found else 0.0
    except ValueError:
        return 0.0


def _name(graph: Graph, element: Node) -> str:
    if own := text_of(element.get("name")):
        return own
    item: Any = graph.resolve(element.get("item"))
    return text_of(item.get("name")) if isinstance(item, dict) else ""
