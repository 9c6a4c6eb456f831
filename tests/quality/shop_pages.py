"""Product pages in the shapes shop systems produce, each with the truth about it.

A truth of None means that no offer may be accepted from the page: it has no single price, no stock signal, or
none at all.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

from winnow.normalise.record import Availability


@dataclass(frozen=True)
class Goods:
    name: str
    minor: int
    currency: str
    stock: Availability
    slug: str

    @property
    def amount(self) -> str:
        return f"{self.minor // 100}.{self.minor % 100:02d}"

    @property
    def continental(self) -> str:
        return f"{self.minor // 100:,}.{self.minor % 100:02d}".translate(str.maketrans(",.", ".,"))

    @property
    def schema_stock(self) -> str:
        words = {"IN_STOCK": "InStock", "OUT_OF_STOCK": "OutOfStock", "BACKORDER": "BackOrder"}
        return f"https://schema.org/{words[self.stock]}"

    @property
    def url(self) -> str:
        return f"https://shop.example/{self.slug}"


@dataclass(frozen=True)
class Case:
    shape: str
    url: str
    html: str
    truth: Goods | None


GOODS = [
    Goods("Walnut Desk Lamp", 4995, "EUR", Availability.IN_STOCK, "walnut-desk-lamp"),
    Goods('Monitor 27" Ultra & Co', 129900, "USD", Availability.OUT_OF_STOCK, "monitor-27"),
    Goods("Grüner Tee Sencha 100 g", 899, "EUR", Availability.BACKORDER, "gruener-tee"),
    Goods("Trail Runner 5 GTX", 15990, "CHF", Availability.IN_STOCK, "trail-runner-5"),
    Goods("Federal 9mm 115gr 50 Rounds", 1850, "USD", Availability.IN_STOCK, "federal-9mm"),
    Goods("Espresso Machine Pro X", 249900, "GBP", Availability.IN_STOCK, "espresso-pro-x"),
]
OTHERS = [
    Goods("Felt Hat", 1900, "EUR", Availability.IN_STOCK, "felt-hat"),
    Goods("Oak Stool", 7900, "EUR", Availability.OUT_OF_STOCK, "oak-stool"),
]


def cases() -> Iterator[Case]:
    for goods in GOODS:
        for build in RIGHT:
            yield Case(build.__name__, goods.url, build(goods), goods)
        for build in TRAPS:
            yield Case(build.__name__, goods.url, build(goods), None)
        yield Case("shopify_selected", f"{goods.url}?variant=2", shopify_variants(goods), goods)


def html(goods: Goods, head: str = "", body: str = "", lang: str = "en") -> str:
    name = escape(goods.name)
    head = f"<head><title>{name} – The Shop</title>{head}</head>"
    return f'<!doctype html><html lang="{lang}">{head}<body><h1>{name}</h1>{body}</body></html>'


def block(data: Any) -> str:
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    return f'<script type="application/ld+json">{text}</script>'


def sold(goods: Goods, **more: Any) -> dict[str, Any]:
    return {
        "@type": "Offer", "price": goods.amount, "priceCurrency": goods.currency,
        "availability": goods.schema_stock, "priceValidUntil": "2020-01-01", **more,
    }  # fmt: skip


def thing(goods: Goods, offers: Any = None, **more: Any) -> dict[str, Any]:
    return {
        "@context": "https://schema.org/",
        "@type": "Product",
        "name": goods.name,
        "offers": offers or sold(goods),
        **more,
    }


# Pages with one price


def plain_json_ld(goods: Goods) -> str:
    return html(goods, block(thing(goods, sku="S-1", brand={"@type": "Brand", "name": "Acme"})))


def number_price(goods: Goods) -> str:
    return html(goods, block(json.dumps(thing(goods)).replace(f'"{goods.amount}"', goods.amount)))


def graph_with_site(goods: Goods) -> str:
    page = {"@type": "ItemPage", "@id": goods.url, "url": goods.url, "name": "x", "breadcrumb": {"@id": "#crumbs"}}
    crumbs = {"@type": "BreadcrumbList", "@id": "#crumbs", "itemListElement": [{"@type": "ListItem", "name": "Home"}]}
    return html(goods, block({"@context": "https://schema.org", "@graph": [page, crumbs, thing(goods)]}))


def woocommerce(goods: Goods) -> str:
    spec = {
        "@type": "UnitPriceSpecification",
        "price": goods.amount,
        "priceCurrency": goods.currency,
        "valueAddedTaxIncluded": "false",
    }
    offer = {
        "@type": "Offer",
        "priceSpecification": [spec],
        "availability": goods.schema_stock.replace("https", "http"),
    }
    return html(goods, body=block(thing(goods, [offer], sku=4711)))


def woocommerce_sale(goods: Goods) -> str:
    now = {"@type": "UnitPriceSpecification", "price": goods.amount, "priceCurrency": goods.currency}
    was = {**now, "price": f"{goods.minor // 100 + 50}.00", "priceType": "https://schema.org/ListPrice"}
    return html(
        goods,
        block(thing(goods, [{"@type": "Offer", "priceSpecification": [now, was], "availability": goods.schema_stock}])),
    )


def magento(goods: Goods) -> str:
    return html(goods, block(thing(goods, sold(goods, price=f"{goods.amount}00"))))


def shopify_variants(goods: Goods, step: int = 500) -> str:
    offers = [
        sold(goods, price=f"{(goods.minor + step * (2 - n)) / 100:.2f}", url=f"/{goods.slug}?variant={n}")
        for n in (1, 2, 3)
    ]
    return html(goods, block(thing(goods, offers)))


def shopify_one_price(goods: Goods) -> str:
    return shopify_variants(goods, step=0)


def equal_aggregate(goods: Goods) -> str:
    low = {"lowPrice": goods.amount, "highPrice": goods.amount, "offerCount": 3, "priceCurrency": goods.currency}
    return html(goods, block(thing(goods, {"@type": "AggregateOffer", **low, "availability": goods.schema_stock})))


def main_entity(goods: Goods) -> str:
    others = [block(thing(other)) for other in OTHERS]
    return html(goods, "".join(others) + block({"@type": "WebPage", "mainEntity": thing(goods)}))


def carousel_json_ld(goods: Goods) -> str:
    listed = {"@type": "ItemList", "itemListElement": [{"@type": "ListItem", "item": thing(o)} for o in OTHERS]}
    return html(goods, block(listed) + block(thing(goods)))


def loose_carousel(goods: Goods) -> str:
    return html(goods, "".join(block(thing(other, url=other.url)) for other in OTHERS) + block(thing(goods)))


def product_group(goods: Goods) -> str:
    variants = [{**thing(goods), "sku": f"v{n}", "offers": sold(goods)} for n in (1, 2)]
    return html(
        goods, block({"@type": "ProductGroup", "name": goods.name, "productGroupID": "g", "hasVariant": variants})
    )


def trailing_comma(goods: Goods) -> str:
    return html(goods, block(json.dumps(thing(goods))[:-1] + ",}"))


def raw_line_break(goods: Goods) -> str:
    return html(goods, block(json.dumps(thing(goods, description="first@second")).replace("@second", "\n\tsecond")))


def in_cdata(goods: Goods) -> str:
    return html(goods, block("//<![CDATA[\n" + json.dumps(thing(goods)) + "\n//]]>"))


def commented_old_price(goods: Goods) -> str:
    old = block(thing(goods, sold(goods, price="1.00")))
    return html(goods, f"<!-- {old} -->" + block(thing(goods)))


def formatted_price(goods: Goods) -> str:
    return html(goods, block(thing(goods, sold(goods, price=goods.continental))))


def unit_price_beside(goods: Goods) -> str:
    unit = {"price": "3.21", "referenceQuantity": {"value": "100", "unitCode": "GRM"}}
    return html(goods, block(thing(goods, sold(goods, priceSpecification=unit))))


def quantity_tiers(goods: Goods) -> str:
    tiers = [
        {"price": goods.amount, "eligibleQuantity": {"minValue": 1}},
        {"price": "1.00", "eligibleQuantity": {"minValue": 10}},
    ]
    offer = {
        "@type": "Offer",
        "priceCurrency": goods.currency,
        "availability": goods.schema_stock,
        "priceSpecification": tiers,
    }
    return html(goods, block(thing(goods, offer)))


def microdata(goods: Goods) -> str:
    return html(goods, body=_micro(goods, f'<meta itemprop="price" content="{goods.amount}">'))


def microdata_text_price(goods: Goods) -> str:
    return html(goods, body=_micro(goods, f'<span itemprop="price">{goods.continental}</span>'), lang="de")


def microdata_carousel(goods: Goods) -> str:
    others = "".join(_micro(other, f'<meta itemprop="price" content="{other.amount}">') for other in OTHERS)
    return html(goods, body=others + _micro(goods, f'<meta itemprop="price" content="{goods.amount}">') + others)


def split_between_both(goods: Goods) -> str:
    head = block({"@type": "Product", "name": goods.name, "sku": "S-1", "image": "/a.jpg"})
    return html(goods, head, _micro(goods, f'<meta itemprop="price" content="{goods.amount}">'))


def _micro(goods: Goods, price: str) -> str:
    return (
        f'<div itemscope itemtype="http://schema.org/Product"><b itemprop="name">{escape(goods.name)}</b>'
        f'<div itemprop="offers" itemscope itemtype="http://schema.org/Offer">{price}'
        f'<meta itemprop="priceCurrency" content="{goods.currency}">'
        f'<link itemprop="availability" href="{goods.schema_stock}"></div></div>'
    )


# Pages from which nothing may be accepted


def variants_differ(goods: Goods) -> str:
    return shopify_variants(goods)


def price_range(goods: Goods) -> str:
    low = {"lowPrice": goods.amount, "highPrice": f"{goods.minor // 100 + 9}.00", "priceCurrency": goods.currency}
    return html(goods, block(thing(goods, {"@type": "AggregateOffer", **low, "availability": goods.schema_stock})))


def range_in_text(goods: Goods) -> str:
    return html(goods, block(thing(goods, sold(goods, price=f"{goods.amount} - {goods.minor // 100 + 9}.00"))))


def two_sellers(goods: Goods) -> str:
    return html(goods, block(thing(goods, [sold(goods), sold(goods, price="1.23")])))


def two_descriptions(goods: Goods) -> str:
    return html(goods, block(thing(goods)) + block(thing(goods, sold(goods, price="1.23"))))


def listing(goods: Goods) -> str:
    listed = {"@type": "ItemList", "itemListElement": [thing(goods), *(thing(o) for o in OTHERS)]}
    return html(goods, block(listed))


def stray_product(goods: Goods) -> str:
    return html(goods, block(thing(OTHERS[0], url=OTHERS[0].url)))


def no_stock_signal(goods: Goods) -> str:
    return html(goods, block(thing(goods, sold(goods, availability=None))))


def zero_price(goods: Goods) -> str:
    return html(goods, block(thing(goods, sold(goods, price="0.00"))))


def no_currency(goods: Goods) -> str:
    return html(goods, block(thing(goods, sold(goods, priceCurrency=None))))


def wrong_currency_sign(goods: Goods) -> str:
    return html(goods, block(thing(goods, sold(goods, price=f"₹{goods.amount}"))))


def thousands_or_decimals(goods: Goods) -> str:
    return html(goods, block(thing(goods, sold(goods, price="1.299"))))


def unit_price_only(goods: Goods) -> str:
    unit = {"price": goods.amount, "referenceQuantity": {"value": "1", "unitCode": "KGM"}}
    return html(goods, block(thing(goods, {**sold(goods, priceSpecification=unit), "price": None})))


def challenge(goods: Goods) -> str:
    return "<title>Just a moment...</title><h1>Checking your browser</h1><p>This takes a few seconds.</p>"


def hidden_block(goods: Goods) -> str:
    return html(goods, f"<template>{block(thing(goods))}</template>", "<p>Nothing else is to be seen on this page.</p>")


def not_a_number(goods: Goods) -> str:
    return html(goods, block(thing(goods, sold(goods, price="NaN"))))


RIGHT: list[Callable[[Goods], str]] = [
    plain_json_ld, number_price, graph_with_site, woocommerce, woocommerce_sale, magento, shopify_one_price,
    equal_aggregate, main_entity, carousel_json_ld, loose_carousel, product_group, trailing_comma, raw_line_break,
    in_cdata, commented_old_price, formatted_price, unit_price_beside, quantity_tiers, microdata,
    microdata_text_price, microdata_carousel, split_between_both,
]  # fmt: skip
TRAPS: list[Callable[[Goods], str]] = [
    variants_differ, price_range, range_in_text, two_sellers, two_descriptions, listing, stray_product,
    no_stock_signal, zero_price, no_currency, wrong_currency_sign, thousands_or_decimals, unit_price_only, challenge,
    hidden_block, not_a_number,
]  # fmt: skip
