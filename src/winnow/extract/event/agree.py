"""Which of several readings of a page are one event, and which event is the page's own."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

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
    named = [one for one in stated if _is_heading(_first(one, "title"), parsed) and not _is_brother(one, parsed)]
    for found in (at_page, named):
        if found and len({_folded(_first(one, "title")) for one in found}) == 1:
            return found
    return []


def _is_brother(one: Collected, parsed: ParsedPage) -> bool:
    """Whether its address is that of the page beside this one: another evening of the same name."""
    if not one.has("url") or same_page(_first(one, "url"), parsed.facts):
        return False
    theirs, own = urlsplit(absolute(parsed.url, _first(one, "url"))), urlsplit(parsed.facts.urls[-1])
    folder, _, name = theirs.path.rstrip("/").rpartition("/")
    return bool(folder and name) and (theirs.netloc, folder) == (own.netloc, own.path.rstrip("/").rpartition("/")[0])


def _is_heading(title: str, parsed: ParsedPage) -> bool:
    headings = parsed.own_headings if len(parsed.own_headings) == 1 else []
    heads = [*headings, parsed.meta.get("og:title", "")] if headings else [parsed.meta.get("og:title", "")]
    return any(head and min(name_overlap(title, head)) >= SAME for head in heads)


def is_same_title(one: Collected, other: Collected) -> bool:
    a, b = _folded(_first(one, "title")), _folded(_first(other, "title"))
    return a in b or b in a


def combine(stated: Sequence[Collected], shown: Sequence[Collected], url: str) -> list[Collected]:
    """What is shown, in its order, each with what is stated of it in front; what is only stated comes last."""
    taken = set()
    for one, match in _pairs(stated, shown, url):
        taken.add(id(match))
        one.values = _joined(match, one)
    return [*shown, *(one for one in stated if id(one) not in taken)]


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
    if not stated or not shown:
        return []
    pages = {id(one): _address(one, url) for one in (*stated, *shown)}
    by_day = _by_day(stated)
    left, found, alone = {id(one) for one in stated}, [], []
    for one in shown:
        near = (other for number in _days_of(one) for other in by_day.get(number, []) if id(other) in left)
        match = next((other for other in near if _are_one(other, one, pages)), None)
        if match is None:
            alone.append(one)
        else:
            left.remove(id(match))
            found.append((one, match))
    return found + _contradicted([one for one in stated if id(one) in left], alone, pages)


NO_NUMBER = 0  # of a day in words: "vandaag"
Pages = dict[int, tuple[Any, ...] | None]


def _by_day(stated: Sequence[Collected]) -> dict[int, list[Collected]]:
    """By the day of the month: a list of thousands is compared with what can be the same."""
    found: dict[int, list[Collected]] = defaultdict(list)
    for one in stated:
        day = _iso_day(one)
        for number in {int(day[3])} if day is not None else _numbers(_first(one, "start")) or {NO_NUMBER}:
            found[number].append(one)
    return found


def _days_of(one: Collected) -> set[int]:
    return {NO_NUMBER} | {number for value in one.values.get("start", []) for number in _numbers(value.raw)}


def _contradicted(
    stated: Sequence[Collected], shown: Sequence[Collected], pages: Pages
) -> list[tuple[Collected, Collected]]:
    own = Counter(pages[id(one)] for one in shown)
    named: dict[Any, list[Collected]] = defaultdict(list)
    for one in stated:
        named[pages[id(one)]].append(one)
    found = []
    for one in shown:
        page = pages[id(one)]
        match = named[page][0] if page and own[page] == 1 and len(named[page]) == 1 else None
        if match is None or _iso_day(match) is None:
            continue
        if is_same_title(match, one) and not _is_near(match, one):
            days = f"{_first(match, 'start')!r} and {_first(one, 'start')!r}"
            match.add(CONTRADICTION, f"the page names two days: {days}"[:200], Strategy.DOM, "list and data")
            one.values["start"] = []
            found.append((one, match))
    return found


def _address(one: Collected, url: str) -> tuple[Any, ...] | None:
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


def _are_one(stated: Collected, shown: Collected, pages: Pages) -> bool:
    """The same day, under one address or one name."""
    day = _iso_day(stated)
    starts = [value.raw for value in shown.values.get("start", [])]
    if day is None:  # a property in the words that are shown
        words = " ".join(_first(stated, "start").split()).lower()
        if not words or not any(words in " ".join(raw.split()).lower() for raw in starts):
            return False
    elif not any(day[0] in raw or int(day[3]) in _numbers(raw) for raw in starts):
        return False
    mine, theirs = pages[id(stated)], pages[id(shown)]
    return (mine is not None and mine == theirs) or is_same_title(stated, shown)


def _iso_day(one: Collected) -> re.Match[str] | None:
    return re.match(r"(\d{4})-(\d\d)-(\d\d)", _first(one, "start"))


def _numbers(text: str) -> set[int]:
    return {int(number) for number in re.findall(r"\d{1,2}(?!\d)", text)}
