"""Whether a page is an agenda of events, and where else its site may have one (E-017, E-021). Pure.

The events reader decides most of it: a page on which it finds several days to come is a list of events. Words of the
address and the headings add to that; they are never enough alone.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from urllib.parse import urljoin, urlsplit

import msgspec

from winnow.extract.adapter import Context
from winnow.extract.draft import Failure, Strategy
from winnow.extract.event.feeds.sniff import feed_format
from winnow.extract.event.terms import AGENDA
from winnow.extract.page import Page
from winnow.extract.parsed_page import ParsedPage, open_page
from winnow.judge.verdict import Decision
from winnow.kinds.assess import Assessment, assess
from winnow.kinds.event import EVENT
from winnow.kinds.generic import GenericAdapter
from winnow.sources.domain import domain_of

MAX_TEXT = 4_000  # characters shown to a language model
MAX_ANCHORS = 2_000
MAX_OWN_LINKS, MAX_SITE_LINKS = 5, 40
ENOUGH_EVENTS = 3  # fewer may be news, or opening hours
AGENDA_FROM = 0.5  # a page of this confidence is proposed
_NO_PAGES = (".pdf", ".jpg", ".jpeg", ".png", ".gif", ".webp", ".zip", ".doc", ".docx", ".xls", ".xlsx", ".mp4", ".mp3")


class PageSurvey(msgspec.Struct, frozen=True, kw_only=True):
    """What a page says about itself. `upcoming` are the events on it that are not over; `own_links` lead to what may be
    the agenda of its site, `site_links` to other sites, one each; `failure`: it could not be read."""

    title: str = ""
    text: str = ""
    events: int = 0
    upcoming: int = 0
    structured: bool = False
    feed: bool = False
    says_agenda: bool = False
    says_empty: bool = False
    own_links: list[str] = []
    site_links: list[str] = []
    failure: str | None = None


class AgendaVerdict(msgspec.Struct, frozen=True, kw_only=True):
    is_agenda: bool
    confidence: float
    why: str


def survey(page: Page) -> PageSurvey:
    context = Context(source_id="", retailer_id="", run_id="", target_id="", url=page.url, now=page.fetched_at)
    found = assess(page, GenericAdapter(EVENT), EVENT, context)
    events, upcoming = _count(found, page.fetched_at)
    own = PageSurvey(
        events=events,
        upcoming=upcoming,
        structured=found.strategy not in (None, Strategy.DOM),
        says_empty=found.empty is not None,
    )
    if feed_format(page) is not None:
        return msgspec.structs.replace(own, feed=True)
    parsed = open_page(page)
    if isinstance(parsed, Failure):
        return msgspec.structs.replace(own, failure=parsed.details or str(parsed.reason))
    return _with_page(own, parsed)


def decide(found: PageSurvey) -> AgendaVerdict:
    """By rules alone. At least three events to come make an agenda; one that says it is empty may be one."""
    if found.failure is not None:
        return AgendaVerdict(is_agenda=False, confidence=0.0, why=f"it could not be read: {found.failure}")
    if found.upcoming < ENOUGH_EVENTS:
        if found.says_empty and found.says_agenda:
            return AgendaVerdict(is_agenda=True, confidence=AGENDA_FROM, why="an agenda that says it is empty now")
        why = f"{found.upcoming} events to come on it, {ENOUGH_EVENTS} are needed"
        return AgendaVerdict(is_agenda=False, confidence=round(min(0.4, 0.1 + 0.1 * found.upcoming), 2), why=why)
    confidence = 0.55 + 0.02 * min(found.upcoming, 10) + 0.1 * found.says_agenda
    confidence += 0.1 * (found.structured or found.feed)
    named = ", called an agenda" if found.says_agenda else ""
    return AgendaVerdict(
        is_agenda=True, confidence=round(min(confidence, 0.95), 2), why=f"{found.upcoming} events to come{named}"
    )


def says_agenda(url: str) -> bool:
    """Whether the last part of its path is a word for an agenda: /agenda, /wat-is-er-te-doen, /events.html."""
    last = urlsplit(url).path.rstrip("/").rpartition("/")[2].partition(".")[0]
    return bool(last) and AGENDA.fullmatch(" ".join(last.replace("_", "-").split("-"))) is not None


def _count(found: Assessment, now: datetime) -> tuple[int, int]:
    days = [
        judged.data.get("end_date") or judged.data.get("event_date") or (judged.data.get("start") or "")[:10]
        for judged in found.records
        if judged.verdict.decision is not Decision.REJECT
    ]
    today = (now - timedelta(days=1)).date().isoformat()  # somewhere it is still yesterday
    return len(days), sum(day >= today for day in days if day)


def _with_page(own: PageSurvey, parsed: ParsedPage) -> PageSurvey:
    headings = [parsed.title, *parsed.headings]
    agenda = says_agenda(parsed.url) or any(AGENDA.search(text) for text in headings)
    own_links, site_links = _links(parsed)
    return msgspec.structs.replace(
        own,
        title=parsed.title[:300],
        text="\n".join(parsed.lines)[:MAX_TEXT],
        says_agenda=agenda,
        own_links=own_links,
        site_links=site_links,
    )


def _links(parsed: ParsedPage) -> tuple[list[str], list[str]]:
    """(pages of its own site that may be its agenda, best first; one page of each other site it links to)"""
    home, best, own, others = domain_of(parsed.url), list[str](), list[str](), dict[str, str]()
    for anchor in parsed.tree.css("a[href]")[:MAX_ANCHORS]:
        url = _address(parsed.url, anchor.attributes.get("href") or "")
        if url is None or url == parsed.url:
            continue
        words = AGENDA.search(" ".join((anchor.text() or "").split())[:80]) is not None
        if domain_of(url) != home:
            others.setdefault(domain_of(url), url)
        elif says_agenda(url):
            best.append(url)
        elif words and urlsplit(url).path.count("/") <= 2:
            own.append(url)
    return list(dict.fromkeys([*best, *own]))[:MAX_OWN_LINKS], list(others.values())[:MAX_SITE_LINKS]


def _address(base: str, href: str) -> str | None:
    try:
        url = urljoin(base, href.strip()).partition("#")[0]
        parts = urlsplit(url)
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.hostname or len(url) > 2_000:
        return None
    return None if parts.path.lower().endswith(_NO_PAGES) else url
