"""Pages of the shop systems most shops run on."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from html import escape

from tests.quality.shops.spec import Spec, button, document, ld_product, script


@dataclass(frozen=True)
class Room:
    """What stands around the product: above it, among its own lines, and below it."""

    above: str = ""
    inside: str = ""
    below: str = ""


Shape = Callable[[Spec, Room], str]


def _woo(spec: Spec, text: str) -> str:
    return f'<span class="woocommerce-Price-amount amount"><bdi>{text}</bdi></span>'


def woocommerce(spec: Spec, room: Room) -> str:
    old = f'<del aria-hidden="true">{_woo(spec, spec.was)}</del> ' if spec.was else ""
    now = f'<ins aria-hidden="true">{_woo(spec, spec.price)}</ins>' if spec.was else _woo(spec, spec.price)
    stock = "in-stock" if spec.in_stock else "out-of-stock"
    cart = button(spec, '<button class="single_add_to_cart_button button alt"{}>{}</button>') if spec.in_stock else ""
    return document(
        spec,
        f'{room.above}<div id="product-77" class="product type-product instock"><div class="summary entry-summary">'
        f'<h1 class="product_title entry-title">{spec.name}</h1><p class="price">{old}{now}</p>{room.inside}'
        f'<p class="stock {stock}">{spec.stock_line}</p><form class="cart">{cart}</form></div>'
        f"{room.below}</div>",
        body_tag='<body class="single-product woocommerce woocommerce-page">',
    )


def woocommerce_2013(spec: Spec, room: Room) -> str:
    """Version 2: microdata around, amounts in plain spans, no stock line unless it is out."""
    old = f'<del><span class="amount">{spec.was}</span></del> ' if spec.was else ""
    stock = "" if spec.in_stock else f'<p class="stock out-of-stock">{spec.stock_line}</p>'
    return document(
        spec,
        f'{room.above}<div itemscope itemtype="http://schema.org/Product" class="product"><div class="summary">'
        f'<h1 itemprop="name" class="product_title">{spec.name}</h1><div itemprop="offers" itemscope '
        f'itemtype="http://schema.org/Offer"><p itemprop="price" class="price">{old}<ins><span class="amount">'
        f'{spec.price}</span></ins></p><link itemprop="availability" href="{spec.schema_stock}"></div>{room.inside}'
        f'{stock}<form class="cart"><button type="submit" class="single_add_to_cart_button">'
        f"{escape(spec.country.cart)}</button></form></div>{room.below}</div>",
        body_tag='<body class="single single-product woocommerce">',
    )


def shopify_dawn(spec: Spec, room: Room) -> str:
    sale = "price--on-sale" if spec.was else ""
    return document(
        spec,
        f'{room.above}<main><section id="shopify-section-main" class="shopify-section"><div class="product '
        f'grid"><div class="product__info-wrapper"><div class="product__info-container"><div class="product__title"><h1>'
        f'{spec.name}</h1></div><div id="price-template--1"><div class="price price--large {sale}"><div '
        f'class="price__container"><div class="price__regular"><span class="visually-hidden">Regular price</span><span '
        f'class="price-item price-item--regular">{spec.price}</span></div><div class="price__sale"><span '
        f'class="visually-hidden">Regular price</span><span><s class="price-item price-item--regular">{spec.was}</s>'
        f'</span><span class="visually-hidden">Sale price</span><span class="price-item price-item--sale '
        f'price-item--last">{spec.price}</span></div><small class="unit-price caption hidden"></small></div></div></div>'
        f'{room.inside}<form action="/cart/add">{button(spec, "<button type=submit name=add{}>{}</button>")}</form>'
        f"</div></div></div></section>{room.below}</main>",
        head=_og(spec) + script(ld_product(spec)),
    )


def shopify_debut_state(spec: Spec, room: Room) -> str:
    """No structured data: the theme's product JSON and meta of the analytics script."""
    cents = spec.minor * (1 if spec.country.decimals == 2 else 100)
    before = (spec.list_minor * (1 if spec.country.decimals == 2 else 100)) or None
    variant = {"id": 991, "title": "Default Title", "available": spec.in_stock, "price": cents, "sku": spec.sku,
               "compare_at_price": before}  # fmt: skip
    product = {"id": 990, "title": spec.title, "handle": spec.slug, "vendor": spec.brand, "price": cents,
               "available": spec.in_stock, "compare_at_price": before, "variants": [variant]}  # fmt: skip
    was = f'<s class="product-single__price product-single__price--compare">{spec.was}</s>' if spec.was else ""
    return document(
        spec,
        f'{room.above}<div id="shopify-section-product-template"><div class="product-single"><h1 '
        f'class="product-single__title">{spec.name}</h1><div class="product-single__prices">{was}<span '
        f'id="ProductPrice" class="product-single__price">{spec.price}</span></div>{room.inside}<form '
        f'action="/cart/add" class="product-form">{button(spec, "<button name=add{}><span>{}</span></button>")}</form>'
        f"</div></div>{script(product, '<script type=application/json data-product-json>')}{room.below}",
        head=f"<script>Shopify.currency = {json.dumps({'active': spec.currency, 'rate': '1.0'})};</script>",
    )


def magento_1(spec: Spec, room: Room) -> str:
    if spec.was:
        price = (
            f'<p class="old-price"><span class="price-label">{escape(spec.country.was)}:</span> <span class="price" '
            f'id="old-price-12">{spec.was}</span></p><p class="special-price"><span class="price-label">Special Price'
            f'</span> <span class="price" id="product-price-12">{spec.price}</span></p>'
        )
    else:
        price = f'<span class="regular-price" id="product-price-12"><span class="price">{spec.price}</span></span>'
    stock = "in-stock" if spec.in_stock else "out-of-stock"
    cart = button(spec, '<button type="button" class="button btn-cart"{}><span><span>{}</span></span></button>')
    return document(
        spec,
        f'{room.above}<div class="product-view"><div class="product-essential"><form id="product_addtocart_form"><div '
        f'class="product-shop"><div class="product-name"><h1>{spec.name}</h1></div><p class="availability {stock}">'
        f'<span>{spec.stock_line}</span></p><div class="price-box">{price}</div>{room.inside}<div class="add-to-box">'
        f"{cart if spec.in_stock else ''}</div></div></form></div>{room.below}</div>",
        body_tag='<body class="catalog-product-view">',
    )


def magento_2(spec: Spec, room: Room) -> str:
    old = (
        f'<span class="old-price"><span class="price-container"><span class="price-label">{escape(spec.country.was)}'
        f'</span><span data-price-amount="{spec.plain(spec.list_minor)}" data-price-type="oldPrice" '
        f'class="price-wrapper"><span class="price">{spec.was}</span></span></span></span>'
        if spec.was
        else ""
    )
    cart = (
        '<button type="submit" class="action primary tocart" id="product-addtocart-button"{}><span>{}</span></button>'
    )
    stock = "available" if spec.in_stock else "unavailable"
    return document(
        spec,
        f'{room.above}<div class="product-info-main"><div class="page-title-wrapper product"><h1 class="page-title">'
        f'<span class="base" itemprop="name">{spec.name}</span></h1></div><div class="product-info-price"><div '
        f'class="price-box price-final_price"><span class="special-price"><span class="price-container '
        f'price-final_price"><span data-price-amount="{spec.amount}" data-price-type="finalPrice" '
        f'class="price-wrapper" itemprop="price"><span class="price">{spec.price}</span></span></span></span>{old}'
        f'</div><div class="product-info-stock-sku"><div class="stock {stock}"><span>{spec.stock_line}</span></div>'
        f"</div></div>{room.inside}{button(spec, cart) if spec.in_stock else ''}</div>{room.below}",
        head=f'<meta property="product:price:amount" content="{spec.amount}"><meta property="product:price:currency" '
        f'content="{spec.currency}">',
        body_tag='<body class="catalog-product-view">',
    )


def bigcommerce(spec: Spec, room: Room) -> str:
    was = '<div class="price-section price-section--withoutTax non-sale-price--withoutTax">Was: <span '
    was += f'data-product-non-sale-price-without-tax class="price price--non-sale">{spec.was}</span></div>'
    cart = '<input id="form-action-addToCart" class="button button--primary" type="submit" value="{}">'
    out = f'<p class="alertBox-column alertBox-message">{spec.stock_line}</p>'
    return document(
        spec,
        f'{room.above}<div class="productView"><section class="productView-details product-data"><div '
        f'class="productView-product"><h1 class="productView-title">{spec.name}</h1><div class="productView-price">'
        f'{was if spec.was else ""}<div class="price-section price-section--withoutTax"><span class="price-label"></span>'
        f'<span data-product-price-without-tax class="price price--withoutTax">{spec.price}</span></div></div>'
        f"{room.inside}</div></section><section class='productView-details product-options'>"
        f"{cart.format(escape(spec.country.cart)) if spec.in_stock else out}</section></div>{room.below}",
        head=_og(spec),
    )


def prestashop_16(spec: Spec, room: Room) -> str:
    old = f'<p id="old_price"><span id="old_price_display" class="price">{spec.was}</span></p>' if spec.was else ""
    cart = (
        f'<p id="add_to_cart"><button type="submit" name="Submit" class="exclusive"><span>{escape(spec.country.cart)}'
    )
    return document(
        spec,
        f'{room.above}<div class="primary_block" itemscope itemtype="https://schema.org/Product"><h1 itemprop="name">'
        f'{spec.name}</h1><p id="availability_statut"><span id="availability_value" class="label">{spec.stock_line}'
        f'</span></p><div class="content_prices"><p class="our_price_display" itemprop="offers" itemscope '
        f'itemtype="https://schema.org/Offer"><span id="our_price_display" class="price" itemprop="price" '
        f'content="{spec.amount}">{spec.price}</span><meta itemprop="priceCurrency" content="{spec.currency}"></p>{old}'
        f"</div>{room.inside}{cart + '</span></button></p>' if spec.in_stock else ''}</div>{room.below}",
    )


def prestashop_17(spec: Spec, room: Room) -> str:
    old = f'<div class="product-discount"><span class="regular-price">{spec.was}</span></div>' if spec.was else ""
    mark = "&#xE5CA;" if spec.in_stock else "&#xE14B;"
    cart = '<button class="btn btn-primary add-to-cart" data-button-action="add-to-cart" type="submit"{}>{}</button>'
    return document(
        spec,
        f'{room.above}<section id="main"><div class="row product-container js-product-container"><h1 class="h1">'
        f'{spec.name}</h1><div class="product-prices js-product-prices">{old}<div class="product-price h5 has-discount">'
        f'<div class="current-price"><span class="current-price-value" content="{spec.amount}">{spec.price}</span></div>'
        f'</div></div>{room.inside}{button(spec, cart)}<span id="product-availability"><i class="material-icons">{mark}'
        f"</i>{spec.stock_line}</span></div></section>{room.below}",
        body_tag='<body id="product" class="product-id-12">',
    )


def opencart(spec: Spec, room: Room) -> str:
    if spec.was:
        price = f'<li><span style="text-decoration: line-through;">{spec.was}</span></li><li><h2>{spec.price}</h2></li>'
    else:
        price = f"<li><h2>{spec.price}</h2></li>"
    cart = '<button type="button" id="button-cart" class="btn btn-primary btn-lg btn-block">{}</button>'
    return document(
        spec,
        f'{room.above}<div id="content"><div class="row"><div class="col-sm-8"></div><div class="col-sm-4"><h1>'
        f'{spec.name}</h1><ul class="list-unstyled"><li>Brand: {escape(spec.brand)}</li><li>Product Code: {spec.sku}'
        f'</li><li>Availability: {spec.stock_line}</li></ul><ul class="list-unstyled">{price}</ul><div id="product">'
        f"{room.inside}{cart.format(escape(spec.country.cart))}</div></div></div>{room.below}</div>",
    )


def _og(spec: Spec) -> str:
    stock = "instock" if spec.in_stock else "oos"
    return (
        f'<meta property="og:type" content="product"><meta property="og:title" content="{spec.name}"><meta '
        f'property="product:price:amount" content="{spec.amount}"><meta property="product:price:currency" '
        f'content="{spec.currency}"><meta property="product:availability" content="{stock}">'
    )


SYSTEMS: list[Shape] = [
    woocommerce, woocommerce_2013, shopify_dawn, shopify_debut_state, magento_1, magento_2, bigcommerce, prestashop_16,
    prestashop_17, opencart,
]  # fmt: skip
