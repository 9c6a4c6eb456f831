"""What an address says about its page, before it is visited. Pure."""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

from winnow.extract.draft import Role
from winnow.extract.links.url_shape import names_product, unknown_parameters
from winnow.vocabulary.shop_paths import segments

_FILE = re.compile(
    r"\.(?:jpe?g|png|gif|webp|avif|svg|ico|css|js|mjs|map|json|xml|rss|atom|txt|csv|xlsx?|docx?|pptx?|pdf|zip|gz|rar|7z|"
    r"exe|dmg|apk|mp3|mp4|webm|mov|avi|woff2?|ttf|eot|ics|vcf)$",
    re.IGNORECASE,
)
_ACTION = re.compile(
    r"(?:^|&)(?:add[-_]to[-_](?:cart|wishlist|compare)|remove_item|action|wc-ajax|replytocom|print)=", re.I
)
_PRODUCT_NAME = re.compile(r"(?:[-_/](?:p|pd|prod|art|item)[-_]?\d{2,}|-\d{4,}p?)(?:\.html?)?$|^(?:p|art)\d{3,}", re.I)
_LISTING_NAME = re.compile(r"[-_](?:c|cat)[-_]?\d+(?:\.html?)?$", re.IGNORECASE)
_PRODUCT_FILE = re.compile(r"product|produkt|produit|prodotto|artikel|item", re.IGNORECASE)
_LISTING_FILE = re.compile(r"categor|collection|kategori|brand|marke|taxonom|product_(?:cat|tag)", re.IGNORECASE)


def is_ignored(url: str) -> bool:
    """Files, and pages for visitors with an account or a cart."""
    parts = urlsplit(url)
    if _FILE.search(parts.path) or _ACTION.search(parts.query):
        return True
    return any(segment in segments("ignored") for segment in _segments(parts.path))


_DATA = frozenset(["feed", "wp-json"])  # no pages for visitors, but where scripts get their data


def is_for_customers(url: str) -> bool:
    """Whether an address belongs to a cart or an account; data of lists may stand where no page does."""
    parts = urlsplit(url)
    path = _segments(parts.path)
    return bool(_ACTION.search(parts.query)) or any(one in segments("ignored") and one not in _DATA for one in path)


def role_of_url(url: str) -> Role | None:
    """What the address itself says; None where it says nothing."""
    if unknown_parameters(url):
        return Role.VARIANT
    parts = urlsplit(url)
    path = _segments(parts.path)
    if not path:
        return Role.LISTING if parts.query else None
    if names_product(url):
        return Role.ITEM
    for n in range(len(path) - 1, -1, -1):  # the last section decides: /collections/shoes/products/red
        last = n == len(path) - 1
        if path[n] in segments("product"):
            return Role.LISTING if last else Role.ITEM
        if path[n] in segments("info"):
            return Role.PAGE
        if path[n] in segments("listing"):
            return Role.LISTING
    if _PRODUCT_NAME.search(path[-1]):
        return Role.ITEM
    return Role.LISTING if _LISTING_NAME.search(path[-1]) else None


def role_in_sitemap(url: str, sitemap: str) -> Role:
    """Files of sitemaps are often named after what they list (`product-sitemap.xml`)."""
    said = role_of_url(url)
    if said is not None:
        return said
    name = urlsplit(sitemap).path.rpartition("/")[2].lower().replace("sitemap", "")
    if _LISTING_FILE.search(name):
        return Role.LISTING
    if _PRODUCT_FILE.search(name):
        return Role.ITEM
    return Role.PAGE


def _segments(path: str) -> list[str]:
    return [unquote(segment).lower() for segment in path.split("/") if segment]
