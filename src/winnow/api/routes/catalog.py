"""The catalogue's products: everything that is stored, for operators. Consumers read /prices and /products (P-092)."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from winnow.api.bodies import JsonRoute
from winnow.api.documented import errors
from winnow.api.envelope import Envelope, ok
from winnow.api.models.catalog import CatalogProduct
from winnow.api.params import Paged, PartsDep, PathId, QueryId
from winnow.errors import NotFound
from winnow.queries import catalog as queries
from winnow.queries.reading import reader

router = APIRouter(prefix="/catalog-products", tags=["products"], responses=errors(), route_class=JsonRoute)


@router.get("", response_model=Envelope[list[CatalogProduct]])
async def list_catalog_products(parts: PartsDep, paged: Paged, source_id: QueryId = None) -> Any:
    """Every offer with its newest observation, oldest first (C-031)."""
    async with reader(parts.database) as conn:
        found, following = await queries.listed(conn, source_id=source_id, after=paged.after, limit=paged.limit)
    return ok([CatalogProduct.of(row) for row in found], limit=paged.limit, following=following)


@router.get("/{product_id}", response_model=Envelope[CatalogProduct], responses=errors(404))
async def get_catalog_product(parts: PartsDep, product_id: PathId) -> Any:
    async with reader(parts.database) as conn:
        row = await queries.one(conn, product_id)
    if row is None:
        raise NotFound(f"there is no product {product_id} in the catalogue")
    return ok(CatalogProduct.of(row))
