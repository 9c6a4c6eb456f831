"""The adapter for every site that has none of its own: the waterfall of strategies.

It stands here and not in `extract/` because it finishes its drafts with `normalise/`.
"""

from __future__ import annotations

from winnow.extract.adapter import ANY_DOMAIN, Context
from winnow.extract.adapters.missing_price import settle_missing_price
from winnow.extract.draft import Draft, Extraction
from winnow.extract.page import Page
from winnow.extract.waterfall import fast, waterfall
from winnow.normalise.record import Offer
from winnow.normalise.results.offer import normalise_offer


class GenericOffer:
    id = "generic"
    version = "1.2.0"
    domain = ANY_DOMAIN
    kind = "offer"
    needs_browser = False

    def fast(self, page: Page, ctx: Context) -> Extraction | None:
        return fast(page, self.kind)

    def extract(self, page: Page, ctx: Context) -> Extraction:
        return settle_missing_price(waterfall(page, self.kind))

    def normalise(self, draft: Draft, ctx: Context) -> Offer:
        return normalise_offer(draft, ctx, self.id, self.version)
