"""Where shop systems answer with their whole catalogue as data. Whether it may be asked for, robots.txt decides."""

from __future__ import annotations

import re
from urllib.parse import urljoin

from winnow.extract.draft import Link, Role

MAX_LOOK = 2_000_000  # bytes of a page in which the marks are looked for
_SHOPIFY = re.compile(rb"cdn\.shopify\.com/|\bShopify\.(?:theme|shop)\b")
_WOOCOMMERCE = re.compile(rb"plugins/woocommerce/|\bwoocommerce-(?:page|js|no-js)\b")
_CATALOGUES = (  # with as many products a page as each system gives
    (_SHOPIFY, "/products.json?limit=250&page=1"),
    (_WOOCOMMERCE, "/wp-json/wc/store/v1/products?per_page=100&page=1"),
)


def catalogue_links(body: bytes, url: str) -> list[Link]:
    """The catalogue of the system that a home page was made by; nothing where it is not known."""
    head = body[:MAX_LOOK]
    return [Link(urljoin(url, path), Role.FEED) for mark, path in _CATALOGUES if mark.search(head)]
