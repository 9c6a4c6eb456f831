"""Pages of other shop systems and site builders."""

from __future__ import annotations

import json
from html import escape

from tests.quality.shops.spec import Spec, button, document, ld_product, script
from tests.quality.shops.systems import Room, Shape


def drupal(spec: Spec, room: Room) -> str:
    cart = f'<input class="form-submit" type="submit" value="{escape(spec.country.cart)}">'
    out = f'<div class="field field-name-field-stock">{spec.stock_line}</div>'
    return document(
        spec,
        f'{room.above}<h1 class="page-header">{spec.name}</h1><article class="node node-product commerce-product"><div '
        f'class="field field-name-commerce-price field-type-commerce-price"><div class="field-item">{spec.price}</div>'
        f'</div>{room.inside}<form class="commerce-add-to-cart">{cart if spec.in_stock else out}</form></article>'
        f"{room.below}",
    )


def sfcc(spec: Spec, room: Room) -> str:
    strike = f'<span class="strike-through list"><span class="value" content="{spec.plain(spec.list_minor)}">'
    strike += f'<span class="sr-only">Price reduced from</span>{spec.was}<span class="sr-only">to</span></span></span>'
    cart = f'<button class="add-to-cart btn btn-primary" data-pid="{spec.sku}"' + "{}>{}</button>"
    return document(
        spec,
        f'{room.above}<div class="container product-detail product-wrapper" data-pid="{spec.sku}"><h1 '
        f'class="product-name">{spec.name}</h1><div class="prices"><div class="price"><span>'
        f'{"<del>" + strike + "</del>" if spec.was else ""}<span class="sales"><span class="value" '
        f'content="{spec.amount}">{spec.price}</span></span></span></div></div>{room.inside}<div '
        f'class="availability product-availability"><ul class="list-unstyled availability-msg"><li><div>'
        f"{spec.stock_line}</div></li></ul></div>{button(spec, cart)}</div>{room.below}",
    )


def sfcc_2014(spec: Spec, room: Room) -> str:
    """SiteGenesis: standard and sales price, microdata on the offer, stock as words."""
    standard = f'<span class="price-standard" title="Regular Price">{spec.was}</span>' if spec.was else ""
    return document(
        spec,
        f'{room.above}<div id="pdpMain" itemscope itemtype="http://schema.org/Product"><h1 class="product-name" '
        f'itemprop="name">{spec.name}</h1><div class="product-price">{standard}<span class="price-sales" '
        f'title="Sale Price">{spec.price}</span></div>{room.inside}<div class="availability"><label>Availability</label>'
        f'<div class="value"><div class="availability-msg"><p class="in-stock-msg">{spec.stock_line}</p></div></div>'
        f"</div>{button(spec, '<button id=add-to-cart class=button-fancy-large title=x{}>{}</button>')}</div>"
        f"{room.below}",
    )


def hybris(spec: Spec, room: Room) -> str:
    old = f'<p class="oldPrice">{spec.was}</p>' if spec.was else ""
    stock = "inStock" if spec.in_stock else "outOfStock"
    cart = '<button id="addToCartButton" type="submit" class="btn btn-primary js-add-to-cart"{}>{}</button>'
    return document(
        spec,
        f'{room.above}<div class="product-details page-title"><h1 class="name">{spec.name}</h1></div><div class="row"><div '
        f'class="product-main-info"><div class="product-details">{old}<p class="price">{spec.price}</p>{room.inside}'
        f'</div><div class="stock-wrapper {stock}">{spec.stock_line}</div>{button(spec, cart)}</div></div>{room.below}',
    )


def shopware_5(spec: Spec, room: Room) -> str:
    pseudo = f'<span class="content--discount"><span class="price--line-through">{spec.was}</span></span>'
    icon = "delivery--status-available" if spec.in_stock else "delivery--status-not-available"
    cart = '<button class="buybox--button block btn is--primary" name="x"{}><span>{}</span></button>'
    return document(
        spec,
        f'{room.above}<div class="content product--details" itemscope itemtype="http://schema.org/Product"><header '
        f'class="product--header"><h1 class="product--title" itemprop="name">{spec.name}</h1></header><div '
        f'class="product--buybox"><div itemprop="offers" itemscope itemtype="http://schema.org/Offer"><meta '
        f'itemprop="priceCurrency" content="{spec.currency}"><div class="product--price price--default"><span '
        f'class="price--content content--default"><meta itemprop="price" content="{spec.amount}">{spec.price} *</span>'
        f'{pseudo if spec.was else ""}</div>{room.inside}<div class="product--delivery"><p '
        f'class="delivery--information"><span class="delivery--text {icon}">{spec.stock_line}</span></p></div></div>'
        f"{button(spec, cart) if spec.in_stock else ''}</div></div>{room.below}",
    )


def shopware_6(spec: Spec, room: Room) -> str:
    old = f'<span class="list-price-price">{spec.was}</span>' if spec.was else ""
    cart = '<button class="btn btn-primary btn-buy" title="x"{}>{}</button>'
    return document(
        spec,
        f'{room.above}<div class="product-detail" itemscope itemtype="https://schema.org/Product"><h1 '
        f'class="product-detail-name" itemprop="name">{spec.name}</h1><div class="product-detail-buy"><meta '
        f'itemprop="price" content="{spec.amount}"><p class="product-detail-price">{spec.price}*</p>{old}{room.inside}'
        f'<div class="product-detail-delivery-information"><p class="delivery-information">{spec.stock_line}</p></div>'
        f"{button(spec, cart) if spec.in_stock else ''}</div></div>{room.below}",
        head=f'<meta property="product:price:amount" content="{spec.amount}"><meta property="product:price:currency" '
        f'content="{spec.currency}">',
    )


def jtl(spec: Spec, room: Room) -> str:
    old = f'<div class="instead-of old-price"><small>{escape(spec.country.was)} {spec.was}</small></div>'
    stock = "status-2" if spec.in_stock else "status-0"
    cart = '<button name="inWarenkorb" type="submit" class="btn btn-primary btn-block">{}</button>'
    return document(
        spec,
        f'{room.above}<div id="result-wrapper" itemscope itemtype="http://schema.org/Product"><h1 '
        f'class="product-title" itemprop="name">{spec.name}</h1><div class="price_wrapper"><strong class="price text-nowrap">'
        f'<span>{spec.price}</span></strong>{old if spec.was else ""}<div class="vat_info">inkl. 19% USt.</div></div>'
        f'{room.inside}<div class="delivery-status"><span class="status {stock}">{spec.stock_line}</span></div>'
        f"{cart.format(escape(spec.country.cart)) if spec.in_stock else ''}</div>{room.below}",
    )


def oxid(spec: Spec, room: Room) -> str:
    old = f"<del>{escape(spec.country.was)} {spec.was}</del>" if spec.was else ""
    flag = f'<span class="stockFlag"><i class="fa"></i> {spec.stock_line}</span>'
    cart = '<button id="toBasket" type="submit" class="btn btn-primary submitButton"{}>{}</button>'
    return document(
        spec,
        f'{room.above}<div id="productinfo"><h1 id="productTitle" itemprop="name">{spec.name}</h1><div '
        f'class="pricebox">{old}<label id="productPrice" class="price h2"><span>{spec.price}</span> *</label></div>'
        f"{room.inside}{flag}{button(spec, cart) if spec.in_stock else ''}</div>{room.below}",
    )


def squarespace(spec: Spec, room: Room) -> str:
    sold = "" if spec.in_stock else f'<div class="product-mark sold-out">{spec.stock_line}</div>'
    price = f'{spec.price} <span class="original-price">{spec.was}</span>' if spec.was else spec.price
    return document(
        spec,
        f'{room.above}<section id="productDetails"><h1 class="product-title">{spec.name}</h1>{sold}<div '
        f'class="product-price">{price}</div>{room.inside}<div class="sqs-add-to-cart-button" role="button" '
        f'tabindex="0"><div class="sqs-add-to-cart-button-inner">{escape(spec.country.cart)}</div></div></section>'
        f"{room.below}",
        head=f'<meta itemprop="price" content="{spec.amount}"><meta property="product:price:amount" '
        f'content="{spec.amount}"><meta property="product:price:currency" content="{spec.currency}"><meta '
        f'property="product:availability" content="{"instock" if spec.in_stock else "outofstock"}">',
    )


def wix(spec: Spec, room: Room) -> str:
    before = f'<span data-hook="formatted-primary-price" class="a8">{spec.was}</span>' if spec.was else ""
    hook = "formatted-secondary-price" if spec.was else "formatted-primary-price"
    data = {
        "@context": "https://schema.org/",
        "@type": "Product",
        "name": spec.title,
        "sku": spec.sku,
        "Offers": {
            "@type": "Offer",
            "price": spec.amount,
            "priceCurrency": spec.currency,
            "Availability": spec.schema_stock,
        },
    }
    cart = '<button data-hook="add-to-cart"{}><span>{}</span></button>'
    return document(
        spec,
        f'{room.above}<div data-hook="product-page"><h1 data-hook="product-title" class="_2q">{spec.name}</h1><div '
        f'data-hook="product-price" class="_3l">{before}<span data-hook="{hook}" class="_2s">{spec.price}</span></div>'
        f"{room.inside}{button(spec, cart)}</div>{room.below}",
        head=script(data),
    )  # fmt: skip


def vtex(spec: Spec, room: Room) -> str:
    """State of the platform beside the price written in parts."""
    state = {
        "Product:sp-1": {
            "productName": spec.title,
            "brand": spec.brand,
            "priceRange": {"sellingPrice": {"lowPrice": float(spec.amount), "highPrice": float(spec.amount)}},
        }
    }
    cart = '<button type="button" class="vtex-button"{}><span>{}</span></button>'
    list_price = f'<span class="vtex-product-price-1-x-listPrice">{spec.was}</span>' if spec.was else ""
    return document(
        spec,
        f'{room.above}<div class="vtex-flex-layout"><h1 class="vtex-store-components-3-x-productNameContainer"><span '
        f'class="vtex-store-components-3-x-productBrand">{spec.name}</span></h1>{list_price}<span '
        f'class="vtex-product-price-1-x-sellingPrice"><span class="vtex-product-price-1-x-currencyContainer">'
        f"{spec.price}</span></span>{room.inside}{button(spec, cart)}</div><script>__STATE__ = {json.dumps(state)}"
        f"</script>{room.below}",
        head=script(ld_product(spec, offers={"@type": "AggregateOffer", "lowPrice": float(spec.amount), "highPrice":
            float(spec.amount), "priceCurrency": spec.currency, "offers": [{"@type": "Offer", "price":
            float(spec.amount), "priceCurrency": spec.currency, "availability": spec.schema_stock}], "offerCount": 1})),
    )  # fmt: skip


MORE_SYSTEMS: list[Shape] = [
    drupal, sfcc, sfcc_2014, hybris, shopware_5, shopware_6, jtl, oxid, squarespace, wix, vtex,
]  # fmt: skip
