"""Feeds of a page about events: those it names (E-049), and those that its system is known to have (E-050)."""

from __future__ import annotations

import re
from urllib.parse import urljoin, urlsplit

from selectolax.lexbor import LexborNode

from winnow.extract.draft import Link, Role
from winnow.extract.parsed_page import ParsedPage, text_in
from winnow.vocabulary.feed_words import add_to_calendar

MAX_FEEDS = 5  # of one page: more are calendars of single events
_ALTERNATE = "link[rel~=alternate][href]"
_TYPES = ("text/calendar", "application/rss+xml", "application/atom+xml", "application/feed+json")
_ICS = re.compile(
    r"\.ics(?:[?#]|$)|[?&](?:ical|outlook-ical)=1\b|/(?:ical|icalendar|webcal)/?(?:[?#]|$)", re.IGNORECASE
)
_ONE_EVENT = re.compile(
    r"/events?/[^/?#]+/(?:\?|ical)|[?&](?:event_?id|eid|uid|vevent|occurrence)=|/event/[^/?#]+\.ics", re.IGNORECASE
)
_AGENDA_FEED = re.compile(
    r"event|agenda|kalend|calend|programm|concert|evenement|activit|termin|veranstalt", re.IGNORECASE
)
_NOT_AGENDA = re.compile(r"comment|reacties|oembed|/author/|wp-json/wp/v2/(?:posts|pages|users)", re.IGNORECASE)
_REST = re.compile(
    r"[\"'](https?:\\?/\\?/[^\"'<>\s]{1,300}?wp-json\\?/tribe\\?/(?:views|events)\\?/v\d[^\"'<>\s]{0,200})[\"']"
)
_STATED_JSON = re.compile(r"^(?:https?://|/)\S+(?:\.json\b|[?&](?:format|_format)=json\b|/api/\S*event)", re.IGNORECASE)
_JSON_ATTRIBUTES = (
    "data-events-url",
    "data-feed-url",
    "data-calendar-url",
    "data-source-url",
    "data-json-url",
    "data-api-url",
)


def feed_links(parsed: ParsedPage, guess: bool) -> list[Link]:
    """Calendars first: an ICS says most and in the fewest words."""
    named = [*_alternates(parsed), *_anchors(parsed), *_rest(parsed), *_attributes(parsed)]
    if guess and not named:
        named = _guessed(parsed)
    ordered = sorted(enumerate(_own(named, parsed)), key=lambda pair: (_rank(pair[1]), pair[0]))
    return [Link(url, Role.FEED) for _, url in ordered[:MAX_FEEDS]]


def _own(urls: list[str], parsed: ParsedPage) -> list[str]:
    """Absolute, over HTTP, each once, without the page itself."""
    found = (_absolute(parsed.url, url) for url in urls)
    return [
        url
        for url in dict.fromkeys(found)
        if url.startswith("http") and url != parsed.url and not _NOT_AGENDA.search(url)
    ]


def _absolute(base: str, url: str) -> str:
    plain = re.sub(r"^webcals?:", "https:", url.strip(), flags=re.IGNORECASE)
    try:
        return urljoin(base, plain).partition("#")[0]
    except ValueError:
        return ""


def _rank(url: str) -> int:
    return 0 if _ICS.search(url) else 1 if "json" in url else 2


def _alternates(parsed: ParsedPage) -> list[str]:
    """A site names the feed of its news on every page: only calendars, and feeds that are called after events, count."""
    found = []
    for node in parsed.tree.css(_ALTERNATE)[:60]:
        kind, href, title = (node.attributes.get(name) or "" for name in ("type", "href", "title"))
        if kind.lower() == "text/calendar" or (kind.lower() in _TYPES and _AGENDA_FEED.search(f"{href} {title}")):
            found.append(href)
    return found


def _anchors(parsed: ParsedPage) -> list[str]:
    """`a[href*=.ics]`, `webcal:` and "subscribe to calendar", but not the download of a single event."""
    found = []
    for node in parsed.tree.css("a[href]")[:5_000]:
        href = node.attributes.get("href") or ""
        if href.lower().startswith("webcal") or (not _ONE_EVENT.search(href) and _is_feed(node, href)):
            found.append(href)
    single = len(found) > MAX_FEEDS and not any(href.lower().startswith("webcal") for href in found)
    return [] if single else found  # one beside each entry of the list


def _is_feed(node: LexborNode, href: str) -> bool:
    if _ICS.search(href):
        return True
    if not re.search(r"ical|\.ics|feed|rss|calendar", href, re.IGNORECASE) or re.search(r"google\.|outlook\.", href):
        return False
    text = text_in(node)
    return len(text) <= 80 and add_to_calendar().search(text) is not None


def _rest(parsed: ParsedPage) -> list[str]:
    """The answer of The Events Calendar that its page names for its own script."""
    body = parsed.page.text() if b"tribe" in parsed.page.body else ""
    stated = [match[1].replace("\\/", "/") for match in _REST.finditer(body)][:5]
    return [re.sub(r"/tribe/views/v\d.*\Z", "/tribe/events/v1/events?per_page=50", url) for url in stated]


def _attributes(parsed: ParsedPage) -> list[str]:
    selector = ", ".join(f"[{name}]" for name in _JSON_ATTRIBUTES)
    values = (node.attributes.get(name) or "" for node in parsed.tree.css(selector)[:20] for name in _JSON_ATTRIBUTES)
    return [value for value in values if _STATED_JSON.match(value) or _ICS.search(value)]


def _guessed(parsed: ParsedPage) -> list[str]:
    """Where the systems that a page shows signs of keep their feeds; elsewhere nothing is tried."""
    body = parsed.page.body
    parts = urlsplit(parsed.url)
    root, path = f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")
    if b"tribe-events" in body or b"the-events-calendar" in body:
        return [f"{root}{path}/?ical=1", f"{root}/wp-json/tribe/events/v1/events?per_page=50"]
    if b"modern-events-calendar" in body or b"mec-event" in body:
        return [f"{root}/events/feed/"]
    if b"static1.squarespace.com" in body or b"Static.SQUARESPACE_CONTEXT" in body:
        return [f"{root}{path}?format=json"]
    if b"wp-content" in body and path:
        return [f"{root}{path}/feed/", f"{root}{path}/?ical=1"]
    if b"Drupal.settings" in body or b"drupal-settings-json" in body:
        return [f"{root}{path}.ics", f"{root}{path}/feed"]
    return []
