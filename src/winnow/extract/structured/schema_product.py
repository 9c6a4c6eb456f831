"""A schema.org product -> draft values, variants and several offers included."""

from __future__ import annotations

from typing import Any

import msgspec

from winnow.extract.draft import Strategy, Value
from winnow.extract.page_facts import PageFacts, same_page
from winnow.extract.structured.schema_graph import Found, Graph, Node, as_list, types_of
from winnow.extract.structured.schema_price import Values, needs_several, offer_prices, scalar, text_of, word_of

MAX_OFFERS = 500  # variants of one product; a page with more is a listing
MAX_TEXT = 5_000
MAX_ATTRIBUTES = 60
MAX_IMAGES = 50

# Draft field -> keys in the order they are trusted.
_FIELDS = {
    "title": ("name",),
    "product_id": ("productID",),
    "sku": ("sku",),
    "mpn": ("mpn",),
    "gtin": ("gtin", "gtin13", "gtin14", "gtin12", "gtin8", "isbn"),
    "brand": ("brand", "manufacturer"),
    "image": ("image",),
    "description": ("description",),
    "category": ("category",),
    "condition": ("itemCondition",),
    "url": ("url",),
}
_KEYS = [(field, key) for field, keys in _FIELDS.items() for key in keys]
# As schema.org has it, as Wix writes it, and as data-vocabulary.org had it before 2011.
_OFFERS = ("offers", "Offers", "offerDetails", "offer")
_OFFER_KEYS = [(field, key) for field in ("sku", "gtin", "mpn", "condition") for key in _FIELDS[field]]
_INNER_KEYS = {"brand": "name", "manufacturer": "name", "image": "url", "category": "name"}


class ProductReading(msgspec.Struct, frozen=True):
    """The context for reading products of one page."""

    graph: Graph
    facts: PageFacts
    strategy: Strategy


class Part(msgspec.Struct, frozen=True):
    """An offer node and the path to it."""

    node: Node
    path: str


def read_product(found: Found, reading: ProductReading) -> Values:
    node, parts = _variant(found.node, found.path, reading)
    values = _own_fields(node, found.path, reading)
    for part in parts:
        _extend(values, offer_prices(part.node, part.path, reading.strategy))
        stock = part.node.get("availability") or part.node.get("Availability")
        _add(values, "availability", stock, f"{part.path}.availability", reading)
    if "availability" not in values:
        _add(values, "availability", node.get("availability"), f"{found.path}.availability", reading)
    if len(parts) == 1:
        _read_sole_offer(values, parts[0], reading)
    return values


def _variant(node: Node, path: str, reading: ProductReading) -> tuple[Node, list[Part]]:
    """The product and its offers: of a group the variant this page is about, or else those of all."""
    listed = as_list(node["hasVariant"]) if "hasVariant" in node else []
    variants = [v for v in map(reading.graph.resolve, listed) if isinstance(v, dict)]
    if not variants:
        return node, _chosen_offers(node, path, reading)
    own = [v for v in variants if _is_here(v, reading)]
    if len(own) == 1:
        group = {key: value for key, value in node.items() if key not in ("hasVariant", "offers", "url")}
        merged = {**group, **own[0]}
        return merged, _chosen_offers(merged, f"{path}.hasVariant", reading)
    parts = [p for i, v in enumerate(variants) for p in _offers(v, f"{path}.hasVariant[{i}]", reading)]
    return node, (parts or _chosen_offers(node, path, reading))[:MAX_OFFERS]


def _is_here(node: Node, reading: ProductReading) -> bool:
    if same_page(text_of(node.get("url")), reading.facts):
        return True
    return any(same_page(text_of(p.node.get("url")), reading.facts) for p in _offers(node, "", reading))


def _chosen_offers(node: Node, path: str, reading: ProductReading) -> list[Part]:
    """Of several offers the one this very URL is about (?variant=…), if one is."""
    parts = _offers(node, path, reading)
    if len(parts) < 2:
        return parts
    here = [part for part in parts if same_page(text_of(part.node.get("url")), reading.facts)]
    return here if here and len(here) < len(parts) else parts


def _offers(node: Node, path: str, reading: ProductReading) -> list[Part]:
    found: list[Part] = []
    name = next((name for name in _OFFERS if name in node), "")
    for i, value in enumerate(as_list(node.get(name))[:MAX_OFFERS]):
        offer = reading.graph.resolve(value)
        if isinstance(offer, dict):
            found += _opened(offer, f"{path}.offers[{i}]", reading)
    if not found and "price" in node:  # a price put on the product itself: wrong, common, and clear
        found = [Part(node, path)]
    singles = [part for part in found if not needs_several(part.node)]
    return singles or found


def _opened(offer: Node, path: str, reading: ProductReading) -> list[Part]:
    """An AggregateOffer that lists its offers is read by them; a lease is no sale."""
    if "businessFunction" in offer and "lease" in word_of(offer["businessFunction"]):
        return []
    if "offers" not in offer:
        return [Part(offer, path)]
    inner = [reading.graph.resolve(part) for part in as_list(offer["offers"])[:MAX_OFFERS]]
    shared: Node = {key: offer[key] for key in ("priceCurrency", "availability") if key in offer}
    parts = [Part({**shared, **o}, f"{path}.offers[{i}]") for i, o in enumerate(inner) if isinstance(o, dict)]
    priced = [part for part in parts if "price" in part.node or "priceSpecification" in part.node]
    return priced or [Part(offer, path)]


def _own_fields(node: Node, path: str, reading: ProductReading) -> Values:
    values: Values = {}
    for field, key in _KEYS:
        found = node.get(key)
        if found is None:
            continue
        if type(found) is str and found.isascii() and found.isprintable() and "&" not in found and "  " not in found:
            if text := found.strip()[:MAX_TEXT]:  # what nearly every value is; the rest takes the long way
                values.setdefault(field, []).append(Value(text, reading.strategy, f"{path}.{key}"))
        elif type(found) is str:
            _add(values, field, found, f"{path}.{key}", reading)
        else:
            for i, value in enumerate(as_list(found)[: MAX_IMAGES if key == "image" else 3]):
                place = f"{path}.{key}[{i}]" if i else f"{path}.{key}"
                resolved = reading.graph.resolve(value)
                _add(values, field, _inner(resolved, key), place, reading)
                if key == "image" and isinstance(resolved, dict):
                    _add(values, "image_alt", resolved.get("caption") or resolved.get("name"), place, reading)
    if "product_id" not in values and "productgroup" not in types_of(node):
        _add(values, "product_id", node.get("productId"), f"{path}.productId", reading)
    if "aggregateRating" in node:
        _add_rating(values, reading.graph.resolve(node["aggregateRating"]), f"{path}.aggregateRating", reading)
    if "additionalProperty" in node:
        _add_attributes(values, node, path, reading)
    return values


def _add_rating(values: Values, rating: Any, path: str, reading: ProductReading) -> None:
    """How it is rated, on which scale, and by how many."""
    for part in as_list(rating)[:1]:
        if not isinstance(part, dict):
            continue
        _add(values, "rating", part.get("ratingValue"), f"{path}.ratingValue", reading)
        _add(values, "rating_best", part.get("bestRating"), f"{path}.bestRating", reading)
        name = next((name for name in ("reviewCount", "ratingCount") if part.get(name) is not None), "")
        _add(values, "review_count", part.get(name), f"{path}.{name}", reading)


def _inner(value: Any, key: str) -> Any:
    """The name of a brand, the address of an image."""
    if not isinstance(value, dict):
        return value
    return value.get(_INNER_KEYS.get(key, "@value")) or value.get("contentUrl") or value.get("@value")


def _read_sole_offer(values: Values, part: Part, reading: ProductReading) -> None:
    """Identifiers on the offer are the product's own only when there is no second offer."""
    for field, key in _OFFER_KEYS:
        if key in part.node and field not in values:
            _add(values, field, part.node[key], f"{part.path}.{key}", reading)
    if "shippingDetails" not in part.node:
        return
    details = [d for d in as_list(part.node.get("shippingDetails")) if isinstance(d, dict)]
    rate = details[0].get("shippingRate") if len(details) == 1 else None
    if isinstance(rate, dict):
        found = scalar(rate.get("value"))
        money = text_of(rate.get("currency"))
        if found and money:
            path = f"{part.path}.shippingDetails.shippingRate.value"
            values["shipping"] = [Value(found.raw, reading.strategy, path, found.numeric, money)]


def _add_attributes(values: Values, node: Node, path: str, reading: ProductReading) -> None:
    for i, item in enumerate(as_list(node.get("additionalProperty"))[:MAX_ATTRIBUTES]):
        if isinstance(item, dict) and (name := text_of(item.get("name"))):
            place = f"{path}.additionalProperty[{i}]"
            _add(values, f"attribute.{name[:80]}", item.get("value"), place, reading)


def _add(values: Values, field: str, value: Any, path: str, reading: ProductReading) -> None:
    if value is None:
        return
    if type(value) is str and "&" not in value:
        text = value if value.isalnum() else " ".join(value.split())[:MAX_TEXT]
        if text:
            values.setdefault(field, []).append(Value(text, reading.strategy, path))
        return
    if isinstance(value, dict) and field in ("availability", "condition"):
        value = value.get("@id") or value.get("name")
    found = scalar(value)
    if found is not None:
        text = found.raw if found.raw.isalnum() else " ".join(found.raw.split())[:MAX_TEXT]
        values.setdefault(field, []).append(Value(text, reading.strategy, path, found.numeric))


def _extend(values: Values, more: Values) -> None:
    for field, candidates in more.items():
        values.setdefault(field, []).extend(candidates)
