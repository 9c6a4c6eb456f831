"""The day an article was published, where its structured data does not name it."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborNode

from winnow.extract.article.authors import is_remark
from winnow.extract.candidates import Collected
from winnow.extract.dom.area import names_of, words_of
from winnow.extract.dom.labelled import first_labelled, pairs_of
from winnow.extract.draft import Strategy
from winnow.extract.event.event_words import MONTH
from winnow.extract.parsed_page import ParsedPage, in_frame, text_in
from winnow.extract.structured.schema_price import text_of
from winnow.vocabulary.phrases import any_of
from winnow.vocabulary.published import published_phrases

_URL_DAY = re.compile(r"/(20\d\d)[/-](0?[1-9]|1[0-2])[/-](0?[1-9]|[12]\d|3[01])(?:[/_-]|$)")
# Best first: what is called published, what stands in the head of the article, any time of it.
_TIMES = (
    "time[pubdate], time.published, time.entry-date, .published[datetime], time[itemprop='datePublished']",
    "article header time[datetime], main header time[datetime]",
    "article time[datetime], header time[datetime], main time[datetime]",
)
_ANY_TIME = 2  # its index: the article may hold the times of others too
BY_PHRASE, BESIDE_HEADING = "line that says published", "line beside the heading"
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
    r"|(?<![\d.])\d{1,2}[./-]\d{1,2}[./-](?:19|20)\d\d(?![\d:])|(?<!\d)(?:19|20)\d\d-\d\d-\d\d(?!\d)"
    r"|(?<!\d)(?:19|20)\d\d年\s?\d{1,2}月\s?\d{1,2}日|(?<![\d.])(?:19|20)\d\d\.\s?\d{1,2}\.\s?\d{1,2}(?!\d)"
    r"|(?<![\d.])\d{1,2}\.\d{1,2}\.\d\d(?![\d.])",
    re.IGNORECASE,
)
_GAP = r"\s*[:,]?\s*(?:[^\W\d_]{2,12}\.?,?\s+)?"  # ": ", " on Monday, "
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
_CALLED = re.compile(rf"(?<![^\W_])(?:{any_of(published_phrases())}){_GAP}(?P<day>{_DATED.pattern})", re.IGNORECASE)
MIN_TITLE = (
    12  # letters from which a line that is a part of the title is the article's heading, and no name of a section
)
_PARTS = re.compile(r"\s+[|–—·•»«-]\s+|\s+::\s+|\s*[|»«]\s*")
_PAGES = frozenset(["webpage", "itempage", "recipe", "creativework", "videoobject", "podcastepisode"])


def add_published(into: Collected, parsed: ParsedPage) -> None:
    """The day in the address, then in the page. Meta tags called only "date" are left out: half of them hold the day of
    the last change, or of the visit."""
    found = _URL_DAY.search(parsed.facts.urls[-1])
    into.add("published", "-".join(part.zfill(2) for part in found.groups()) if found else "", Strategy.DOM, "url")
    _from_elements(into, parsed)
    if not into.has("published"):
        into.add("published", _sole_day(parsed), Strategy.DOM, "only date of the page")
        into.add("published", first_labelled(pairs_of(parsed), _LABELS), Strategy.DOM, "label:date")
        into.add("published", _of_page_item(parsed), Strategy.JSON_LD, "WebPage.datePublished")


def _from_elements(into: Collected, parsed: ParsedPage) -> None:
    for node in _own_nodes(parsed, _TITLED)[:1]:
        into.add("published", node.attributes.get("title") or "", Strategy.DOM, ".published[title]")
    for rank, selector in enumerate(_TIMES):
        if rank == _ANY_TIME:
            into.add("published", _called_published(parsed), Strategy.DOM, BY_PHRASE)
            into.add("published", _beside_heading(parsed), Strategy.DOM, BESIDE_HEADING)
        for node in _own_nodes(parsed, selector)[:1]:
            into.add("published", node.attributes.get("datetime") or "", Strategy.DOM, "time[datetime]")
    for selector in _DATES:
        for node in _own_nodes(parsed, selector)[:1]:
            text = text_in(node)
            into.add("published", text if len(text) <= MAX_DATE_TEXT else "", Strategy.DOM, "date")


def _own_nodes(parsed: ParsedPage, selector: str) -> list[LexborNode]:
    return [node for node in parsed.clean_tree.css(selector)[:8] if not is_remark(node)]


def _beside_heading(parsed: ParsedPage) -> str:
    """The day in a short line next to the heading: "Par A. Hy le 7 mai 2020". Where the heading stands twice, as in a
    list of the latest articles, both have to say it."""
    days = {_day_near(at, parsed.lines) for at in _heading_at(parsed)} - {""}
    return days.pop() if len(days) == 1 else ""


def _day_near(at: int, lines: list[str]) -> str:
    for line in (lines[at + step] for step in _BESIDE if 0 <= at + step < len(lines)):
        days = _DATED.findall(line) if len(line) <= MAX_BYLINE and not _CHANGED.search(line) else []
        if len(days) == 1:
            return str(days[0])
    return ""


def _heading_at(parsed: ParsedPage) -> list[int]:
    """Where the heading stands: the only one of the first level, else the line that is the title of the page, as a
    heading of a lower level on a page that has no other."""
    headings = parsed.own_headings
    if len(headings) == 1 and headings[0] in parsed.lines:
        return [parsed.lines.index(headings[0])]
    titles = [parsed.title, parsed.meta.get("og:title", "")]
    named = {_letters(part) for title in titles for part in [title, *_PARTS.split(title)]}
    at = [n for n, line in enumerate(parsed.lines) if len(line) >= MIN_TITLE and _letters(line) in named]
    return at if len({_letters(parsed.lines[n]) for n in at}) == 1 else []


def _letters(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum())


def _called_published(parsed: ParsedPage) -> str:
    """The day behind a phrase that says the page was published then, when all such phrases name one day."""
    lines = [line for line in parsed.lines if len(line) <= MAX_META_TEXT]
    days = {found["day"] for line in lines for found in _CALLED.finditer(line)}
    return days.pop() if len(days) == 1 else ""


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
