"""JSON-LD of real shapes: which product is the page's own, and which of its prices is the selling price."""

from __future__ import annotations

import json

import pytest

from tests.product_pages import URL, draft_of, first, ld, offer, page, product, raws
from winnow.extract.draft import Extracted, Failure, Reason, Strategy
from winnow.extract.waterfall import fast, waterfall


def test_a_plain_product_is_read_without_a_dom() -> None:
    draft = draft_of(fast(ld(product(sku="A1", brand={"@type": "Brand", "name": "Acme"})), "offer"))
    assert raws(draft, "title") == ["Red Shoe"]
    assert raws(draft, "price") == ["19.99"]
    assert first(draft, "price").currency == "USD"
    assert first(draft, "price").strategy is Strategy.JSON_LD
    assert raws(draft, "availability") == ["https://schema.org/InStock"]
    assert (raws(draft, "sku"), raws(draft, "brand"), raws(draft, "lang")) == (["A1"], ["Acme"], ["en"])


def test_a_json_number_keeps_its_digits_and_is_marked() -> None:
    body = json.dumps(product(offers=offer(price="@"))).replace('"@"', "19.90")
    value = first(draft_of(fast(ld(body), "offer")), "price")
    assert (value.raw, value.numeric) == ("19.90", True)


@pytest.mark.parametrize(
    "block",
    [
        {"@context": "https://schema.org", "@graph": [{"@type": "WebSite", "name": "x"}, product()]},
        [{"@type": "Organization", "name": "x"}, product()],
        {"@type": "WebPage", "mainEntity": product()},
        {"@type": "ItemPage", "mainEntity": {"@type": "Offer", "itemOffered": product(offers={}), **offer()}},
        {**product(), "@type": ["Product", "Thing"]},
        {**product(), "@type": "http://schema.org/Product"},
        {**product(), "@type": "https://schema.org/IndividualProduct"},
        product(offers=[offer()]),
    ],
)
def test_the_product_is_found_wherever_it_stands(block: object) -> None:
    draft = draft_of(waterfall(ld(block), "offer"))
    assert raws(draft, "title") == ["Red Shoe"]
    assert raws(draft, "price") == ["19.99"]


def test_references_by_id_are_followed_across_blocks() -> None:
    sold = product(offers={"@id": "#offer"}, brand={"@id": "#acme"})
    graph = {"@graph": [sold, {"@id": "#offer", **offer()}, {"@type": "Brand", "@id": "#acme", "name": "Acme"}]}
    draft = draft_of(fast(ld(graph), "offer"))
    assert (raws(draft, "price"), raws(draft, "brand")) == (["19.99"], ["Acme"])


def test_several_blocks_and_a_list_of_other_products_leave_the_main_one() -> None:
    listed = {"@type": "ItemList", "itemListElement": [{"@type": "ListItem", "item": product("Blue Hat", offer("5"))}]}
    draft = draft_of(fast(ld({"@type": "BreadcrumbList"}, listed, product()), "offer"))
    assert raws(draft, "price") == ["19.99"]


def test_related_products_are_never_the_page_own() -> None:
    main = product(isRelatedTo=[product("Blue Hat", offer("5"))], isSimilarTo=product("Red Boot", offer("7")))
    assert raws(draft_of(fast(ld(main), "offer")), "price") == ["19.99"]


def test_a_listing_has_no_price_of_its_own() -> None:
    listed = {"@type": "ItemList", "itemListElement": [product("Hat"), product("Shoe")]}
    failed = waterfall(ld(listed, title="All shoes", body="<h1>All shoes you can buy here</h1>"), "offer")
    assert isinstance(failed, Failure)
    assert failed.reason is Reason.PRICE_NOT_FOUND


def test_of_several_products_the_one_with_the_page_address_is_taken() -> None:
    others = [
        product("Blue Hat", offer("5"), url="/p/blue-hat"),
        product("Red Shoe 2", offer("6"), url="/p/red-shoe-2"),
    ]
    draft = draft_of(waterfall(ld(*others, product(url=URL + "?utm_source=feed")), "offer"))
    assert raws(draft, "title") == ["Red Shoe"]


def test_of_several_products_the_one_in_the_title_is_taken() -> None:
    draft = draft_of(waterfall(ld(product("Blue Hat", offer("5")), product(), product("Red", offer("6"))), "offer"))
    assert raws(draft, "title") == ["Red Shoe"]


def test_of_several_products_none_is_taken_without_a_sign() -> None:
    others = [product("Blue Hat", offer("5")), product("Green Sock", offer("6"))]
    draft = draft_of(waterfall(ld(*others, title="Sale", body=""), "offer"))
    assert "price" not in draft.values
    assert raws(draft, "price_rival") == ["5", "6"]


def test_a_lone_product_that_is_not_this_page_is_not_taken() -> None:
    stray = product("Blue Hat", offer("5"), url="https://shop.example/p/blue-hat")
    found = waterfall(ld(stray, title="Red Shoe"), "offer")
    assert not isinstance(found, Extracted) or "price" not in found.drafts[0].values
    assert fast(ld(stray, title="Red Shoe"), "offer") is None


def test_one_product_described_twice_gives_both_prices() -> None:
    draft = draft_of(waterfall(ld(product(), product(offers=offer("24.99"))), "offer"))
    assert raws(draft, "price") == ["19.99", "24.99"]


@pytest.mark.parametrize(
    ("aggregate", "field", "value"),
    [
        ({"lowPrice": "10", "highPrice": "20", "offerCount": 4}, "price_from", "10"),
        ({"lowPrice": "10"}, "price_from", "10"),
        ({"lowPrice": 10, "highPrice": "10.00", "offerCount": 4}, "price", "10"),
        ({"lowPrice": "10", "offerCount": "1"}, "price", "10"),
        ({"lowPrice": "10", "highPrice": "20", "price": "10"}, "price_from", "10"),
        ({"price": "10"}, "price", "10"),
    ],
)
def test_p029_the_lowest_of_many_is_only_where_prices_start(
    aggregate: dict[str, object], field: str, value: str
) -> None:
    sold = {"@type": "AggregateOffer", "priceCurrency": "USD", "availability": "InStock", **aggregate}
    draft = draft_of(waterfall(ld(product(offers=sold)), "offer"))
    assert raws(draft, field) == [value]
    assert ("price" in draft.values) == (field == "price")


def test_an_aggregate_that_lists_its_offers_is_read_by_them() -> None:
    sold = {"@type": "AggregateOffer", "lowPrice": "10", "highPrice": "20", "priceCurrency": "EUR"}
    sold["offers"] = [{"price": "10"}, {"price": "20"}]  # type: ignore[assignment]
    draft = draft_of(waterfall(ld(product(offers=sold)), "offer"))
    assert raws(draft, "price") == ["10", "20"]
    assert {value.currency for value in draft.values["price"]} == {"EUR"}


def test_p027_list_price_and_sale_price_specifications() -> None:
    specs = [
        {"@type": "UnitPriceSpecification", "priceType": "https://schema.org/ListPrice", "price": "29.99"},
        {"@type": "UnitPriceSpecification", "price": "19.99"},
    ]
    draft = draft_of(waterfall(ld(product(offers=offer(None, priceSpecification=specs))), "offer"))
    assert (raws(draft, "price"), raws(draft, "list_price")) == (["19.99"], ["29.99"])


def test_p027_a_price_that_repeats_the_list_price_is_not_the_selling_price() -> None:
    specs = [{"priceType": "StrikethroughPrice", "price": "29.99"}, {"priceType": "SalePrice", "price": "19.99"}]
    draft = draft_of(waterfall(ld(product(offers=offer("29.99", priceSpecification=specs))), "offer"))
    assert raws(draft, "price") == ["19.99"]


@pytest.mark.parametrize(
    "spec",
    [
        {"price": "3.99", "referenceQuantity": {"value": "100", "unitCode": "GRM"}},
        {"price": "3.99", "referenceQuantity": {"value": 1, "unitText": "kg"}},
        {"price": "3.99", "unitText": "litre"},
        {"price": "3.99", "billingDuration": 12},
    ],
)
def test_p031_a_price_per_unit_or_month_is_kept_apart(spec: dict[str, object]) -> None:
    draft = draft_of(waterfall(ld(product(offers=offer(None, priceSpecification=spec))), "offer"))
    assert "price" not in draft.values
    assert raws(draft, "price_unit") == ["3.99"]


def test_a_price_per_piece_is_the_selling_price() -> None:
    spec = {"price": "3.99", "referenceQuantity": {"value": 1, "unitCode": "C62"}}
    draft = draft_of(waterfall(ld(product(offers=offer(None, priceSpecification=spec))), "offer"))
    assert raws(draft, "price") == ["3.99"]


def test_p028_of_quantity_tiers_the_first_counts() -> None:
    tiers = [
        {"price": "25", "eligibleQuantity": {"minValue": 1, "maxValue": 4}},
        {"price": "24", "eligibleQuantity": {"minValue": 5, "maxValue": 9}},
        {"price": "23", "eligibleQuantity": {"minValue": 10}},
    ]
    draft = draft_of(waterfall(ld(product(offers=offer(None, priceSpecification=tiers))), "offer"))
    assert raws(draft, "price") == ["25"]
    tiered = [offer(t["price"], eligibleQuantity=t["eligibleQuantity"]) for t in tiers]
    assert raws(draft_of(waterfall(ld(product(offers=tiered)), "offer")), "price") == ["25"]


def test_member_invoice_and_delivery_prices_are_nobody_s_price() -> None:
    specs = [
        {"price": "15", "validForMemberTier": {"name": "Gold"}},
        {"price": "12", "priceType": "InvoicePrice"},
        {"@type": "DeliveryChargeSpecification", "price": "4.95"},
        {"price": "19.99"},
    ]
    draft = draft_of(waterfall(ld(product(offers=offer(None, priceSpecification=specs))), "offer"))
    assert raws(draft, "price") == ["19.99"]


def test_variants_with_different_prices_are_all_candidates() -> None:
    offers = [offer("10", url=f"{URL}?variant=1"), offer("12", url=f"{URL}?variant=2")]
    draft = draft_of(waterfall(ld(product(offers=offers)), "offer"))
    assert raws(draft, "price") == ["10", "12"]
    assert fast(ld(product(offers=offers)), "offer") is None


def test_the_variant_in_the_address_is_the_one() -> None:
    offers = [offer("10", url=f"{URL}?variant=1"), offer("12", url="/p/red-shoe?variant=2")]
    here = page(ld(product(offers=offers)).body, url=f"{URL}?variant=2&utm_source=x")
    assert raws(draft_of(fast(here, "offer")), "price") == ["12"]


def test_a_product_group_gives_the_variant_of_the_address_or_all() -> None:
    variants = [
        product(f"Red Shoe {n}", offer(p), url=f"{URL}?size={n}", sku=f"S{n}") for n, p in (("40", "10"), ("41", "12"))
    ]
    group = {"@type": "ProductGroup", "name": "Red Shoe", "brand": {"name": "Acme"}, "hasVariant": variants}
    everything = draft_of(waterfall(ld(group), "offer"))
    assert (raws(everything, "price"), raws(everything, "sku")) == (["10", "12"], [])
    one = draft_of(waterfall(page(ld(group).body, url=f"{URL}?size=41"), "offer"))
    assert (raws(one, "price"), raws(one, "sku"), raws(one, "brand")) == (["12"], ["S41"], ["Acme"])


def test_several_sellers_are_several_candidates() -> None:
    offers = [offer("10", seller={"name": "A"}), offer("11", seller={"name": "B"})]
    assert raws(draft_of(waterfall(ld(product(offers=offers)), "offer")), "price") == ["10", "11"]


def test_identifiers_of_a_sole_offer_belong_to_the_product() -> None:
    draft = draft_of(waterfall(ld(product(offers=offer(sku="S1", gtin13="4006381333931"))), "offer"))
    assert (raws(draft, "sku"), raws(draft, "gtin")) == (["S1"], ["4006381333931"])


def test_properties_shipping_and_image_are_read() -> None:
    shipping = {"shippingRate": {"value": 4.5, "currency": "USD"}}
    sold = product(
        offers=offer(shippingDetails=shipping),
        image=[{"@type": "ImageObject", "url": "/a.jpg"}],
        additionalProperty=[{"name": "Caliber", "value": "9mm"}],
    )
    draft = draft_of(waterfall(ld(sold), "offer"))
    assert (raws(draft, "shipping"), first(draft, "shipping").currency) == (["4.5"], "USD")
    assert (raws(draft, "image"), raws(draft, "attribute.Caliber")) == (["/a.jpg"], ["9mm"])


def test_entities_in_names_are_resolved() -> None:
    draft = draft_of(waterfall(ld(product("Red &amp; Blue Shoe&#39;s"), title="Red & Blue Shoe's"), "offer"))
    assert raws(draft, "title") == ["Red & Blue Shoe's"]


def test_another_charset_is_decoded() -> None:
    html = ld(json.dumps(product("Grüner Schuh"), ensure_ascii=False), title="Grüner Schuh").body.decode()
    draft = draft_of(waterfall(page(html, charset="iso-8859-1"), "offer"))
    assert raws(draft, "title") == ["Grüner Schuh"]
