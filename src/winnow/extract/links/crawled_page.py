"""A page as a crawl reads it: the product it shows, if it shows one, and where it leads. Pure.

In a crawl nobody vouches for a page: one without a product is no failure, it is a page that leads on, or one on which
there is nothing. Walls and broken pages stay failures.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import msgspec
import xxhash
from selectolax.lexbor import LexborHTMLParser

from winnow.extract.draft import Extracted, Extraction, Failure, Link, Reason, Role, Strategy
from winnow.extract.limits import MAX_BODY, too_deep
from winnow.extract.links.json_links import json_links
from winnow.extract.links.page_role import role_in_sitemap
from winnow.extract.links.platforms import catalogue_links
from winnow.extract.links.site_links import site_links
from winnow.extract.links.sitemap import read_sitemap
from winnow.extract.links.url_shape import clean_url
from winnow.extract.page import Page
from winnow.extract.page_facts import absolute
from winnow.extract.structured.schema_items import SchemaItems

START = "start"  # the role of the page that a crawl begins with
_KEPT_FAILURES = frozenset([Reason.BLOCKED_PAGE, Reason.EMPTY_PAGE, Reason.OOS_NO_PRICE])
_LISTS = frozenset([Role.NEXT_PAGE, Role.FEED])  # their products have pages of their own
_VIEWS = frozenset([Role.NEXT_PAGE, Role.VARIANT])  # of a list
_LISTED = frozenset(["itemlist"])
_LIST_MARK = re.compile(rb"[Ii]tem[Ll]ist(?!Element|Order)")
MAX_LISTED = 1_000
MAX_NESTED = 3  # an index in an index; the protocol allows none: https://www.sitemaps.org/protocol.html#index


def read_crawled(page: Page, role: str, listed: str | None, read: Callable[[], Extraction]) -> Extraction:
    """`role`: what the crawl expects the page to be; `listed`: the products on the list whose next page it is; `read`
    reads its product."""
    if role == Role.SITEMAP:
        return _sitemap(page, int(listed or 0))
    if _is_json(page):
        links = json_links(page.body, page.url)
        given = _with_next_pages(links or [], role, listed)
        return _without_product("the data cannot be read" if links is None else "", given)
    extraction = read()
    if isinstance(extraction, Failure) and extraction.reason in _KEPT_FAILURES:
        return extraction
    tree = _tree(page)
    links = [] if tree is None else _with_next_pages(_links(tree, page), role, listed)
    if role == START:
        links = [*catalogue_links(page.body, page.url), *links]
    if isinstance(extraction, Failure):
        why = f"no product: {extraction.details or extraction.reason}" if role == Role.ITEM or not links else ""
        return msgspec.structs.replace(_without_product(why, links), trace=extraction.trace)
    canonical = None if tree is None else _canonical(tree, page)
    if canonical is not None:
        return _without_product("", [Link(canonical, Role.ITEM), *links])
    drafts = [] if role in _LISTS else extraction.drafts
    return msgspec.structs.replace(extraction, drafts=drafts, links=[*extraction.links, *links])


def _with_next_pages(links: list[Link], role: str, listed: str | None) -> list[Link]:
    """A further page of a list that shows no product, or the same ones as the page before it, is past the end, because
    shops answer to any number; the same goes for another view of it. Their links take along what is listed here."""
    products = sorted(link.url for link in links if link.role is Role.ITEM)
    digest = xxhash.xxh3_64_hexdigest("\n".join(products).encode())
    if role in _VIEWS and (not products or digest == listed):
        return [link for link in links if link.role is not Role.NEXT_PAGE]
    return [_of_list(link, role, digest) if link.role in _VIEWS else link for link in links]


def _of_list(link: Link, role: str, digest: str) -> Link:
    """Further pages of a view are views themselves: where the view shows nothing new, they do not either."""
    return msgspec.structs.replace(link, listed=digest, role=Role.VARIANT if role == Role.VARIANT else link.role)


def _without_product(why: str, links: list[Link]) -> Extracted:
    return Extracted([], Strategy.DOM, links=links, empty=why or (None if links else "no links and no product"))


def _sitemap(page: Page, nested: int) -> Extracted:
    """`nested`: in how many indexes it stands."""
    found = read_sitemap(page.body)
    links = []
    for entry in sorted(found.entries, key=lambda entry: entry.lastmod, reverse=True):  # what changed last goes first
        target = entry.url if entry.index else clean_url(entry.url)
        if target and entry.index and nested < MAX_NESTED:
            links.append(Link(target, Role.SITEMAP, listed=str(nested + 1)))
        elif target and not entry.index:
            links.append(Link(target, role_in_sitemap(target, page.url)))
    empty = None if links else "a sitemap without entries" if found.known else "not a sitemap"
    return Extracted([], Strategy.FEED, links=links, empty=empty, cut=found.cut)


def _is_json(page: Page) -> bool:
    return page.content_type.endswith("json") or page.body[:200].lstrip()[:1] in (b"{", b"[")


def _tree(page: Page) -> LexborHTMLParser | None:
    if not page.body or len(page.body) > MAX_BODY or too_deep(page.body):
        return None
    return LexborHTMLParser(page.body if page.is_utf8 else page.text())


def _canonical(tree: LexborHTMLParser, page: Page) -> str | None:
    """Another address of the same host that the page calls its own. The home page is nobody's: shops that name it
    everywhere have made a mistake. One of another host is not followed: it may be out of scope, and the product is
    here."""
    node = tree.css_first('link[rel="canonical"][href]')
    stated = (node.attributes.get("href") or "").strip() if node is not None else ""
    target = clean_url(absolute(page.url, stated)) if stated else ""
    if not target or urlsplit(target).path in ("", "/"):
        return None
    theirs, mine = _key(target), _key(clean_url(page.url))
    return target if theirs != mine and theirs[0] == mine[0] else None


def _links(tree: LexborHTMLParser, page: Page) -> list[Link]:
    listed = _listed(tree) if not page.is_utf8 or _LIST_MARK.search(page.body) else ()
    return site_links(tree, page.url, listed)


def _key(url: str) -> tuple[str, str, str]:
    parts = urlsplit(url)
    return (parts.hostname or "").removeprefix("www."), parts.path.rstrip("/"), parts.query


def _listed(tree: LexborHTMLParser) -> Iterator[str]:
    """Addresses of what lists in the structured data name."""
    for item in SchemaItems(tree).of(_LISTED):
        yield from _urls(item.node)


def _urls(node: Any) -> Iterator[str]:
    """Of each element: its own address, or that of the item it stands for."""
    elements = node.get("itemListElement")
    for element in (elements if isinstance(elements, list) else [elements])[:MAX_LISTED]:
        item = element.get("item", element) if isinstance(element, dict) else element
        stated = item.get("url") or item.get("@id") if isinstance(item, dict) else item
        if isinstance(stated, str):
            yield stated
