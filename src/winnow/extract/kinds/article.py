"""A page with one article -> what it says about itself: title, authors, dates, site."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborNode

from winnow.extract.dom_area import names_of, words_of
from winnow.extract.draft import Extraction, Failure, Strategy, Value
from winnow.extract.kinds.collect import Collected, extracted
from winnow.extract.kinds.event_words import MONTH
from winnow.extract.kinds.parsed_page import ParsedPage, label_of, open_page, text_in
from winnow.extract.kinds.schema_items import Item
from winnow.extract.main_item import likeness
from winnow.extract.page import Page
from winnow.extract.page_facts import same_page
from winnow.extract.schema_graph import as_list
from winnow.extract.schema_price import text_of

KIND = "article"
_NAMES = """
    article newsarticle blogposting report techarticle scholarlyarticle liveblogposting opinionnewsarticle satiricalarticle
    reportagenewsarticle analysisnewsarticle backgroundnewsarticle reviewnewsarticle askpublicnewsarticle advertisercontentarticle
    socialmediaposting discussionforumposting medicalscholarlyarticle apireference
"""
ARTICLES = frozenset(_NAMES.split())


def extract_article(page: Page) -> Extraction:
    parsed = open_page(page)
    if isinstance(parsed, Failure):
        return parsed
    into = Collected()
    item = _own(parsed)
    _title(into, item, parsed)
    if item is not None:
        _from_schema(into, item, parsed)
    _from_meta(into, parsed)
    _from_page(into, parsed)
    _authors(into, item, parsed)
    return extracted([into.draft(KIND, parsed)], parsed, "title")


def _own(parsed: ParsedPage) -> Item | None:
    """The article this page is, not those it links to."""
    items = [item for item in parsed.schema.of(ARTICLES) if not item.listed]
    here = [item for item in items if item.main or same_page(_address(item), parsed.facts)]
    titles = [*parsed.headings, parsed.title, parsed.meta.get("og:title", "")]
    named = [i for i in items if any(likeness(_headline(i), title)[0] >= 0.8 for title in titles if title)]
    for found in (named, here, items if len(items) == 1 else []):
        if found:
            return max(found, key=lambda item: len(item.node))
    return None


def _title(into: Collected, item: Item | None, parsed: ParsedPage) -> None:
    """Structured data is often headed for search engines. Where the heading is also what the page is shared as, that is its
    title; and where a title goes on behind the heading, what follows is the section or the site."""
    if len(parsed.own_headings) != 1:
        return
    shown, shared = parsed.own_headings[0], parsed.meta.get("og:title", "")
    titles = [_headline(item) if item is not None else "", shared]
    tailed = any(title.startswith(shown) and _TAIL.match(title[len(shown) :]) for title in titles)
    if tailed or likeness(shown, shared)[0] == 1 == likeness(shared, shown)[0]:
        into.add("title", shown, Strategy.DOM, "h1")


_TAIL = re.compile(r"\s+[|–—·»-]+\s+\S")
_JOINED = re.compile(r"\s*[;|]\s*|\s+/\s+|\s+(?:and|und|et|y|e|og|och|ja|en|&)\s+(?=[A-ZÀ-Ý])")
_BY = re.compile(r"^(?:by|von|par|por|door|di|af|av|text|words by|written by)\s*:?\s+", re.IGNORECASE)
_DEGREE = re.compile(r"(?:jr|sr|ph\.?\s?d|m\.?d|mba|esq|dr|prof|m\.?a|b\.?a|rn)\.?", re.IGNORECASE)
_BYLINES = '[rel="author"], [itemprop="author"] [itemprop="name"], .byline .author, .author-name, .byline__name, .article-author, [class*="byline" i] a'


def _authors(into: Collected, item: Item | None, parsed: ParsedPage) -> None:
    """The first that names people: structured data, meta tags, the byline. The paper itself is not its author."""
    schema = parsed.schema
    stated = as_list(item.node.get("author")) or as_list(item.node.get("creator")) if item is not None else []
    houses = {house.lower() for house in _houses(item, parsed) if house}
    groups = [
        [Value(schema.name(author), item.strategy, f"{item.path}.author") for author in stated] if item else [],
        parsed.metas("author"),
        parsed.metas("article:author", "citation_author", "dc.creator", "parsely-author", "byl", "sailthru.author"),
        [Value(text_in(node), Strategy.DOM, "byline") for node in parsed.clean_tree.css(_BYLINES)[:3]],
    ]
    for group in groups:
        for value in group:
            for name in _people(value.raw):
                if name.lower() not in houses and not any(
                    len(house) > 3 and f"{house}." in name.lower() for house in houses
                ):
                    into.add("authors", name, value.strategy, value.path)
        if into.has("authors"):
            return


def _houses(item: Item | None, parsed: ParsedPage) -> list[str]:
    publisher = parsed.schema.name(item.node.get("publisher")) if item is not None else ""
    labels = [label_of(domain) for domain in parsed.own_domains]
    return [
        publisher,
        parsed.meta.get("og:site_name", ""),
        parsed.meta.get("application-name", ""),
        *labels,
        *parsed.own_domains,
    ]


def _people(text: str) -> list[str]:
    """ "By Ann Lee and Bo Dahl, dpa" names three; "Lee, Ann" and "Ann Lee, PhD" one; an address or a credit none."""
    if re.match(r"(?:https?:|www\.|/)", text) or re.search(r"[(\[:]", text):
        text = re.sub(r"\s*[(\[][^)\]]*[)\]]\s*$", "", text)
        if re.search(r"[/(\[:]", text):
            return []
    parts = _JOINED.split(_BY.sub("", " ".join(text.split())))
    found = []
    for part in parts:
        pieces = [piece.strip() for piece in part.split(",")]
        whole = len(pieces) == 1 or len(pieces[0].split()) < 2
        found += [part.strip(" ,")] if whole else [piece for piece in pieces if piece and not _DEGREE.fullmatch(piece)]
    return [name for name in found if name]


def _headline(item: Item) -> str:
    return text_of(item.node.get("headline")) or text_of(item.node.get("name"))


def _address(item: Item) -> str:
    page = item.node.get("mainEntityOfPage")
    return text_of(item.node.get("url")) or (text_of(page.get("@id")) if isinstance(page, dict) else text_of(page))


def _from_schema(into: Collected, item: Item, parsed: ParsedPage) -> None:
    node, schema = item.node, parsed.schema
    into.add_key("title", item, "headline", "name")
    into.add_key("published", item, "datePublished", "dateCreated")
    into.add_key("modified", item, "dateModified")
    into.add_key("description", item, "description", "abstract")
    image = schema.node(node.get("image"))
    into.add(
        "image_url",
        text_of(image.get("url") or image.get("contentUrl")) or text_of(node.get("image")),
        item.strategy,
        f"{item.path}.image",
    )
    into.add("site_name", schema.name(node.get("publisher")), item.strategy, f"{item.path}.publisher.name")
    into.add_key("language", item, "inLanguage")
    into.add_key("section", item, "articleSection")
    into.add_key("keywords", item, "keywords")


def _from_meta(into: Collected, parsed: ParsedPage) -> None:
    into.add_all("title", parsed.metas("og:title", "citation_title", "dc.title", "twitter:title"))
    into.add_all(
        "published",
        parsed.metas(
            "article:published_time",
            "citation_publication_date",
            "dc.date.issued",
            "parsely-pub-date",
            "pubdate",
            "datepublished",
            "publish-date",
            "article.published",
        ),
    )
    into.add_all("modified", parsed.metas("article:modified_time", "og:updated_time", "datemodified", "last-modified"))
    into.add_all("description", parsed.metas("og:description", "description", "twitter:description"))
    into.add_all("image_url", parsed.metas("og:image:secure_url", "og:image", "twitter:image", "twitter:image:src"))
    into.add_all("site_name", parsed.metas("og:site_name", "application-name"))
    into.add_all("section", parsed.metas("article:section"))
    into.add_all("language", parsed.metas("content-language"))
    into.add("language", parsed.facts.lang, Strategy.DOM, "html[lang]")
    into.add_all("language", parsed.metas("og:locale"))
    if len(parsed.facts.urls) > 1:
        into.add("canonical_url", parsed.facts.urls[1], Strategy.DOM, "link[rel=canonical]")
    into.add_all("canonical_url", parsed.metas("og:url"))
    into.add("canonical_url", parsed.url, Strategy.DOM, "url")


def _from_page(into: Collected, parsed: ParsedPage) -> None:
    if len(parsed.headings) == 1:
        into.add("title", parsed.headings[0], Strategy.DOM, "h1")
    into.add("title", parsed.title, Strategy.DOM, "title")
    _published(into, parsed)


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
_REMARKS = frozenset(["comment", "comments", "comentario", "kommentar", "related", "sidebar", "widget"])


def _published(into: Collected, parsed: ParsedPage) -> None:
    """The day in the address, then in the page. Meta tags called only "date" are left out: half of them hold the day of the
    last change, or of the visit."""
    found = _URL_DAY.search(parsed.facts.urls[-1])
    into.add("published", "-".join(part.zfill(2) for part in found.groups()) if found else "", Strategy.DOM, "url")
    for selector in _TIMES:
        for node in [node for node in parsed.clean_tree.css(selector)[:8] if not _is_remark(node)][:1]:
            into.add("published", node.attributes.get("datetime") or "", Strategy.DOM, "time[datetime]")
    for selector in _DATES:
        for node in [node for node in parsed.clean_tree.css(selector)[:8] if not _is_remark(node)][:1]:
            text = text_in(node)
            into.add("published", text if len(text) <= 60 else "", Strategy.DOM, "date")
    into.add("published", _beside_heading(parsed), Strategy.DOM, "line beside the heading")


# A day with its year, as bylines write it.
_DATED = re.compile(
    rf"(?<![\d.])\d{{1,2}}(?:st|nd|rd|th|er|\.)?\s(?:de\s|of\s)?{MONTH}\.?,?\s(?:de\s)?(?:19|20)\d\d(?!\d)"
    rf"|\b{MONTH}\.?\s\d{{1,2}}(?:st|nd|rd|th)?,?\s(?:19|20)\d\d(?!\d)"
    r"|(?<![\d.])\d{1,2}[./-]\d{1,2}[./-](?:19|20)\d\d(?!\d)|(?<!\d)(?:19|20)\d\d-\d\d-\d\d(?!\d)",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"updat|aktualisiert|stand\b|ge[äa]ndert|mis à jour|modifi|actualiza|aggiornat|bijgewerkt|gewijzigd|event|termin",
    re.IGNORECASE,
)
_BESIDE = (1, -1, 2, -2, 3)  # lines from the heading, nearest first
MAX_BYLINE = 70


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


def _is_remark(node: LexborNode) -> bool:
    """Readers' comments and lists of other articles have days too."""
    above: LexborNode | None = node
    for _ in range(12):
        if above is None:
            return False
        if words_of(names_of(above)) & _REMARKS:
            return True
        above = above.parent
    return False
