"""Products: pages of the catalogue, which need a name only; and the product result of the scraping service.

A page is read as for the prices job, and its price is judged by the same gates: one they do not accept is withheld,
with the reason, and the product is kept without it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from winnow.extract.adapter import Context
from winnow.extract.dom.product_details import with_details
from winnow.extract.draft import Draft, Extraction
from winnow.extract.page import Page
from winnow.extract.waterfall import CATALOGUE, waterfall
from winnow.judge.compare import Facts
from winnow.judge.gates import judge_offer
from winnow.judge.product_gates import validate_product_data
from winnow.judge.verdict import Decision, Reject, Verdict
from winnow.kinds import offer
from winnow.kinds.kind import Kind, Payload, no_fast_reading
from winnow.kinds.results import Identity, model_kind, partial
from winnow.normalise.doubts import Doubt, Unread
from winnow.normalise.fields import Normalised
from winnow.normalise.record import Offer, Product
from winnow.normalise.results.catalogue_product import as_product
from winnow.normalise.results.product import ProductResult, normalise_product, product_offer

FIELDS = (*offer.FIELDS, "rating", "review_count", "images", "breadcrumbs", "price_withheld")


def read(page: Page, ctx: Context) -> Extraction:
    return with_details(waterfall(page, CATALOGUE), page)


def normalise(draft: Draft, ctx: Context) -> Product:
    found = offer.normalise(draft, ctx)
    return as_product(found, draft, withheld(found, judge_offer(found, ctx.currency and [ctx.currency])))


def withheld(found: Offer, verdict: Verdict) -> str | None:
    """Why a price is not shown. That nobody knows its stock keeps it out of the history only (P-090)."""
    if found.price is None and "price" not in found.problems:
        return None  # the page states none
    findings = [f for f in verdict.findings if f.reason not in _SAYS_NOTHING_OF_PRICES]
    return "; ".join(f"{f.reason} ({f.details})" if f.details else f.reason for f in findings)[:500] or None


_SAYS_NOTHING_OF_PRICES = frozenset([Reject.UNKNOWN_AVAILABILITY, Reject.OOS_NO_PRICE])


def judge(product: Product, _draft: Draft, _ctx: Context) -> Verdict:
    return validate_product_data(product)


def facts(payload: Payload) -> Facts:
    product = offer.decode(payload, Product)
    stated = {
        "rating": str(product.rating or ""),
        "review_count": "" if product.review_count is None else str(product.review_count),
        "images": " ".join(image.url for image in product.images),
        "breadcrumbs": " > ".join(product.breadcrumbs),
        "price_withheld": product.price_withheld or "",
    }
    return {**offer.facts(payload), **{name: text for name, text in stated.items() if text}}


def judge_stored(payload: Payload, _currency: str | None) -> Verdict:
    return validate_product_data(offer.decode(payload, Product))


def corrected(payload: Payload, values: Mapping[str, Any]) -> Payload:
    settled = offer.correct(offer.decode(payload, Product), values)
    builtins: dict[str, Any] = msgspec.to_builtins(settled)
    return builtins


PRODUCT = msgspec.structs.replace(
    offer.OFFER,
    name="product",
    fields=FIELDS,
    read=read,
    fast=no_fast_reading,  # its pictures and its trail stand in the page itself
    normalise=normalise,
    judge=judge,
    facts=facts,
    judge_stored=judge_stored,
    corrected=corrected,
    needs_retailer=False,
    needs_price=False,
    blames_adapter=False,
)

PRICES = ("price", "list_price")


def _normalise(draft: Draft, ctx: Context) -> Normalised:
    """The product; its price is null, with the reason, where the gates of prices do not accept it."""
    found = normalise_product(draft, ctx)
    verdict = judge_offer(product_offer(draft, ctx), ctx.currency and [ctx.currency])
    return found if verdict.decision is Decision.ACCEPT else _without_price(found, verdict)


def _without_price(found: Normalised, verdict: Verdict) -> Normalised:
    withheld = [name for name in PRICES if getattr(found.result, name) is not None]
    reason = "; ".join(f"{f.reason} ({f.details})" if f.details else f.reason for f in verdict.findings)
    return Normalised(
        found.result.model_copy(update=dict.fromkeys(withheld)),
        found.problems | {name: Unread(Doubt.WITHHELD, reason) for name in withheld},
        {name: place for name, place in found.provenance.items() if name not in withheld},
    )


PRODUCT_RESULT: Kind = model_kind(
    name="product",
    version=offer.VERSION,
    target_type="product",
    model=ProductResult,
    read=offer.read,
    normalise=_normalise,
    judge=partial("product_url"),
    identity=Identity(("sku", "gtin"), "product_url"),
)
