"""Offers and prices. Money is minor units with its currency; `amount` is the same as a decimal text."""

from __future__ import annotations

from datetime import datetime

from pydantic import computed_field

from winnow.api.models.fields import ResponseModel
from winnow.normalise.money.display import decimal_text


class PriceResponse(ResponseModel):
    source_product_id: int
    amount_minor: int
    currency: str
    exponent: int
    list_price_minor: int | None
    shipping_minor: int | None
    availability: str
    in_stock: bool
    observed_at: datetime
    created_at: datetime

    @computed_field  # type: ignore[prop-decorator]
    @property
    def amount(self) -> str:
        return decimal_text(self.amount_minor, self.exponent)


class PricePoint(PriceResponse):
    id: int


class OfferResponse(PriceResponse):
    """An offer with its current price. `availability` and `in_stock` are the current state, which may differ from the
    price's: `unavailable_since` with its reason (`sold_out`, `gone`, `forbidden`) is what its page or server stated
    since, `unconfirmed_since` when it was last seen, if that is too long ago to be believed."""

    source_id: int
    title: str
    url: str
    image_url: str | None
    brand: str | None
    sku: str | None
    unavailable_since: datetime | None = None
    unavailable_reason: str | None = None
    unconfirmed_since: datetime | None = None
