"""The catalogue's products, in its own words (C-031 … C-034)."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any

from pydantic import Field

from winnow.api.models.fields import ResponseModel


class CatalogProduct(ResponseModel):
    id: int
    domain_id: int | None = Field(description="None until a limit of the domain was set by a person.")
    domain_name: str
    source_id: int
    crawl_task_id: int | None = Field(description="Of GET /crawl-jobs.")
    url: str
    url_hash: str | None
    product_name: str
    description: str | None
    price: Decimal | None
    currency: str
    availability: str | None
    rating: Decimal | None
    review_count: int | None
    brand: str | None
    category: str | None
    sku: str | None
    image_url: str | None
    content_hash: str | None
    metadata: dict[str, Any] | None
    parser_version: str | None
    observed_at: datetime | None
    created_at: datetime = Field(description="When it was first seen.")
    updated_at: datetime = Field(description="When it last changed.")
