"""A page about one event, or a list of many -> one draft per event in page order, and the links that lead on (E-046 … E-057).

Structured data first, then the page's own state, then what a reader sees. First it is decided what the page is: on the
page of one event only its own event counts, whatever the page says of others; of a list, what is stated for machines is
taken when it is not less than what is shown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from winnow.extract.candidates import Collected
from winnow.extract.draft import Attempt, Draft, Extracted, Extraction, Failure, Link, Reason, Role, Strategy
from winnow.extract.event.agree import combine, complete, distinct, has_hour, is_same_title, own_events
from winnow.extract.event.cms import recognise
from winnow.extract.event.event_page import read_single
from winnow.extract.event.event_states import read_states
from winnow.extract.event.feeds.read_feed import read_feed
from winnow.extract.event.kept_selectors import describe, read_with
from winnow.extract.event.listing import Listing, read_listing
from winnow.extract.event.outline import Outline
from winnow.extract.event.own_event import read_own
from winnow.extract.event.page_hours import with_hours
from winnow.extract.event.page_role import day_key, is_detail, lists_others, own_marks
from winnow.extract.event.paging import next_page
from winnow.extract.event.records import Record
from winnow.extract.event.schema_events import read_meta, read_schema
from winnow.extract.event.terms import EMPTY
from winnow.extract.page import Page
from winnow.extract.page_facts import absolute, same_page
from winnow.extract.parsed_page import ParsedPage, open_page
from winnow.extract.selector_set import SelectorSet

KIND = "event"
_ISO_DAY = re.compile(r"\d{4}-(\d\d)-(\d\d)")
MAX_EMPTY_LINE = 200  # "There are no upcoming events" is no longer


class _Read(msgspec.Struct):
    """What the readers of one page found, each asked once."""

    parsed: ParsedPage
    page: Outline
    stated: list[Collected]
    listing: Listing
    trace: list[Attempt]


def extract_events(
    page: Page, preferred: Strategy | None = None, usual: int = 0, selectors: Sequence[SelectorSet] = ()
) -> Extraction:
    """`preferred` is tried first; it is enough where it gives no fewer events than the page had last (`usual`). With
    kept `selectors` a page is read where nothing, or less than half of the usual, is found without them."""
    feed = read_feed(page)
    if feed is not None:
        return feed
    parsed = open_page(page)
    if isinstance(parsed, Failure):
        return parsed
    outline = Outline(parsed.clean_tree)
    trace: list[Attempt] = []
    first = _preferred(parsed, preferred, usual, trace)
    if first:
        return _extracted(first, _Read(parsed, outline, first, Listing(), trace))
    read = _read(parsed, outline, trace)
    chosen = _choose(read, usual if preferred is Strategy.DOM else 0)
    if selectors and 2 * len(chosen) <= usual and (chosen or _empty_line(read) is None):
        kept = _by_selectors(read, selectors, len(chosen))
        if kept is not None:
            return kept
    return _extracted(chosen, read) if chosen else _nothing(read)


def _by_selectors(read: _Read, selectors: Sequence[SelectorSet], at_least: int) -> Extracted | None:
    """The list by selectors that matched it before, where they find more (E-058)."""
    found = read_with(read.parsed, read.page, selectors)
    entries = distinct(found[0]) if found else []
    if found is None or len(entries) <= at_least:
        read.trace.append(Attempt(Strategy.DOM, len(entries), f"{len(selectors)} kept selectors"))
        return None
    read.trace.append(Attempt(Strategy.DOM, len(entries), f"kept selector {found[1].item}, {found[1].origin}"))
    read.listing = Listing(entries=entries)
    extracted = _extracted(combine(read.stated, entries, read.parsed.url), read)
    return msgspec.structs.replace(extracted, selectors=found[1])


def _extracted(chosen: Sequence[Collected], read: _Read) -> Extracted:
    drafts = [found.draft(KIND, read.parsed) for found in chosen]
    is_shown = any(chosen[0] is entry for entry in read.listing.entries)
    return Extracted(
        drafts,
        Strategy.DOM if is_shown else drafts[0].values["start"][0].strategy,
        read.trace,
        links=[*_details(drafts, read.parsed), *_next(read)],
        cut=read.listing.cut,
        cms=recognise(read.page),
        selectors=describe(read.parsed, read.page, read.listing) if is_shown else None,
    )


def _preferred(parsed: ParsedPage, preferred: Strategy | None, usual: int, trace: list[Attempt]) -> list[Collected]:
    """What the preferred reading of structured data gives, unless that is less than usual or leaves hours to
    the list (E-053, E-054)."""
    readers = {Strategy.HYDRATION: read_states, Strategy.JSON_LD: read_schema, Strategy.MICRODATA: read_schema}
    if preferred not in readers or not usual:
        return []
    found = [one for one in distinct(readers[preferred](parsed)) if one.values["start"][0].strategy is preferred]
    trace.append(Attempt(preferred, len(found), f"preferred, usually {usual}"))
    return found if len(found) >= usual and all(map(has_hour, found)) else []


def _read(parsed: ParsedPage, outline: Outline, trace: list[Attempt]) -> _Read:
    schema = distinct(read_schema(parsed))
    trace.append(Attempt(Strategy.JSON_LD, len(schema), "; ".join(["schema", *parsed.schema.notes])))
    stated = schema
    if not schema:
        stated = distinct(read_states(parsed))
        trace.append(Attempt(Strategy.HYDRATION, len(stated), "states"))
    listing = read_listing(parsed, outline)
    listing.entries, listing.records = _entries(listing)
    cms = recognise(outline)
    notes = ["listing", *([cms] if cms else []), *(["limit: the page has too many elements"] if outline.cut else [])]
    trace.append(Attempt(Strategy.DOM, len(listing.entries), ", ".join(notes)))
    return _Read(parsed, outline, stated, listing, trace)


def _entries(listing: Listing) -> tuple[list[Collected], list[Record]]:
    """Each entry once: pages repeat them for narrow screens and in sliders."""
    kept = distinct(listing.entries)
    known = {id(entry) for entry in kept}
    return kept, [r for r, e in zip(listing.records, listing.entries, strict=True) if id(e) in known]


def _choose(read: _Read, usual: int) -> list[Collected]:
    """`usual` says that the list is preferred, and how long it was."""
    own = own_events(read.stated, read.parsed)
    detail = is_detail(read.parsed, read.page, read.listing)
    if own:
        return with_hours(own, read.page, read.listing)
    if detail:
        single = _single(read) or read_own(read.parsed, read.page, read.listing)
        if single and len(read.stated) == 1 and _is_of_page(read.stated[0], single[0], read):
            return with_hours(read.stated, read.page, read.listing)
        if single or lists_others(read.parsed, read.listing):
            return single
    shown = read.listing.entries
    if 2 <= usual <= len(shown):
        return combine(read.stated, shown, read.parsed.url)
    if read.stated and (len(shown) <= len(read.stated) or len(shown) < 2):
        return complete(read.stated, shown, read.parsed.url)
    if shown:
        return combine(read.stated, shown, read.parsed.url)
    return _single(read) or read_meta(read.parsed)


def _is_of_page(stated: Collected, shown: Collected, read: _Read) -> bool:
    """Whether what is stated is the page's own event: its name, on the day that stands beside the heading."""
    days = {day_key(mark) for mark in own_marks(read.page, read.listing)}
    start = next(iter(stated.values.get("start", [])), None)
    found = _ISO_DAY.match(start.raw) if start is not None else None
    return found is not None and {(int(found[2]), int(found[1]))} == days and is_same_title(stated, shown)


def _single(read: _Read) -> list[Collected]:
    """The page's one event: what OpenGraph states of it, completed by what is shown."""
    left_out = [read.page.elements[record.root].node for record in read.listing.records if record.root]
    named = [text for _, text in read.listing.own.found]
    single = read_single(read.parsed, named, left_out)
    meta = read_meta(read.parsed)
    if meta and single and is_same_title(meta[0], single[0]):
        for field, values in single[0].values.items():
            meta[0].add_all(field, values)
    found = meta or single
    read.trace.append(Attempt(Strategy.DOM, len(found), "single"))
    read_well = [one for one in found if one.has("title") and one.has("start")]
    return with_hours(read_well, read.page, read.listing)


def _details(drafts: Sequence[Draft], parsed: ParsedPage) -> list[Link]:
    """The page of each event, where it is another one."""
    found: dict[str, Link] = {}
    for position, draft in enumerate(drafts):
        value = draft.first("url")
        url = absolute(parsed.url, value.raw).partition("#")[0] if value is not None else ""
        if url.startswith("http") and url not in found and not same_page(url, parsed.facts):
            found[url] = Link(url=url, role=Role.DETAIL, draft=position)
    return list(found.values())


def _next(read: _Read) -> list[Link]:
    url = next_page(read.parsed, read.page)
    return [Link(url=url, role=Role.NEXT_PAGE)] if url else []


def _nothing(read: _Read) -> Extraction:
    """An agenda that says itself that it is empty is fine (E-057); one that does not say so is broken."""
    said = _empty_line(read)
    if said is not None:
        return Extracted([], Strategy.DOM, read.trace, links=_next(read), empty=said)
    details = "no event was found, and the page does not say there is none"
    return Failure(Reason.SELECTOR_NOT_FOUND, details, read.trace)


def _empty_line(read: _Read) -> str | None:
    lines = (line.text for line in read.page.lines)
    return next((line for line in lines if len(line) <= MAX_EMPTY_LINE and EMPTY.search(line)), None)
