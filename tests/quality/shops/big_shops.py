"""Pages of large shops with programs of their own: prices in parts, generated names, state in scripts."""

from __future__ import annotations

import json
from html import escape

from tests.quality.shops.spec import Spec, button, document, ld_product, script
from tests.quality.shops.systems import Room, Shape


def _parts(spec: Spec) -> tuple[str, str, str]:
    """Whole part, separator, and the part after it."""
    if not spec.country.places:
        return spec.bare, "", ""
    whole, _, cents = spec.bare.rpartition(spec.country.point)
    return whole, spec.country.point, cents


def whole_and_fraction(spec: Spec, room: Room) -> str:
    """A spoken price out of sight, and the shown one in parts."""
    whole, point, cents = _parts(spec)
    basis = f'<span class="a-size-small">{escape(spec.country.was)}: <span class="a-price a-text-price"><span '
    basis += f'class="a-offscreen">{spec.was}</span><span aria-hidden="true">{spec.was}</span></span></span>'
    cart = (
        f'<input id="add-to-cart-button" name="submit.add-to-cart" type="submit" value="{escape(spec.country.cart)}">'
    )
    return document(
        spec,
        f'{room.above}<div id="dp-container"><div id="centerCol"><h1 id="title"><span id="productTitle">{spec.name}'
        f'</span></h1><div id="corePriceDisplay_desktop_feature_div"><span class="a-price priceToPay"><span '
        f'class="a-offscreen">{spec.price}</span><span aria-hidden="true"><span class="a-price-symbol">{spec.sign}'
        f'</span><span class="a-price-whole">{whole}<span class="a-price-decimal">{point}</span></span><span '
        f'class="a-price-fraction">{cents}</span></span></span>{basis if spec.was else ""}</div>{room.inside}</div>'
        f'<div id="rightCol"><div id="availability"><span class="a-size-medium">{spec.stock_line}</span></div>'
        f"{cart if spec.in_stock else ''}</div></div>{room.below}",
    )


def block_price_2014(spec: Spec, room: Room) -> str:
    was = f'<tr><td>{escape(spec.country.was)}:</td><td class="a-text-strike">{spec.was}</td></tr>' if spec.was else ""
    return document(
        spec,
        f'{room.above}<h1 id="title"><span id="productTitle">{spec.name}</span></h1><div id="price"><table>{was}<tr '
        f'id="priceblock_ourprice_row"><td>Price:</td><td><span id="priceblock_ourprice" class="a-color-price">'
        f'{spec.price}</span></td></tr></table></div>{room.inside}<div id="availability"><span>{spec.stock_line}</span>'
        f"</div>{button(spec, '<button id=add-to-cart-button{}>{}</button>') if spec.in_stock else ''}{room.below}",
    )


def auction_house(spec: Spec, room: Room) -> str:
    was = f'<span id="orgPrc" class="notranslate vi-originalPrice">{spec.was}</span>' if spec.was else ""
    cart = f'<a id="isCartBtn_btn" class="btn btn-scnd" href="/cart">{escape(spec.country.cart)}</a>'
    quantity = '<span id="qtySubTxt">3 available</span>' if spec.in_stock else "<span>Out of stock</span>"
    return document(
        spec,
        f'{room.above}<div itemscope itemtype="http://schema.org/Product"><h1 class="it-ttl" itemprop="name" '
        f'id="itemTitle">{spec.name}</h1><div itemprop="offers" itemscope itemtype="http://schema.org/Offer"><div '
        f'class="u-flL">{was}<span class="notranslate" id="prcIsum" itemprop="price" content="{spec.amount}">'
        f'{spec.price}</span><span itemprop="priceCurrency" content="{spec.currency}"></span></div>{quantity}'
        f"{cart if spec.in_stock else ''}</div>{room.inside}</div>{room.below}",
    )


def hydrated(spec: Spec, room: Room) -> str:
    """A Next.js shop: class names generated, everything in the state."""
    state = {"props": {"pageProps": {"initialData": {"data": {"product": {
        "name": spec.title, "usItemId": spec.sku, "brand": spec.brand,
        "availabilityStatus": "IN_STOCK" if spec.in_stock else "OUT_OF_STOCK",
        "priceInfo": {"currentPrice": {"price": float(spec.amount), "priceString": spec.country.written(spec.minor),
                                       "currencyUnit": spec.currency}}}}}}}}  # fmt: skip
    was = f'<span class="mr2 f6 gray strike">{spec.was}</span>' if spec.was else ""
    return document(
        spec,
        f'{room.above}<main><h1 class="lh-copy dark-gray" id="main-title">{spec.name}</h1><span itemprop="price" '
        f'aria-hidden="false" class="inline-flex flex-column"><span>{spec.price}</span></span>{was}{room.inside}'
        f"{button(spec, '<button class=w_hhLG{}><span>{}</span></button>')}</main>"
        f"{script(state, '<script id=__NEXT_DATA__ type=application/json>')}{room.below}",
    )


def furniture(spec: Spec, room: Room) -> str:
    """The currency in its own element, the number in three."""
    whole, point, cents = _parts(spec)
    after = f'<span class="pip-price__decimals"><span class="pip-price__separator">{point}</span>{cents}</span>'
    first = spec.country.pattern.index("#") > 0
    sign = f'<span class="pip-price__currency">{spec.sign}</span>'
    number = f'<span class="pip-price__integer">{whole}</span>{after if cents else ""}'
    return document(
        spec,
        f'{room.above}<div class="pip-product__buy-module"><div class="js-price-package"><div><h1 '
        f'class="pip-header-section"><span class="pip-header-section__title--big">{spec.name}</span></h1></div><div '
        f'class="pip-price-package__main-price"><span class="pip-price"><span aria-hidden="true">'
        f'{sign + number if first else number + " " + sign}</span><span class="pip-price__sr-text">Price {spec.price}'
        f"</span></span></div></div>{room.inside}{button(spec, '<button class=pip-btn{}>{}</button>')}</div>{room.below}",
        head=script(ld_product(spec)),
    )


def fashion(spec: Spec, room: Room) -> str:
    """Generated class names; the old price beside the new one, told apart by text-decoration only."""
    was = f'<p class="sDq_FX _4sa1cA FxZV-M"><span style="text-decoration:line-through">{spec.was}</span></p>'
    data = ld_product(spec, offers=[{"@type": "Offer", "sku": f"{spec.sku}-{size}", "price": spec.amount,
        "priceCurrency": spec.currency, "availability": spec.schema_stock} for size in ("S", "M", "L")])  # fmt: skip
    return document(
        spec,
        f'{room.above}<x-wrapper><h1 class="EKabf7 R_QwOV"><span>{spec.name}</span></h1><div class="_0xLoFW"><p '
        f'class="sDq_FX lystZ1">{spec.price}</p>{was if spec.was else ""}</div>{room.inside}'
        f"{button(spec, '<button class=DJxzzA{}><span>{}</span></button>')}</x-wrapper>{room.below}",
        head=script(data),
    )


def craft_market(spec: Spec, room: Room) -> str:
    was = f'<div class="wt-text-caption wt-text-gray"><p class="wt-text-strikethrough">{spec.was}</p></div>'
    cart = '<button type="submit" class="wt-btn wt-btn--filled"{}>{}</button>'
    return document(
        spec,
        f'{room.above}<div id="listing-page-cart"><div data-buy-box-region="price"><p class="wt-text-title-larger"><span '
        f'class="wt-screen-reader-only">Price:</span> {spec.price}</p>{was if spec.was else ""}</div><h1 '
        f'class="wt-text-body-01">{spec.name}</h1>{room.inside}{button(spec, cart)}</div>{room.below}',
        head=script(ld_product(spec)),
    )


def bazaar(spec: Spec, room: Room) -> str:
    """Everything in a script, the page itself an empty shell until it runs."""
    data = {"titleModule": {"subject": spec.title}, "priceModule": {"minAmount": {"value": float(spec.amount),
        "currency": spec.currency, "formatedAmount": spec.country.written(spec.minor)}},
        "quantityModule": {"totalAvailQuantity": 40 if spec.in_stock else 0}}  # fmt: skip
    return document(
        spec,
        f"{room.above}<div id=root></div><script>window.runParams = {{ data: {json.dumps(data)} }};</script>{room.below}",
        head=f'<meta property="og:title" content="{spec.name}"><meta property="og:type" content="product">'
        + script(ld_product(spec)),
    )


def department_store(spec: Spec, room: Room) -> str:
    was = f'<span class="h-text-sm">{escape(spec.country.was)} <span data-test="product-regular-price" '
    was += f'class="h-text-line-through">{spec.was}</span></span>'
    cart = '<button type="button" data-test="shippingButton"{}>{}</button>'
    return document(
        spec,
        f'{room.above}<div data-test="product-detail"><h1 data-test="product-title">{spec.name}</h1><div '
        f'data-module-type="ProductDetailPrice"><span data-test="product-price">{spec.price}</span>'
        f"{was if spec.was else ''}</div>{room.inside}{button(spec, cart)}</div>{room.below}",
    )


def electronics(spec: Spec, room: Room) -> str:
    was = f'<div class="pricing-price__regular-price">{escape(spec.country.was)} {spec.was}</div>' if spec.was else ""
    cart = '<button type="button" class="add-to-cart-button c-button"{}>{}</button>'
    return document(
        spec,
        f'{room.above}<div class="sku-title"><h1 class="heading-5">{spec.name}</h1></div><div class="pricing-price"><div '
        f'class="priceView-hero-price priceView-customer-price"><span aria-hidden="true">{spec.price}</span><span '
        f'class="sr-only">Your price for this item is {spec.price}</span></div>{was}</div>{room.inside}'
        f"{button(spec, cart)}{room.below}",
    )


def dutch_electronics(spec: Spec, room: Room) -> str:
    was = f'<span class="sales-price__former"><span class="sales-price__former-price">{spec.was}</span></span>'
    cart = '<button class="button--order js-add-to-cart-button"{}>{}</button>'
    return document(
        spec,
        f'{room.above}<h1 class="js-product-name">{spec.name}</h1><form class="product-order-form"><span '
        f'class="sales-price js-sales-price"><strong class="sales-price__current">{spec.price}</strong>'
        f'{was if spec.was else ""}</span>{room.inside}<p class="delivery-availability"><span class="color--available">'
        f"{spec.stock_line}</span></p>{button(spec, cart)}</form>{room.below}",
    )


def media_market(spec: Spec, room: Room) -> str:
    was = f'<div class="price-old"><div class="price price-old">{spec.was}</div></div>' if spec.was else ""
    return document(
        spec,
        f'{room.above}<div id="product-details" class="clearfix" itemscope itemtype="http://schema.org/Product"><h1 '
        f'itemprop="name">{spec.name}</h1><div class="price-details"><div class="price-sidebar" itemprop="offers" '
        f'itemscope itemtype="http://schema.org/Offer"><meta itemprop="priceCurrency" content="{spec.currency}"><meta '
        f'itemprop="price" content="{spec.amount}"><div class="price big length-4">{spec.bare}</div>{was}<link '
        f'itemprop="availability" href="{spec.schema_stock.removeprefix("http://schema.org/")}"></div></div>'
        f"{room.inside}{button(spec, '<a class=button href=#{}>{}</a>')}</div>{room.below}",
    )


def mall_2012(spec: Spec, room: Room) -> str:
    """Tables and font tags; nothing is named."""
    was = f"<font color=gray><strike>{spec.was}</strike></font> " if spec.was else ""
    cart = f'<input type="image" src="/cart.gif" alt="{escape(spec.country.cart)}">' if spec.in_stock else ""
    return document(
        spec,
        f'{room.above}<table width="760"><tr><td valign="top"><img src="a.jpg"></td><td><h1>{spec.name}</h1><br>{was}'
        f'<b><font color="#cc0000" size="4">{spec.price}</font></b><br>{room.inside}<br>{spec.stock_line}<br><form '
        f'action="/cart.php">{cart}</form></td></tr></table>{room.below}',
        lang="",
    )


BIG_SHOPS: list[Shape] = [
    whole_and_fraction, block_price_2014, auction_house, hydrated, furniture, fashion, craft_market, bazaar,
    department_store, electronics, dutch_electronics, media_market, mall_2012,
]  # fmt: skip
