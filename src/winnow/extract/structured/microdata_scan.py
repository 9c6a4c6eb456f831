"""Microdata from the bytes: where a page has one product item and nothing around it could change what it is, only that
piece of the page is parsed. Everything less plain is left to the DOM of the whole page."""

from __future__ import annotations

import re
from functools import lru_cache

from selectolax.lexbor import LexborHTMLParser

from winnow.extract.limits import too_deep
from winnow.extract.page import Page
from winnow.extract.page_facts import PageFacts
from winnow.extract.structured.json_ld_blocks import is_inert
from winnow.extract.structured.microdata import read_microdata
from winnow.extract.structured.schema_draft import Findings

_PRODUCT = b"schema.org/Product"
_LONGEST_TAG = 2_048
_OPENING = re.compile(rb"<([a-zA-Z][a-zA-Z0-9]*)\b[^<>]*$")
# Items that may stand before the product without its being part of them, or that are about the whole page anyway.
_HARMLESS = re.compile(
    rb"schema\.org/(?:WebPage|ItemPage|BreadcrumbList|ListItem|Organization|WebSite|SearchAction|WP\w+|Thing)\b"
    rb"|data-vocabulary\.org/Breadcrumb"
)
_TYPE = re.compile(rb"itemtype\s*=\s*[\"']?([^\"'\s>]+)", re.IGNORECASE)
# Elements a parser drops where their table or list is missing.
_DEPENDENT = frozenset([b"tr", b"td", b"th", b"tbody", b"body", b"html", b"head"])


def read_microdata_fast(page: Page, facts: PageFacts) -> Findings | None:
    piece = product_piece(page.body) if page.is_utf8 else None
    if piece is None or too_deep(piece):
        return None
    return read_microdata(LexborHTMLParser(piece), facts)


def product_piece(body: bytes) -> bytes | None:
    """The element of the page's only product item; None when there are more, or it cannot be cut out safely."""
    at = body.find(_PRODUCT)
    if at < 0 or body.find(_PRODUCT, at + 1) >= 0 or body[at + len(_PRODUCT) : at + len(_PRODUCT) + 1] not in b"\"' >":
        return None
    opening = _OPENING.search(body, max(0, at - _LONGEST_TAG), at)
    if opening is None or b"itemscope" not in body[opening.start() : body.find(b">", at)]:
        return None
    name, start = opening[1].lower(), opening.start()
    if name in _DEPENDENT or _is_unsafe(body, start):
        return None
    end = _end_of(body, start, name)
    if end is None or body.find(b"itemref", start, end) >= 0:
        return None
    return body[start:end]


def _is_unsafe(body: bytes, start: int) -> bool:
    if is_inert(body, start, 0):
        return True
    opened = body.rfind(b"<script", 0, start)
    if opened >= 0 and body.find(b"</script", opened, start) < 0:
        return True
    at = body.find(b"itemscope", 0, start)
    while at >= 0:
        tag = body[body.rfind(b"<", 0, at) : body.find(b">", at)]
        kind = _TYPE.search(tag)
        if kind is None or not _HARMLESS.search(kind[1]):
            return True
        at = body.find(b"itemscope", at + 1, start)
    return False


@lru_cache(64)
def _tags(name: bytes) -> re.Pattern[bytes]:
    return re.compile(rb"<(/?)%b(?![a-zA-Z0-9-])" % name, re.IGNORECASE)


def _end_of(body: bytes, start: int, name: bytes) -> int | None:
    depth = 0
    for tag in _tags(name).finditer(body, start):
        depth += -1 if tag[1] else 1
        if depth == 0:
            return tag.end() + 1
    return None
