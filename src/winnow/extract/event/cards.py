"""Events as a reader sees them (E-051, E-052): cards in a list.

A card counts when it has a heading and something that holds a day: a `time` element, or a text with digits in an
element called date.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from winnow.extract.candidates import Collected
from winnow.extract.dom.area import names_of, words_of
from winnow.extract.draft import Strategy
from winnow.extract.event.clock_time import correct_clock
from winnow.extract.page_facts import absolute
from winnow.extract.parsed_page import ParsedPage, text_in

MAX_CARDS = 400
# Calendar plugins and themes by their own classes first, then what people call such things.
_CARDS = (
    ".tribe-events-calendar-list__event, .type-tribe_events, .tribe-common-g-row .tribe-events-pro-photo__event",
    ".vevent, .h-event",
    ".mec-event-article, .em-event, .eventlist-event, .event-list-item, .ics-calendar .event",
    'article[class*="event" i], li[class*="event" i], div[class*="event-item" i], div[class*="event_item" i], div[class*="event-card" i], div[class*="eventcard" i], a[class*="event" i]',
    'li[class*="agenda" i], article[class*="agenda" i], div[class*="agenda-item" i], div[class*="agenda_item" i], [class*="veranstaltung-item" i], [class*="termin-item" i]',
    ".event, .concert, .show, .gig, .termin, .veranstaltung, .evenement, .activiteit, .activity, .programma-item, .performance",
    ".views-row, article, li, .card, tr",
)
_PLAIN = len(_CARDS) - 1
AGENDA = re.compile(
    r"\b(?:events?|agenda|calendar|veranstaltungen|termine|kalender|evenementen|[eé]v[eé]nements|eventos|eventi|concerts?|programm[ae]?|shows|tour|what.s on|uitagenda|spielplan|meetings)\b",
    re.IGNORECASE,
)
POSTS = frozenset(
    [
        "post",
        "posts",
        "news",
        "blog",
        "tweet",
        "hentry",
        "entry",
        "comment",
        "review",
        "article",
        "press",
        "widget",
        "nav",
        "menu",
    ]
)
PUBLISHED = frozenset(["published", "updated", "entry", "posted", "modified"])
_TITLE = '[class*="event-title" i], [class*="event_title" i], [class*="event__title" i], .summary, .p-name, h1, h2, h3, h4, h5, [class*="title" i]'
_WHEN = "time[datetime], .dtstart, .dt-start, [class*='event-date' i], [class*='event_date' i], [class*='date' i], [class*='datum' i], time"
_CLOCK = '[class*="event-time" i], [class*="event_time" i], [class*="time" i]:not(time), [class*="uhrzeit" i], [class*="tijd" i], [class*="hour" i]'
_WHERE = '[class*="location" i], [class*="venue" i], [class*="locatie" i], [class*="place" i], [class*="ort" i]:not([class*="sort" i]):not([class*="short" i]):not([class*="port" i])'
EVENT_URL = re.compile(
    r"/(?:events?|agenda|veranstaltung(?:en)?|termine?|evenement(?:en|s)?|[eé]v[eé]nements?|concerts?|programma?|eventos?|eventi|shows?|kalender|calendar|activiteit(?:en)?|workshops?|tickets?|webinars?|gigs?|conciertos?|concerti|konzerte?|evenemang|arrangement(?:er)?|tapahtumat?|wydarzeni[ae]|akce|esemenye?k?|etkinlik(?:ler)?|evenimente?|spielplan|saison|mostre|exhibitions?|ausstellung(?:en)?|expositions?)(?:/|-|$|\?)",
    re.IGNORECASE,
)


def read_cards(parsed: ParsedPage) -> list[Collected]:
    """The first kind of card that holds events. What many kinds of list look like counts on event pages only."""
    for index, nodes in enumerate(_lists(parsed)):
        if index >= _PLAIN and not _is_agenda(parsed):
            return []
        found = [card for card in (_card(node, parsed) for node in nodes) if card is not None]
        if len(found) >= (2 if index >= _PLAIN else 1):
            return found
    return []


def _lists(parsed: ParsedPage) -> Iterator[list[LexborNode]]:
    """By name, then by shape: whatever stands beside two of its like under a heading of its own."""
    for selector in _CARDS:
        yield [node for node in _innermost(parsed.clean_tree.css(selector)[:MAX_CARDS]) if not _is_post(node)]
    yield [node for node in _innermost(_alike(parsed)) if not _is_post(node)]


def _alike(parsed: ParsedPage) -> list[LexborNode]:
    found: list[LexborNode] = []
    for heading in parsed.clean_tree.css("h2, h3, h4, h5")[:MAX_CARDS]:
        node: LexborNode | None = heading
        for _ in range(5):
            above = node.parent if node is not None else None
            if node is None or above is None or above.tag == "body":
                break
            like = [child for child in above.iter() if child.tag == node.tag and names_of(child) == names_of(node)]
            if len(like) >= 3 and node.tag not in ("h2", "h3", "h4", "h5"):
                found.append(node)
                break
            node = above
    return found


def card_nodes(parsed: ParsedPage) -> list[LexborNode]:
    """Elements that look like events of a list, wherever they stand."""
    for nodes in _lists(parsed):
        found = [node for node in nodes if _title(node) and when_in(node)]
        if len(found) >= 2:
            return found
    return []


def _is_agenda(parsed: ParsedPage) -> bool:
    addresses = any(EVENT_URL.search(url) for url in parsed.facts.urls)
    return addresses or any(AGENDA.search(text) for text in [parsed.title, *parsed.headings])


def _is_post(node: LexborNode) -> bool:
    """News, blog posts and tweets have dates too."""
    return bool(words_of(names_of(node)) & POSTS)


def _innermost(nodes: list[LexborNode]) -> list[LexborNode]:
    """Without those that hold another one: the list is not an event."""
    holders = set()
    for node in nodes:
        above = node.parent
        for _ in range(40):
            if above is None:
                break
            holders.add(above.mem_id)
            above = above.parent
    seen: set[int] = set()
    kept = []
    for node in nodes:
        if node.mem_id not in holders and node.mem_id not in seen:
            kept.append(node)
            seen.add(node.mem_id)
    return kept


def _card(node: LexborNode, parsed: ParsedPage) -> Collected | None:
    title = _title(node)
    when = when_in(node)
    if not title or not when:
        return None
    into = Collected()
    into.add("title", title, Strategy.DOM, "card heading")
    for text in when:
        into.add("start", text, Strategy.DOM, "card date")
    into.add("end", _ending(node), Strategy.DOM, "card date")
    into.add("venue_name", _short(node.css_first(_WHERE)), Strategy.DOM, "card place")
    link = node if node.tag == "a" else node.css_first("a[href]")
    into.add(
        "url",
        absolute(parsed.url, (link.attributes.get("href") or "") if link is not None else ""),
        Strategy.DOM,
        "card link",
    )
    image = node.css_first("img")
    source = (image.attributes.get("data-src") or image.attributes.get("src") or "") if image is not None else ""
    into.add(
        "image_url",
        "" if source.startswith("data:") else absolute(parsed.url, source) if source else "",
        Strategy.DOM,
        "card image",
    )
    into.add("description", _longest(node), Strategy.DOM, "card text")
    return into


def _title(node: LexborNode) -> str:
    for found in node.css(_TITLE)[:4]:
        text = text_in(found)
        if 2 < len(text) <= 200 and sum(c.isalpha() for c in text) > 2:
            return text
    link = node.css_first("a[href]")
    text = text_in(link) if link is not None else ""
    return text if 2 < len(text) <= 120 and "\n" not in text else ""


def when_in(node: LexborNode) -> list[str]:
    """Candidates for the beginning, best first: what is written for machines, then date and time as shown."""
    found: list[str] = []
    for element in [e for e in node.css(_WHEN)[:8] if not words_of(names_of(e)) & PUBLISHED][:6]:
        stated = (
            element.attributes.get("datetime") or element.attributes.get("title")
            if element.tag in ("time", "abbr")
            else ""
        )
        shown = text_in(element)
        clock = _clock(node, shown)
        found += [
            text
            for text in (_with_clock(stated or "", shown, clock), f"{shown} {clock}".strip(), shown)
            if re.search(r"\d", text)
        ]
    return list(dict.fromkeys(text for text in found if 3 < len(text) <= 120))


def _with_clock(stated: str, shown: str, clock: str) -> str:
    """A machine-readable day with the time a reader sees beside it."""
    if not stated or "T" in stated or ":" in stated:
        return correct_clock(stated, f"{shown} {clock}".strip())
    seen = re.search(
        r"\b\d{1,2}(?:[:.]\d\d)?\s*(?:uhr|uur|h\b|[ap]\.?m\b)|\b\d{1,2}:\d\d\b", f"{shown} {clock}", re.IGNORECASE
    )
    return f"{stated} {seen[0]}" if seen and re.fullmatch(r"\d{4}-\d\d-\d\d", stated) else stated


def _clock(node: LexborNode, shown: str) -> str:
    if re.search(r"\d[:.h]\d\d|\d\s*(?:uhr|uur|[ap]m\b)", shown, re.IGNORECASE):
        return ""
    for element in node.css(_CLOCK)[:3]:
        text = text_in(element)
        if len(text) <= 40 and re.search(r"\d", text) and text != shown:
            return text
    return ""


def _ending(node: LexborNode) -> str:
    ends = node.css("time[datetime], .dtend, .dt-end")
    stated = [correct_clock(e.attributes.get("datetime") or e.attributes.get("title") or "", text_in(e)) for e in ends]
    return stated[1] if len(stated) == 2 and stated[1] > stated[0] else ""


def _short(node: LexborNode | None) -> str:
    text = text_in(node)
    return text if len(text) <= 120 else ""


def _longest(node: LexborNode) -> str:
    texts = [text_in(paragraph) for paragraph in node.css("p")[:8]]
    return max(texts, key=len, default="")
