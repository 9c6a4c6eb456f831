"""Links in the data that a shop's scripts load: the next pages of a list, product lists of shop platforms. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urljoin

import orjson
from selectolax.lexbor import LexborHTMLParser

from winnow.extract.draft import Link, Role
from winnow.extract.limits import MAX_NODES
from winnow.extract.links.page_role import is_ignored, role_of_url
from winnow.extract.links.site_links import site_links
from winnow.extract.links.url_shape import clean_url, page_number, unknown_parameters, with_page_number

_URLS = frozenset(["url", "href", "link", "permalink", "product_url", "producturl", "canonical_url", "web_url", "uri"])
_NEXT = frozenset(
    ["next", "next_url", "nexturl", "next_page", "nextpage", "next_page_url", "more_url", "load_more_url"]
)
_HANDLE = "handle"  # Shopify: a product stands at /products/<handle>
MAX_HTML = 2_000_000


def json_links(body: bytes, url: str) -> list[Link] | None:
    """None: the body is no JSON."""
    try:
        data = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    found: dict[str, Role] = {}
    for name, value in _named(data):
        if name in _NEXT:
            _add(found, url, value, Role.NEXT_PAGE)
        elif name in _URLS:
            _add(found, url, value, None)
        elif name == _HANDLE and "/products.json" in url:
            _add(found, url, f"/products/{value}", Role.ITEM)
        elif "<a " in value and len(value) <= MAX_HTML:  # whatever it is called: a part of the page
            for link in site_links(LexborHTMLParser(value), url):
                found.setdefault(link.url, link.role)
    found.pop(clean_url(url), None)
    if Role.NEXT_PAGE not in found.values() and any(role is Role.ITEM for role in found.values()):
        _add_next_page(found, url)
    return [Link(target, role) for target, role in found.items()]


def _add_next_page(found: dict[str, Role], url: str) -> None:
    """Data that list products and number their pages go on until a page lists none."""
    number = page_number(url)
    if number is not None:
        found.setdefault(with_page_number(url, number + 1), Role.NEXT_PAGE)


def _add(found: dict[str, Role], base: str, stated: str, role: Role | None) -> None:
    if not stated or len(stated) > 2_048 or not stated.startswith(("/", "?", "http")):
        return
    try:
        target = clean_url(urljoin(base, stated))
    except ValueError:
        return
    if not target or (role is not Role.NEXT_PAGE and is_ignored(target)):
        return
    said = Role.VARIANT if role is None and unknown_parameters(target) else role or role_of_url(target) or Role.ITEM
    found.setdefault(target, said)


def _named(data: Any) -> Iterator[tuple[str, str]]:
    """Texts with their names, in the order of the document, as many as a page may have."""
    waiting: list[tuple[str, Any]] = [("", data)]
    for _ in range(MAX_NODES):
        if not waiting:
            return
        name, value = waiting.pop()
        if isinstance(value, str):
            yield name, value
        elif isinstance(value, dict):
            waiting.extend((str(key).lower(), item) for key, item in reversed(list(value.items())))
        elif isinstance(value, list):
            waiting.extend((name, item) for item in reversed(value))
