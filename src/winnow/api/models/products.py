"""Canonical products, search hits, price history and corrections."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field, computed_field

from winnow.api.models.fields import Id, Moment, Reason, RequestModel, ResponseModel
from winnow.api.models.offers import OfferResponse, PricePoint
from winnow.normalise.money.display import decimal_text


class ProductResponse(ResponseModel):
    """A product, independent of its sellers."""

    id: int
    name: str
    brand: str | None
    mpn: str | None
    gtin: str | None
    category: str | None
    image_url: str | None
    created_at: datetime
    updated_at: datetime


class ProductOffer(OfferResponse):
    product_id: int | None


class ProductDetail(ProductResponse):
    offers: list[ProductOffer] = Field(description="In stock first, then by price; each in its own currency.")


class SearchHit(ProductOffer):
    category: str | None
    domain_name: str | None
    score: float


class ConflictResponse(ResponseModel):
    """An offer that could not be linked to a product without guessing."""

    source_product_id: int
    title: str
    url: str
    brand: str | None
    mpn: str | None
    reason: str
    candidates: list[int]
    evidence: str
    found_at: datetime


class OfferLink(RequestModel):
    source_product_id: Id
    reason: Reason = ""


class Gap(ResponseModel):
    since: datetime
    until: datetime


class HistoryResponse(ResponseModel):
    """In one currency. `now` is the newest price; null when there is none. `gaps`: nothing was observed meanwhile."""

    source_product_id: int
    currency: str | None
    exponent: int | None
    observations: int
    lowest_minor: int | None
    highest_minor: int | None
    first_observed_at: datetime | None
    last_observed_at: datetime | None
    now: PricePoint | None
    gaps: list[Gap]
    points: list[PricePoint] = Field(description="Newest first, one page.")

    @computed_field  # type: ignore[prop-decorator]
    @property
    def lowest(self) -> str | None:
        return None if self.lowest_minor is None else decimal_text(self.lowest_minor, self.exponent or 0)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def highest(self) -> str | None:
        return None if self.highest_minor is None else decimal_text(self.highest_minor, self.exponent or 0)


class CorrectionCreate(RequestModel):
    """Every scope that is set has to fit. Times are those of the observations."""

    action: Literal["IGNORE", "MULTIPLY"]
    factor: Annotated[Decimal, Field(gt=0, le=1_000, max_digits=12)] | None = None
    price_id: Id | None = None
    source_product_id: Id | None = None
    source_id: Id | None = None
    scrape_run_id: Id | None = None
    affiliate_feed_run_id: Id | None = None
    observed_from: Moment | None = None
    observed_until: Moment | None = None
    reason: Annotated[Reason, Field(min_length=1)]


class CorrectionResponse(ResponseModel):
    id: int
    action: str
    factor: Decimal | None
    price_id: int | None
    source_product_id: int | None
    source_id: int | None
    scrape_run_id: int | None
    affiliate_feed_run_id: int | None
    observed_from: datetime | None
    observed_until: datetime | None
    reason: str
    created_at: datetime
    created_by: str
    revoked_at: datetime | None
    revoked_by: str | None


class CorrectionMade(ResponseModel):
    id: int
