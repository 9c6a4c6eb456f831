"""Products: pages of the catalogue, read and judged as offers; and the product result of the scraping service."""

from __future__ import annotations

import msgspec

from winnow.extract.adapter import Context
from winnow.extract.draft import Draft
from winnow.judge.gates import judge_offer
from winnow.judge.verdict import Verdict
from winnow.kinds import offer
from winnow.kinds.kind import Kind
from winnow.kinds.results import Identity, model_kind
from winnow.normalise.fields import Normalised
from winnow.normalise.results.product import ProductResult, normalise_product, product_offer

PRODUCT = msgspec.structs.replace(offer.OFFER, name="product", needs_retailer=False, blames_adapter=False)


def _judge(_found: Normalised, draft: Draft, ctx: Context) -> Verdict:
    """The verdict of prices."""
    return judge_offer(product_offer(draft, ctx), ctx.currency and [ctx.currency])


PRODUCT_RESULT: Kind = model_kind(
    name="product",
    version=offer.VERSION,
    target_type="product",
    model=ProductResult,
    read=offer.read,
    normalise=normalise_product,
    judge=_judge,
    identity=Identity(("sku", "gtin"), "product_url"),
)
