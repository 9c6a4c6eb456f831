"""Microdata: nesting decides what belongs to the page's own product."""

from __future__ import annotations

import pytest

from tests.product_pages import draft_of, first, micro, page, raws
from winnow.extract.draft import Failure, Strategy
from winnow.extract.waterfall import waterfall

OFFER = (
    '<div itemprop="offers" itemscope itemtype="http://schema.org/Offer">'
    '<meta itemprop="priceCurrency" content="EUR"><span itemprop="price" content="19.99">€ 19,99</span>'
    '<link itemprop="availability" href="https://schema.org/InStock"></div>'
)


def product(inner: str, name: str = "Red Shoe", attributes: str = "") -> str:
    scope = f'<div itemscope itemtype="https://schema.org/Product" {attributes}>'
    return f'{scope}<h1 itemprop="name">{name}</h1>{inner}</div>'


CHEAP = OFFER.replace("19.99", "5")
LISTED = product(CHEAP, "Blue Hat", 'itemprop="itemListElement"')


def test_a_plain_product() -> None:
    draft = draft_of(waterfall(micro(product(OFFER)), "offer"))
    value = first(draft, "price")
    assert (value.raw, value.currency, value.strategy) == ("19.99", "EUR", Strategy.MICRODATA)
    assert raws(draft, "availability") == ["https://schema.org/InStock"]
    assert raws(draft, "title") == ["Red Shoe"]


@pytest.mark.parametrize(
    ("markup", "field", "expected"),
    [
        ('<img itemprop="image" src="/a.jpg">', "image", "/a.jpg"),
        ('<a itemprop="url" href="/p/1">x</a>', "url", "/p/1"),
        ('<data itemprop="sku" value="S1">one</data>', "sku", "S1"),
        ('<meta itemprop="gtin13" content="4006381333931">', "gtin", "4006381333931"),
        (
            '<span itemprop="brand" itemscope itemtype="http://schema.org/Brand"><b itemprop="name">Acme</b></span>',
            "brand",
            "Acme",
        ),
        ('<span itemprop="brand">Acme</span>', "brand", "Acme"),
        ('<input itemprop="productID" value="77">', "product_id", "77"),
        ('<p itemprop="description">Soft\n  and   red</p>', "description", "Soft and red"),
        ('<span itemprop="sku mpn">M1</span>', "mpn", "M1"),
    ],
)
def test_where_a_property_s_value_stands(markup: str, field: str, expected: str) -> None:
    assert raws(draft_of(waterfall(micro(product(OFFER + markup)), "offer")), field) == [expected]


def test_raised_cents_stay_apart() -> None:
    markup = OFFER.replace(
        '<span itemprop="price" content="19.99">€ 19,99</span>', '<span itemprop="price">$19<sup>99</sup></span>'
    )
    assert raws(draft_of(waterfall(micro(product(markup)), "offer")), "price") == ["$19 99"]


@pytest.mark.parametrize(
    "related",
    [
        product(CHEAP, "Blue Hat", 'itemprop="isRelatedTo"'),
        product(CHEAP, "Blue Hat"),
        f'<ul itemscope itemtype="https://schema.org/ItemList">{LISTED}</ul>',
    ],
)
def test_products_shown_beside_are_not_the_page_own(related: str) -> None:
    for html in (product(OFFER + related), product(OFFER) + related, related + product(OFFER)):
        assert raws(draft_of(waterfall(micro(html), "offer")), "price") == ["19.99"]


def test_a_product_inside_a_web_page_item_is_found() -> None:
    html = f'<main itemscope itemtype="https://schema.org/WebPage">{product(OFFER)}</main>'
    assert raws(draft_of(waterfall(micro(html), "offer")), "price") == ["19.99"]


def test_an_offer_that_forgot_its_property_is_adopted() -> None:
    draft = draft_of(waterfall(micro(product(OFFER.replace('itemprop="offers" ', ""))), "offer"))
    assert raws(draft, "price") == ["19.99"]


def test_a_price_outside_the_offer_element_is_reached_by_itemref() -> None:
    html = product("", attributes='itemref="buy"') + f'<aside id="buy">{OFFER}</aside>'
    assert raws(draft_of(waterfall(micro(html), "offer")), "price") == ["19.99"]


def test_two_offers_with_different_prices_are_two_candidates() -> None:
    draft = draft_of(waterfall(micro(product(OFFER + OFFER.replace("19.99", "21.99"))), "offer"))
    assert raws(draft, "price") == ["19.99", "21.99"]


def test_what_json_ld_left_out_is_filled_in() -> None:
    script = '<script type="application/ld+json">{"@type":"Product","name":"Red Shoe","sku":"A1"}</script>'
    draft = draft_of(waterfall(micro(script + product(OFFER)), "offer"))
    assert (raws(draft, "sku"), raws(draft, "price")) == (["A1"], ["19.99"])
    assert first(draft, "sku").strategy is Strategy.JSON_LD
    assert first(draft, "price").strategy is Strategy.MICRODATA


def test_r17_deep_microdata_ends_typed() -> None:
    nested = '<div itemscope itemtype="https://schema.org/Product">' + "<div>" * 3_000 + '<b itemprop="name">x</b>'
    assert isinstance(waterfall(page(f"<title>x</title><p>Enough words to be a page.</p>{nested}"), "offer"), Failure)


def test_a_price_on_the_product_itself_is_read() -> None:
    bare = '<meta itemprop="price" content="19.99"><meta itemprop="priceCurrency" content="EUR">'
    draft = draft_of(waterfall(micro(product(bare + '<link itemprop="availability" href="InStock">')), "offer"))
    assert (raws(draft, "price"), raws(draft, "availability")) == (["19.99"], ["InStock"])
