"""State a careers page carries for its own script -> the posting it shows (Ashby, Remix boards, Next.js …)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from winnow.extract.candidates import Collected
from winnow.extract.draft import Strategy
from winnow.extract.job.posting_keys import add_posting, is_posting, title_in
from winnow.extract.limits import MAX_NODES
from winnow.extract.parsed_page import ParsedPage
from winnow.extract.state.hydration_states import PageState, attribute_states, states
from winnow.extract.structured.main_item import name_overlap
from winnow.extract.structured.schema_graph import Node


def read_states(into: Collected, parsed: ParsedPage) -> None:
    """State of the page's own script: the object named like the page that has what only a posting has."""
    for state in _states(parsed):
        for found, path in walk(state.data, state.name):
            node = _completed(found, state.data)
            title = title_in(node)
            if title and is_posting(node) and any(name_overlap(title, t) >= (1, 0.3) for t in parsed.facts.titles):
                add_posting(into, node, path)
                _company_of_state(into, state.data, path)
                return


def _states(parsed: ParsedPage) -> Iterator[PageState]:
    yield from attribute_states(parsed.tree, _may_hold_posting)
    yield from states(parsed.tree, _may_hold_posting)


def _may_hold_posting(text: str) -> bool:
    return "itle" in text and "escription" in text


def _completed(node: Node, data: Any) -> Node:
    """An entry with its texts in the language it was written in, and its places, which may stand for ids (Recruitee)."""
    if not isinstance(node.get("translations"), dict):
        return node
    language = str(node.get("primaryLangCode") or "")
    whole = _translated(node, language)
    own = node.get("locations")
    places = own if isinstance(own, list) and own else _referenced(node.get("locationIds"), data)
    named = [_translated(place, language) for place in places if isinstance(place, dict)]
    return {**whole, "locations": named} if named else whole


def _translated(node: Node, language: str) -> Node:
    """What it says itself before what its translation says; a name of the country before its code."""
    translations = node.get("translations")
    if not isinstance(translations, dict):
        return node
    texts = translations.get(language, next(iter(translations.values()), None))
    named = {key: value for key, value in texts.items() if value} if isinstance(texts, dict) else {}
    own = {key: value for key, value in node.items() if value not in (None, "")}
    return {**named, **own, **{key: named[key] for key in ("country",) if key in named}}


def _referenced(ids: Any, data: Any) -> list[Node]:
    """The entries of the state's table of locations that a posting refers to."""
    wanted = {str(each) for each in ids} if isinstance(ids, list) else set()
    tables = [table for node, _ in walk(data, "") if isinstance(table := node.get("locations"), list)] if wanted else []
    return [
        place for table in tables[:1] for place in table if isinstance(place, dict) and str(place.get("id")) in wanted
    ]


def _company_of_state(into: Collected, data: Any, path: str) -> None:
    config = data.get("appConfig") if isinstance(data, dict) else None
    holder = config if isinstance(config, dict) else data
    owner = holder.get("organization") or holder.get("company") if isinstance(holder, dict) else None
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
