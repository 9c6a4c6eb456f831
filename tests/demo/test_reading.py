"""The platform reads its own demo shop right: every price, every trap, and nothing from a broken template."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.kinds.reading import GENERIC, OfferRead, assess
from winnow.demo.catalogue import DemoProduct, DemoStock, make_catalogue, price_at, related_to
from winnow.demo.pages import Shelf, Template, product_page
from winnow.extract.adapter import Context
from winnow.extract.page import Page
from winnow.judge.verdict import Decision
from winnow.normalise.record import Availability, Money

SHOP = "http://127.0.0.1:8080"
MOMENT = datetime(2026, 3, 1, tzinfo=UTC)
CATALOGUE = make_catalogue(48, seed=7)
STOCK = {
    DemoStock.IN_STOCK: Availability.IN_STOCK,
    DemoStock.OUT_OF_STOCK: Availability.OUT_OF_STOCK,
    DemoStock.BACKORDER: Availability.BACKORDER,
}


def read(product: DemoProduct, template: Template = Template.CLASSIC) -> OfferRead:
    related = [Shelf(other, price_at(other, 0)) for other in related_to(product, CATALOGUE)]
    html = product_page(Shelf(product, price_at(product, 0)), related, SHOP, template)
    url = SHOP + product.path
    context = Context(source_id="1", retailer_id="1", run_id="1", target_id="1", url=url, now=MOMENT, currency=None)
    return assess(Page(url=url, body=html.encode(), fetched_at=MOMENT), GENERIC, context)


@pytest.mark.parametrize("product", [p for p in CATALOGUE if not p.price_hidden], ids=lambda p: p.slug)
def test_the_selling_price_of_a_demo_product_is_accepted(product: DemoProduct) -> None:
    found = read(product)
    assert found.offer is not None, found.details
    assert found.offer.price == Money(price_at(product, 0) or 0, "USD")
    assert (found.offer.title, found.offer.sku, found.offer.brand) == (product.name, product.sku, product.brand)
    assert found.offer.gtin == product.gtin
    assert found.offer.availability is STOCK[product.stock]
    assert found.verdict is not None
    assert found.verdict.decision is Decision.ACCEPT, found.verdict


@pytest.mark.parametrize("product", [p for p in CATALOGUE if p.price_hidden], ids=lambda p: p.slug)
def test_p030_sold_out_without_a_price_takes_no_price_from_the_carousel(product: DemoProduct) -> None:
    found = read(product)
    assert found.failure == "OOS_NO_PRICE"


def test_a_broken_template_yields_nothing_that_could_be_stored() -> None:
    for product in CATALOGUE:
        found = read(product, Template.BROKEN)
        assert found.failure is not None or (found.verdict and found.verdict.decision is not Decision.ACCEPT)
