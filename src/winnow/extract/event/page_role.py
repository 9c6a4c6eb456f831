"""Whether a page is about one event or lists many."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from winnow.extract.event.day_text import day_and_month
from winnow.extract.event.event_words import EVENT_URL, LIST_HEADING, LISTED_AT_END, NEWS_URL
from winnow.extract.event.listing import Listing, is_related
from winnow.extract.event.marks import Mark
from winnow.extract.event.outline import Outline
from winnow.extract.event.terms import AGENDA
from winnow.extract.page_facts import absolute, same_page
from winnow.extract.parsed_page import ParsedPage

NEAR = 14  # lines below its heading in which a page's own event says its day
ABOVE = 4
ENOUGH = 2.0  # signs that a page is about one event
_WORD = re.compile(r"[^\W\d_]{3,}")
_NUMBER = re.compile(r"\d+")
_ISO = re.compile(r"\d{4}-\d\d-\d\d")
_FIGURES = re.compile(r"(?<!\d)0?(\d{1,2})\s?[./-]\s?0?(\d{1,2})(?!\d)")
MANY = 6  # entries of a list that is more than a hint at other events


def is_detail(parsed: ParsedPage, page: Outline, listing: Listing) -> bool:
    """Its address and its heading name one event, and its day stands beside that heading."""
    if not own_marks(page, listing) and not _are_others(parsed, page, listing):
        return False
    named = _is_in_address(parsed, listing)
    return _address(parsed, listing) + _heading(parsed, listing) + _lists(page, listing) + named >= ENOUGH


def _address(parsed: ParsedPage, listing: Listing) -> float:
    path = urlsplit(parsed.facts.urls[-1]).path.rstrip("/")
    last = path.rpartition("/")[2]
    found = 0.0
    if not path or AGENDA.fullmatch(last.replace("-", " ").removesuffix(".html").removesuffix(".php")):
        found -= 3
    elif EVENT_URL.search(path):
        found += 1.5
    if "event" in parsed.meta.get("og:type", "").lower():
        found += 2
    return found + _family(parsed, path, listing)


def _is_in_address(parsed: ParsedPage, listing: Listing) -> float:
    """Whether the address is made of the heading's words: "/program/osees/2413436"."""
    path = urlsplit(parsed.facts.urls[-1]).path.lower()
    if NEWS_URL.search(path) or not EVENT_URL.search(path):
        return 0.0
    parts = [set(_WORD.findall(part)) for part in path.split("/")[2:]]
    words = set(_WORD.findall(" ".join(text for _, text in listing.own.found).lower()))
    return 1.0 if any(part and part <= words for part in parts) else 0.0


def lists_others(parsed: ParsedPage, listing: Listing) -> bool:
    """Whether what the page lists are events of their own beside the page's."""
    return _family(parsed, urlsplit(parsed.facts.urls[-1]).path.rstrip("/"), listing) > 0


def _family(parsed: ParsedPage, path: str, listing: Listing) -> float:
    """Entries whose addresses are brothers of the page's own are other events; those below it are its list."""
    above = path.rpartition("/")[0]
    paths = []
    for entry in listing.entries[:40]:
        value = next(iter(entry.values.get("url", [])), None)
        if value is not None and not same_page(value.raw, parsed.facts):
            paths.append(urlsplit(absolute(parsed.url, value.raw)).path.rstrip("/"))
    if not paths:
        return 0.0
    below = sum(found.startswith(path + "/") for found in paths) / len(paths)
    folder = _NUMBER.sub("0", above)  # "/programme/100388/tarja": an address may have a number of its own
    brothers = (
        sum(_NUMBER.sub("0", found.rpartition("/")[0]) == folder and found != path for found in paths) / len(paths)
        if above
        else 0.0
    )
    return -3.0 if below > 0.5 else 2.0 if brothers > 0.5 else 0.0


def _heading(parsed: ParsedPage, listing: Listing) -> float:
    headings = list(dict.fromkeys(parsed.own_headings))
    named = [text for _, text in listing.own.found]
    if named and not set(named) & set(headings):
        headings = named[:1]
    if not headings:
        return -1.0
    if LIST_HEADING.fullmatch(headings[0]) or LISTED_AT_END.search(headings[0]):
        return -3.0
    return 1.0 if len(headings) == 1 else 0.0


def _are_others(parsed: ParsedPage, page: Outline, listing: Listing) -> bool:
    """Whether all that is listed stands below a line such as "More events", and has a page like this one."""
    groups = [group for group in listing.events if group.records]
    return bool(groups) and all(_is_related(page, g.records[0].first) for g in groups) and lists_others(parsed, listing)


def _lists(page: Outline, listing: Listing) -> float:
    main = [group for group in listing.events if not _is_related(page, group.records[0].first)]
    return -1.0 if sum(len(group.records) for group in main) >= MANY else 0.5


def _is_related(page: Outline, line: int) -> bool:
    above = [page.lines[n].text for n in range(max(0, line - 6), line)]
    return any(is_related(text) and len(text) <= 60 for text in above)


def own_marks(page: Outline, listing: Listing) -> list[Mark]:
    """Days beside the page's heading that are in no list; where only its title names the event, those above the lists."""
    headings = listing.own.found
    records = [record for group in listing.groups for record in group.records]
    listed = {id(mark) for record in records for mark in record.marks}
    own = [mark for mark in listing.marks if id(mark) not in listed]
    near = [mark for mark in own if any(-ABOVE <= mark.line - at <= NEAR for at, _ in headings)]
    if near or not listing.own.title or listing.own.named:
        return near
    first = min((record.first for record in records), default=len(page.lines))
    return [mark for mark in own if mark.line < first]


def day_key(mark: Mark) -> tuple[int, int] | str:
    """Day and month: "zat 27 sep", "27 september" and 2025-09-27T20:00 are one."""
    if _ISO.match(mark.stated):
        return int(mark.stated[8:10]), int(mark.stated[5:7])
    figures = _FIGURES.search(mark.text)
    return day_and_month(mark.text) or ((int(figures[1]), int(figures[2])) if figures else mark.text.lower())
