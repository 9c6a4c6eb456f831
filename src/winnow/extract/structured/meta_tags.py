"""OpenGraph and product meta tags (ogp.me, Facebook product tags, Twitter cards)."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser

from winnow.extract.draft import Strategy, Value
from winnow.extract.page_facts import PageFacts
from winnow.extract.structured.schema_draft import Findings
from winnow.extract.structured.schema_price import Values

# Draft field -> names in the order they are trusted. A sale price is what is paid; `price` beside it is the old one.
_FIELDS = {
    "title": ("og:title",),
    "price": ("product:sale_price:amount", "product:price:amount", "og:price:amount", "product:price"),
    "currency": ("product:sale_price:currency", "product:price:currency", "og:price:currency", "og:currency"),
    "availability": ("product:availability", "og:availability"),
    "brand": ("product:brand", "og:brand"),
    "sku": ("product:retailer_item_id", "product:sku"),
    "gtin": ("product:ean", "product:upc", "product:gtin", "product:isbn"),
    "condition": ("product:condition",),
    "category": ("product:category",),
    "image": ("og:image:secure_url", "og:image"),
    "description": ("og:description",),
}


def read_meta(tree: LexborHTMLParser, facts: PageFacts) -> Findings:
    """Only of pages that say they are about a product: every page has og:title."""
    stated = _stated(tree)
    values: Values = {}
    for field, names in _FIELDS.items():
        name = next((n for n in names if stated.get(n)), None)
        if name is not None:
            values[field] = [Value(stated[name], Strategy.MICRODATA, f"meta[{name}]")]
    if "title" in values:
        values["title"] = [_without_shop(values["title"][0], facts)]
    kind = stated.get("og:type", "").lower()
    if "price" not in values and "availability" not in values and "product" not in kind:
        return Findings({}, "no product tags")
    return Findings(_with_currency(values))


_BETWEEN = re.compile(r"\s*[|–—·•:»-]\s*\S")


def _without_shop(title: Value, facts: PageFacts) -> Value:
    """`Mug | Studio Clay` on a page whose heading says `Mug` names the product, then the shop."""
    for heading in facts.titles:
        if title.raw.casefold().startswith(heading.casefold()) and _BETWEEN.match(title.raw, len(heading)):
            return Value(heading, title.strategy, title.path)
    return title


def _stated(tree: LexborHTMLParser) -> dict[str, str]:
    """The first content of each name; shops write `name` where `property` belongs."""
    found: dict[str, str] = {}
    for node in tree.css("meta[property][content], meta[name][content]")[:300]:
        own = node.attributes
        name = (own.get("property") or own.get("name") or "").lower()
        found.setdefault(name, " ".join((own.get("content") or "").split())[:1_000])
    return found


def _with_currency(values: Values) -> Values:
    currency = values.get("currency")
    if not currency or "price" not in values:
        return values
    price = values["price"][0]
    return {**values, "price": [Value(price.raw, price.strategy, price.path, False, currency[0].raw)]}
