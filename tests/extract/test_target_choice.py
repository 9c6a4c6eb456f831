"""A chosen variant or place is read, and nothing else stands in for it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec
import orjson
import pytest

from winnow.actions.target_choice import propose_selector
from winnow.errors import InvalidInput
from winnow.extract.adapter import Context
from winnow.extract.page import Page
from winnow.extract.price_places import places_in, price_places
from winnow.extract.target_choice import Choice, validate
from winnow.judge.verdict import Decision
from winnow.kinds.assess import Assessment, assess
from winnow.kinds.generic import GenericAdapter
from winnow.kinds.registry import all_kinds
from winnow.normalise.record import Money, Offer

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
URL = "https://shop.example/shirt"


def _variant(sku: str, size: str, colour: str, price: str, stock: str = "InStock") -> dict[str, Any]:
    offer = {"@type": "Offer", "price": price, "priceCurrency": "EUR", "availability": f"https://schema.org/{stock}"}
    return {"@type": "Product", "name": f"Shirt {size}", "sku": sku, "size": size, "color": colour, "offers": offer}


GROUP = {
    "@context": "https://schema.org", "@type": "ProductGroup", "name": "Shirt", "productGroupID": "S",
    "hasVariant": [
        _variant("S-RED-M", "M", "Red", "19.90"), _variant("S-RED-XL", "XL", "Red", "24.90"),
        _variant("S-BLUE-M", "M", "Blue", "21.90", "OutOfStock"),
    ],
}  # fmt: skip
SHIRT = f"""<html lang="en"><head><title>Shirt</title>
<script type="application/ld+json">{orjson.dumps(GROUP).decode()}</script></head>
<body><main><h1>Shirt</h1><p class="price">€ 19.90</p><button>Add to cart</button></main></body></html>"""
PLAIN = """<html lang="en"><head><title>Tent</title>
<script type="application/ld+json">{"@context":"https://schema.org","@type":"Product","name":"Tent","sku":"T1",
"offers":{"@type":"Offer","price":"99.00","priceCurrency":"EUR","availability":"https://schema.org/InStock"}}</script></head>
<body><main><h1>Tent</h1><p class="price">€ 99.00</p><p class="club">€ 89.00</p><p class="club other">€ 79.00</p>
<button>Add to cart</button></main></body></html>"""


def _page(html: str) -> Page:
    return Page(url=URL, body=html.encode(), fetched_at=NOW, charset="utf-8", content_type="text/html", status_code=200)


def read(html: str, **chosen: str) -> Assessment:
    page = _page(html)
    context = Context(source_id="", retailer_id="", run_id="", target_id="", url=URL, now=NOW)
    kind = all_kinds().get("offer")
    choice = Choice(**chosen) if chosen else None
    return assess(page, GenericAdapter(kind), kind, msgspec.structs.replace(context, choice=choice))


def offer(found: Assessment) -> Offer:
    (record,) = found.records
    decoded: Offer = record.decode(Offer)
    return decoded


@pytest.mark.parametrize(
    ("chosen", "price", "sku"),
    [
        ({"sku": "S-RED-XL"}, 2490, "S-RED-XL"), ({"sku": "s-red-m"}, 1990, "S-RED-M"),
        ({"size": "XL"}, 2490, "S-RED-XL"), ({"size": "m", "colour": "blue"}, 2190, "S-BLUE-M"),
    ],
)  # fmt: skip
def test_the_chosen_variant_is_read(chosen: dict[str, str], price: int, sku: str) -> None:
    found = read(SHIRT, **chosen)
    assert found.verdict is not None
    assert found.verdict.decision is Decision.ACCEPT
    seen = offer(found)
    assert seen.price is not None
    assert (seen.price.minor, seen.price.currency, seen.sku) == (price, "EUR", sku)
    assert seen.availability == ("OUT_OF_STOCK" if sku == "S-BLUE-M" else "IN_STOCK")


@pytest.mark.parametrize(
    ("html", "chosen", "why"),
    [
        (SHIRT, {"sku": "S-GREEN-M"}, "the page has no variant with sku S-GREEN-M"),
        (SHIRT, {"size": "M"}, "several variants with different prices have size M"),
        (SHIRT, {"size": "XL", "colour": "blue"}, "the page has no variant with size XL, colour blue"),
        (PLAIN, {"size": "XL"}, "the page has no variant with size XL"),
        (PLAIN, {"selector": ".gone"}, "the selector .gone finds nothing on the page"),
        (PLAIN, {"selector": ".club"}, "the selector .club finds 2 different texts"),
    ],
)
def test_what_is_not_on_the_page_is_held_without_any_price(html: str, chosen: dict[str, str], why: str) -> None:
    found = read(html, **chosen)
    assert found.verdict is not None
    assert found.verdict.decision is Decision.HOLD
    assert why in found.verdict.findings[0].details
    assert (offer(found).price, offer(found).list_price) == (None, None)


def test_the_price_at_a_selector_replaces_every_other() -> None:
    found = read(PLAIN, selector=".club.other")
    seen = offer(found)
    assert seen.price is not None
    assert (seen.price.minor, seen.provenance["price"]) == (7900, "adapter:.club.other")
    assert found.verdict is not None
    assert found.verdict.decision is Decision.ACCEPT


@pytest.mark.parametrize(
    "shown",
    [
        "Club: € 79.00", "€ <b>79</b><i>.</i><sup>00</sup>", "€ 79.00 - € 99.00", "€ 79.00 excl. VAT",
        "<del>€ 79.00</del>",
    ],
)  # fmt: skip
def test_what_the_page_calls_the_chosen_price_does_not_speak_against_it(shown: str) -> None:
    page = PLAIN.replace('<p class="club other">€ 79.00</p>', f'<p id="mine">{shown}</p>')
    found = read(page, selector="#mine")
    assert found.verdict is not None
    seen = offer(found)
    single = " - " not in shown  # a range has no single price, whoever chose it
    assert (found.verdict.decision is Decision.ACCEPT) is single, found.verdict
    assert seen.price == (Money(7900, "EUR") if single else None)


def test_without_a_choice_the_page_is_read_as_before() -> None:
    seen = offer(read(PLAIN))
    assert seen.price is not None
    assert seen.price.minor == 9900


@pytest.mark.parametrize("wrong", [{"selector": "p["}, {"selector": "x" * 501}, {"sku": "x" * 201}])
def test_a_choice_that_cannot_be_used_is_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(InvalidInput):
        validate(Choice(**wrong))
    assert validate(Choice(sku=" A ")) == Choice(sku="A")


WOO = [
    {"sku": "W-S", "display_price": 30.5, "is_in_stock": True, "attributes": {"attribute_pa_size": "s"}},
    {"sku": "W-L", "display_price": 35, "is_in_stock": False, "attributes": {"attribute_pa_size": "l"}},
]


def test_variants_of_a_woocommerce_form_are_read() -> None:
    from html import escape

    form = f'<form data-product_variations="{escape(orjson.dumps(WOO).decode())}"></form>'
    seen = offer(read(PLAIN.replace("</main>", f"{form}</main>"), size="L"))
    assert seen.price is not None
    assert (seen.price.minor, seen.availability, seen.sku) == (3500, "OUT_OF_STOCK", "W-L")


def _with(script: str) -> str:
    return PLAIN.replace("</main>", f"{script}</main>")


SHOPIFY = {
    "handle": "shirt", "title": "Shirt", "options": ["Größe", "Farbe"],
    "variants": [
        {"sku": "S-M", "option1": "M", "option2": "Rot", "price": 4500, "available": True},
        {"sku": "S-L", "option1": "L", "option2": "Rot", "price": 4900, "available": False},
    ],
}  # fmt: skip
OTHER = {"handle": "socks", "title": "Socks", "options": [{"name": "Size"}],
         "variants": [{"sku": "X-L", "option1": "L", "price": "3.00", "available": True}]}  # fmt: skip


def _script(data: Any, kind: str = "application/json") -> str:
    return f'<script type="{kind}">{orjson.dumps(data).decode()}</script>'


def test_variants_of_a_shopify_product_are_read_and_not_those_of_another_one_on_the_page() -> None:
    page = _with(_script(OTHER) + _script({"product": SHOPIFY}))
    seen = offer(read(page, size="L", colour="rot"))
    assert seen.price is not None
    assert (seen.price.minor, seen.availability, seen.sku) == (4900, "OUT_OF_STOCK", "S-L")
    missing = read(_with(_script(OTHER) + _script(OTHER | {"handle": "hat"})), size="L")
    assert missing.verdict is not None
    assert missing.verdict.decision is Decision.HOLD, "neither is known to be the page's own product"


MAGENTO = {
    "[data-role=swatch-options]": {"Magento_Swatches/js/swatch-renderer": {"jsonConfig": {
        "attributes": {"93": {"code": "color", "label": "Color", "options": [
            {"id": "49", "label": "Black", "products": ["18", "19"]}, {"id": "50", "label": "Blue", "products": ["20"]},
        ]}, "142": {"code": "size", "label": "Size", "options": [
            {"id": "7", "label": "S", "products": ["18", "20"]}, {"id": "8", "label": "M", "products": ["19"]},
        ]}},
        "optionPrices": {
            "18": {"finalPrice": {"amount": 52}}, "19": {"finalPrice": {"amount": 54.5}},
            "20": {"finalPrice": {"amount": 55}},
        },
    }}},
}  # fmt: skip


@pytest.mark.parametrize(
    ("chosen", "minor"), [({"size": "M"}, 5450), ({"size": "S", "colour": "Blue"}, 5500), ({"size": "S"}, None)]
)
def test_variants_of_a_configurable_magento_product_are_read(chosen: dict[str, str], minor: int | None) -> None:
    seen = offer(read(_with(_script(MAGENTO, "text/x-magento-init")), **chosen))
    assert (seen.price.minor if seen.price else None) == minor


def test_every_amount_of_a_page_is_a_place_that_can_be_chosen() -> None:
    page = Page(
        url=URL, body=PLAIN.encode(), fetched_at=NOW, charset="utf-8", content_type="text/html", status_code=200
    )
    places = price_places(page)
    assert [place.text for place in places] == ["€ 99.00", "€ 89.00", "€ 79.00"]
    for place, minor in zip(places, (9900, 8900, 7900), strict=True):
        seen = offer(read(PLAIN, selector=place.selector))
        assert seen.price is not None
        assert seen.price.minor == minor


def test_a_place_is_one_amount_of_money_with_the_words_before_it_those_after_the_heading_first() -> None:
    html = """<body><nav>Cart <i>0 items</i> <b>€ 0.00</b></nav><h1>Tent 4</h1><p>Item 4711</p>
    <div class="price">Regular price <span>€ <b>99</b><sup>90</sup></span></div>
    <div>Members <span class="amount">€ 89.00</span> save € 10.90</div><p>12 pieces</p></body>"""
    places = places_in(html)
    assert [(place.before, place.text) for place in places] == [
        ("Tent 4 Item 4711 Regular price", "€ 99 90"), ("Members", "€ 89.00"), ("Cart 0 items", "€ 0.00"),
    ]  # fmt: skip


def test_a_corrected_price_proposes_the_one_place_where_it_stands() -> None:

    selector = propose_selector(PLAIN, Money(8900, "EUR"))
    assert selector is not None
    seen = offer(read(PLAIN, selector=selector))
    assert seen.price == Money(8900, "EUR")
    assert propose_selector(PLAIN, Money(1234, "EUR")) is None, "it stands nowhere"
    twice = PLAIN.replace("</main>", "<p>€ 89.00</p></main>")
    assert propose_selector(twice, Money(8900, "EUR")) is None, "two places are no proposal"
