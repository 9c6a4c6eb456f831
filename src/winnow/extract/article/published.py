"""The day an article was published, where its structured data does not name it."""

from __future__ import annotations

import re
from datetime import date

from selectolax.lexbor import LexborNode

from winnow.extract.article.authors import is_remark
from winnow.extract.candidates import Collected
from winnow.extract.dom.area import names_of, words_of
from winnow.extract.dom.labelled import first_labelled, pairs_of
from winnow.extract.draft import Strategy
from winnow.extract.event.event_words import MONTH
from winnow.extract.parsed_page import ParsedPage, in_frame, text_in
from winnow.extract.structured.schema_price import text_of

_URL_DAY = re.compile(r"/(20\d\d)[/-](0?[1-9]|1[0-2])[/-](0?[1-9]|[12]\d|3[01])(?:[/_-]|$)")
# Best first: what is called published, what stands in the head of the article, any time of it.
_TIMES = (
    "time[pubdate], time.published, time.entry-date, .published[datetime], time[itemprop='datePublished']",
    "article header time[datetime], main header time[datetime]",
    "article time[datetime], header time[datetime], main time[datetime]",
)
_DATES = (
    "[class*='publish' i][class*='date' i], [class*='post-date' i], [class*='article-date' i], .entry-date, .dateline",
    "article [class~='date'], main [class~='date'], [class~='datum'], .postdate, .post-meta, .entry-meta, .article-meta",
)
# A moment in the title of an element that shows the hour only, as blog systems write it.
_TITLED = "abbr.published[title], .published[title], [itemprop='datePublished'][title]"
# A day with its year, as bylines write it.
_DATED = re.compile(
    rf"(?<![\d.])\d{{1,2}}(?:st|nd|rd|th|er|\.)?\s(?:de\s|of\s)?{MONTH}\.?,?\s(?:de\s)?(?:19|20)\d\d(?!\d)"
    rf"|\b{MONTH}\.?\s\d{{1,2}}(?:st|nd|rd|th)?,?\s(?:19|20)\d\d(?!\d)"
    r"|(?<![\d.])\d{1,2}[./-]\d{1,2}[./-](?:19|20)\d\d(?!\d)|(?<!\d)(?:19|20)\d\d-\d\d-\d\d(?!\d)"
    r"|(?<!\d)(?:19|20)\d\d年\d{1,2}月\d{1,2}日|(?<![\d.])\d{1,2}\.\d{1,2}\.\d\d(?![\d.])",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"updat|aktualisiert|stand\b|ge[äa]ndert|änderung|mis à jour|modifi|actualiza|aggiornat|bijgewerkt|gewijzigd|event|termin",
    re.IGNORECASE,
)
_BESIDE = (1, -1, 2, -2, 3, -3, 4, 5)  # lines from the heading, nearest first
MAX_BYLINE = 70
MAX_DATE_TEXT = 60
MAX_META_TEXT = 120
_DATE_WORDS = frozenset(["date", "datum", "pubdate", "postdate", "postmeta", "submitted", "dateline", "artikeldatum"])
_LABELS = frozenset([
    "date", "datum", "published", "publication date", "date published", "published on", "posted on", "erschienen am", "erschienen",
    "veröffentlicht", "veröffentlicht am", "veröffentlichung", "publié le", "date de publication", "publicado", "publicado el",
    "fecha de publicación", "pubblicato il", "data di pubblicazione", "gepubliceerd", "gepubliceerd op",
])  # fmt: skip
_PAGES = frozenset(["webpage", "itempage", "recipe", "creativework", "videoobject", "podcastepisode"])


def add_published(into: Collected, parsed: ParsedPage) -> None:
    """The day in the address, then in the page. Meta tags called only "date" are left out: half of them hold the day of
    the last change, or of the visit."""
    found = _URL_DAY.search(parsed.facts.urls[-1])
    into.add("published", "-".join(part.zfill(2) for part in found.groups()) if found else "", Strategy.DOM, "url")
    _from_elements(into, parsed)
    into.add("published", _beside_heading(parsed), Strategy.DOM, "line beside the heading")
    if not into.has("published"):
        into.add("published", _sole_day(parsed), Strategy.DOM, "only date of the page")
        into.add("published", first_labelled(pairs_of(parsed), _LABELS), Strategy.DOM, "label:date")
        into.add("published", _of_page_item(parsed), Strategy.JSON_LD, "WebPage.datePublished")


def _from_elements(into: Collected, parsed: ParsedPage) -> None:
    for node in _own_nodes(parsed, _TITLED)[:1]:
        into.add("published", node.attributes.get("title") or "", Strategy.DOM, ".published[title]")
    for selector in _TIMES:
        for node in _own_nodes(parsed, selector)[:1]:
            into.add("published", node.attributes.get("datetime") or "", Strategy.DOM, "time[datetime]")
    for selector in _DATES:
        for node in _own_nodes(parsed, selector)[:1]:
            text = text_in(node)
            into.add("published", text if len(text) <= MAX_DATE_TEXT else "", Strategy.DOM, "date")


def _own_nodes(parsed: ParsedPage, selector: str) -> list[LexborNode]:
    return [node for node in parsed.clean_tree.css(selector)[:8] if not is_remark(node)]


def _beside_heading(parsed: ParsedPage) -> str:
    """The day in a short line next to the only heading: "Par A. Hy le 7 mai 2020"."""
    title = parsed.own_headings[0] if len(parsed.own_headings) == 1 else ""
    if not title or title not in parsed.lines:
        return ""
    at = parsed.lines.index(title)
    for line in (parsed.lines[at + step] for step in _BESIDE if 0 <= at + step < len(parsed.lines)):
        days = _DATED.findall(line) if len(line) <= MAX_BYLINE and not _CHANGED.search(line) else []
        if len(days) == 1:
            return str(days[0])
    return ""


def _sole_day(parsed: ParsedPage) -> str:
    """What elements called date and times name, when that is one day: lists of articles name several."""
    nodes = [n for n in parsed.clean_tree.css("[class*='dat' i], [class*='meta' i], [class*='submitted' i]")[:60]
             if words_of(names_of(n)) & _DATE_WORDS and not is_remark(n)]  # fmt: skip
    nodes += [node for node in parsed.clean_tree.css("time")[:40] if not is_remark(node)]
    texts = [
        text
        for text in (text_in(node) for node in nodes if not in_frame(node))
        if len(text) <= MAX_META_TEXT and not _CHANGED.search(text)
    ]
    days = {day for text in texts for day in _DATED.findall(text)}
    return days.pop() if len(days) == 1 else ""


def _of_page_item(parsed: ParsedPage) -> str:
    items = [item for item in parsed.schema.of(_PAGES) if not item.listed]
    days = {text_of(item.node.get("datePublished"))[:10] for item in items} - {""}
    return days.pop() if len(days) == 1 else ""


def local_day(stated: str, address: str) -> str:
    """The day in the address, when the stated moment is in UTC and lies a day beside it: the paper's own day."""
    found = _URL_DAY.search(address)
    utc = re.match(r"(\d{4})-(\d\d)-(\d\d)T.*(?:Z|[+-]00:?00)$", stated.strip())
    if found is None or utc is None:
        return ""
    try:
        there, here = date(*map(int, found.groups())), date(*map(int, utc.groups()))
    except ValueError:
        return ""
    return there.isoformat() if abs((there - here).days) == 1 else ""
