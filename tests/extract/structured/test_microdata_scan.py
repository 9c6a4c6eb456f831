"""The piece of a page that is its product's microdata gives what the whole page gives, or nothing."""

from __future__ import annotations

import pytest
from selectolax.lexbor import LexborHTMLParser

from tests.product_pages import micro
from winnow.extract.draft import Extracted, Strategy
from winnow.extract.page_facts import facts_from_bytes
from winnow.extract.structured.microdata import read_microdata
from winnow.extract.structured.microdata_scan import product_piece, read_microdata_fast
from winnow.extract.structured.schema_draft import Findings
from winnow.extract.waterfall import fast

OFFER = (
    '<div itemprop="offers" itemscope itemtype="http://schema.org/Offer"><meta itemprop="price" content="19.99">'
    '<meta itemprop="priceCurrency" content="USD"><link itemprop="availability" href="http://schema.org/InStock"></div>'
)
PRODUCT = (
    f'<div itemscope itemtype="http://schema.org/Product"><h1 itemprop="name">Red Shoe</h1>{OFFER}'
    "<div><div>x</div></div></div>"
)
LIST = '<div itemscope itemtype="http://schema.org/ItemList"><div itemprop="itemListElement">'

CRUMBS = (
    '<ol itemscope itemtype="http://schema.org/BreadcrumbList"><li itemprop="itemListElement" itemscope '
    'itemtype="http://schema.org/ListItem"><span itemprop="name">Home</span></li></ol>'
)


@pytest.mark.parametrize(
    "body", [PRODUCT, CRUMBS + PRODUCT, PRODUCT + "<p>after</p>", f"<div>{PRODUCT}</div>" + CRUMBS]
)
def test_the_piece_says_what_the_page_says(body: str) -> None:
    page = micro(body)
    facts = facts_from_bytes(page)
    whole = read_microdata(LexborHTMLParser(page.body), facts)
    piece = read_microdata_fast(page, facts)
    assert piece is not None
    said = _raw(whole)
    said.pop("breadcrumb", None)  # it stands outside the piece; only products read it, and those never read fast
    assert _raw(piece) == said
    found = fast(page, "offer")
    assert isinstance(found, Extracted)
    assert found.strategy is Strategy.MICRODATA


def _raw(found: Findings) -> dict[str, list[tuple[str, str]]]:
    """Without the path: how many items stand before this one is not to be seen from its piece."""
    return {field: [(value.raw, value.currency) for value in values] for field, values in found.values.items()}


UNSAFE = {
    "two products": PRODUCT * 2,
    "in a comment": f"<!-- {PRODUCT} -->",
    "in a template": f"<template>{PRODUCT}</template>",
    "in a script": f"<script>var a = '{PRODUCT}'</script>",
    "in a list": f"{LIST}{PRODUCT}</div></div>",
    "in something untyped": f"<div itemscope>{PRODUCT}</div>",
    "not closed": PRODUCT.removesuffix("</div>"),
    "parts elsewhere": PRODUCT.replace("itemscope", 'itemscope itemref="more"', 1)
    + '<i id="more" itemprop="sku">A</i>',
    "a row": f"<table>{PRODUCT.replace('<div', '<tr', 1)}</table>",
    "no scope": PRODUCT.replace("itemscope ", "", 1),
    "a group": PRODUCT.replace("schema.org/Product", "schema.org/ProductGroup"),
}


@pytest.mark.parametrize("name", UNSAFE)
def test_what_is_not_plain_is_left_to_the_dom(name: str) -> None:
    assert product_piece(micro(UNSAFE[name]).body) is None
    assert fast(micro(UNSAFE[name]), "offer") is None


def test_a_price_the_page_contradicts_is_left_to_the_dom() -> None:
    assert fast(micro(PRODUCT.replace("<div>x</div>", "<b>$14.99</b>")), "offer") is None
