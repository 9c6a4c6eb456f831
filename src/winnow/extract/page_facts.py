"""Facts a page states about itself as a whole: they distinguish its own product from others that it shows."""

from __future__ import annotations

import re
from functools import lru_cache
from html import unescape
from urllib.parse import parse_qsl, unquote, urljoin, urlsplit

import msgspec
from selectolax.lexbor import LexborHTMLParser, LexborNode

from winnow.extract.page import Page

_HEAD_BYTES = 65_536  # titles stand in the head, within these bytes
_TITLE = re.compile(rb"<[tT][iI][tT][lL][eE][^>]{0,200}>([^<]{0,1000})</title", re.IGNORECASE)
_LANG = re.compile(rb"<html\b[^>]{0,1000}?\blang\s*=\s*[\"']?([A-Za-z_-]{2,20})", re.IGNORECASE)
# Never part of what a page is: links carry them in and out.
_TRACKING = re.compile(r"(?:utm_|gclid|fbclid|msclkid|ref$|source$|campaign$|srsltid|_ga)", re.IGNORECASE)


class PageFacts(msgspec.Struct, frozen=True):
    """`urls` are the page's addresses (where it was fetched, what it calls canonical), `titles` its names."""

    urls: list[str]
    titles: list[str]
    lang: str = ""


def facts_from_bytes(page: Page) -> PageFacts:
    """Without a DOM: the title and the language only."""
    title = _TITLE.search(page.body, 0, _HEAD_BYTES)
    lang = _LANG.search(page.body, 0, 4_096)
    titles = [unescape(title[1].decode(page.codec, "replace")).strip()] if title else []
    return PageFacts([page.url], [t for t in titles if t], lang[1].decode() if lang else "")


def facts_from_dom(page: Page, tree: LexborHTMLParser) -> PageFacts:
    title = page_title(tree)
    titles = [node.text(strip=True) for node in [*([title] if title is not None else []), *tree.css("h1")[:4]]]
    titles += [_attribute(tree, 'meta[property="og:title"]', "content")]
    canonical = _attribute(tree, 'link[rel="canonical"]', "href")
    urls = [page.url] + ([absolute(page.url, canonical)] if canonical else [])
    return PageFacts(urls, [t for t in titles if t], _attribute(tree, "html", "lang"))


def og_type(tree: LexborHTMLParser) -> str:
    """What OpenGraph calls the page, in lower case."""
    return _attribute(tree, 'meta[property="og:type"]', "content").lower()


def og_url(tree: LexborHTMLParser) -> str:
    """The address OpenGraph states for the page."""
    return _attribute(tree, 'meta[property="og:url"]', "content")


def page_title(tree: LexborHTMLParser) -> LexborNode | None:
    """A head that holds what belongs into the body ends there, and the title then stands in the body. (Drawings have
    titles too.)"""
    found = tree.css_first("head > title")
    if found is not None:
        return found
    return next((n for n in tree.css("title")[:5] if n.parent is not None and n.parent.tag not in _DRAWN), None)


_DRAWN = frozenset(["svg", "g", "symbol", "path"])


def _attribute(tree: LexborHTMLParser, selector: str, name: str) -> str:
    node = tree.css_first(selector)
    return (node.attributes.get(name) or "").strip() if node is not None else ""


# Web archives put the address of a kept page behind their own.
_ARCHIVED = re.compile(r"https?://web\.archive\.org/web/\d+[a-z_]*/(https?:/{1,2}.+)", re.IGNORECASE)


def unarchived(url: str) -> str:
    if "archive.org/" not in url:
        return url
    kept = _ARCHIVED.match(url)
    return kept[1] if kept else url


@lru_cache(1_024)
def page_key(url: str) -> tuple[str, str, tuple[tuple[str, str], ...]] | None:
    """Host, path and query without what does not name a page; None when the URL cannot be read."""
    try:
        parts = urlsplit(unarchived(url))
        host = (parts.hostname or "").removeprefix("www.")
    except ValueError:
        return None
    query = tuple(sorted(pair for pair in parse_qsl(parts.query) if not _TRACKING.match(pair[0])))
    return host, unquote(parts.path).rstrip("/"), query


def absolute(base: str, url: str) -> str:
    """`url` as seen from `base`; "" when it cannot be read at all."""
    if url.startswith(("https://", "http://")):
        return url
    try:
        return urljoin(base, url)
    except ValueError:
        return ""


def same_page(url: str, facts: PageFacts) -> bool:
    """Whether an address found on the page is the page's own, its query included."""
    if not url or not facts.urls:
        return False
    if url in facts.urls:
        return page_key(url) is not None
    key = page_key(absolute(facts.urls[0], url))
    return key is not None and any(key == page_key(own) for own in facts.urls)


def same_path(url: str, facts: PageFacts) -> bool:
    """Like `same_page`, the query set aside: variants of a product differ in it."""
    if not url or not facts.urls:
        return False
    key = page_key(absolute(facts.urls[0], url))
    owns = [page_key(own) for own in facts.urls]
    return key is not None and any(own is not None and key[:2] == own[:2] for own in owns)
