"""Pages as small and old shops have them: no classes worth the name, prices in parts, links for buttons, wrong data."""

from __future__ import annotations

from html import escape

from tests.quality.shops.spec import Spec, button, document, ld_product, script
from tests.quality.shops.systems import Room, Shape


def _split(spec: Spec) -> tuple[str, str]:
    if not spec.country.places:
        return spec.bare, ""
    whole, _, cents = spec.bare.rpartition(spec.country.point)
    return whole, cents


def raised_cents(spec: Spec, room: Room) -> str:
    """The decimals raised, without a separator."""
    whole, cents = _split(spec)
    first = spec.country.pattern.index("#") > 0
    number = f'<span class="int">{whole}</span><sup class="dec">{cents}</sup>' if cents else f"<span>{whole}</span>"
    sign = f'<span class="cur">{spec.sign}</span>'
    return document(
        spec,
        f'{room.above}<div class="p"><h1>{spec.name}</h1><div class="our-price">{sign + number if first else number + sign}'
        f"</div>{room.inside}<div class=stock>{spec.stock_line}</div>{button(spec)}</div>{room.below}",
    )


def price_in_button(spec: Spec, room: Room) -> str:
    label = f"{escape(spec.country.cart)} – {spec.price}" if spec.in_stock else spec.stock_line
    was = f"<s>{spec.was}</s> " if spec.was else ""
    return document(
        spec,
        f'{room.above}<main><h1>{spec.name}</h1><p class="lead">{was}<span class="amount-now">{spec.price}</span></p>'
        f'{room.inside}<button class="btn btn-lg"{"" if spec.in_stock else " disabled"}>{label}</button></main>{room.below}',
    )


def link_and_image(spec: Spec, room: Room) -> str:
    """2012: tables, a link around a picture for a button, the old price in a font tag of its own class."""
    was = f'<span class="oldprice">{spec.was}</span><br>' if spec.was else ""
    cart = f'<a href="/index.php?action=add_to_cart&amp;id=7"><img src="/img/buy.gif" alt="{escape(spec.country.cart)}"></a>'
    return document(
        spec,
        f'{room.above}<table class="main"><tr><td><h1>{spec.name}</h1></td></tr><tr><td class="desc">Art. {spec.sku}</td>'
        f'<td class="buybox">{was}<span class="productprice"><b>{spec.price}</b></span>{room.inside}<br>'
        f"{cart if spec.in_stock else '<b>' + spec.stock_line + '</b>'}</td></tr></table>{room.below}",
        lang="",
    )


def logo_heading(spec: Spec, room: Room) -> str:
    """The only h1 is the shop's name."""
    was = f'<del class="old">{spec.was}</del>' if spec.was else ""
    return document(
        spec,
        f'<h1 id="logo"><a href="/">Lagerhaus</a></h1>{room.above}<div id="detail"><h2 class="title">{spec.name}</h2>'
        f'<div class="price">{was} {spec.price}</div>{room.inside}<p class="availability">{spec.stock_line}</p>'
        f"{button(spec)}</div>{room.below}",
    )


def label_and_value(spec: Spec, room: Room) -> str:
    """A list of labels and values, the price among them."""
    was = f"<dt>{escape(spec.country.was)}:</dt><dd>{spec.was}</dd>" if spec.was else ""
    return document(
        spec,
        f'{room.above}<div class="item"><h1>{spec.name}</h1><dl><dt>SKU:</dt><dd>{spec.sku}</dd>{was}<dt>Price:</dt><dd>'
        f"<strong>{spec.price}</strong></dd><dt>Stock:</dt><dd>{spec.stock_line}</dd></dl>{room.inside}{button(spec)}"
        f"</div>{room.below}",
    )


def currency_apart(spec: Spec, room: Room) -> str:
    """The number called a price, its currency a word beside it or only in the data of the page."""
    return document(
        spec,
        f'{room.above}<section><h1>{spec.name}</h1><div class="box"><span class="price-value">{spec.bare}</span> <span '
        f'class="iso">{spec.currency}</span></div>{room.inside}<div class="stock">{spec.stock_line}</div>{button(spec)}'
        f"</section>{room.below}",
    )


def zero_in_data(spec: Spec, room: Room) -> str:
    """A plugin that writes 0 for products with options."""
    offer = {"@type": "Offer", "price": "0", "priceCurrency": spec.currency, "availability": spec.schema_stock}
    return document(
        spec,
        f'{room.above}<div class="product"><h1>{spec.name}</h1><span class="price">{spec.price}</span>{room.inside}'
        f"{button(spec)}</div>{room.below}",
        head=script(ld_product(spec, offers=offer)),
    )


def sizes_with_stock(spec: Spec, room: Room) -> str:
    """Some sizes are gone; the product is not."""
    size = '<li class="size {}"><span>{}</span><em>{}</em></li>'
    gone = escape(spec.country.sold_out)
    sizes = size.format("off", "S", gone) + size.format("", "M", "") + size.format("off", "L", gone)
    was = f'<span class="price--was">{spec.was}</span>' if spec.was else ""
    return document(
        spec,
        f'{room.above}<div class="pdp"><h1>{spec.name}</h1><div class="pdp-price">{was}<span class="price--now">{spec.price}'
        f"</span></div>{room.inside}<ul class=sizes>{sizes if spec.in_stock else ''}</ul>{button(spec)}</div>{room.below}",
    )


def sticky_twice(spec: Spec, room: Room) -> str:
    """Price and button once in the page and once in a bar that sticks, the description long between them."""
    was = f'<span class="price-old">{spec.was}</span>' if spec.was else ""
    bar = f'<div class="sticky-bar"><span>{spec.name}</span><span class="price">{spec.price}</span>{button(spec)}</div>'
    text = "<p>" + "Made to last, easy to clean, and a joy to use every day of the year. " * 8 + "</p>"
    return document(
        spec,
        f'{room.above}<article><h1>{spec.name}</h1><div class="buy"><div class="price-row">{was}<span class="price">'
        f"{spec.price}</span></div>{button(spec)}</div>{text}{room.inside}</article>{bar}{room.below}",
    )


def other_language_tag(spec: Spec, room: Room) -> str:
    """A theme that says English whatever the shop speaks."""
    return document(
        spec,
        f'{room.above}<div class="single"><h1>{spec.name}</h1><div class="price"><span class="amount">{spec.price}</span>'
        f"</div>{room.inside}<div class=availability>{spec.stock_line}</div>{button(spec)}</div>{room.below}",
        lang="en",
    )


ODD_SHOPS: list[Shape] = [
    raised_cents, price_in_button, link_and_image, logo_heading, label_and_value, currency_apart, zero_in_data,
    sizes_with_stock, sticky_twice, other_language_tag,
]  # fmt: skip
