"""Draft -> Offer: choosing among candidates, and where each value came from (P-015 … P-018, P-029)."""

from __future__ import annotations

from datetime import UTC, datetime

from winnow.extract.adapter import Context
from winnow.extract.draft import Draft, Strategy, Value
from winnow.normalise.record import Availability, Money, Offer, Problem, Trouble
from winnow.normalise.results.offer import normalise_offer

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def value(raw: str, currency: str = "", numeric: bool = False, strategy: Strategy = Strategy.JSON_LD) -> Value:
    return Value(raw, strategy, "here", numeric, currency)


def normalised(
    currency: str | None = None, url: str = "http://shop.example/a/?utm_source=x", **fields: list[Value]
) -> Offer:
    values = {"title": [value("Red  Shoe")], "availability": [value("InStock")], **fields}
    ctx = Context(source_id="1", retailer_id="2", run_id="3", target_id="4", url=url, now=NOW, currency=currency)
    return normalise_offer(Draft("offer", values), ctx, "generic", "1.0.0")


def test_p015_required_fields_are_filled_in() -> None:
    offer = normalised(price=[value("19.99", "USD")], sku=[value("A1")])
    assert (offer.url, offer.canonical_url) == ("http://shop.example/a/?utm_source=x", "https://shop.example/a")
    assert (offer.title, offer.price, offer.availability) == ("Red Shoe", Money(1999, "USD"), Availability.IN_STOCK)
    assert (offer.identity.key, offer.adapter_version) == ("SKU:A1", "1.0.0")


def test_p018_observed_at_comes_from_the_context() -> None:
    assert normalised(price=[value("19.99", "USD")]).observed_at == NOW


def test_p029_candidates_that_disagree_decide_nothing() -> None:
    offer = normalised(price=[value("19.99", "USD"), value("24.99", "USD")])
    assert offer.price is None
    assert offer.problems["price"].code is Trouble.SEVERAL


def test_candidates_that_agree_are_one_price() -> None:
    prices = [value("19.99", "USD"), value("$19.99", "USD", strategy=Strategy.MICRODATA)]
    offer = normalised(price=prices)
    assert offer.price == Money(1999, "USD")
    assert "2 candidates agree" in offer.notes[0]
    assert offer.confidence > normalised(price=prices[:1]).confidence


def test_of_prices_in_several_currencies_the_source_s_own_counts() -> None:
    prices = [value("19.99", "USD"), value("18.50", "EUR")]
    assert normalised("EUR", price=prices).price == Money(1850, "EUR")
    assert normalised(price=prices).price is None


def test_a_candidate_that_names_a_range_contradicts_a_single_price() -> None:
    offer = normalised(price=[value("19.99", "USD"), value("$19.99 - $29.99", "USD")])
    assert offer.price is None
    assert offer.problems["price"].code is Trouble.RANGE


def test_an_unreadable_candidate_is_noted_and_the_readable_one_taken() -> None:
    offer = normalised(price=[value("call us", "USD"), value("19.99", "USD")])
    assert offer.price == Money(1999, "USD")
    assert offer.notes == ["price: no_number (call us)"]


def test_a_starting_price_is_not_a_selling_price() -> None:
    offer = normalised(price_from=[value("10", "USD")])
    assert offer.price is None
    assert offer.problems["price"] == Problem(Trouble.FROM_PRICE, "10")


def test_no_price_at_all_is_no_problem_of_reading() -> None:
    assert normalised().problems == {}


def test_the_source_s_currency_decides_only_where_the_page_is_silent() -> None:
    assert normalised("CAD", price=[value("$19.99")]).price == Money(1999, "CAD")
    assert normalised("CAD", price=[value("€19.99")]).price == Money(1999, "EUR")
    assert normalised("CAD", price=[value("19.99", numeric=True)]).price == Money(1999, "CAD")
    assert normalised(price=[value("$19.99")]).problems["price"].code is Trouble.CURRENCY_UNKNOWN


def test_a_sign_where_the_code_belongs_is_understood() -> None:
    assert normalised(price=[value("19.99", "€")]).price == Money(1999, "EUR")
    assert normalised("USD", price=[value("19.99", "$")]).price == Money(1999, "USD")


def test_p027_a_list_price_is_one_only_above_the_selling_price() -> None:
    listed = [value("29.99", "USD")]
    assert normalised(price=[value("19.99", "USD")], list_price=listed).list_price == Money(2999, "USD")
    assert normalised(price=[value("29.99", "USD")], list_price=listed).list_price is None


def test_variants_make_the_offer_as_available_as_the_best_of_them() -> None:
    offer = normalised(availability=[value("OutOfStock"), value("InStock")])
    assert offer.availability is Availability.IN_STOCK
    assert any("differ" in note for note in offer.notes)


def test_p009_no_signal_stays_unknown() -> None:
    assert normalised(availability=[value("maybe")]).availability is Availability.UNKNOWN


def test_placeholders_are_no_identifiers() -> None:
    offer = normalised(
        sku=[value("N/A")], product_id=[value("null")], gtin=[value("0000000000000"), value("4006381333931")]
    )
    assert offer.identity.type == "URL"
    assert offer.gtin == "4006381333931"


def test_every_value_names_its_place() -> None:
    assert normalised(price=[value("19.99", "USD")]).provenance["price"] == "json_ld:here"


def test_r12_a_url_that_may_not_be_stored_leaves_no_canonical_url() -> None:
    assert normalised(url="https://user:pw@shop.example/").canonical_url == ""


def test_images_are_absolute_and_attributes_kept() -> None:
    offer = normalised(
        image=[value("data:image/png;base64,x"), value("/a.jpg")], **{"attribute.Caliber": [value("9mm")]}
    )
    assert offer.image_url == "http://shop.example/a.jpg"
    assert offer.attributes == {"Caliber": "9mm"}
