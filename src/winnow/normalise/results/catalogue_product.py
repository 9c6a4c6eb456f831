"""Draft -> Product: the offer of a page with everything else that a catalogue shows (C-031 … C-036, C-068)."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation

import msgspec

from winnow.extract.draft import Draft, Value
from winnow.extract.page_facts import absolute
from winnow.normalise.record import Availability, Offer, Product, ProductImage
from winnow.normalise.results.offer import ASSUMED, CONFIDENCE

MAX_IMAGES = 50
MAX_ALT = 512  # C-036
MAX_BREADCRUMBS = 12
SCALE = 5  # C-032: ratings are 0.00 … 5.00
MAX_REVIEWS = 100_000_000
AGREES, DIFFERS = 0.05, -0.15  # another way of reading the page says the same, or something else
_NUMBER = re.compile(r"\d{1,3}(?:[.,]\d{1,4})?")
_COUNT = re.compile(r"\d{1,3}(?:[.,'\u2019 \u00a0\u202f]\d{3})+|\d+")
_COMPARED = ("title", "brand", "sku", "gtin", "mpn", "category")


def as_product(offer: Offer, draft: Draft, price_withheld: str | None) -> Product:
    """`price_withheld`: why the price of the offer may not be shown; its stock is kept all the same."""
    breadcrumbs = read_breadcrumbs(draft, offer.title)
    rating, reviews = read_rating(draft), read_review_count(draft)
    category = offer.category or (breadcrumbs[-1] if len(breadcrumbs) > 1 else None)
    provenance = dict(offer.provenance)
    if offer.category is None and category is not None and "breadcrumb" in provenance:
        provenance["category"] = provenance["breadcrumb"]
    given = {name: getattr(offer, name) for name in Offer.__struct_fields__}
    if price_withheld is not None:
        given |= {"price": None, "list_price": None}
    given |= {"category": category, "provenance": provenance}
    product = Product(
        **given,
        rating=rating,
        review_count=reviews,
        images=read_images(draft, offer.url),
        breadcrumbs=breadcrumbs,
        price_withheld=price_withheld,
    )
    return msgspec.structs.replace(product, field_confidence=_confidence(product, draft))


def read_rating(draft: Draft) -> Decimal | None:
    """On the scale of C-032. A rating beyond five whose best value nobody states is not guessed."""
    value, best = _number(draft.first("rating")), _number(draft.first("rating_best"))
    if value is None or (best is not None and best <= 0):
        return None
    scaled = value * SCALE / best if best is not None and best != SCALE else value
    return scaled.quantize(Decimal("0.01")) if 0 <= scaled <= SCALE else None


def _number(value: Value | None) -> Decimal | None:
    """The first number of "4,7 von 5 Sternen"."""
    found = _NUMBER.search(value.raw) if value else None
    try:
        return None if found is None else Decimal(found[0].replace(",", "."))
    except InvalidOperation:
        return None


def read_review_count(draft: Draft) -> int | None:
    """ "1,234 ratings": separators of thousands are no decimals, because nobody writes half a review."""
    value = draft.first("review_count")
    found = _COUNT.search(value.raw) if value else None
    if value is None or found is None or "-" in value.raw[: found.start()][-1:]:
        return None
    count = int(re.sub(r"\D", "", found[0]))
    return count if count <= MAX_REVIEWS else None


def read_images(draft: Draft, base: str) -> list[ProductImage]:
    """Each address once, in the order they are trusted."""
    alts = {value.path: value.raw for value in draft.values.get("image_alt", ())}
    found: dict[str, ProductImage] = {}
    for value in draft.values.get("image", ()):
        url = absolute(base, value.raw)
        if url.startswith(("http://", "https://")) and url not in found and len(found) < MAX_IMAGES:
            kind = "gallery" if found else "primary"
            alt = " ".join(alts.get(value.path, "").split())[:MAX_ALT]
            found[url] = ProductImage(url, alt, "thumbnail" if found and "thumb" in value.path.lower() else kind)
    return list(found.values())


def read_breadcrumbs(draft: Draft, title: str | None) -> list[str]:
    """Without the product itself at the end."""
    names = [" ".join(value.raw.split())[:255] for value in draft.values.get("breadcrumb", ())]
    names = [name for name in names if name][:MAX_BREADCRUMBS]
    if names and title and _same_name(names[-1], title):
        names.pop()
    return names


def _same_name(name: str, title: str) -> bool:
    """Long names are cut in trails."""
    short, whole = name.casefold().rstrip(" .…"), title.casefold().rstrip(" .…")
    return short == whole or (len(short) > 12 and whole.startswith(short))


def _confidence(product: Product, draft: Draft) -> dict[str, float]:
    found = {}
    for name, drafted in _DRAFTED.items():
        if _is_stated(getattr(product, name)) and (values := draft.values.get(drafted)):
            found[name] = _of_values(name, values)
    if product.provenance.get("availability", "").startswith(ASSUMED):
        found.pop("availability", None)
    if product.price is not None:
        found["price"] = round(product.confidence, 2)
    return found


def _of_values(name: str, values: list[Value]) -> float:
    """By the strategy that gave it; others that were asked make it surer, or less sure."""
    first = values[0]
    others = [v for v in values[1:] if v.strategy is not first.strategy] if name in _COMPARED else []
    shift = 0.0
    if others:
        same = any(v.raw.strip().casefold() == first.raw.strip().casefold() for v in others)
        shift = AGREES if same else DIFFERS
    return round(min(1.0, CONFIDENCE[first.strategy] + shift), 2)


def _is_stated(value: object) -> bool:
    return value not in (None, "", [], {}, Availability.UNKNOWN)


# Field of a product -> field of its draft.
_DRAFTED = {
    "title": "title", "availability": "availability", "rating": "rating", "review_count": "review_count",
    "brand": "brand", "category": "category", "sku": "sku", "gtin": "gtin", "mpn": "mpn",
    "description": "description", "condition": "condition", "images": "image", "breadcrumbs": "breadcrumb",
    "list_price": "list_price",
}  # fmt: skip
