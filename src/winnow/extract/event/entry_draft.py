"""An entry of a list -> the raw values of an event."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from winnow.extract.candidates import Collected
from winnow.extract.dom.area import words_of
from winnow.extract.draft import MAX_BLOCK, Strategy
from winnow.extract.event.day_text import clocks_in, day_and_month, letters_in
from winnow.extract.event.entry_times import hours_of, starts_of
from winnow.extract.event.entry_title import own_text, title_of
from winnow.extract.event.marks import Mark
from winnow.extract.event.outline import Element, Outline
from winnow.extract.event.records import Record
from winnow.extract.event.tables import cells_of
from winnow.extract.event.terms import SOLD_OUT, STATES
from winnow.extract.page_facts import absolute
from winnow.vocabulary.currencies import pattern_of

MAX_VENUE = 120
_PLACE = frozenset(
    [
        "location",
        "venue",
        "place",
        "locatie",
        "zaal",
        "podium",
        "room",
        "ort",
        "lieu",
        "lugar",
        "luogo",
        "sala",
        "salle",
        "hall",
        "stage",
    ]
)
_NO_PLACE = frozenset(["marketplace", "placeholder", "replace"])
_TICKETS = re.compile(r"ticket|kaart|karten|billet|entrada|bigliett|shop\.|stager|eventbrite|reserv", re.IGNORECASE)
_FILES = re.compile(r"\.(?:pdf|docx?|xlsx?|pptx?|jpe?g|png|ics|mp[34]|zip)(?:$|\?)", re.IGNORECASE)
_NO_DETAIL = re.compile(
    r"/(?:genre|tag|tags|categor(?:y|ie)|category|author|label|venue|locatie|location|artist)s?/|[?&](?:genre|tag|category)=",
    re.I,
)
_SIGN = rf"(?:(?i:{pattern_of(('EUR', 'USD', 'GBP', 'CHF', 'PLN', 'SEK', 'NOK', 'DKK', 'CZK'))}))"
_AMOUNT = re.compile(
    rf"(?:({_SIGN})\s?(\d{{1,4}}(?:[.,]\d\d)?)(?:,-)?)|(?<![\d.,])(\d{{1,4}}(?:[.,]\d\d)?)\s?({_SIGN})(?!\w)"
)
_FREE = re.compile(
    r"^\W*(?:gratis|free|free entry|gratis entree|gratis toegang|eintritt frei|gratuit|entrée libre|toegang gratis)\W*$",
    re.I,
)


def read_entry(page: Outline, url: str, record: Record, context: str = "") -> Collected:
    """`context` is the heading the list stands under: it names entries that are nothing but a day."""
    into = Collected()
    cells = cells_of(page, record)
    elements = [
        e
        for e in page.elements[record.root : page.elements[record.root].end]
        if record.first <= e.first < max(record.last, record.first + 1)
    ]
    title, path = title_of(page, record, [text for field, text in cells.items() if field != "title"])
    if cells.get("title"):
        title, path = cells["title"], "column"
    into.add("title", title or context.strip(" :"), Strategy.DOM, path if title else "heading above")
    _times(into, page, record, cells)
    _links(into, page, url, elements, record)
    _place(into, page, elements, cells)
    _texts(into, page, record, elements, title)
    into.block = block_of(page, record)
    return into


def block_of(page: Outline, record: Record) -> str:
    """The entry's own part of the page (E-103); its lines, where it is no element of its own."""
    root = page.elements[record.root]
    if root.first == record.first and root.last <= record.last + 1:
        return (root.node.html or "")[:MAX_BLOCK]
    return "\n".join(page.lines[n].text for n in range(record.first, record.last))[:MAX_BLOCK]


def _times(into: Collected, page: Outline, record: Record, cells: dict[str, str]) -> None:
    mark = _fullest(record.marks)
    hours = hours_of(page, record, mark)
    for field in ("start", "end", "doors"):
        column = cells.get("time" if field == "start" else field, "")
        clocks = clocks_in(column, loose=True)
        if clocks:
            setattr(hours, field, clocks[0].first)
            hours.end = hours.end or (clocks[0].last if field == "start" else "")
    for text, path in starts_of(mark, hours):
        into.add("start", text, Strategy.DOM, path)
    if hours.start:
        into.add("clock", f"{hours.start} - {hours.end}" if hours.end else hours.start, Strategy.DOM, "entry hour")
    into.add("doors", hours.doors, Strategy.DOM, "entry hour")
    if record.under is not None:
        into.add("heading_day", record.under.text or record.under.stated, Strategy.DOM, "heading above")
    _further_days(into, page, record, mark, hours.end)


def _fullest(marks: Sequence[Mark]) -> Mark:
    """Of several ways to write the first day ("Oct 4" in a badge, "Tuesday, October 4, 2026" below it) the one with a
    year."""
    same = [mark for mark in marks if mark is marks[0] or _is_same_day(mark, marks[0])]
    return next((mark for mark in same if mark.stated), None) or next((m for m in same if m.year), None) or marks[0]


def _is_same_day(one: Mark, other: Mark) -> bool:
    """The same number and month, at most one of them with a year."""
    if (one.year and other.year) or (one.stated and other.stated):
        return False
    known = day_and_month(one.text)
    return known is not None and known == day_and_month(other.text)


def _further_days(into: Collected, page: Outline, record: Record, mark: Mark, end: str) -> None:
    """A second day ends a range or is another day of the same event."""
    others = [m for m in record.marks if m is not mark and _key(m) != _key(mark) and not _is_same_day(m, mark)]
    if len(others) == 1 and record.under is None and _is_last_day(page, mark, others[0]):
        for text, path in starts_of(others[0], type(hours_of(page, record, mark))(start=end)):
            into.add("end", text, Strategy.DOM, path)
        return
    for other in others if record.under is None else []:
        for text, path in starts_of(other, hours_of(page, record, other))[:1]:
            into.add("dates", text, Strategy.DOM, path)
    if end and not others and into.has("start"):
        day = next((v.raw for v in into.values["start"] if not clocks_in(v.raw)), "")
        into.add("end", f"{day} {end}" if day else "", Strategy.DOM, "entry hour")


def _is_last_day(page: Outline, one: Mark, other: Mark) -> bool:
    between = (
        page.lines[one.last].text[one.end :]
        if other.line != one.line
        else page.lines[one.line].text[one.end : other.start]
    )
    if other.line != one.line:
        between += page.lines[other.line].text[: other.start]
    return bool(
        re.search(r"-|–|—|t/m|\btot\b|\bbis\b|\bto\b|until|through|→|einde|\bends?\b|\bau\b|\bal\b", between, re.I)
    )


def _key(mark: Mark) -> str:
    return mark.stated[:10] or re.sub(r"\W+", "", mark.text.lower())


def _links(into: Collected, page: Outline, url: str, elements: list[Element], record: Record) -> None:
    around = next((e for _, e in zip(range(4), page.above(record.root), strict=False) if e.tag == "a"), None)
    links = [e for e in elements if e.tag == "a"]
    ranked: list[tuple[int, str]] = []
    for element in (
        [around] if around is not None and around.last - around.first <= record.last - record.first + 2 else []
    ) + links:
        href = (element.node.attributes.get("href") or "").strip()
        if not href or href.startswith(("#", "javascript:", "mailto:", "tel:")) or len(ranked) > 20:
            continue
        found = absolute(url, href)
        text = own_text(page, element)
        if _is_tickets(found, text, url):
            into.add("ticket_url", found, Strategy.DOM, "entry link")
        elif not _FILES.search(found) and not _NO_DETAIL.search(found):
            ranked.append((_link_rank(page, element, into, text), found))
    if ranked:
        into.add("url", min(ranked, key=lambda pair: pair[0])[1], Strategy.DOM, "entry link")


def _is_tickets(found: str, text: str, url: str) -> bool:
    try:
        away = urlsplit(found).hostname != urlsplit(url).hostname
    except ValueError:
        return False
    return (away and bool(_TICKETS.search(found) or _TICKETS.search(text))) or (
        bool(_TICKETS.search(text)) and len(text) <= 30 and letters_in(text) < 24
    )


def _link_rank(page: Outline, element: Element, into: Collected, text: str) -> int:
    title = into.values["title"][0].raw if into.has("title") else ""
    if title and (
        title in text
        or (any(e.tag == "a" and e.at == element.at for e in page.above(element.at)) and text and text in title)
    ):
        return 0
    return 1 if element.last - element.first > 1 or not text else 2


def _place(into: Collected, page: Outline, elements: list[Element], cells: dict[str, str]) -> None:
    into.add("venue_name", cells.get("place", "")[:MAX_VENUE], Strategy.DOM, "column")
    for element in elements:
        words = words_of(element.names) if element.names else frozenset()
        if element.node.attributes.get("itemprop") == "location" or (words & _PLACE and not words & _NO_PLACE):
            text = own_text(page, element)
            if 1 < len(text) <= MAX_VENUE and not clocks_in(text) and letters_in(text) > 1:
                into.add("venue_name", text, Strategy.DOM, "entry place")
                return


def _texts(into: Collected, page: Outline, record: Record, elements: list[Element], title: str) -> None:
    lines = [page.lines[n].text for n in range(record.first, record.last)]
    paragraphs = [line for line in lines if len(line) > 40 and title not in line]
    into.add("description", max(paragraphs, key=len, default=""), Strategy.DOM, "entry text")
    short = [line for line in lines if len(line) <= 60]
    if any(SOLD_OUT.search(line) for line in short):
        into.add("sold_out", next(line for line in short if SOLD_OUT.search(line)), Strategy.DOM, "entry mark")
    for state, pattern in STATES:
        found = next((line for line in short if pattern.search(line) and line != title), "")
        into.add("status", (pattern.search(found) or [""])[0] if found else "", Strategy.DOM, f"entry mark {state}")
    _price(into, lines)
    image = next((e for e in elements if e.tag == "img"), None)
    if image is not None:
        own = image.node.attributes
        source = own.get("data-src") or own.get("src") or ""
        into.add("image_url", "" if source.startswith("data:") else source, Strategy.DOM, "entry image")


def _price(into: Collected, lines: list[str]) -> None:
    offers = []
    for line in lines:
        for match in _AMOUNT.finditer(line) if len(line) <= 160 else ():
            amount = (match[2] or match[3]).replace(",", ".")
            offers.append({"low": amount, "high": amount, "currency": match[1] or match[4]})
    if not offers and any(_FREE.match(line) for line in lines):
        offers = [{"low": "0", "high": "0", "currency": ""}]
    if offers:
        into.add("price", json.dumps(offers[:10], ensure_ascii=False), Strategy.DOM, "entry price")
