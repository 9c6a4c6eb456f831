"""The lists of a page that are lists of events, and their entries in page order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

import msgspec

from winnow.extract.candidates import Collected
from winnow.extract.dom.area import words_of
from winnow.extract.event.day_text import clocks_in, names_for
from winnow.extract.event.entries import split
from winnow.extract.event.entry_draft import read_entry
from winnow.extract.event.event_words import EVENT_URL, LIST_HEADING, NEWS_URL
from winnow.extract.event.marks import Mark, find_marks
from winnow.extract.event.outline import HEADINGS, Element, Outline
from winnow.extract.event.own_heading import OwnHeadings, own_headings
from winnow.extract.event.records import Group, Record, find_groups
from winnow.extract.event.tables import cells_of
from winnow.extract.event.terms import AGENDA, MEETING, RELATED
from winnow.extract.parsed_page import ParsedPage

MAX_ENTRIES = 2_000  # of a page; what is over it is counted (`cut`)
ENOUGH = 2.0  # signs that a list is one of events
MAX_BEFORE_DAY = 20  # characters before the day of an entry; in a sentence it stands farther in
MAX_HEADS = 8  # lines above the first entry: a title and the heads of its columns
MAX_NAMING = 120  # characters of a line that says what the days below it are
_EVENT_WORDS = frozenset(
    """event events evt agenda agendaitem concert concerts gig gigs show shows programma programme program calendar performance
    performances voorstelling voorstellingen activiteit activiteiten evenement evenementen termin termine veranstaltung
    veranstaltungen konzert konzerte meeting meetings tribe vevent kalender spielplan happening screening film movie session
    eventlist eventitem eventcard workshop lezing uitagenda mec evo tockify hearing evenements evento eventos""".split()  # noqa: SIM905
)
_POST_WORDS = frozenset(
    """post posts news nieuws blog blogs tweet tweets hentry comment comments review reviews press reply forum topic article
    articles newsitem newslist story stories aktuelles nachrichten actualites noticias release releases download downloads
    document documents job jobs vacancy vacancies product products""".split()  # noqa: SIM905
)
# What a transit or power company tells its passengers, and banners across the page.
_ALERT_WORDS = frozenset(
    "alert alerts alertbar interrupt outage outages disruption disruptions advisory advisories banner storing storingen".split()  # noqa: SIM905
)
_COMMENT_WORDS = frozenset(
    ["comment", "comments", "commentlist", "reply", "replies", "tweet", "tweets", "testimonial", "review"]
)
_PEOPLE = re.compile(r"\b(?:person name|appointed|appointment|term (?:start|end|expires)|e-?mail)\b", re.IGNORECASE)
_FRAME_TAGS = frozenset(["nav", "footer", "aside", "header"])
_FRAME_WORDS = frozenset(
    ["sidebar", "footer", "widget", "related", "breadcrumb", "breadcrumbs", "navigation", "cookie"]
)
_NEWS = re.compile(
    r"\b(?:news|nieuws|blog|press|presse|aktuelles|actualit[eé]s?|noticias|notizie|posts?|articles|stories|newsletters?|reports?|publications|minutes archive"
    r"|job|jobs|vacancies|vacatures|press releases?|announcements?|updates?|reviews|comments?|history|geschiedenis|timeline|downloads?)\b",
    re.IGNORECASE,
)
_MATERIALS = re.compile(
    r"(?:\W|\b(?:see|view|the|meeting|approved|draft|final|board|special|regular|agendas?|minutes|packets?|notice|materials|video|audio|pdf|download|presentation|transcript|notulen|stukken|vergaderstukken|niederschrift|tagesordnung|unterlagen)\b|\d)+",
    re.IGNORECASE,
)
_KIND_WORDS = re.compile(
    rf"{AGENDA.pattern}|\b(?:20\d\d|upcoming|past|future|next|regular|scheduled|schedules?|dates?|and|of|the|for|materials|agendas?|minutes|data|termine"
    r"|speeldata|komende|alle|all|calendar|times?)\b",
    re.IGNORECASE,
)
_FILE = re.compile(r"\.(?:pdf|docx?|xlsx?|jpe?g|png)(?:$|\?)", re.IGNORECASE)
_TICKETS = re.compile(
    r"ticket|kaart(?:en)?\b|karten|billet|uitverkocht|sold out|ausverkauft|rsvp|€|aanvang|doors|einlass", re.IGNORECASE
)


class Listing(msgspec.Struct):
    """`records` stand beside `entries`; `lone` are entries that stand alone; `groups` all lists, of events or not."""

    entries: list[Collected] = []
    records: list[Record] = []
    groups: list[Group] = []
    events: list[Group] = []
    marks: list[Mark] = []
    cut: int = 0
    own: OwnHeadings = OwnHeadings()


def read_listing(parsed: ParsedPage, page: Outline) -> Listing:
    marks = find_marks(page, names_for(parsed.facts.lang))
    groups, lone = find_groups(page, marks)
    about = _Page(parsed, page)
    about.has_one_day = len({re.sub(r"\W", "", mark.stated[:10] or mark.text.lower()) for mark in marks}) == 1
    events = _events_of(about, groups)
    inner = [group for group in events if not about.is_frame(group)]
    events = inner or events
    records = _in_order(about, events, lone)
    about.firsts = {record.first: group.records[0] for group in events for record in group.records}
    entries = [
        (record, read_entry(page, parsed.url, record, about.name_above(record))) for record in records[:MAX_ENTRIES]
    ]
    kept = [(record, entry) for record, entry in entries if entry.has("title") and entry.has("start")]
    return Listing(
        [entry for _, entry in kept],
        [record for record, _ in kept],
        groups,
        events,
        marks,
        max(0, len(records) - MAX_ENTRIES),
        own_headings(parsed, page),
    )


def _events_of(about: _Page, groups: Sequence[Group]) -> list[Group]:
    """Lists that look like one of events are some too: the months of a year, each in a list of its own."""
    scores = {id(group): about.score(group) for group in groups}
    alike = {about.look(group) for group in groups if scores[id(group)] >= ENOUGH}
    return [
        group
        for group in groups
        if scores[id(group)] >= ENOUGH or (about.look(group) in alike and scores[id(group)] >= 0)
    ]


def _in_order(about: _Page, events: Sequence[Group], lone: Sequence[Record]) -> list[Record]:
    found = [record for group in events for record in split(about.page, group)]
    signs = {(e.tag, e.names.partition(" ")[0]) for r in found if (e := about.page.elements[r.root]).names}
    for record in lone:
        element = about.page.elements[record.root]
        if (element.tag, element.names.partition(" ")[0]) in signs or about.is_lone_event(record):
            found.append(record)
    return sorted(found, key=lambda record: (record.first, record.root))


class _Page:
    """What the page says of its lists: their names, headings, links and words."""

    def __init__(self, parsed: ParsedPage, page: Outline) -> None:
        self.parsed, self.page = parsed, page
        self.path = urlsplit(parsed.url).path
        self.has_one_day = False
        self.firsts: dict[int, Record] = {}  # line of an entry -> the first one of its list
        self.headings = [e for e in page.elements if e.tag in HEADINGS or e.tag in ("caption", "legend")]

    def score(self, group: Group) -> float:
        records = group.records
        some = records[:40]
        names = self._names(group)
        found = 0.0
        if names & _EVENT_WORDS:
            found += 2
        elif self._are_posts(some):
            found -= 3
        found += self._links(some)
        found += self._headings(group)
        if self._name_meetings(some):
            found += 1.5
        if names & _ALERT_WORDS or names & _COMMENT_WORDS or self._are_people(group):
            found -= 4
        texts = [self._text(record) for record in some]
        if sum(any(clocks_in(text) for text in lines) for lines in texts) >= max(1, 0.3 * len(some)):
            found += 1.5
        if sum(any(_TICKETS.search(text) for text in lines) for lines in texts) >= max(1, 0.3 * len(some)):
            found += 1
        if sum(any(_MATERIALS.fullmatch(text.strip()) for text in lines) for lines in texts) >= 0.3 * len(some):
            found += 1.5
        if group.bare:
            found += self._bare(group)
        if self._is_prose(group):
            found -= 4
        return found

    def look(self, group: Group) -> tuple[str, str, str]:
        """The list and its entries as they are marked up; one of its own for lists without a class."""
        container = self.page.elements[group.container]
        return (container.tag, container.names, group.sign) if container.names else ("", "", str(group.container))

    def _names(self, group: Group) -> frozenset[str]:
        found: set[str] = set()
        for at in {record.root for record in group.records[:3]} | {group.container}:
            for _, above in zip(range(3), self.page.above(at), strict=False):
                if above.tag not in ("body", "html"):
                    found |= words_of(above.names)
            for element in self.page.within(at)[:6] if at != group.container else ():
                found |= words_of(element.names)
        return frozenset(found)

    def _are_posts(self, records: Sequence[Record]) -> bool:
        found = 0
        for record in records:
            root = self.page.elements[record.root]
            names = words_of(root.names)
            found += bool(names & _POST_WORDS) and "content" not in names and root.tag != "body"
        return found > len(records) / 2

    def _are_people(self, group: Group) -> bool:
        """A table of members, with the first and last day of their terms."""
        rows = [e for e in self.page.within(group.container) if e.tag in ("tr", "th")][:12]
        heads = [
            e
            for above in self.page.above(group.container)
            if above.tag == "table"
            for e in self.page.within(above.at)[:40]
        ]
        return any(e.tag == "th" and _PEOPLE.search(self.page.text_of(e)) for e in (*rows, *heads))

    def _links(self, records: Sequence[Record]) -> float:
        events = news = 0
        for record in records:
            hrefs = [e.node.attributes.get("href") or "" for e in self._elements(record) if e.tag == "a"]
            around = [
                e.node.attributes.get("href") or ""
                for _, e in zip(range(3), self.page.above(record.root), strict=False)
                if e.tag == "a"
            ]
            events += any(EVENT_URL.search(href) or "post_type=event" in href for href in (*hrefs, *around))
            news += any(NEWS_URL.search(href) and not _FILE.search(href) for href in hrefs)
        if events >= len(records) / 2:
            return 2.0
        return -2.5 if news >= len(records) / 2 else 0.0

    def _elements(self, record: Record) -> list[Element]:
        last = max(record.last, record.first + 1)
        return [
            e
            for e in self.page.elements[record.root : self.page.elements[record.root].end]
            if record.first <= e.first < last
        ]

    def _headings(self, group: Group) -> float:
        near = self._line_above(group.records[0]) or self.heading_above(group.records[0])
        found = 0.0
        if near and _NEWS.search(near) and not AGENDA.search(near):
            found -= 2
        elif near and (AGENDA.search(near) or MEETING.search(near)):
            found += 1
        page = " | ".join([*self.parsed.own_headings[:1], self.parsed.title.split("|")[0].split(" - ")[0]])
        if EVENT_URL.search(self.path + "/") or AGENDA.search(page) or MEETING.search(page):
            found += 1
        elif NEWS_URL.search(self.path) or _NEWS.search(page):
            found -= 1
        return found

    def _bare(self, group: Group) -> float:
        """Days and nothing else are events where something says of what; whole ones the surer."""
        if not self._names_events(group):
            return -4.0
        return (
            1.0
            if all(mark.year or mark.stated or mark.under for record in group.records for mark in record.marks)
            else 0.0
        )

    def _names_events(self, group: Group) -> bool:
        """Days alone are events where the heading above, or the page, says of what."""
        near = self.heading_above(group.records[0])
        if near and _NEWS.search(near) and not AGENDA.search(near):
            return False
        texts = [near, self._line_above(group.records[0]), *self.parsed.own_headings[:2], self.parsed.title]
        return any(AGENDA.search(text) or MEETING.search(text) for text in texts)

    def _name_meetings(self, records: Sequence[Record]) -> bool:
        """ "June 9, 2026 Special Board Meeting Notice": most entries say themselves that they are one."""
        named = sum(
            any(
                len(text) <= MAX_NAMING and (AGENDA.search(text) or MEETING.search(text)) for text in self._text(record)
            )
            for record in records
        )
        return named > len(records) / 2

    def _line_above(self, record: Record) -> str:
        """The nearest line above that says of what the days are: one of three, or a short one above the heads of columns."""
        for away in range(1, min(record.first, MAX_HEADS) + 1):
            text = self.page.lines[record.first - away].text
            most = MAX_NAMING if away <= 3 else MAX_NAMING / 2
            if len(text) <= most and (AGENDA.search(text) or MEETING.search(text)):
                return text
        return ""

    def _title_above(self, record: Record) -> str:
        """The line that is the title of a list, where no heading is one."""
        line = self._line_above(self.firsts.get(record.first, record))
        return line if len(line) <= MAX_NAMING / 2 and not re.search(r"[.!?]\s|\bcontact\b", line) else ""

    def _is_prose(self, group: Group) -> bool:
        """Sentences with days in them."""
        marks = [record.marks[0] for record in group.records if record.marks[0].text]
        told = [mark for mark in marks if mark.start > MAX_BEFORE_DAY and len(self.page.lines[mark.line].text) > 140]
        return len(told) > len(marks) / 2

    def _text(self, record: Record) -> list[str]:
        return [self.page.lines[n].text for n in range(record.first, min(record.last, record.first + 20))]

    def heading_above(self, record: Record) -> str:
        """The nearest heading before an entry that is not a day itself."""
        for element in reversed(self.headings):
            if element.at < record.root and element.last <= record.first + 1 and element.first < record.first:
                text = self.page.text_of(element)
                if sum(c.isalpha() for c in text) > 4 and not _is_day(text, self.parsed.facts.lang):
                    return text[:200]
        return self.parsed.own_headings[0] if self.parsed.own_headings else ""

    def name_above(self, record: Record) -> str:
        """What an entry without a name of its own is called: the heading it stands under, and the page's where that is
        only what such lists are called ("Dates")."""
        near, own = self.heading_above(record), next(iter(self.parsed.own_headings), "")
        if _is_day_only(record):
            return ""
        if not (AGENDA.search(near) or MEETING.search(near)):
            near = self._title_above(record) or near
        is_kind = LIST_HEADING.fullmatch(near.strip()) or not _KIND_WORDS.sub("", near).strip(" :&-–|,.")
        return own if own and is_kind else near

    def is_frame(self, group: Group) -> bool:
        for above in self.page.above(group.container):
            if above.tag in ("main", "article", "body"):
                return False
            if above.tag in _FRAME_TAGS or words_of(above.names) & _FRAME_WORDS:
                return not any(child.tag == "h1" for child in self.page.within(above.at))
        return False

    def is_lone_event(self, record: Record) -> bool:
        """An agenda with a single event: its element is called one and leads to one."""
        if {"date", "title"} <= cells_of(self.page, record).keys():
            return True  # a table of events with one row
        names = frozenset().union(*(words_of(e.names) for e in self._elements(record)[:4]))
        if {"vevent"} & names or {"h", "event"} <= names:
            return True  # microformats
        if names & _EVENT_WORDS and self.has_one_day and any(clocks_in(text) for text in self._text(record)):
            return True
        return bool(names & _EVENT_WORDS) and self._links([record]) > 0 and bool(EVENT_URL.search(self.path + "/"))


def _is_day_only(record: Record) -> bool:
    """A cell of a month: a number, and nothing where nothing happens."""
    return all(len(mark.text) <= 4 and not mark.stated for mark in record.marks)


def _is_day(text: str, lang: str) -> bool:
    names = names_for(lang)
    return bool(
        names.month_only.fullmatch(text)
        or (names.day.search(text) and len(text) <= 40)
        or re.fullmatch(r"\W*\d{4}\W*", text)
    )


def is_related(text: str) -> bool:
    return bool(RELATED.search(text))
