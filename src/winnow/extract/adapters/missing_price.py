"""A draft without any price is a failure, and which one depends on the stock signal (P-010, P-030)."""

from __future__ import annotations

from winnow.extract.adapter import Context
from winnow.extract.draft import Draft, Extracted, Extraction, Failure, Reason
from winnow.normalise.record import Availability
from winnow.normalise.stock import read_availability


def classify_missing_price(extraction: Extraction, ctx: Context | None = None) -> Extraction:
    """Products of the catalogue need none (`ctx.needs_price`)."""
    if ctx is not None and not ctx.needs_price:
        return extraction
    if not isinstance(extraction, Extracted) or any(map(_has_price, extraction.drafts)):
        return extraction
    signals = {read_availability(v.raw) for d in extraction.drafts for v in d.values.get("availability", [])}
    if signals - {Availability.UNKNOWN} == {Availability.OUT_OF_STOCK}:
        return Failure(Reason.OOS_NO_PRICE, "out of stock, price not shown", extraction.trace)
    return Failure(Reason.PRICE_NOT_FOUND, "a product without a price", extraction.trace)


def _has_price(draft: Draft) -> bool:
    return any(field.startswith("price") and values for field, values in draft.values.items())
