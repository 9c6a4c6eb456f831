"""Whether a page is about one event or lists many."""

from __future__ import annotations

from urllib.parse import urlsplit

from winnow.extract.event.event_words import EVENT_URL, LIST_HEADING, LISTED_AT_END
from winnow.extract.event.listing import Listing, is_related
from winnow.extract.event.marks import Mark
from winnow.extract.event.outline import Outline
from winnow.extract.event.terms import AGENDA
from winnow.extract.page_facts import absolute, same_page
from winnow.extract.parsed_page import ParsedPage

NEAR = 14  # lines below its heading in which a page's own event says its day
ABOVE = 4
ENOUGH = 2.0  # signs that a page is about one event
MANY = 6  # entries of a list that is more than a hint at other events


def is_detail(parsed: ParsedPage, page: Outline, listing: Listing) -> bool:
    """Its address and its heading name one event, and its day stands beside that heading."""
    if not _has_own_day(page, listing):
        return False
    return _address(parsed, listing) + _heading(parsed) + _lists(page, listing) >= ENOUGH


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
    brothers = (
        sum(found.rpartition("/")[0] == above and found != path for found in paths) / len(paths) if above else 0.0
    )
    return -3.0 if below > 0.5 else 2.0 if brothers > 0.5 else 0.0


def _heading(parsed: ParsedPage) -> float:
    headings = list(dict.fromkeys(parsed.own_headings))
    if not headings:
        return -1.0
    if LIST_HEADING.fullmatch(headings[0]) or LISTED_AT_END.search(headings[0]):
        return -3.0
    return 1.0 if len(headings) == 1 else 0.0


def _lists(page: Outline, listing: Listing) -> float:
    main = [group for group in listing.events if not _is_related(page, group.records[0].first)]
    return -1.0 if sum(len(group.records) for group in main) >= MANY else 0.5


def _is_related(page: Outline, line: int) -> bool:
    above = [page.lines[n].text for n in range(max(0, line - 6), line)]
    return any(is_related(text) and len(text) <= 60 for text in above)


def _has_own_day(page: Outline, listing: Listing) -> bool:
    return bool(own_marks(page, listing))


def own_marks(page: Outline, listing: Listing) -> list[Mark]:
    """Days beside the page's heading that are in no list."""
    headings = [e for e in page.elements if e.tag == "h1" and e.last > e.first]
    listed = {id(mark) for group in listing.groups for record in group.records for mark in record.marks}
    own = [mark for mark in listing.marks if id(mark) not in listed]
    return [mark for mark in own if any(-ABOVE <= mark.line - heading.first <= NEAR for heading in headings)]
