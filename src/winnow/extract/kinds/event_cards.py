"""Events as a reader sees them (E-051, E-052): cards in a list, or one event that fills the page.

A card counts when it has a heading and something that holds a day: a `time` element, or a text with digits in an
element called date.
"""

from __future__ import annotations

import re

from selectolax.lexbor import LexborNode

from winnow.extract.dom_area import names_of, words_of
from winnow.extract.draft import Strategy
from winnow.extract.kinds.collect import Collected
from winnow.extract.kinds.labelled import first_labelled, headed_pairs
from winnow.extract.kinds.parsed_page import ParsedPage, text_in
from winnow.extract.page_facts import absolute

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
_AGENDA = re.compile(
    r"\b(?:events?|agenda|calendar|veranstaltungen|termine|kalender|evenementen|[eé]v[eé]nements|eventos|eventi|concerts?|programm[ae]?|shows|tour|what.s on|uitagenda|spielplan|meetings)\b",
    re.IGNORECASE,
)
_POSTS = frozenset(
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
_PUBLISHED = frozenset(["published", "updated", "entry", "posted", "modified"])
_TITLE = '[class*="event-title" i], [class*="event_title" i], [class*="event__title" i], .summary, .p-name, h1, h2, h3, h4, h5, [class*="title" i]'
_WHEN = "time[datetime], .dtstart, .dt-start, [class*='event-date' i], [class*='event_date' i], [class*='date' i], [class*='datum' i], time"
_CLOCK = '[class*="event-time" i], [class*="event_time" i], [class*="time" i]:not(time), [class*="uhrzeit" i], [class*="tijd" i], [class*="hour" i]'
_WHERE = '[class*="location" i], [class*="venue" i], [class*="locatie" i], [class*="place" i], [class*="ort" i]:not([class*="sort" i]):not([class*="short" i]):not([class*="port" i])'
_EVENT_URL = re.compile(
    r"/(?:events?|agenda|veranstaltung(?:en)?|termine?|evenement(?:en|s)?|[eé]v[eé]nements?|concerts?|programma?|eventos?|eventi|shows?|kalender|calendar|activiteit(?:en)?|workshops?|tickets?)(?:/|-|$|\?)",
    re.IGNORECASE,
)
_DATE_LABELS = frozenset(
    [
        "date",
        "datum",
        "when",
        "wann",
        "wanneer",
        "quand",
        "fecha",
        "cuándo",
        "data",
        "quando",
        "date and time",
        "datum und uhrzeit",
        "datum & tijd",
        "date & time",
        "termin",
        "beginn",
        "start",
        "date:",
    ]
)
_PLACE_LABELS_TEXT = """
    location venue where ort wo waar locatie lieu où lugar dónde luogo dove local onde veranstaltungsort plaats place
"""
_PLACE_LABELS = frozenset(_PLACE_LABELS_TEXT.split())


def read_cards(parsed: ParsedPage) -> list[Collected]:
    """The first selector whose cards are events. What many kinds of list look like counts on event pages only."""
    for index, selector in enumerate(_CARDS):
        if index >= _PLAIN and not _is_agenda(parsed):
            return []
        nodes = [node for node in _innermost(parsed.clean_tree.css(selector)[:MAX_CARDS]) if not _is_post(node)]
        found = [card for card in (_card(node, parsed) for node in nodes) if card is not None]
        if len(found) >= (2 if index >= _PLAIN else 1):
            return found
    return []


def _is_agenda(parsed: ParsedPage) -> bool:
    addresses = any(_EVENT_URL.search(url) for url in parsed.facts.urls)
    return addresses or any(_AGENDA.search(text) for text in [parsed.title, *parsed.headings])


def _is_post(node: LexborNode) -> bool:
    """News, blog posts and tweets have dates too."""
    return bool(words_of(names_of(node)) & _POSTS)


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
    for element in [e for e in node.css(_WHEN)[:8] if not words_of(names_of(e)) & _PUBLISHED][:6]:
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
        return stated
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
    stated = [(e.attributes.get("datetime") or e.attributes.get("title") or "") for e in ends]
    return stated[1] if len(stated) == 2 and stated[1] > stated[0] else ""


def _short(node: LexborNode | None) -> str:
    text = text_in(node)
    return text if len(text) <= 120 else ""


def _longest(node: LexborNode) -> str:
    texts = [text_in(paragraph) for paragraph in node.css("p")[:8]]
    return max(texts, key=len, default="")


def read_single(parsed: ParsedPage) -> list[Collected]:
    """The page of one event: its heading, and a day beside it."""
    kind = parsed.meta.get("og:type", "").lower()
    if (
        not (_EVENT_URL.search(parsed.facts.urls[-1]) or _EVENT_URL.search(parsed.url) or "event" in kind)
        or len(parsed.headings) != 1
    ):
        return []
    into = Collected()
    into.add("title", parsed.headings[0], Strategy.DOM, "h1")
    pairs = headed_pairs(parsed)
    into.add("start", first_labelled(pairs, _DATE_LABELS), Strategy.DOM, "label:date")
    main = parsed.clean_tree.css_first("main, article, #content, .content") or parsed.clean_tree.body
    for text in when_in(main) if main is not None else []:
        into.add("start", text, Strategy.DOM, "time")
    place = first_labelled(pairs, _PLACE_LABELS) or (_short(main.css_first(_WHERE)) if main is not None else "")
    into.add("venue_name", place, Strategy.DOM, "label:place")
    into.add_all("description", parsed.metas("og:description", "description"))
    into.add_all("image_url", parsed.metas("og:image"))
    into.add("url", parsed.facts.urls[-1], Strategy.DOM, "link[rel=canonical]")
    return [into] if into.has("start") else []
