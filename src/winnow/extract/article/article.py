"""A page with one article -> what it says about itself: title, authors, dates, site."""

from __future__ import annotations

import re

from winnow.extract.article.authors import authors_of
from winnow.extract.article.published import add_published
from winnow.extract.candidates import Collected, extracted
from winnow.extract.draft import Extraction, Failure, Strategy
from winnow.extract.page import Page
from winnow.extract.page_facts import same_page
from winnow.extract.parsed_page import ParsedPage, open_page
from winnow.extract.structured.main_item import name_overlap
from winnow.extract.structured.schema_items import Item
from winnow.extract.structured.schema_price import text_of

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
    for value in authors_of(item, parsed):
        into.add("authors", value.raw, value.strategy, value.path)
    return extracted([into.draft(KIND, parsed)], parsed, "title")


def _own(parsed: ParsedPage) -> Item | None:
    """The article this page is, not those it links to."""
    items = [item for item in parsed.schema.of(ARTICLES) if not item.listed]
    here = [item for item in items if item.main or same_page(_address(item), parsed.facts)]
    titles = [*parsed.headings, parsed.title, parsed.meta.get("og:title", "")]
    named = [i for i in items if any(name_overlap(_headline(i), title)[0] >= SHOWN for title in titles if title)]
    for found in (named, here, items if len(items) == 1 else []):
        if found:
            return max(found, key=lambda item: len(item.node))
    return None


def _title(into: Collected, item: Item | None, parsed: ParsedPage) -> None:
    """Structured data is often headed for search engines. Where the heading is also what the page is shared as, that is its
    title; and where a title goes on behind the heading, what follows is the section or the site."""
    shared = parsed.meta.get("og:title", "")
    headings = list(dict.fromkeys(parsed.own_headings))  # some pages repeat theirs, or have one of a part beside it
    if len(headings) > 1:
        headings = [heading for heading in headings if parsed.title.startswith(heading) and shared.startswith(heading)]
    if len(headings) != 1:
        return
    shown = headings[0]
    titles = [_headline(item) if item is not None else "", shared]
    tailed = any(title.startswith(shown) and _TAIL.match(title[len(shown) :]) for title in titles)
    if tailed or name_overlap(shown, shared)[0] == 1 == name_overlap(shared, shown)[0]:
        into.add("title", shown, Strategy.DOM, "h1")


SHOWN = 0.8  # of the words of a name, where a page shows it
_TAILS = re.compile(r"\s+[|–—·»-]+\s+|\s+(?=\[)")
_TAIL = re.compile(r"\s+[|–—·»-]+\s+\S")


_PATH = re.compile(r"/\S*|https?://\S*")  # a thread of comments is often named so


def _headline(item: Item) -> str:
    return text_of(item.node.get("headline")) or text_of(item.node.get("name"))


def _titles(item: Item, parsed: ParsedPage) -> list[str]:
    """Its names in the order of belief: a headline of which the page knows nothing is its description, as Wikipedia's."""
    titles = [parsed.title, *parsed.headings]

    def is_visible(key: str) -> bool:
        name = text_of(item.node.get(key))
        return any(name_overlap(name, title)[0] >= SHOWN for title in titles)

    keys = [key for key in ("headline", "name") if not _PATH.fullmatch(text_of(item.node.get(key)).strip())]
    return sorted(keys, key=lambda key: not is_visible(key)) if any(map(is_visible, keys)) else keys


def _address(item: Item) -> str:
    page = item.node.get("mainEntityOfPage")
    return text_of(item.node.get("url")) or (text_of(page.get("@id")) if isinstance(page, dict) else text_of(page))


def _from_schema(into: Collected, item: Item, parsed: ParsedPage) -> None:
    node, schema = item.node, parsed.schema
    into.add_key("title", item, *_titles(item, parsed))
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


def _is_of_article(heading: str, title: str) -> bool:
    """Not of the section, which the title does not name, nor of the site, which stands at its end only."""
    if not title:
        return True
    begins = _TAILS.split(title)[0]
    return max(name_overlap(heading, title)) >= 0.5 and (begins == title or name_overlap(heading, begins)[1] > 0)


def _from_page(into: Collected, parsed: ParsedPage) -> None:
    if len(parsed.headings) == 1 and _is_of_article(parsed.headings[0], parsed.title):
        into.add("title", parsed.headings[0], Strategy.DOM, "h1")
    into.add("title", parsed.title, Strategy.DOM, "title")
    into.add("title", next(iter(parsed.headings), ""), Strategy.DOM, "h1")
    add_published(into, parsed)
