"""The page's one event by its lines: the heading, the first day beside it that is in no list, and the hours around that."""

from __future__ import annotations

from winnow.extract.candidates import Collected
from winnow.extract.draft import Strategy
from winnow.extract.event.entry_draft import block_of
from winnow.extract.event.entry_times import hours_of, starts_of
from winnow.extract.event.event_words import LIST_HEADING, LISTED_AT_END
from winnow.extract.event.listing import Listing
from winnow.extract.event.outline import Outline
from winnow.extract.event.page_role import ABOVE, NEAR, day_key, own_marks
from winnow.extract.event.records import Record
from winnow.extract.parsed_page import ParsedPage

MAX_DAY_LINE = 100  # a longer line tells of a day
BELOW = 20  # lines below the heading in which an event says when it is


def read_own(parsed: ParsedPage, page: Outline, listing: Listing) -> list[Collected]:
    """Only for pages that are about one event; [] where two days stand beside the heading."""
    headings = listing.own.found
    marks = own_marks(page, listing)
    marks = [mark for mark in marks if len(page.lines[mark.line].text) <= MAX_DAY_LINE] or marks
    if len({text for _, text in headings}) > 1 or not marks or len({day_key(mark) for mark in marks}) > 1:
        return []
    near = [pair for pair in headings if -ABOVE <= marks[0].line - pair[0] <= NEAR]
    at, title = near[-1] if near else (marks[0].line, listing.own.title)
    if not title or LIST_HEADING.fullmatch(title) or LISTED_AT_END.search(title):
        return []
    first, last = _around(page, listing, at)
    record = Record(0, first, last, marks)
    hours = hours_of(page, record, marks[0])
    into = Collected()
    into.add("title", title, Strategy.DOM, "h1")
    for text, path in starts_of(marks[0], hours):
        into.add("start", text, Strategy.DOM, path)
    into.add("clock", f"{hours.start} - {hours.end}" if hours.end else hours.start, Strategy.DOM, "page hour")
    into.add("doors", hours.doors, Strategy.DOM, "page hour")
    into.add("url", parsed.facts.urls[-1], Strategy.DOM, "link[rel=canonical]")
    into.block = block_of(page, record)
    return [into]


def _around(page: Outline, listing: Listing, heading: int) -> tuple[int, int]:
    """From above the heading down to the first list of other events."""
    lists = [r.first for group in listing.groups for r in group.records if r.first > heading]
    return max(0, heading - ABOVE), min([heading + BELOW, len(page.lines), *lists])
