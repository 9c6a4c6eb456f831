"""Products: pages of the catalogue, read and judged as offers; and the product result of the scraping service."""

from __future__ import annotations

import msgspec

from winnow.extract.adapter import Context
from winnow.extract.draft import Draft
from winnow.judge.gates import judge_offer
from winnow.judge.verdict import Decision, Verdict
from winnow.kinds import offer
from winnow.kinds.kind import Kind
from winnow.kinds.results import Identity, model_kind, partial
from winnow.normalise.doubts import Doubt, Unread
from winnow.normalise.fields import Normalised
from winnow.normalise.results.product import ProductResult, normalise_product, product_offer

PRODUCT = msgspec.structs.replace(offer.OFFER, name="product", needs_retailer=False, blames_adapter=False)

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
