"""Amazon's shops (C-057): one adapter for all of them, used without a worker, and site adapters for both kinds."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from winnow.extract.adapter import Context
from winnow.extract.draft import Failure, Reason
from winnow.extract.page import Page
from winnow.kinds import recorded
from winnow.kinds.adapters import home_of, registry
from winnow.kinds.assess import assess
from winnow.kinds.facts import facts_of
from winnow.kinds.registry import all_kinds

REGISTRY = registry()
AMAZON = REGISTRY.get("amazon")


def found(case: str) -> dict[str, str]:
    return recorded.run_case(home_of(AMAZON) / "pages" / case, AMAZON).found


@pytest.mark.parametrize("domain", ["amazon.com", "amazon.de", "amazon.co.jp", "AMAZON.co.uk"])
def test_c057_every_shop_of_amazon_is_read_by_its_adapter(domain: str) -> None:
    for kind in ("product", "offer"):
        own = REGISTRY.for_domain(domain, kind)
        assert own is not None
        assert own.id == "amazon"
    assert REGISTRY.for_domain("amazon.example", "product") is None


def test_c057_a_product_is_read_in_every_language() -> None:
    us, jp = found("in-stock"), found("japanese")
    wanted = {
        "title": "Fell Torch 900", "price": "29.99 USD", "list_price": "39.99 USD", "availability": "IN_STOCK",
        "product_id": "B0EXAMPLE1", "gtin": "036000291452", "brand": "Fell", "rating": "4.60", "review_count": "12345",
        "breadcrumbs": "Outdoor > Torches", "verdict": "accept",
    }  # fmt: skip
    assert wanted.items() <= us.items()
    assert us["images"].split()[0].endswith("/61main.jpg"), "the main picture comes first"
    assert (jp["price"], jp["rating"], jp["availability"]) == ("3480 JPY", "4.10", "IN_STOCK"), "not five of five"


def test_c057_a_product_without_an_offer_is_kept_without_a_price() -> None:
    sold_out, elsewhere = found("german-sold-out"), found("no-buy-box")
    assert (sold_out["availability"], sold_out.get("price"), sold_out["verdict"]) == ("OUT_OF_STOCK", None, "accept")
    assert (elsewhere["availability"], elsewhere.get("price"), elsewhere["verdict"]) == ("UNKNOWN", None, "accept")


def page(body: str, url: str = "https://www.amazon.com/dp/B0EXAMPLE1") -> Page:
    return Page(url, body.encode(), datetime(2026, 3, 2, tzinfo=UTC), "utf-8", "text/html", 200)


def context(url: str) -> Context:
    return Context(source_id="", retailer_id="", run_id="", target_id="", url=url, now=datetime(2026, 3, 2, tzinfo=UTC))


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("", Reason.EMPTY_PAGE),
        ("<form action='/errors/validateCaptcha'></form>", Reason.BLOCKED_PAGE),
        ("<h1>Best Sellers</h1><p>" + "much text " * 200 + "</p>", Reason.PAGE_STRUCTURE_CHANGED),
    ],
)
def test_c057_a_page_that_is_no_product_says_why(body: str, reason: Reason) -> None:
    read = AMAZON.extract(page(body), context("https://www.amazon.com/x"))
    assert isinstance(read, Failure)
    assert read.reason is reason


def test_c057_an_adapter_of_offers_serves_products_which_need_no_price() -> None:
    """The same site and adapter: the prices job refuses what the catalogue keeps."""
    case, stored = recorded.load(home_of(REGISTRY.get("sgammo")) / "pages" / "out-of-stock-price-hidden")
    kinds, adapter = all_kinds(), REGISTRY.for_domain("sgammo.com", "product")
    assert adapter is not None
    ctx = recorded.context_of(case)
    [(_, product)] = facts_of(assess(stored, adapter, kinds.get("product"), ctx), kinds.get("product")).items()
    assert (product["verdict"], product["availability"], product.get("price")) == ("accept", "OUT_OF_STOCK", None)
    assert assess(stored, adapter, kinds.get("offer"), ctx).failure is Reason.OOS_NO_PRICE


@pytest.mark.parametrize(
    ("box", "stock"),
    [
        ('<input id="one-click-button" type="submit">', "IN_STOCK"),
        ('<div id="availability">Currently unavailable.</div><input id="add-to-cart-button">', "OUT_OF_STOCK"),
        ("", "UNKNOWN"),
    ],
)
def test_c057_a_button_of_buying_says_in_stock_where_nothing_else_does(box: str, stock: str) -> None:
    body = f'<span id="productTitle">The Fell</span><span id="kindle-price">$10.99</span>{box}'
    read = assess(page(body), AMAZON, all_kinds().get("product"), context("https://www.amazon.com/dp/B0EXAMPLE1"))
    [(_, facts)] = facts_of(read, all_kinds().get("product")).items()
    assert (facts["price"], facts["availability"]) == ("10.99 USD", stock)


def test_c057_a_used_copy_does_not_speak_for_a_new_one() -> None:
    def row(name: str, price: str) -> str:
        offer = f'<div><div><span class="a-price"><span class="a-offscreen">{price}</span></span></div></div>'
        return f'<div id="{name}"><div id="corePrice_feature_div">{offer}</div></div>'

    body = row("usedAccordionRow", "42,98 €") + row("newAccordionRow_0", "52,41 €")
    url = "https://www.amazon.es/dp/B0EXAMPLE1"
    html = f'<span id="productTitle">Fell Torch 900</span>{body}<div id="availability">En stock</div>'
    read = assess(page(html), AMAZON, all_kinds().get("product"), context(url))
    [(_, facts)] = facts_of(read, all_kinds().get("product")).items()
    assert facts["price"] == "52.41 EUR"


@pytest.mark.parametrize(
    ("box", "price"),
    [
        (
            '<div id="price"><table><tr><td>List Price: $109.99</td></tr><tr><td>Price: <span id="priceblock_ourprice">'
            "$87.11</span></td></tr><tr><td>You save: $22.88 (21%)</td></tr></table></div>",
            "87.11 USD",
        ),
        ('<div id="price">$109.99 was, $87.11 now</div><span id="price_inside_buybox">$87.11</span>', "87.11 USD"),
        ('<div id="price"><p>List Price: $109.99</p><p>Price: $87.11</p></div>', None),
        ('<span id="price">$24.50</span>', "24.50 USD"),
        (
            '<div id="corePriceDisplay_desktop_feature_div"><span class="apex-pricetopay-accessibility-label">'
            '$29.99 with 20 percent savings</span><span class="a-price priceToPay"><span class="a-offscreen"> </span>'
            '<span aria-hidden="true">$29<sup>99</sup></span></span></div>',
            "29.99 USD",
        ),
    ],
)
def test_c057_the_price_is_read_in_older_and_newer_price_blocks(box: str, price: str | None) -> None:
    body = f'<span id="productTitle">Fell Torch 900</span>{box}<div id="availability">In Stock.</div>'
    url = "https://www.amazon.com/dp/B0EXAMPLE1"
    read = assess(page(body), AMAZON, all_kinds().get("product"), context(url))
    assert next(iter(facts_of(read, all_kinds().get("product")).values())).get("price") == price
