"""The demo shop's HTML. Every value is escaped where it enters the page."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from html import escape

from winnow.demo.catalogue import DemoProduct, DemoStock, Markup, Tier, tiers_of

SHOP = "Fernweh Outfitters"
CURRENCY = "USD"

_STOCK_WORDS = {
    DemoStock.IN_STOCK: "In stock, ships today",
    DemoStock.OUT_OF_STOCK: "Sold out",
    DemoStock.BACKORDER: "On back-order, ships in three weeks",
}
_CSS = """
body{margin:0;font:16px/1.5 system-ui,sans-serif;color:#22301f;background:#f6f4ee}
header,footer{background:#2f4a2f;color:#f6f4ee;padding:.8rem 5%}
header a,footer a{color:inherit;margin-right:1rem}
main{padding:1.5rem 5%}.product{display:grid;grid-template-columns:minmax(220px,1fr) 2fr;gap:2rem}
.grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(160px,1fr));gap:1rem;list-style:none;padding:0}
.card{background:#fff;border-radius:8px;padding:.8rem}.card img{width:100%}.price{font-weight:700}
.price .now{font-size:1.6rem}.price s{color:#8a8a80;font-weight:400}
.stock{color:#3a7a3a}.stock.out{color:#a33}
table{border-collapse:collapse}td,th{padding:.2rem .8rem;border-bottom:1px solid #ddd;text-align:left}
"""


_APP = """
fetch('/app/data/' + location.pathname.split('/').pop() + '.json').then(r => r.json()).then(p => {
  document.title = p.name;
  const root = document.getElementById('root');
  const add = (tag, text) => root.appendChild(document.createElement(tag)).textContent = text;
  add('h1', p.name); add('p', p.price || ''); add('p', p.stock);
  const data = document.createElement('script');
  data.type = 'application/ld+json'; data.textContent = JSON.stringify(p.data); document.head.append(data);
});
"""


class Template(StrEnum):
    """`broken` is a redesign that took the structured data and the price out of the served HTML; `half` is one that
    some products were carried over to with a price of zero."""

    CLASSIC = "classic"
    BROKEN = "broken"
    HALF = "half"


@dataclass(frozen=True, slots=True)
class Shelf:
    """A product as it stands in the shop at one moment."""

    product: DemoProduct
    price_cents: int | None


@dataclass(frozen=True, slots=True)
class Dressing:
    """The markup around a product in a bigger shop: used by the benchmark's heavy pages."""

    head: str = ""
    menu: str = ""
    below: str = ""
    foot: str = ""
    data_in_body: bool = False


def dollars(cents: int) -> str:
    return f"${cents // 100:,}.{cents % 100:02d}"


def plain(cents: int) -> str:
    """As structured data writes it: no symbol, no grouping."""
    return f"{cents // 100}.{cents % 100:02d}"


def product_page(
    shelf: Shelf,
    related: Iterable[Shelf],
    shop_url: str,
    template: Template = Template.CLASSIC,
    dressing: Dressing | None = None,
) -> str:
    dressing = dressing or Dressing()
    if template is Template.HALF and _carried_over(shelf.product):
        return _layout(shelf.product.name, _product(Shelf(shelf.product, 0)), dressing)
    if template is not Template.CLASSIC:
        return _layout(shelf.product.name, _redesigned(shelf.product), dressing)
    data = "" if shelf.product.markup is Markup.MICRODATA else _json_ld(shelf, shop_url)
    body = _product(shelf) + _carousel(related, shelf.product.markup) + dressing.below
    head = _canonical(shelf.product, shop_url)
    if dressing.data_in_body:
        return _layout(shelf.product.name, body + data, dressing, head)
    return _layout(shelf.product.name, body, dressing, head + data)


def app_shell() -> str:
    """The page that a single-page shop sends for every product: empty until its script has loaded the data."""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{SHOP}</title></head>'
        '<body><noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div>'
        f"<script>{_APP}</script></body></html>"
    )


def app_data(shelf: Shelf, shop_url: str) -> dict[str, object]:
    product = shelf.product
    return {
        "name": product.name,
        "price": None if shelf.price_cents is None else dollars(shelf.price_cents),
        "stock": _STOCK_WORDS[product.stock],
        "data": {"@context": "https://schema.org/", **_thing(shelf, shop_url)},
    }


def listing_page(title: str, shelves: Iterable[Shelf], categories: Iterable[str]) -> str:
    links = "".join(f'<a href="/c/{escape(name)}">{escape(name.title())}</a> ' for name in categories)
    cards = "".join(_card(shelf, "") for shelf in shelves)
    body = f'<h1>{escape(title)}</h1><nav>{links}</nav><ul class="grid">{cards}</ul>'
    return _layout(title, body, Dressing())


def sitemap(products: Iterable[DemoProduct], shop_url: str) -> str:
    urls = "".join(f"<url><loc>{escape(shop_url + product.path)}</loc></url>" for product in products)
    space = "http://www.sitemaps.org/schemas/sitemap/0.9"
    return f'<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="{space}">{urls}</urlset>'


def picture(product: DemoProduct) -> str:
    hue = int(product.gtin) % 360
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 200">'
        f'<rect width="200" height="200" fill="hsl({hue},35%,80%)"/>'
        f'<path d="M20 160 L80 60 L115 120 L140 85 L180 160 Z" fill="hsl({hue},35%,40%)"/></svg>'
    )


def _layout(title: str, body: str, dressing: Dressing, head: str = "") -> str:
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)} | {SHOP}</title><style>{_CSS}</style>{head}{dressing.head}</head><body>"
        f'<header><a href="/"><strong>{SHOP}</strong></a><a href="/checkout/cart">Cart</a>'
        f"{dressing.menu}</header>"
        f"<main>{body}</main>"
        "<footer>Free delivery over $75. A demonstration shop: nothing here can be bought."
        f"{dressing.foot}</footer></body></html>"
    )


def _canonical(product: DemoProduct, shop_url: str) -> str:
    url = escape(shop_url + product.path)
    return f'<link rel="canonical" href="{url}"><meta property="og:type" content="product">'


def _product(shelf: Shelf) -> str:
    product = shelf.product
    micro = product.markup is Markup.MICRODATA
    scope = ' itemscope itemtype="https://schema.org/Product"' if micro else ""
    return (
        f'<article class="product"{scope}>'
        f'<img class="photo" src="/images/{product.slug}.svg" alt=""{_prop("image", micro)}>'
        f'<div><h1 class="title"{_prop("name", micro)}>{escape(product.name)}</h1>'
        f'<p class="by">by <span{_prop("brand", micro)}>{escape(product.brand)}</span>, '
        f'item <span class="sku"{_prop("sku", micro)}>{escape(product.sku)}</span></p>'
        f"{_offer(shelf, micro)}"
        f"<p{_prop('description', micro)}>{escape(product.description)}</p>"
        f"{_identifiers(product, micro)}</div></article>"
    )


def _offer(shelf: Shelf, micro: bool) -> str:
    product = shelf.product
    scope = ' itemprop="offers" itemscope itemtype="https://schema.org/Offer"' if micro else ""
    stock = f'<link itemprop="availability" href="https://schema.org/{product.stock}">' if micro else ""
    sold_out = " out" if product.stock is DemoStock.OUT_OF_STOCK else ""
    tiers = tiers_of(shelf.price_cents) if product.tiered and shelf.price_cents else ()
    return (
        f'<section class="buy"{scope}>{_price(shelf, micro)}{stock}'
        f'<p class="stock{sold_out}">{_STOCK_WORDS[product.stock]}</p>{_tier_table(tiers)}'
        f'<form action="/checkout/cart" method="post"><button{" disabled" if sold_out else ""}>'
        "Add to cart</button></form></section>"
    )


def _price(shelf: Shelf, micro: bool) -> str:
    if shelf.price_cents is None:
        return '<p class="price">Price shown again when it is back</p>'
    listed = shelf.product.list_cents
    was = f"<s>{dollars(listed)}</s> " if listed else ""
    amount = f'<meta itemprop="price" content="{plain(shelf.price_cents)}">'
    data = f'{amount}<meta itemprop="priceCurrency" content="{CURRENCY}">' if micro else ""
    return f'<p class="price">{was}<span class="now">{dollars(shelf.price_cents)}</span>{data}</p>'


def _tier_table(tiers: tuple[Tier, ...]) -> str:
    if not tiers:
        return ""
    rows = "".join(f"<tr><td>{tier.from_quantity}+</td><td>{dollars(tier.unit_cents)}</td></tr>" for tier in tiers)
    return f'<table class="tiers"><tr><th>Quantity</th><th>Each</th></tr>{rows}</table>'


def _identifiers(product: DemoProduct, micro: bool) -> str:
    return (
        f"<p>GTIN <span{_prop('gtin13', micro)}>{product.gtin}</span>, "
        f"model <span{_prop('mpn', micro)}>{escape(product.mpn)}</span></p>"
    )


def _carousel(related: Iterable[Shelf], markup: Markup) -> str:
    trap = ' itemprop="isRelatedTo" itemscope itemtype="https://schema.org/Product"'
    scope = trap if markup is Markup.MICRODATA else ""
    cards = "".join(_card(shelf, scope) for shelf in related)
    return f'<aside class="related"><h2>You may also like</h2><ul class="grid">{cards}</ul></aside>'


def _card(shelf: Shelf, scope: str) -> str:
    product = shelf.product
    price = dollars(shelf.price_cents) if shelf.price_cents is not None else "Sold out"
    return (
        f'<li class="card"{scope}><a href="{product.path}">'
        f'<img src="/images/{product.slug}.svg" alt="" loading="lazy">'
        f"<span{_prop('name', bool(scope))}>{escape(product.name)}</span></a>"
        f'<p class="price">{price}</p></li>'
    )


def _carried_over(product: DemoProduct) -> bool:
    """One in six: enough to be held and reviewed, too few to hide that the rest cannot be read."""
    return not product.price_hidden and int(product.sku.rpartition("-")[2]) % 6 == 0


def _redesigned(product: DemoProduct) -> str:
    """The price comes by script from an address that is not in the page: nothing to read here."""
    return (
        f'<div class="x1 pdp-root" data-item="{escape(product.slug)}">'
        f'<div class="x7">{escape(product.name)}</div>'
        '<div class="x9" id="buybox"><span class="spin">Loading…</span></div></div>'
        '<script>document.getElementById("buybox").dataset.state="waiting"</script>'
    )


def _json_ld(shelf: Shelf, shop_url: str) -> str:
    things = [_breadcrumbs(shelf.product, shop_url), _thing(shelf, shop_url)]
    if shelf.product.markup is Markup.JSON_LD_GRAPH:
        return _script({"@context": "https://schema.org", "@graph": things})
    return "".join(_script({"@context": "https://schema.org/", **thing}) for thing in things)


def _thing(shelf: Shelf, shop_url: str) -> dict[str, object]:
    product = shelf.product
    rating = {"@type": "AggregateRating", "ratingValue": product.rating, "reviewCount": product.reviews}
    return {
        "@type": "Product",
        "name": product.name,
        "image": [f"{shop_url}/images/{product.slug}.svg"],
        "description": product.description,
        "sku": product.sku,
        "mpn": product.mpn,
        "gtin13": product.gtin,
        "brand": {"@type": "Brand", "name": product.brand},
        "aggregateRating": rating,
        "offers": _offer_data(shelf, shop_url),
    }


def _offer_data(shelf: Shelf, shop_url: str) -> dict[str, object]:
    product = shelf.product
    offer: dict[str, object] = {"@type": "Offer", "url": shop_url + product.path, "priceCurrency": CURRENCY}
    if shelf.price_cents is not None:
        offer["price"] = plain(shelf.price_cents)
    if product.list_cents and shelf.price_cents is not None:
        struck = {"@type": "UnitPriceSpecification", "priceType": "https://schema.org/StrikethroughPrice"}
        offer["priceSpecification"] = {
            **struck,
            "price": plain(product.list_cents),
            "priceCurrency": CURRENCY,
        }
    offer["availability"] = f"https://schema.org/{product.stock}"
    offer["itemCondition"] = "https://schema.org/NewCondition"
    return offer


def _breadcrumbs(product: DemoProduct, shop_url: str) -> dict[str, object]:
    steps = ((SHOP, "/"), (product.category.title(), f"/c/{product.category}"), (product.name, product.path))
    items = [
        {"@type": "ListItem", "position": place, "name": name, "item": shop_url + path}
        for place, (name, path) in enumerate(steps, 1)
    ]
    return {"@type": "BreadcrumbList", "itemListElement": items}


def _script(data: object) -> str:
    # "</script" and "<!--" in a string would end or swallow the element (HTML standard §4.12.1.3).
    text = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
    return f'<script type="application/ld+json">{text}</script>'


def _prop(name: str, micro: bool) -> str:
    return f' itemprop="{name}"' if micro else ""
