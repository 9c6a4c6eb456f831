"""Product pages as shops write them: data for machines, and a gallery, a trail and a rating for people."""

from __future__ import annotations

import json
from typing import Any


def rich(name: str = "Trail Shoe", price: str | None = "89.90", stock: str | None = "InStock", **more: Any) -> str:
    """Everything that a catalogue keeps (C-032, C-036)."""
    offer: dict[str, Any] = {"@type": "Offer", "priceCurrency": "EUR"}
    if price is not None:
        offer["price"] = price
    if stock is not None:
        offer["availability"] = f"https://schema.org/{stock}"
    thing = {
        "@context": "https://schema.org", "@type": "Product", "name": name, "sku": "TS-1", "gtin13": "4006381333931",
        "mpn": "TS1", "brand": {"@type": "Brand", "name": "Fell"}, "description": "For wet rock.",
        "image": [{"@type": "ImageObject", "url": "/img/front.jpg", "caption": "From the front"}, "/img/side.jpg"],
        "aggregateRating": {"@type": "AggregateRating", "ratingValue": "9.1", "bestRating": "10", "reviewCount": 1234},
        "additionalProperty": [{"@type": "PropertyValue", "name": "Drop", "value": "4 mm"}],
        **({"offers": offer} if price is not None or stock is not None else {}),
        **more,
    }  # fmt: skip
    trail = {
        "@context": "https://schema.org", "@type": "BreadcrumbList",
        "itemListElement": [
            {"@type": "ListItem", "position": 2, "item": {"@id": "/shoes", "name": "Shoes"}},
            {"@type": "ListItem", "position": 1, "name": "Home", "item": "/"},
            {"@type": "ListItem", "position": 3, "name": name},
        ],
    }  # fmt: skip
    shown = "" if price is None else f"<p class='price'>{price} €</p>"
    return (
        f'<!doctype html><html lang="en"><head><title>{name}</title>'
        f'<script type="application/ld+json">{json.dumps(thing)}</script>'
        f'<script type="application/ld+json">{json.dumps(trail)}</script></head><body><h1>{name}</h1>{shown}'
        '<div class="product-gallery"><img src="/img/front.jpg" alt="Shoe, front"><img src="/img/sole.jpg" alt="Sole">'
        '<img src="/img/pixel.gif" width="1" height="1"></div>'
        '<div class="related-products"><img src="/img/other.jpg" alt="Another shoe"></div></body></html>'
    )


def plain(name: str = "Wooden Spoon") -> str:
    """A shop without any data for machines: what people see is all there is."""
    return (
        f'<!doctype html><html lang="en"><head><title>{name}</title></head><body>'
        '<ol class="breadcrumb"><li><a href="/">Home</a></li><li><a href="/kitchen">Kitchen</a></li>'
        f"<li>{name}</li></ol><main><h1>{name}</h1>"
        '<div class="product-image"><a href="/big/spoon.jpg"><img src="/small/spoon.jpg" alt="A spoon"></a></div>'
        '<p class="price">$4.50</p><p class="stock">In stock</p><button class="add-to-cart">Add to cart</button>'
        "</main></body></html>"
    )
