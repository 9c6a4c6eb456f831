"""The catalogue's products, in its own words (C-031 … C-036, C-055)."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any

from pydantic import Field

from winnow.api.models.fields import ResponseModel


class CatalogProduct(ResponseModel):
    """A product as one page sells it; `product_id` is the product that all its sellers have in common."""

    id: int
    product_id: int | None = Field(description="GET /products/{product_id} has its offers side by side.")
    domain_id: int | None
    domain_name: str
    source_id: int
    crawl_task_id: int | None = Field(None, description="Of GET /crawl-jobs.")
    url: str
    url_hash: str | None
    product_name: str
    description: str | None
    price: Decimal | None
    currency: str
    price_withheld: str | None = Field(None, description="Why a price that the page states is not believed.")
    availability: str | None = Field(description="in_stock, out_of_stock, backorder, unknown, or null.")
    rating: Decimal | None = Field(description="0.00 … 5.00, whatever scale the page uses.")
    review_count: int | None
    brand: str | None
    category: str | None
    breadcrumbs: list[str] | None
    sku: str | None
    gtin: str | None
    mpn: str | None
    condition: str | None
    image_url: str | None
    content_hash: str | None
    metadata: dict[str, Any] | None = Field(description="Attributes that the page lists.")
    parser_version: str | None = None
    observed_at: datetime | None
    created_at: datetime = Field(description="When it was first seen.")
    updated_at: datetime = Field(description="When what its page says last changed, its price included.")


class ProductPicture(ResponseModel):
    id: int
    image_url: str
    image_type: str
    position: int
    alt_text: str | None
    width: int | None
    height: int | None
    file_size: int | None
    image_path: str | None = Field(description="Where its bytes are kept: GET /images/{id}/body.")
    last_error: str | None


class FieldSource(ResponseModel):
    """Where a field was read and how sure that is (C-068)."""

    place: str = Field(alias="from")
    confidence: float


class CatalogProductDetail(CatalogProduct):
    images: list[ProductPicture]
    field_sources: dict[str, FieldSource]
