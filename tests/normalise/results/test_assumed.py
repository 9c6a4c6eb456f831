"""What is set for a source instead of read from its pages is marked as assumed (P-017, P-090)."""

from __future__ import annotations

import msgspec

from tests.kinds.reading import GENERIC, OfferRead, assess
from tests.product_pages import context, micro
from winnow.extract.adapter import Context
from winnow.judge.verdict import Decision, Hold, Reject
from winnow.normalise.record import Availability

SHOP = "https://shop.example/p/red-shoe"
PRICE = '<main><h1>Red Shoe</h1><p class="product-price">{}</p>{}</main>'
STOCK = '<p class="stock">In stock</p>'
BUTTON = '<button class="add-to-cart">Add to cart</button>'


def read(price: str, more: str, ctx: Context) -> OfferRead:
    return assess(micro(PRICE.format(price, more)), GENERIC, ctx)


def assuming(currency: str | None = None) -> Context:
    return msgspec.structs.replace(context(SHOP, currency), assume_in_stock=True)


def test_a_sign_of_several_currencies_is_held_with_the_command_that_settles_it() -> None:
    found = read("$19.99", STOCK + BUTTON, context(SHOP))
    assert found.verdict is not None
    assert found.verdict.reason is Hold.NORMALIZATION_FAILED
    details = found.verdict.findings[0].details
    assert details == (
        "currency_unknown: the currency of `$` is not known: set it with `winnow sources set SOURCE --currency CODE`"
    )


def test_a_currency_of_the_source_is_marked_as_assumed() -> None:
    found = read("$19.99", STOCK + BUTTON, context(SHOP, "CAD"))
    assert found.offer is not None
    assert found.offer.price is not None
    assert found.offer.price.currency == "CAD"
    assert found.offer.provenance["currency"] == "assumed:the source is set to it"


def test_a_currency_the_page_names_is_not_marked() -> None:
    found = read("€19.99", STOCK + BUTTON, context(SHOP, "EUR"))
    assert found.offer is not None
    assert "currency" not in found.offer.provenance


def test_a_page_in_another_currency_than_the_sources_is_held() -> None:
    found = read("€19.99", STOCK + BUTTON, context(SHOP, "GBP"))
    assert found.verdict is not None
    assert found.verdict.reason is Hold.VALIDATION_FAILED


def test_p090_unknown_stock_stays_rejected_unless_the_source_says_otherwise() -> None:
    silent = read("€19.99", "", context(SHOP))
    assert silent.verdict is not None
    assert silent.verdict.reason is Reject.UNKNOWN_AVAILABILITY
    found = read("€19.99", "", assuming())
    assert found.verdict is not None
    assert found.verdict.decision is Decision.ACCEPT
    assert found.offer is not None
    assert found.offer.availability is Availability.IN_STOCK
    assert found.offer.provenance["availability"] == "assumed:the source is set to count as in stock"


def test_what_the_page_says_wins_over_the_assumption() -> None:
    gone = read("€19.99", '<p class="stock">Sold out</p>', assuming())
    assert gone.offer is not None
    assert gone.offer.availability is Availability.OUT_OF_STOCK
    assert not gone.offer.provenance["availability"].startswith("assumed")
    unclear = read("€19.99", '<p class="stock">Sold out, but in stock at the branch</p>', assuming())
    assert unclear.verdict is not None
    assert unclear.verdict.decision is not Decision.ACCEPT
