"""Amounts on a product page that are not its price (P-027 … P-031), each as real shops write them."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from tests.quality.shops.spec import Spec

Decoy = Callable[[Spec], str]


def _cards(spec: Spec, card: str) -> str:
    return "".join(
        card.format(n=n, name=f"Other thing {n}", price=spec.money(price), cart=escape(spec.country.cart))
        for n, price in enumerate(spec.others)
    )


def related_list(spec: Spec) -> str:
    card = '<li class="product"><a href="/o{n}"><h3>{name}</h3><span class="price">{price}</span></a></li>'
    heading = escape(spec.country.related)
    return f'<section class="related"><h2>{heading}</h2><ul class="products">{_cards(spec, card)}</ul></section>'


def unnamed_grid(spec: Spec) -> str:
    """A row of other products whose class names say nothing."""
    card = (
        '<div class="x9f"><a href="/o{n}"><img src="/i{n}.jpg" alt="{name}"></a><a href="/o{n}" class="k2">{name}</a>'
        '<div class="pr price">{price}</div><button class="b7">{cart}</button></div>'
    )
    return f'<div class="m3"><div class="h4t">{escape(spec.country.related)}</div>{_cards(spec, card)}</div>'


def slider(spec: Spec) -> str:
    card = '<div class="slick-slide"><a href="/o{n}">{name}</a><p class="price">{price}</p></div>'
    return f'<div class="slick-slider">{_cards(spec, card)}</div>'


def recently_viewed(spec: Spec) -> str:
    card = '<div class="rv-item"><a href="/o{n}">{name}</a> <b class="price">{price}</b></div>'
    return f'<div id="recentlyViewed">{_cards(spec, card)}</div>'


def sidebar_bestsellers(spec: Spec) -> str:
    card = '<li><a href="/o{n}">{name}</a><span class="price-box"><span class="price">{price}</span></span></li>'
    return f'<aside class="sidebar"><div class="block best-sellers"><ol>{_cards(spec, card)}</ol></div></aside>'


def menu_cart(spec: Spec) -> str:
    return f'<div class="header-cart"><a href="/cart">0 <span class="amount">{spec.money(0)}</span></a></div>'


def free_shipping(spec: Spec) -> str:
    return f'<div class="usp-bar"><p>{escape(spec.country.shipping)} &gt; {spec.money(spec.others[0] * 3)}: 0</p></div>'


def shipping_cost(spec: Spec) -> str:
    return f'<p class="delivery-info">{escape(spec.country.shipping)}: <b>{spec.money(spec.others[1])}</b></p>'


def saved_amount(spec: Spec) -> str:
    saved = spec.list_minor - spec.minor if spec.list_minor else spec.others[1]
    return f'<span class="you-save">{escape(spec.country.save)}: <span class="price">{spec.money(saved)}</span></span>'


def instalments(spec: Spec) -> str:
    return f'<div class="klarna-widget">3 x <span class="price">{spec.money(spec.minor // 3)}</span> Klarna</div>'


def monthly(spec: Spec) -> str:
    return f'<div class="financing"><span class="price">{spec.money(spec.minor // 12)}</span> / month</div>'


def unit_price(spec: Spec) -> str:
    return f'<div class="price-per-unit">{spec.money(spec.minor * 2)} / kg</div>'


def tiers(spec: Spec) -> str:
    rows = "".join(
        f"<tr><td>{quantity}+</td><td>{spec.money(spec.minor * percent // 100)}</td></tr>"
        for quantity, percent in ((5, 95), (10, 90), (50, 85))
    )
    return f'<table class="tier-prices"><tr><th>Qty</th><th>Price</th></tr>{rows}</table>'


def net_price(spec: Spec) -> str:
    return f'<span class="price-excluding-tax">{spec.money(spec.minor * 5 // 6)} excl. VAT</span>'


def loyalty(spec: Spec) -> str:
    return f'<div class="member-price">Club: <span class="price">{spec.money(spec.minor * 9 // 10)}</span></div>'


def coupon(spec: Spec) -> str:
    return f'<div class="coupon-box">Code SAVE: <strong>{spec.money(spec.others[0])}</strong> off</div>'


def gift_cards(spec: Spec) -> str:
    return "".join(f'<a class="gift-card" href="/g">{spec.money(m)}</a>' for m in spec.others)


def trade_in(spec: Spec) -> str:
    return f'<div class="trade-in">Trade-in value up to <span>{spec.money(spec.others[1])}</span></div>'


def warranty(spec: Spec) -> str:
    return f'<label class="warranty-option"><input type="checkbox"> 3 years + {spec.money(spec.others[1])}</label>'


def bundle(spec: Spec) -> str:
    total = spec.minor + sum(spec.others)
    return f'<div class="bundle-deal"><span class="price">{spec.money(total)}</span><button>Buy all 3</button></div>'


def reviews(spec: Spec) -> str:
    return f'<div class="reviews"><p>4.5 (1.234)</p><p>I paid {spec.money(spec.others[0])} for one like it.</p></div>'


def currency_menu(spec: Spec) -> str:
    return '<ul class="currency-switcher"><li><a>EUR €</a><li><a>USD $</a><li><a>GBP £</a></ul>'


def filters(spec: Spec) -> str:
    low, high = spec.money(1000), spec.money(990000)
    return f'<div class="price-filter"><span class="price">{low}</span> - <span class="price">{high}</span></div>'


INSIDE: list[Decoy] = [
    saved_amount, instalments, monthly, unit_price, tiers, net_price, loyalty, coupon, shipping_cost, trade_in, warranty,
]  # fmt: skip
OUTSIDE: list[Decoy] = [
    related_list, unnamed_grid, slider, recently_viewed, sidebar_bestsellers, menu_cart, free_shipping, gift_cards,
    bundle, reviews, currency_menu, filters,
]  # fmt: skip
