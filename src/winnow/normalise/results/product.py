"""Product: an offer as a result with nullable fields, for callers who ask for one page and not for a history."""

from __future__ import annotations

from winnow.extract.adapter import Context
from winnow.extract.draft import Draft
from winnow.normalise.doubts import Doubt, Unread
from winnow.normalise.fields import Normalised, Result, partial_result
from winnow.normalise.links import read_link
from winnow.normalise.record import Availability, Offer
from winnow.normalise.results.company import HttpsUrl, Line, Prose
from winnow.normalise.results.offer import normalise_offer


class ProductPrice(Result):
    minor: int
    currency: str


class ProductResult(Result):
    title: Line | None = None
    price: ProductPrice | None = None
    list_price: ProductPrice | None = None
    availability: Availability | None = None
    brand: Line | None = None
    sku: Line | None = None
    gtin: Line | None = None
    mpn: Line | None = None
    category: Line | None = None
    condition: Line | None = None
    description: Prose | None = None
    image_url: HttpsUrl | None = None
    product_url: HttpsUrl | None = None


def product_offer(draft: Draft, ctx: Context) -> Offer:
    return normalise_offer(draft, ctx, "product", "1.0.0")


def normalise_product(draft: Draft, ctx: Context) -> Normalised:
    offer = product_offer(draft, ctx)
    values = {
        name: getattr(offer, name)
        for name in ("title", "brand", "sku", "gtin", "mpn", "category", "condition", "description")
    }
    for name in ("price", "list_price"):
        money = getattr(offer, name)
        values[name] = {"minor": money.minor, "currency": money.currency} if money else None
    values["availability"] = None if offer.availability is Availability.UNKNOWN else offer.availability
    for name, found in (("image_url", offer.image_url), ("product_url", offer.canonical_url)):
        link = read_link(found, ctx.url) if found else None
        values[name] = None if isinstance(link, Unread) else link
    result, problems = partial_result(ProductResult, values)
    unclear = {name: Unread(Doubt.AMBIGUOUS, f"{p.code}: {p.details}"[:80]) for name, p in offer.problems.items()}
    return Normalised(result, problems | unclear, offer.provenance)
