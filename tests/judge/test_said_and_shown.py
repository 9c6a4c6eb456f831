"""What data for machines say against what the page shows: tax (P-029), stock (P-009) and scripts (P-029)."""

from __future__ import annotations

import pytest

from tests.kinds.reading import GENERIC, OfferRead, assess, assess_fast
from tests.product_pages import URL, context, ld, offer, page, product
from winnow.judge.verdict import Decision, Hold
from winnow.normalise.record import Availability, Money

SHOP = "https://shop.example/p/red-shoe"


def read(html: str, url: str = URL) -> OfferRead:
    return assess(page(html, url), GENERIC, context(url))


def shown(price: str, head: str = "", after: str = "", lang: str = "en-GB") -> str:
    return (
        f'<html lang="{lang}"><head><title>Red Shoe | The Shop</title>{head}</head><body><main><h1>Red Shoe</h1>'
        f'<p class="price">{price}</p>{after}<p class="stock">In stock</p><button>Add to cart</button></main>'
        "</body></html>"
    )


def held_for(found: OfferRead) -> tuple[str, str]:
    assert found.verdict is not None
    assert found.verdict.decision is Decision.HOLD
    return found.verdict.findings[0].reason, found.verdict.findings[0].details


@pytest.mark.parametrize(
    "html",
    [
        shown("£27.50 <small>ex VAT</small>"),
        shown("£27.50 <small>+ VAT</small>"),
        shown("27,50 €", after="<p class='tax'>zzgl. 19 % MwSt.</p>", lang="de"),
        shown("27,50 € HT", lang="fr"),
        shown("649 Kč bez DPH", lang="cs"),
        shown("1 200円（税抜）", lang="ja"),
    ],
)
def test_p029_a_price_without_tax_alone_is_held_and_the_reason_says_so(html: str) -> None:
    reason, details = held_for(read(html))
    assert reason == Hold.AMBIGUOUS_PRICE
    assert details.startswith("net:")


@pytest.mark.parametrize(
    ("html", "minor"),
    [
        (shown("<b>£22.00</b> ex VAT <b>£26.40</b> inc VAT"), 2_640),
        (shown("<b>£26.40</b> inc VAT (<span>£22.00 ex VAT</span>)"), 2_640),
        (shown("27,50 €", after="<p>inkl. 19 % MwSt., zzgl. Versand</p>", lang="de"), 2_750),
    ],
)
def test_p029_beside_a_price_with_tax_the_one_without_is_not_it(html: str, minor: int) -> None:
    found = read(html)
    assert found.verdict is not None
    assert found.verdict.decision is Decision.ACCEPT
    assert found.offer is not None
    assert found.offer.price is not None
    assert found.offer.price.minor == minor


def test_p029_data_that_state_the_price_without_tax_give_way_to_the_one_shown_with_it() -> None:
    body = (
        '<h1>Red Shoe</h1><p class="price"><b>£22.00</b> ex VAT <b>£26.40</b> inc VAT</p><button>Add to cart</button>'
    )
    found = assess(ld(product(offers=offer("22.00", priceCurrency="GBP")), body=body), GENERIC, context())
    assert found.verdict is not None
    assert found.verdict.decision is Decision.ACCEPT
    assert found.offer is not None
    assert found.offer.price == Money(2_640, "GBP")


def test_p029_where_tax_is_added_at_the_till_a_price_without_it_is_the_price() -> None:
    found = read(shown("US$27.50 <small>plus tax</small>", lang="en-US"))
    assert found.offer is not None
    assert found.offer.price == Money(2_750, "USD")


SOLD_OUT = '<h1>Red Shoe</h1><p class="price">$19.99</p><form><button name="add" disabled>Sold out</button></form>'


def test_p009_a_button_that_says_sold_out_is_believed_over_data_that_say_in_stock() -> None:
    found = assess(ld(product(), body=SOLD_OUT), GENERIC, context())
    assert found.offer is not None
    assert found.offer.availability is Availability.OUT_OF_STOCK
    assert any("the data say IN_STOCK" in note for note in found.offer.notes)


def test_p009_the_fast_path_leaves_such_a_page_to_the_dom() -> None:
    assert assess_fast(ld(product(), body=SOLD_OUT), GENERIC, context()) is None
    cart = SOLD_OUT.replace("Sold out", "Add to cart").replace(" disabled", "")
    assert assess_fast(ld(product(), body=cart), GENERIC, context()) is not None


def test_p009_a_stock_line_against_the_data_is_held_where_nothing_can_be_bought() -> None:
    body = '<h1>Red Shoe</h1><p class="price">$19.99</p><p class="stock">Currently unavailable</p>'
    reason, details = held_for(assess(ld(product(), body=body), GENERIC, context()))
    assert reason == Hold.VALIDATION_FAILED
    assert details.startswith("stock_conflict:")


@pytest.mark.parametrize(
    "extra",
    [
        '<ul><li><button class="size" disabled>M <span>Sold out</span></button></li></ul>',
        '<span class="badge price__badge-sold-out">Sold out</span>',
        "<section><h2>Related products</h2><div><h3>Blue Shoe</h3><button>Sold out</button></div></section>",
    ],
)
def test_p009_a_size_a_hidden_badge_or_another_product_that_is_gone_says_nothing(extra: str) -> None:
    body = f'<div><h1>Red Shoe</h1><p class="price">$19.99</p>{extra}<button name="add">Add to cart</button></div>'
    found = assess(ld(product(), body=body), GENERIC, context())
    assert found.offer is not None
    assert found.offer.availability is Availability.IN_STOCK
    assert found.verdict is not None
    assert found.verdict.decision is Decision.ACCEPT


PUSHES = [
    'dataLayer.push({"event":"view_item",'
    '"ecommerce":{"currency":"EUR","items":[{"item_name":"Red Shoe","price":19.99}]}})',
    "gtag('event', 'view_item', {currency: 'EUR', items: [{item_name: 'Red Shoe', price: 19.99}]});",
    "var dataLayer = [{'ecommerce':{'currencyCode':'EUR',"
    "'detail':{'products':[{'name':'Red Shoe','price':'19.99'}]}}}];",
    "fbq('track', 'ViewContent', {content_name: 'Red Shoe', value: 19.99, currency: 'EUR'});",
]


def told(push: str, price: str = "") -> str:
    return shown(price, head=f"<script>{push}</script>")


@pytest.mark.parametrize("push", PUSHES)
def test_p029_what_a_page_tells_its_counters_is_a_price_of_less_trust(push: str) -> None:
    found = read(told(push)).offer
    assert found is not None
    assert found.price == Money(1_999, "EUR")
    assert found.confidence < 0.7


@pytest.mark.parametrize("push", PUSHES)
def test_p029_a_shown_price_that_differs_from_the_told_one_is_held(push: str) -> None:
    assert held_for(read(told(push, "26,49 €")))[0] == Hold.AMBIGUOUS_PRICE


def test_p029_a_told_price_without_tax_does_not_speak_against_the_shown_one() -> None:
    found = read(told(PUSHES[0], "23,79 €")).offer  # 19 % of tax
    assert found is not None
    assert found.price == Money(2_379, "EUR")


@pytest.mark.parametrize("event", ["view_item_list", "add_to_cart", "select_promotion"])
def test_p029_a_list_or_a_cart_is_not_the_product_of_the_page(event: str) -> None:
    found = read(told(PUSHES[0].replace("view_item", event)))
    assert found.offer is None or found.offer.price is None


def test_p010_a_page_that_says_it_is_not_there_gives_no_price() -> None:
    html = shown("£9.99").replace("<h1>Red Shoe", "<h1>Sorry, page not found").replace("Red Shoe |", "404 |")
    assert read(html).verdict is None


def test_p029_an_amount_after_a_dash_is_the_end_of_a_range() -> None:
    html = shown("<span><bdi>£38.00</bdi></span> <span>–</span> <span><bdi>£72.00</bdi></span>")
    assert held_for(read(html))[0] == Hold.AMBIGUOUS_PRICE


def test_p028_the_tier_of_one_is_taken_from_a_table_of_tiers() -> None:
    rows = "".join(f"<tr><th>{q}</th><td>{p}</td></tr>" for q, p in [("Up to 24", "£0.79"), ("From 25", "£0.69")])
    found = read(
        shown(f'<table class="prices">{rows}</table>').replace("<p class", "<div class").replace("</p><p", "</div><p")
    ).offer
    assert found is not None
    assert found.price == Money(79, "GBP")


def test_p028_tiers_that_all_cost_the_same_are_the_price_and_others_without_the_first_are_none() -> None:
    row = "<tr><td>{}</td><td>€ {}</td></tr>"
    head = "<h1>Rope</h1><table><tr><th>Quantity</th><th>Price</th></tr>"
    table = head + "{}</table><button>Add to cart</button><p>In stock</p>"
    same = read(table.format(row.format("5-9", "24.00") + row.format("10+", "24.00")))
    assert same.offer is not None
    assert same.offer.price == Money(2400, "EUR")
    falling = read(table.format(row.format("5-9", "24.00") + row.format("10+", "23.00")))
    assert falling.offer is None or falling.offer.price is None


def test_p029_amounts_in_reasons_are_written_as_money() -> None:
    found = read("<h1>Rope</h1><p>€ 25.00</p><p>€ 30.00</p><button>Add to cart</button><p>In stock</p>")
    assert found.verdict is not None
    assert [finding.details for finding in found.verdict.findings] == ["several: 25.00 EUR | 30.00 EUR shown"]
