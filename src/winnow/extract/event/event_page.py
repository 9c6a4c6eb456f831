"""The page of one event as a reader sees it: a heading, a day beside it, and the words that only events have.

What stands in a list of other events, in a margin or in the frame of the page is left out. Which text is a day is for the
date reader to say: here every line that could hold one is offered, the ones written for machines first.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from selectolax.lexbor import LexborNode

from winnow.extract.candidates import Collected
from winnow.extract.contact.postal import addresses_in
from winnow.extract.dom.area import names_of, words_of
from winnow.extract.dom.labelled import first_labelled, headed_pairs
from winnow.extract.draft import MAX_BLOCK, Strategy
from winnow.extract.event.clock_time import correct_clock
from winnow.extract.event.day_text import clocks_in, day_and_month, days_in, names_for
from winnow.extract.event.entry_times import role_of
from winnow.extract.event.event_words import (
    BYLINE,
    DATE_LABELS,
    DAY_IN_URL,
    DOORS,
    EVENT_URL,
    FREE,
    LIST_HEADING,
    LISTED_AT_END,
    NAMED_DAY,
    NEWS_URL,
    NOT_THE_DAY,
    PLACE_LABELS,
    POSTS,
    PUBLISHED,
    START_LABELS,
    TICKETS,
    TICKETS_LABELS,
)
from winnow.extract.event.terms import AGENDA, MEETING
from winnow.extract.parsed_page import ParsedPage, lines_of, text_in
from winnow.vocabulary.currencies import pattern_of

ABOVE, BELOW = 4, 60  # lines around the heading in which the event says when and where it is
NEAR = 30  # lines below the heading in which a day without a label is its own
MAX_DAY_LINES = 8
MAX_HOUR_LINE = 60  # "Zaal open: 20:00 uur, voorprogramma 20:30 uur, aanvang 21:15 uur"
MAX_DEPTH = 50  # of blocks in blocks; the deepest pages seen have about 30
MANY_DAYS = 4  # an event may have a first and a last day, and a deadline
LIST_STEP = 5  # lines from one day of a list to the next
_MAIN = "main, article, #content, .content, #main, [role=main]"
_FRAME_TAGS = frozenset(["nav", "aside", "footer", "form"])
_FRAME_WORDS = frozenset(
    """
    sidebar related widget breadcrumb breadcrumbs footer comments comment share sharing cookie newsletter pagination
    navigation menu nav recommended more-events upcoming-events other-events archive
    """.split()  # noqa: SIM905
)
_DAY = re.compile(
    r"(?<!\d)\d{4}-\d\d-\d\d(?!\d)|(?<![\d.,/])\d{1,2}\s?[./-]\s?\d{1,2}(?:\s?[./-]\s?(?:\d{4}|\d\d)(?!\d)|\.(?!\d))"
    r"|\d\s?[年月日년월일]|(?<!\d)\d{1,2}(?:st|nd|rd|th|er|\.|º|ª)?(?:,?\s+|-)(?:de\s+|of\s+|d')?[^\W\d_]{3,}|[^\W\d_]{3,}\.?,?\s+\d{1,2}(?!\d|\s?[:.h]\s?\d|\s?(?:[ap]\.?m|uhr|uur|h)\b)",
    re.IGNORECASE,
)
_CLOCK = re.compile(
    r"(?<![\d.,:])(?:\d{1,2}\s?[:h.]\s?[0-5]\d(?:\s?[ap]\.?m\b\.?)?|\d{1,2}\s?(?:[ap]\.?m\b\.?|uhr\b|uur\b|h\b|時|시))",
    re.IGNORECASE,
)
_CLOCKS = re.compile(
    rf"{_CLOCK.pattern}(?:\s?(?:uhr|uur|h)\b)?(?:\s?(?:-|–|—|to|bis|tot|à|a|until|till)\s?{_CLOCK.pattern}(?:\s?(?:uhr|uur|h)\b)?)?",
    re.IGNORECASE,
)
_LASTING = re.compile(
    rf"{_CLOCK.pattern}[^\d]{{0,12}}(?:-|–|—|\bto\b|\bbis\b|\btot\b|\bà\b|\ba\b|until)\s?{_CLOCK.pattern}",
    re.IGNORECASE,
)
_ISO_DAY = re.compile(r"\d{4}-(\d\d)-(\d\d)")
_LABEL = re.compile(r"[^\W\d_]{3,}\s?:(?!\d)")
_LABELLED_DAY = re.compile(r"\b(?:datum|date|wanneer|when|wann|quand|fecha|data)\s?:\s*", re.IGNORECASE)
_PAID_IN = ("EUR", "USD", "GBP", "JPY", "CHF", "PLN", "SEK", "NOK", "DKK", "CZK", "RON", "TRY", "INR")
_SIGN = rf"(?:(?i:{pattern_of(_PAID_IN)})|Ft)"  # 12 ft are feet
_AMOUNT = re.compile(
    rf"({_SIGN})\s?(\d{{1,5}}(?:[.,]\d\d)?)(?![\d.,]*\d)|(?<![\d.,])(\d{{1,5}}(?:[.,]\d\d)?)(?:,-)?\s?({_SIGN})(?!\w)"
)


def read_single(parsed: ParsedPage, named: Sequence[str], left_out: Sequence[LexborNode] = ()) -> list[Collected]:
    """`named` are the headings that name the page's event, `left_out` the entries of lists on the page: other events."""
    title = _heading(parsed)
    if title and named and title not in named:
        return []  # the only heading is another one: "We use cookies"
    if not title or LIST_HEADING.fullmatch(title) or LISTED_AT_END.search(title):
        return []
    area = _Area(parsed, title, left_out)
    if parsed.is_article and not _is_announced(parsed, area):
        return []
    pairs = [pair for pair in headed_pairs(parsed) if pair[1] in area.text]
    into = Collected()
    into.add("title", title, Strategy.DOM, "h1")
    for text, path in _named_first(_days(area, pairs), parsed):
        into.add("start", text, Strategy.DOM, path)
    if not into.has("start") or _is_list(into, area) or not _is_event(parsed, area, pairs):
        return []
    into.add("end", area.ending, Strategy.DOM, "time")
    _place(into, area, pairs)
    _price(into, area, pairs)
    into.add_all("description", parsed.metas("og:description", "description"))
    into.add_all("image_url", parsed.metas("og:image"))
    into.block = area.html
    into.add("url", parsed.facts.urls[-1], Strategy.DOM, "link[rel=canonical]")
    return [into]


def _heading(parsed: ParsedPage) -> str:
    """The only h1, or the only one that the page's title repeats."""
    headings = list(dict.fromkeys(parsed.own_headings))
    if len(headings) == 1:
        return headings[0]
    named = f"{parsed.meta.get('og:title', '')} {parsed.title}".lower()
    repeated = [text for text in headings if len(text) > 3 and text.lower() in named]
    return repeated[0] if len(repeated) == 1 else ""


def _is_list(into: Collected, area: _Area) -> bool:
    """Day after day in the same step: meetings of a year, dates of a tour. None of them is the day of the page, and a day
    in a text above them is not either; one that stands alone with its hour right below the heading is."""
    first = next((value for value in into.values["start"] if re.search(r"\d", value.raw)), None)
    if first is None or first.path != "line":
        return False
    dated = [index for index, line in enumerate(area.lines) if NAMED_DAY.search(line)]
    runs = [at for at in range(len(dated) - MANY_DAYS + 1) if _is_run(dated[at : at + MANY_DAYS], area.lines)]
    if not runs:
        return False
    hours = [bool(_CLOCK.search(area.lines[index])) for index in dated[:2]]
    return dated[0] > ABOVE + LIST_STEP if runs[0] > 0 else hours != [True, False]


def _is_run(dated: list[int], lines: list[str]) -> bool:
    days = {" ".join(NAMED_DAY.findall(lines[index])[0].lower().split()) for index in dated}
    steps = [after - before for before, after in pairwise(dated)]
    return len(days) == MANY_DAYS and (max(steps) <= LIST_STEP or len(set(steps)) == 1)


class _Area:
    """The lines around the heading, and what of them is written for machines."""

    def __init__(self, parsed: ParsedPage, title: str, left_out: Sequence[LexborNode]) -> None:
        self._left_out = {node.mem_id for node in left_out if not _holds(node, "h1")}
        root = next((n for n in parsed.clean_tree.css(_MAIN) if _holds(n, "h1")), None) or parsed.clean_tree.body
        lines = list(self._lines(root)) if root is not None else []
        self.html = (root.html or "")[:MAX_BLOCK] if root is not None else ""
        at = next((n for n, (line, _) in enumerate(lines) if line == title), None)
        if at is None:
            at = next((n for n, (line, _) in enumerate(lines) if title in line), 0)
        kept = lines[max(at - ABOVE, 0) : at + BELOW]
        self.lines = [line for line, _ in kept if line != title]
        self.text = "\n".join(self.lines)
        self.stated: list[tuple[str, str]] = []
        self.ending = ""
        self._read_times([node for _, node in kept if node is not None], parsed)

    def _lines(self, node: LexborNode, depth: int = 0) -> Iterator[tuple[str, LexborNode | None]]:
        """Lines with the block each stands in; blocks that hold blocks are entered, as deep as pages go (R-17)."""
        for child in node.iter(include_text=False):
            if child.mem_id in self._left_out or _is_frame(child):
                continue
            lines = lines_of(child)
            if len(lines) > 1 and depth < MAX_DEPTH and any(True for _ in child.iter(include_text=False)):
                own = "\n".join(lines)
                inner = list(self._lines(child, depth + 1))
                covered = "\n".join(line for line, _ in inner)
                if len(covered) >= 0.9 * len(own) or self._left_out:
                    yield from inner
                    continue
            for line in lines:
                yield line, child

    def _read_times(self, blocks: list[LexborNode], parsed: ParsedPage) -> None:
        """`time` and microformat elements of the lines: what is stated, and the line it stands in."""
        seen: set[int] = set()
        for block in blocks:
            found = [*block.css("time[datetime], abbr.dtstart, abbr[class*='start-date']")][:6]
            if block.tag in ("time", "abbr") and block.attributes.get("datetime"):
                found.append(block)
            for element in found:
                if element.mem_id in seen or words_of(names_of(element)) & (PUBLISHED - {"published"}):
                    continue
                seen.add(element.mem_id)
                shown = text_in(element)
                stated = correct_clock(
                    element.attributes.get("datetime") or element.attributes.get("title") or "", shown
                )
                line = next((text for text in self.lines if shown and shown in text), shown)
                if re.search(r"\d", stated) and not NOT_THE_DAY.search(line) and _can_be(stated, shown):
                    if self.stated and self.stated[0][1] == line and stated > self.stated[0][0] and not self.ending:
                        self.ending = stated
                    self.stated.append((stated, line))


def _can_be(stated: str, shown: str) -> bool:
    """Whether a stated day is the one shown: templates write for machines when the page was made."""
    found, day = _ISO_DAY.match(stated), day_and_month(shown)
    return found is None or day in (None, (int(found[2]), int(found[1])))


def _holds(node: LexborNode, selector: str) -> bool:
    return node.css_first(selector) is not None


def _is_frame(node: LexborNode) -> bool:
    words = words_of(names_of(node))
    named = bool(words & (_FRAME_WORDS | (POSTS - {"article", "entry", "hentry", "post"})))
    return (node.tag in _FRAME_TAGS or named) and not _holds(node, "h1")


def _named_first(days: Iterator[tuple[str, str]], parsed: ParsedPage) -> list[tuple[str, str]]:
    """The days in their order, those that the page's address names first: some pages also show what day it is today."""
    named = DAY_IN_URL.search(parsed.facts.urls[-1]) or DAY_IN_URL.search(parsed.url)
    found = list(days)
    if named is None:
        return found
    day = int(named["d"] or named["d2"])
    return sorted(found, key=lambda pair: day not in [int(n) for n in re.findall(r"(?<!\d)\d\d?(?!\d)", pair[0])])


def _days(area: _Area, pairs: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    clock = _labelled_clock(pairs)
    for stated, line in area.stated[:4]:
        if "T" in stated or ":" in stated:
            yield stated, "time"
            continue
        beside = _clock_beside(area, line) or clock
        if beside:
            yield f"{stated} {beside}", "time"
        yield stated, "time"
    labelled = first_labelled(pairs, DATE_LABELS)
    if not re.search(r"\d", _CLOCKS.sub("", labelled)):
        labelled = ""  # "Wednesday at 11:00" is every week
    near = area.lines[: ABOVE + NEAR]
    lines = [
        line
        for line in near
        if len(line) <= 160 and _DAY.search(line) and not NOT_THE_DAY.search(line) and not BYLINE.search(line)
    ]
    for text in [labelled, *lines[:MAX_DAY_LINES]]:
        if not text:
            continue
        if text is not labelled and (day := _labelled_day(text)):
            yield day, "label:date"
            continue
        beside = "" if _CLOCK.search(text) else clock or _clock_beside(area, text)
        for each in (f"{text} {beside}" if beside else text, text, " ".join(_CLOCKS.sub(" ", text).split())):
            yield each, "label:date" if text is labelled else "line"


def _labelled_day(line: str) -> str:
    """The day behind its label, where a line holds more labels: "Zaal: Klein Datum: do 5 nov Aanvang: 21:00"."""
    found = _LABELLED_DAY.search(line)
    spans = list(days_in(line[found.end() :], names_for(""))) if found and len(_LABEL.findall(line)) > 1 else []
    return spans[0].text if spans and not line[found.end() :][: spans[0].start].strip() else ""  # type: ignore[union-attr]


def _labelled_clock(pairs: list[tuple[str, str]]) -> str:
    found = first_labelled(pairs, START_LABELS)
    clock = _CLOCKS.search(found) if len(found) <= 60 else None
    return clock[0] if clock else ""


def _clock_beside(area: _Area, line: str) -> str:
    """The time in the line itself, or in one of the next three that are hardly more than a time."""
    if line not in area.lines:
        return ""
    at = area.lines.index(line)
    for text in area.lines[at : at + 4]:
        open_ = DOORS.sub(" ", text)
        found = _CLOCKS.search(open_)
        if found and (text == line or sum(c.isalpha() for c in _CLOCKS.sub(" ", open_)) <= 8):
            return found[0]
    return ""


def _is_event(parsed: ParsedPage, area: _Area, pairs: list[tuple[str, str]]) -> bool:
    """A page with a heading and a day is an event when something says so: its address, a label, tickets, doors, from when
    until when. News have a day too."""
    if EVENT_URL.search(parsed.facts.urls[-1]) or EVENT_URL.search(parsed.url):
        return True
    if "event" in parsed.meta.get("og:type", "").lower():
        return True
    if first_labelled(pairs, PLACE_LABELS) and (first_labelled(pairs, DATE_LABELS) or _labelled_clock(pairs)):
        return True
    short = [line for line in area.lines if len(line) <= 90]
    if not NEWS_URL.search(parsed.url) and _is_meeting(parsed, short):
        return True
    told = any(TICKETS.search(line) or DOORS.search(line) or FREE.search(line) or _names_hour(line) for line in short)
    permanent_classes = any(
        _DAY.search(line) and _LASTING.search(line) and not NOT_THE_DAY.search(line) for line in short
    )
    return (told or (permanent_classes and "article:published_time" not in parsed.meta)) and not NEWS_URL.search(
        parsed.url
    )


def _is_meeting(parsed: ParsedPage, short: Sequence[str]) -> bool:
    """Its heading says that it is a meeting, a concert or a workshop, and one line its day and hour."""
    heading = _heading(parsed)
    if not (AGENDA.search(heading) or MEETING.search(heading)):
        return False
    dated = [line for line in short if _DAY.search(line) and _CLOCK.search(line) and not NOT_THE_DAY.search(line)]
    return 1 <= len(dated) < MANY_DAYS


def _is_announced(parsed: ParsedPage, area: _Area) -> bool:
    """Plugins call every page an article. One that says in a line of its own when it begins is an event, outside the news."""
    short = (line for line in area.lines if len(line) <= MAX_HOUR_LINE)
    return not NEWS_URL.search(parsed.url) and any(_names_hour(line) for line in short)


def _names_hour(line: str) -> bool:
    """ "Deur 20:00 - Aanvang 20:45": a line that says when it begins, or when the doors open."""
    return any(role_of(line, clock) in ("start", "doors") for clock in clocks_in(line, loose=True))


def _place(into: Collected, area: _Area, pairs: list[tuple[str, str]]) -> None:
    labelled = first_labelled(pairs, PLACE_LABELS)
    if labelled and len(labelled) <= 200:
        name, _, rest = labelled.partition(",")
        into.add("venue_name", name if rest else labelled, Strategy.DOM, "label:place")
        if rest:
            into.add("location", rest.strip(), Strategy.DOM, "label:place")
    for found in addresses_in(area.lines)[:1]:
        parts = {
            "streetAddress": found.street,
            "postalCode": found.code,
            "addressLocality": found.city,
            "addressRegion": found.region,
            "addressCountry": found.country,
        }
        into.values.pop("location", None)
        into.add_node("location", parts, Strategy.DOM, "address line")


def _price(into: Collected, area: _Area, pairs: list[tuple[str, str]]) -> None:
    """Only lines that speak of tickets: a price elsewhere is that of a drink or a book."""
    labelled = first_labelled(pairs, TICKETS_LABELS)
    lines = [labelled] if labelled else [line for line in area.lines if len(line) <= 160 and TICKETS.search(line)]
    offers = []
    for match in (m for line in lines for m in _AMOUNT.finditer(line)):
        amount = (match[2] or match[3]).replace(",", ".")
        offers.append({"low": amount, "high": amount, "currency": match[1] or match[4]})
    if not offers and any(FREE.search(line) for line in ([labelled] if labelled else area.lines) if len(line) <= 120):
        offers = [{"low": "0", "high": "0", "currency": ""}]
    if offers:
        into.add("price", json.dumps(offers, ensure_ascii=False), Strategy.DOM, "tickets")
