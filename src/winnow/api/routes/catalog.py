"""Products as pages sell them (C-031, C-055): the list for everybody, and all that is known of one for operators."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import AwareDatetime

from winnow.api.auth import CurrentCaller
from winnow.api.bodies import JsonRoute
from winnow.api.documented import errors
from winnow.api.envelope import Envelope, ok
from winnow.api.models.catalog import CatalogProduct, CatalogProductDetail
from winnow.api.models.fields import MAX_BIGINT
from winnow.api.params import Filter, PartsDep, PathId, QueryId
from winnow.errors import NotFound
from winnow.observe.keys import Scope
from winnow.queries import catalog as queries
from winnow.queries.catalog import ProductFilter, Sort
from winnow.queries.reading import reader

router = APIRouter(tags=["products"], responses=errors(), route_class=JsonRoute)

Amount = Annotated[Decimal | None, Query(ge=0, le=1_000_000_000)]
Currency = Annotated[str | None, Query(pattern="^[A-Z]{3}$", description="Prices of all currencies without it.")]
Availability = Annotated[Literal["in_stock", "out_of_stock", "backorder", "unknown"] | None, Query()]
Since = Annotated[AwareDatetime | None, Query()]
Origin = Annotated[Literal["page", "feed", "all"], Query(description="Read from pages (C-031), or brought by feeds.")]
OF_PAGE = {"page": True, "feed": False, "all": None}


@router.get("/products", response_model=Envelope[list[CatalogProduct]])
async def list_products(
    parts: PartsDep,
    caller: CurrentCaller,
    price_min: Amount = None,
    price_max: Amount = None,
    currency: Currency = None,
    availability: Availability = None,
    rating_min: Annotated[Decimal | None, Query(ge=0, le=5)] = None,
    brand: Filter = None,
    category: Filter = None,
    domain: Filter = None,
    source_id: QueryId = None,
    created_since: Since = None,
    updated_since: Since = None,
    origin: Origin = "page",
    sort: Annotated[Sort, Query()] = "newest",
    limit: Annotated[int, Query(ge=1, le=500)] = 20,
    after: Annotated[int | None, Query(ge=0, le=MAX_BIGINT, description="meta.next of the page before.")] = None,
) -> Any:
    """Products as pages sell them (C-055), newest first. /products/{product_id} has one with all its offers."""
    everything = caller.may(Scope.ADMIN)
    wanted = ProductFilter(
        everything=everything, of_page=OF_PAGE[origin] if everything else True, price_min=price_min,
        price_max=price_max, currency=currency, availability=availability, rating_min=rating_min, brand=brand,
        category=category, domain=domain, source_id=source_id, created_since=created_since,
        updated_since=updated_since,
    )  # fmt: skip
    async with reader(parts.database) as conn:
        found, following = await queries.listed(conn, wanted, sort=sort, after=after, limit=limit)
    return ok([CatalogProduct.of(row) for row in found], limit=limit, following=following)


@router.get("/catalog-products/{product_id}", response_model=Envelope[CatalogProductDetail], responses=errors(404))
async def get_catalog_product(parts: PartsDep, product_id: PathId) -> Any:
    """With its pictures, and where each field was read."""
    async with reader(parts.database) as conn:
        row = await queries.one(conn, product_id)
    if row is None:
        raise NotFound(f"there is no product {product_id} in the catalogue")
    parts.reads.note([product_id])
    return ok(CatalogProductDetail.of(row))
