"""Which of several readings of a page are one event, and which event is the page's own."""

from __future__ import annotations

import re
from collections.abc import Sequence

from winnow.extract.candidates import Collected
from winnow.extract.draft import Strategy, Value
from winnow.extract.page_facts import absolute, page_key, same_page
from winnow.extract.parsed_page import ParsedPage
from winnow.extract.structured.main_item import name_overlap

CONTRADICTION = "contradiction"  # the field of a draft that says what contradicts its day
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
    for one, match in _pairs(stated, shown, url):
        left.remove(match)
        one.values = _joined(match, one)
    return [*shown, *left]


def complete(stated: Sequence[Collected], shown: Sequence[Collected], url: str) -> list[Collected]:
    """What is stated, each with what is shown of it behind: an hour, a place, an end that the data leave out."""
    for one, match in _pairs(stated, shown, url):
        lacking = {field for field in one.values if not match.has(field)} - {"start"}
        if has_hour(match):
            lacking -= {"clock"}
        match.values |= {field: one.values[field] for field in lacking}
        match.block = match.block or one.block
    return list(stated)


def has_hour(one: Collected) -> bool:
    return re.search(r"\d:\d\d", _first(one, "start")) is not None


def _pairs(stated: Sequence[Collected], shown: Sequence[Collected], url: str) -> list[tuple[Collected, Collected]]:
    """Shown and stated readings of one event. Where only one event of each has an address, and the two name different
    days, they are one event that contradicts itself."""
    left, found = list(stated), []
    alone = []
    for one in shown:
        match = next((other for other in left if _are_one(other, one, url)), None)
        if match is None:
            alone.append(one)
        else:
            left.remove(match)
            found.append((one, match))
    for one in alone:
        match = _contradicted(one, alone, left, url)
        if match is not None:
            left.remove(match)
            days = f"{_first(match, 'start')!r} and {_first(one, 'start')!r}"
            match.add(CONTRADICTION, f"the page names two days: {days}"[:200], Strategy.DOM, "list and data")
            one.values["start"] = []
            found.append((one, match))
    return found


def _contradicted(
    one: Collected, shown: Sequence[Collected], stated: Sequence[Collected], url: str
) -> Collected | None:
    key = _address(one, url)
    if not key or sum(_address(other, url) == key for other in shown) > 1:
        return None
    named = [other for other in stated if _address(other, url) == key]
    if len(named) != 1 or _iso_day(named[0]) is None or not is_same_title(named[0], one):
        return None
    return None if _is_near(named[0], one) else named[0]


def _address(one: Collected, url: str) -> tuple[str, ...] | None:
    raw = _first(one, "url")
    return page_key(absolute(url, raw)) if raw else None


def _is_near(stated: Collected, shown: Collected) -> bool:
    """A day apart, where the data state an offset: the same moment in another zone."""
    raw = _first(stated, "start")
    day = re.match(r"\d{4}-\d\d-(\d\d)T.*(?:Z|[+-]\d\d:?\d\d)$", raw)
    numbers = {number for value in shown.values.get("start", []) for number in _numbers(value.raw)}
    return not numbers or (day is not None and bool(numbers & {int(day[1]) - 1, int(day[1]) + 1, 1}))


def _joined(stated: Collected, shown: Collected) -> dict[str, list[Value]]:
    values = {field: list(found) for field, found in stated.values.items()}
    for field, found in shown.values.items():
        kept = {value.raw for value in values.get(field, [])}
        values[field] = values.get(field, []) + [value for value in found if value.raw not in kept]
    return values


def _are_one(stated: Collected, shown: Collected, url: str) -> bool:
    """The same day, under one address or one name."""
    day = _iso_day(stated)
    starts = [value.raw for value in shown.values.get("start", [])]
    if day is None:  # a property in the words that are shown
        words = " ".join(_first(stated, "start").split()).lower()
        if not words or not any(words in " ".join(raw.split()).lower() for raw in starts):
            return False
    elif not any(day[0] in raw or int(day[3]) in _numbers(raw) for raw in starts):
        return False
    mine, theirs = _first(stated, "url"), _first(shown, "url")
    if mine and theirs and page_key(absolute(url, mine)) == page_key(absolute(url, theirs)):
        return True
    return is_same_title(stated, shown)


def _iso_day(one: Collected) -> re.Match[str] | None:
    return re.match(r"(\d{4})-(\d\d)-(\d\d)", _first(one, "start"))


def _numbers(text: str) -> set[int]:
    return {int(number) for number in re.findall(r"\d{1,2}(?!\d)", text)}
