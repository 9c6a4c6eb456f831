"""What a customer sees: shop systems, generated class names, and amounts that are not the price (P-027 … P-031)."""

from __future__ import annotations

import pytest

from tests.kinds.reading import GENERIC, OfferRead, assess
from tests.product_pages import context, ld, offer, page, product
from winnow.extract.draft import Failure, Strategy
from winnow.extract.waterfall import fast
from winnow.judge.verdict import Decision, Hold
from winnow.normalise.record import Availability, Money

BUTTON = "<button>Add to cart</button>"


def seen(body: str, lang: str = "en", url: str = "https://shop.com/p/1", attributes: str = "") -> OfferRead:
    html = (
        f'<!doctype html><html lang="{lang}"><head><title>Red Shoe</title></head><body '
        f"{attributes}>{body}</body></html>"
    )
    return assess(page(html, url), GENERIC, context(url))


def amount(price: str, symbol: str = "$") -> str:
    sign = f'<span class="woocommerce-Price-currencySymbol">{symbol}</span>'
    return f'<span class="woocommerce-Price-amount amount"><bdi>{sign}{price}</bdi></span>'


WOOCOMMERCE = (
    '<div class="product"><div class="summary"><h1>Red Shoe</h1><p class="price"><del aria-hidden="true">'
    + amount("25.00") + '</del> <span class="screen-reader-text">Original price was: $25.00.</span><ins>'
    + amount("19.99")
    + '</ins><span class="screen-reader-text">Current price is: $19.99.</span></p><p '
    'class="stock in-stock">12 in stock</p>'
    '<form class="cart"><button class="single_add_to_cart_button">Add to cart</button></form></div>'
    '<section class="related products"><li class="product"><h2>Hat</h2><span class="price">' + amount("5.00")
    + "</span></li></section></div>"
)  # fmt: skip
SHOPIFY = (
    '<div id="shopify-section-main"><div class="product__info-container"><h1>Red Shoe</h1><div '
    'class="price price--on-sale">'
    '<div class="price__regular"><span class="price-item price-item--regular">$19.99 '
    'USD</span></div><div class="price__sale">'
    '<s class="price-item price-item--regular">$29.99 USD</s><span class="price-item '
    'price-item--sale">$19.99 USD</span></div>'
    '</div><form action="/cart/add"><button name="add">Add to cart</button></form></div></div>'
)
MAGENTO = (
    '<div class="product-info-main"><h1>Red Shoe</h1><div class="price-box price-final_price">'
    '<span class="special-price">'
    '<span class="price-label">Special Price</span><span data-price-amount="19.99" class="price-wrapper">'
    '<span class="price">$19.99</span></span></span><span class="old-price"><span '
    'class="price-label">Regular Price</span>'
    '<span class="price">$29.99</span></span></div><div class="stock available"><span>In stock</span></div></div>'
)
BIGCOMMERCE = (
    '<div class="productView"><h1>Red Shoe</h1><div class="productView-price"><div '
    'class="price-section" style="display: none;">'
    'MSRP: <span class="price price--rrp"></span></div><div class="price-section">Was: <span '
    'class="price price--non-sale">'
    '$30.00</span></div><div class="price-section">Now: <span class="price price--withoutTax">$19.99</span></div></div>'
    '<input id="form-action-addToCart" type="submit" value="Add to Cart"></div>'
)
PRESTASHOP = (
    '<section><h1>Red Shoe</h1><div class="product-prices"><span '
    'class="regular-price">$29.90</span><div class="current-price">'
    '<span class="current-price-value" content="19.99">$19.99</span><span class="discount">Save 20%</span></div></div>'
    '<span id="product-availability">In stock</span></section>'
)
DRUPAL = (
    '<article class="commerce-product"><h1>Red Shoe</h1><div class="field field--name-price">$19.99</div><form '
    'class="commerce-order-item-add-to-cart-form"><input type="submit" value="Add to cart"></form></article>'
)
NAMELESS = (
    '<main><div class="a1"><h1 class="b2">Red Shoe</h1><div class="c3"><span '
    'class="d4">$19.99</span><s class="e5">$29.99</s></div>'
    '<span class="f6">or from $4.99/month</span><button class="g7">Add to bag</button></div>'
    '<div class="h8"><h2>You may like</h2><span class="i9">$7.50</span></div></main>'
)
RAISED = f'<div><h1>Red Shoe</h1><p class="price">$19<sup>99</sup></p>{BUTTON}</div>'


@pytest.mark.parametrize("html", [WOOCOMMERCE, SHOPIFY, MAGENTO, BIGCOMMERCE, PRESTASHOP, DRUPAL, NAMELESS, RAISED])
def test_the_price_to_be_seen_is_taken_from_each_shop_system(html: str) -> None:
    found = seen(html, attributes='class="woocommerce"' if "woocommerce" in html else "")
    assert found.offer is not None, found
    assert found.verdict is not None
    assert (found.offer.price, found.offer.availability) == (Money(1999, "USD"), Availability.IN_STOCK), found.offer
    assert (found.verdict.decision, found.strategy) == (Decision.ACCEPT, Strategy.DOM)


DECOYS = {
    "struck through": "<del class='price'>$29.99</del>",
    "old by its name": "<span class='price old-price'>$29.99</span>",
    "old by its label": "<span>RRP <span class='price'>$29.99</span></span>",
    "line-through": "<span class='price' style='text-decoration: line-through'>$29.99</span>",
    "instalments": "<div class='klarna'><span class='price'>3 payments of $6.66</span></div>",
    "monthly": "<p>or <span class='price'>$4.99</span> / month</p>",
    "per unit": "<span class='price'>$1.20</span><span>/100g</span>",
    "unit by its name": "<span class='unit-price'>$1.20</span>",
    "shipping": "<p>Shipping: <span class='price'>$4.95</span></p>",
    "free delivery over": "<p>Free delivery for orders over <span class='amount'>$50.00</span></p>",
    "saving": "<span class='price-saving'>$10.00</span>",
    "tiers": (
        "<table><tr><td>1-4<td class='price'>$19.99<tr><td>5-9<td class='price'>$18.99<tr>"
        "<td>10+<td class='price'>$17.99</table>"
    ),
    "member price": "<span class='member-price'>$17.00</span>",
    "carousel": "<div class='product-carousel'><span class='price'>$7.00</span></div>",
    "related": "<section class='related-products'><span class='price'>$7.00</span></section>",
    "also bought": "<div id='customersAlsoBought'><span class='price'>$7.00</span></div>",
    "bundle": "<div class='frequently-bought-together'><span class='price'>$47.00</span></div>",
    "mini cart": "<div class='mini-cart'><span class='price'>$0.00</span></div>",
    "without tax": "<span class='price price-excl-tax'>$16.52</span>",
    "hidden": "<span class='price' hidden>$1.00</span>",
}


@pytest.mark.parametrize("decoy", DECOYS)
@pytest.mark.parametrize("first", [True, False])
def test_p027_p031_other_amounts_are_never_the_price(decoy: str, first: bool) -> None:
    price = "<span class='price'>$19.99</span>"
    both = DECOYS[decoy] + price if first else price + DECOYS[decoy]
    found = seen(f"<div><h1>Red Shoe</h1>{both}{BUTTON}</div>")
    assert found.offer is not None, found
    assert found.offer.price == Money(1999, "USD"), (found.offer, found.drafts)


@pytest.mark.parametrize("decoy", [d for d in DECOYS if d not in ("tiers", "without tax", "hidden")])
def test_p027_p031_alone_they_are_no_price_either(decoy: str) -> None:
    found = seen(f"<div><h1>Red Shoe</h1>{DECOYS[decoy]}{BUTTON}</div>")
    assert found.verdict is None or found.verdict.decision is not Decision.ACCEPT, found.offer


@pytest.mark.parametrize(
    "prices",
    [
        "<span class='price'>$19.99</span><span class='price'>$24.99</span>",
        "<span class='price'>From $19.99</span>",
        "<p class='price'><span class='amount'>$19.99</span> – <span class='amount'>$24.99</span></p>",
        "<p class='price'>$19.99 - $24.99</p>",
    ],
)
def test_p029_several_or_starting_prices_are_held(prices: str) -> None:
    found = seen(f"<div><h1>Red Shoe</h1>{prices}{BUTTON}</div>")
    assert found.verdict is not None, found
    assert found.verdict.reason == Hold.AMBIGUOUS_PRICE


@pytest.mark.parametrize(
    ("body", "decision"),
    [
        ("<p class='price'>$19.99</p>", Decision.ACCEPT),
        ("<p>Two of them for $19.99</p>", Decision.ACCEPT),
        ("<p class='price'><del>$19.99</del> <b>$4.99</b></p>", Decision.HOLD),
        ("<p class='price'>$14.99</p>", Decision.HOLD),
        ("<aside class='related-products'><p class='price'>$14.99</p></aside>", Decision.ACCEPT),
        ("", Decision.ACCEPT),
    ],
)
def test_structured_data_that_the_page_contradicts_is_held(body: str, decision: Decision) -> None:
    found = assess(ld(product(), body=f"<h1>Red Shoe</h1>{body}"), GENERIC, context())
    assert found.verdict is not None
    assert found.verdict.decision is decision, found.offer


@pytest.mark.parametrize(
    "body",
    [
        "<p class='price'><del>$19.99</del> <b>$14.99</b></p>",
        "<p class='price'><span class='was-price'>$19.99</span><span class='now'>$14.99</span></p>",
        "<p class='price'><b>$14.99</b> <span class='full-price'><i class='barred'>$19.99</i></span></p>",
    ],
)
def test_p027_data_that_give_the_struck_price_do_not_hide_the_lower_one(body: str) -> None:
    found = assess(ld(product(), body=f"<h1>Red Shoe</h1>{body}"), GENERIC, context())
    assert found.offer is not None
    assert found.offer.price == Money(1499, "USD")


def test_the_fast_path_leaves_a_contradiction_to_the_dom() -> None:
    assert fast(ld(product(), body="<h1>Red Shoe</h1><p>$14.99</p>"), "offer") is None
    assert fast(ld(product(), body="<h1>Red Shoe</h1><del>$19.99</del>"), "offer") is None
    assert fast(ld(product(), body="<h1>Red Shoe</h1><p>$19.99</p>"), "offer") is not None
    assert fast(ld(product(offers=offer("1299.00")), body="<h1>Red Shoe</h1><p>1.299,00 $</p>"), "offer") is not None


@pytest.mark.parametrize(
    ("body", "is_fast"),
    [
        ("<button>Add to cart</button>", True),
        ("<button><span>Add to cart</span></button><ul><li>Small: sold out</li></ul>", True),
        ("<p>Sold out</p><button>Add to cart</button>", False),
        ("<button disabled>Add to cart</button><p>Sold out</p>", False),
        ("<button class='d-none'>Add to cart</button><button>Sold out</button>", False),
        ("<div style='display:none'><button>Add to cart</button></div><button>Sold out</button>", False),
        ("<button>Add to wish list</button><button>Sold out</button>", False),
        ("<button>Pre-order now</button>", False),
        ("<button>Add to cart<b>", True),  # a button that never ends: the words after the heading decide
        ("<button>Add to cart<b> sold out", False),
    ],
)
def test_the_fast_path_believes_a_plain_button_of_buying_as_the_dom_does(body: str, is_fast: bool) -> None:
    shop = ld(product(), body=f"<h1>Red Shoe</h1><p>$19.99</p>{body}")
    assert (fast(shop, "offer") is not None) is is_fast
    if is_fast:
        found = assess(shop, GENERIC, context())
        assert found.offer is not None
        assert found.offer.availability is Availability.IN_STOCK


def test_of_several_claims_the_one_the_page_shows_is_taken() -> None:
    several = ld(product(offers=[offer("10"), offer("12")]), body="<h1>Red Shoe</h1><p class='price'>$12.00</p>")
    found = assess(several, GENERIC, context())
    assert found.offer is not None
    assert found.offer.price == Money(1200, "USD")
    other = ld(product(offers=[offer("10"), offer("12")]), body="<h1>Red Shoe</h1><p class='price'>$11.00</p>")
    found = assess(other, GENERIC, context())
    assert found.verdict is not None
    assert found.verdict.reason == Hold.AMBIGUOUS_PRICE


@pytest.mark.parametrize(
    ("html", "stock"),
    [
        ("<p class='stock'>Op voorraad</p>", Availability.IN_STOCK),
        ("<p class='availability'>Nicht auf Lager</p>" + BUTTON, Availability.OUT_OF_STOCK),
        ("<p class='availability'>En rupture de stock</p>", Availability.OUT_OF_STOCK),
        ("<p class='stock-status'>Agotado</p>" + BUTTON, Availability.OUT_OF_STOCK),
        ("<p class='stock available-on-backorder'>Available on backorder</p>" + BUTTON, Availability.BACKORDER),
        ("<button>In den Warenkorb</button>", Availability.IN_STOCK),
        ("<button>In winkelwagen</button>", Availability.IN_STOCK),
        ("<button>Ajouter au panier</button>", Availability.IN_STOCK),
        ("<button>Añadir al carrito</button>", Availability.IN_STOCK),
        ("<button disabled>Sold out</button>", Availability.OUT_OF_STOCK),
        ("<button disabled>Add to cart</button>", Availability.UNKNOWN),
        ("<button>Subscribe</button>", Availability.UNKNOWN),
        ("<div class='related-products'><button>Add to cart</button></div>", Availability.UNKNOWN),
        ("<p class='stock' style='display:none'>Out of stock</p>" + BUTTON, Availability.IN_STOCK),
        ("", Availability.UNKNOWN),
    ],
)
def test_p009_stock_is_read_from_explicit_signals_only(html: str, stock: Availability) -> None:
    found = seen(f"<div><h1>Red Shoe</h1><span class='price'>$19.99</span>{html}</div>")
    assert found.offer is not None
    assert found.offer.availability is stock


@pytest.mark.parametrize(
    ("price", "lang", "url", "money"),
    [
        ("1.299,00 €", "de", "https://shop.de/p", Money(129900, "EUR")),
        ("€ 1.299,-", "nl", "https://shop.nl/p", Money(129900, "EUR")),
        ("1 299,00 €", "fr", "https://shop.fr/p", Money(129900, "EUR")),
        ("1 299 kr", "sv", "https://shop.se/p", Money(129900, "SEK")),
        ("1 299,00 zł", "pl", "https://shop.pl/p", Money(129900, "PLN")),
        ("¥12,800", "ja", "https://shop.jp/p", Money(12800, "JPY")),
        ("$1,299.00", "en", "https://shop.com.au/p", Money(129900, "AUD")),
        ("$1,299.00", "en", "https://shop.ca/p", Money(129900, "CAD")),
        ("$1,299.00", "en", "https://shop.com/p", Money(129900, "USD")),
    ],
)
def test_prices_are_read_as_the_page_s_country_writes_them(price: str, lang: str, url: str, money: Money) -> None:
    found = seen(f"<div><h1>Red Shoe</h1><span class='price'>{price}</span>{BUTTON}</div>", lang, url)
    assert found.offer is not None
    assert found.offer.price == money, found.offer.problems


def test_meta_tags_and_rdfa_are_read() -> None:
    tags = "".join(
        f'<meta property="{name}" content="{value}">'
        for name, value in {
            "og:title": "Red Shoe",
            "product:price:amount": "19.99",
            "product:price:currency": "USD",
        }.items()
    )
    rdfa = (
        '<div vocab="https://schema.org/" typeof="Product"><h1 property="name">Red Shoe</h1><div '
        'property="offers" typeof="Offer">'
        '<span property="price" content="19.99">19,99</span><meta property="priceCurrency" content="USD">'
        '<link property="availability" href="https://schema.org/InStock"></div></div>'
    )
    for html in (f"{tags}<h1>Red Shoe</h1>{BUTTON}", rdfa):
        found = seen(html)
        assert found.offer is not None, found
        assert (found.offer.price, found.offer.availability) == (Money(1999, "USD"), Availability.IN_STOCK)


def test_a_page_without_offer_stays_without() -> None:
    about = "<h1>About us</h1><p>We sell shoes since 1911, 24.50 metres from the station, and proudly.</p>"
    assert isinstance(GENERIC.extract(page(about), context()), Failure)
