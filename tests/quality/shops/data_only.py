"""Pages whose price stands in data of one kind: microdata of 2013, RDFa, meta tags, attributes, script variables."""

from __future__ import annotations

import json
from html import escape

from tests.quality.shops.spec import Spec, button, document, ld_product, script
from tests.quality.shops.systems import Room, Shape


def microdata_2013(spec: Spec, room: Room) -> str:
    """The price as text with its sign, no currency beside it, stock as a property on plain text."""
    old = f'<span class="was">{escape(spec.country.was)} {spec.was}</span>' if spec.was else ""
    return document(
        spec,
        f'{room.above}<div itemscope itemtype="http://data-vocabulary.org/Product"><h1><span itemprop="name">{spec.name}'
        f'</span></h1>{old}<span itemprop="offerDetails" itemscope itemtype="http://data-vocabulary.org/Offer"><span '
        f'itemprop="price">{spec.price}</span> <span itemprop="availability" content="'
        f'{"in_stock" if spec.in_stock else "out_of_stock"}">{spec.stock_line}</span></span>{room.inside}'
        f"{button(spec)}</div>{room.below}",
    )


def microdata_sibling(spec: Spec, room: Room) -> str:
    """Name, price and stock in their own places, the offer not inside the product."""
    return document(
        spec,
        f'{room.above}<div itemscope itemtype="http://schema.org/Product"><h1 itemprop="name">{spec.name}</h1><meta '
        f'itemprop="sku" content="{spec.sku}"></div><div class="buy"><div itemprop="offers" itemscope '
        f'itemtype="http://schema.org/Offer"><span class="price" itemprop="price">{spec.price}</span><link '
        f'itemprop="availability" href="{spec.schema_stock}"/></div>{room.inside}{button(spec)}</div>{room.below}',
    )


def rdfa_goodrelations(spec: Spec, room: Room) -> str:
    return document(
        spec,
        f'{room.above}<div xmlns:gr="http://purl.org/goodrelations/v1#" typeof="gr:Offering" about="#offering"><h1 '
        f'property="gr:name">{spec.name}</h1><div rel="gr:hasPriceSpecification"><div '
        f'typeof="gr:UnitPriceSpecification"><span property="gr:hasCurrency" content="{spec.currency}"></span><span '
        f'property="gr:hasCurrencyValue" content="{spec.amount}">{spec.price}</span></div></div>{room.inside}<p '
        f'class="stock-info">{spec.stock_line}</p>{button(spec)}</div>{room.below}',
    )


def rdfa_schema(spec: Spec, room: Room) -> str:
    return document(
        spec,
        f'{room.above}<div vocab="http://schema.org/" typeof="Product"><h1 property="name">{spec.name}</h1><div '
        f'property="offers" typeof="Offer"><span property="priceCurrency" content="{spec.currency}"></span><span '
        f'property="price" content="{spec.amount}">{spec.price}</span><link property="availability" '
        f'href="{spec.schema_stock}"></div>{room.inside}{button(spec)}</div>{room.below}',
    )


def open_graph(spec: Spec, room: Room) -> str:
    stock = "instock" if spec.in_stock else "out of stock"
    return document(
        spec,
        f'{room.above}<div class="detail"><h1>{spec.name}</h1><p class="buy-price">{spec.price}</p>{room.inside}'
        f"{button(spec)}</div>{room.below}",
        head=f'<meta property="og:title" content="{spec.name}"><meta property="og:type" content="og:product"><meta '
        f'property="og:price:amount" content="{spec.amount}"><meta property="og:price:currency" '
        f'content="{spec.currency}"><meta property="og:availability" content="{stock}">',
    )


def twitter_card(spec: Spec, room: Room) -> str:
    return document(
        spec,
        f'{room.above}<div class="pdp"><h1>{spec.name}</h1><div class="pdp__cost">{spec.price}</div>{room.inside}'
        f"{button(spec)}</div>{room.below}",
        head=f'<meta name="twitter:card" content="product"><meta name="twitter:title" content="{spec.name}"><meta '
        f'name="twitter:label1" content="Price"><meta name="twitter:data1" content="{spec.price}"><meta '
        f'name="twitter:label2" content="Availability"><meta name="twitter:data2" content="{spec.stock_line}">',
    )


def data_attributes(spec: Spec, room: Room) -> str:
    """The whole product on one element, for the analytics script."""
    return document(
        spec,
        f'{room.above}<div class="js-product" data-product-id="{spec.sku}" data-product-name="{spec.name}" '
        f'data-product-price="{spec.amount}" data-currency="{spec.currency}"><h1>{spec.name}</h1><div '
        f'class="prijs">{spec.price}</div>{room.inside}{button(spec)}</div>{room.below}',
    )


def data_layer(spec: Spec, room: Room) -> str:
    layer = {"event": "productDetail", "ecommerce": {"currencyCode": spec.currency, "detail": {"products": [
        {"name": spec.title, "id": spec.sku, "price": spec.amount, "brand": spec.brand}]}}}  # fmt: skip
    return document(
        spec,
        f'{room.above}<section><h1>{spec.name}</h1><div class="c-buy"><span class="c-buy__value">{spec.price}</span>'
        f"{room.inside}{button(spec)}</div></section>{room.below}",
        head=f"<script>window.dataLayer = window.dataLayer || []; dataLayer.push({json.dumps(layer)});</script>",
    )


def digital_data(spec: Spec, room: Room) -> str:
    data = {"product": [{"productInfo": {"productName": spec.title, "sku": spec.sku}, "price": {
        "basePrice": float(spec.amount), "currency": spec.currency}}], "pageInstanceID": "x"}  # fmt: skip
    return document(
        spec,
        f'{room.above}<div class="product-detail"><h1>{spec.name}</h1><div class="product-price">{spec.price}</div>'
        f'<div class="stock-state">{spec.stock_line}</div>{room.inside}</div>{room.below}',
        head=f"<script>var digitalData = {json.dumps(data)};</script>",
    )


def graph_of_plugins(spec: Spec, room: Room) -> str:
    """An SEO plugin's graph: site, page, breadcrumbs, and the product among them."""
    product = {key: value for key, value in ld_product(spec).items() if key != "@context"}
    graph = [{"@type": "WebSite", "name": "Lagerhaus"}, {"@type": "ItemPage", "@id": spec.url},
             {"@type": "BreadcrumbList", "itemListElement": []}, product]  # fmt: skip
    return document(
        spec,
        f'{room.above}<article><h1 class="entry-title">{spec.name}</h1><p class="price">{spec.price}</p>{room.inside}'
        f"{button(spec)}</article>{room.below}",
        head=script({"@context": "https://schema.org", "@graph": graph}),
    )


def heading_far_away(spec: Spec, room: Room) -> str:
    """The heading at the top of the page, price and button in a column of their own."""
    was = f'<div class="col-price__old">{spec.was}</div>' if spec.was else ""
    return document(
        spec,
        f'<header><h1>{spec.name}</h1></header>{room.above}<div class="row"><div class="gallery"></div><div '
        f'class="text"><p>{escape(spec.brand)} {spec.sku}</p></div><div class="col-price">{was}<div '
        f'class="col-price__now">{spec.price}</div>{room.inside}<div class="stock">{spec.stock_line}</div>{button(spec)}'
        f"</div></div>{room.below}",
    )


def no_heading(spec: Spec, room: Room) -> str:
    """The name in a div."""
    was = f"<s>{spec.was}</s>" if spec.was else ""
    return document(
        spec,
        f'{room.above}<div class="prod"><div class="prod-title">{spec.name}</div><div class="prod-price">{was}'
        f"<strong>{spec.price}</strong></div>{room.inside}{button(spec)}</div>{room.below}",
    )


DATA_ONLY: list[Shape] = [
    microdata_2013, microdata_sibling, rdfa_goodrelations, rdfa_schema, open_graph, twitter_card, data_attributes,
    data_layer, digital_data, graph_of_plugins, heading_far_away, no_heading,
]  # fmt: skip
