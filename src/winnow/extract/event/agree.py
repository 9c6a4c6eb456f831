"""Which of several readings of a page are one event, and which event is the page's own."""

from __future__ import annotations

import re
from collections.abc import Sequence

from winnow.extract.candidates import Collected
from winnow.extract.page_facts import absolute, page_key, same_page
from winnow.extract.parsed_page import ParsedPage
from winnow.extract.structured.main_item import name_overlap

SAME = 0.75  # likeness of a heading and the name of the page's own event


def distinct(found: Sequence[Collected]) -> list[Collected]:
    """Each event once, in page order: a page may describe it in two syntaxes, or twice for two widths."""
    known: dict[tuple[str, str], Collected] = {}
    for one in found:
        if one.has("title") and one.has("start"):
            key = (_folded(_first(one, "title")), _moment_key(one))
            if key not in known:
                known[key] = one
            elif len(one.values) > len(known[key].values):
                known[key].values = {**known[key].values, **one.values}
                known[key].block = known[key].block or one.block
    return list(known.values())


def _moment_key(one: Collected) -> str:
    return re.sub(r"\s+", " ", _first(one, "start")).lower()[:40]


def _first(one: Collected, field: str) -> str:
    values = one.values.get(field)
    return values[0].raw if values else ""


def _folded(text: str) -> str:
    return re.sub(r"\W+", " ", text.lower()).strip()


def own_events(stated: Sequence[Collected], parsed: ParsedPage) -> list[Collected]:
    """The stated events that are the page's own: by their address, else by the page's heading. Several of different
    names are a list, of one name the days of one event."""
    at_page = [one for one in stated if one.has("url") and same_page(_first(one, "url"), parsed.facts)]
    named = [one for one in stated if _is_heading(_first(one, "title"), parsed)]
    for found in (at_page, named):
        if found and len({_folded(_first(one, "title")) for one in found}) == 1:
            return found
    return []


def _is_heading(title: str, parsed: ParsedPage) -> bool:
    headings = parsed.own_headings if len(parsed.own_headings) == 1 else []
    heads = [*headings, parsed.meta.get("og:title", "")] if headings else [parsed.meta.get("og:title", "")]
    return any(head and min(name_overlap(title, head)) >= SAME for head in heads)


def is_same_title(one: Collected, other: Collected) -> bool:
    a, b = _folded(_first(one, "title")), _folded(_first(other, "title"))
    return a in b or b in a


def combine(stated: Sequence[Collected], shown: Sequence[Collected], url: str) -> list[Collected]:
    """What is shown, in its order, each with what is stated of it in front; what is only stated comes last."""
    left = list(stated)
    for one in shown:
        match = next((other for other in left if _are_one(other, one, url)), None)
        if match is not None:
            left.remove(match)
            values = {field: list(found) for field, found in match.values.items()}
            for field, found in one.values.items():
                kept = {value.raw for value in values.get(field, [])}
                values[field] = values.get(field, []) + [value for value in found if value.raw not in kept]
            one.values = values
    return [*shown, *left]


def _are_one(stated: Collected, shown: Collected, url: str) -> bool:
    """The same day, under one address or one name."""
    day = re.match(r"(\d{4})-(\d\d)-(\d\d)", _first(stated, "start"))
    starts = [value.raw for value in shown.values.get("start", [])]
    if day is None or not any(day[0] in raw or int(day[3]) in _numbers(raw) for raw in starts):
        return False
    mine, theirs = _first(stated, "url"), _first(shown, "url")
    if mine and theirs and page_key(absolute(url, mine)) == page_key(absolute(url, theirs)):
        return True
    return is_same_title(stated, shown)


def _numbers(text: str) -> set[int]:
    return {int(number) for number in re.findall(r"\d{1,2}(?!\d)", text)}
