"""May a product enter the catalogue (C-043). It needs a name; what else it says has to have a form.

Prices are judged by the gates of the prices job (gates.py): one that they do not accept is withheld, and the product is
kept without it.
"""

from __future__ import annotations

from collections.abc import Callable

from winnow.judge.gates import max_minor, valid_url
from winnow.judge.verdict import Decision, Finding, Hold, Reject, Verdict
from winnow.normalise.money.display import format_money
from winnow.normalise.record import Product

MAX_RATING = 5  # C-032


def named(product: Product) -> Finding | None:
    missing = [field for field in ("title", "adapter_version") if not getattr(product, field)]
    missing += [] if product.identity.value else ["identity"]
    return Finding("named", Reject.MISSING_REQUIRED_FIELD, ", ".join(missing)) if missing else None


def price_format(product: Product) -> Finding | None:
    """A price that is shown has a currency and lies within bounds (P-033)."""
    price = product.price
    if price is None or (price.currency and 0 < price.minor <= max_minor(price.currency)):
        return None
    return Finding("price_format", Reject.INVALID_PRICE, format_money(price.minor, price.currency))


def rating_range(product: Product) -> Finding | None:
    if product.rating is None or 0 <= product.rating <= MAX_RATING:
        return None
    return Finding("rating_range", Hold.VALIDATION_FAILED, f"rating {product.rating}")


def review_count_range(product: Product) -> Finding | None:
    if product.review_count is None or product.review_count >= 0:
        return None
    return Finding("review_count_range", Hold.VALIDATION_FAILED, f"review_count {product.review_count}")


REJECTING: tuple[Callable[[Product], Finding | None], ...] = (valid_url, named, price_format)
HOLDING: tuple[Callable[[Product], Finding | None], ...] = (rating_range, review_count_range)


def validate_product_data(product: Product) -> Verdict:
    """Accepted where nothing stands against storing it."""
    rejections = [finding for gate in REJECTING if (finding := gate(product))]
    holds = [finding for gate in HOLDING if (finding := gate(product))]
    if rejections:
        return Verdict(Decision.REJECT, rejections + holds)
    return Verdict(Decision.HOLD if holds else Decision.ACCEPT, holds)
