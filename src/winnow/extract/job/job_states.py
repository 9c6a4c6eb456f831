"""State a careers page carries for its own script -> the posting it shows (Ashby, Remix boards, Next.js …)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from winnow.extract.candidates import Collected
from winnow.extract.draft import Strategy
from winnow.extract.job.posting_keys import add_posting, is_posting, title_in
from winnow.extract.limits import MAX_NODES
from winnow.extract.parsed_page import ParsedPage
from winnow.extract.state.hydration_states import states
from winnow.extract.structured.main_item import name_overlap
from winnow.extract.structured.schema_graph import Node


def read_states(into: Collected, parsed: ParsedPage) -> None:
    """State of the page's own script: the object named like the page that has what only a posting has."""
    for state in states(parsed.tree, lambda text: "itle" in text and "escription" in text):
        for node, path in walk(state.data, state.name):
            title = title_in(node)
            if title and is_posting(node) and any(name_overlap(title, t) >= (1, 0.3) for t in parsed.facts.titles):
                add_posting(into, node, path)
                _company_of_state(into, state.data, path)
                return


def _company_of_state(into: Collected, data: Any, path: str) -> None:
    owner = data.get("organization") or data.get("company") if isinstance(data, dict) else None
    if isinstance(owner, dict) and isinstance(owner.get("name"), str):
        into.add("company_name", owner["name"], Strategy.HYDRATION, f"{path.partition('.')[0]}.organization.name")


def walk(data: Any, name: str) -> Iterator[tuple[Node, str]]:
    stack: list[tuple[Any, str, int]] = [(data, name, 0)]
    seen = 0
    while stack and seen < MAX_NODES:
        value, path, depth = stack.pop()
        seen += 1
        if isinstance(value, dict):
            yield value, path
            inner = [(v, f"{path}.{k}") for k, v in value.items()]
        else:
            inner = [(v, f"{path}[{i}]") for i, v in enumerate(value[:300])]
        if depth < 30:
            stack += [(v, p, depth + 1) for v, p in reversed(inner) if isinstance(v, dict | list)]
