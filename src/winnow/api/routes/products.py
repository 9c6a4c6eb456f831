"""Canonical products and search. A caller with the admin scope sees everything, others what consumers may see
(P-092)."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import AfterValidator

from winnow.actions import products as product_actions
from winnow.api.auth import CurrentCaller
from winnow.api.bodies import JsonRoute
from winnow.api.documented import errors
from winnow.api.envelope import Envelope, ok
from winnow.api.models.fields import storable
from winnow.api.models.products import (
    ConflictResponse,
    OfferLink,
    ProductDetail,
    ProductOffer,
    ProductResponse,
    SearchHit,
)
from winnow.api.params import Paged, PartsDep, PathId
from winnow.errors import NotFound
from winnow.observe.keys import Scope
from winnow.queries import products as queries
from winnow.queries.reading import reader

router = APIRouter(tags=["products"], responses=errors(), route_class=JsonRoute)

Words = Annotated[str, AfterValidator(storable), Query(min_length=1, max_length=200, description="Words, GTIN or SKU.")]


@router.get("/products", response_model=Envelope[list[ProductResponse]])
async def list_products(parts: PartsDep, caller: CurrentCaller, paged: Paged) -> Any:
    """Those with an offer that the caller may see."""
    async with reader(parts.database) as conn:
        everything = caller.may(Scope.ADMIN)
        found, following = await queries.listed(conn, everything=everything, after=paged.after, limit=paged.limit)
    return ok([ProductResponse.of(row) for row in found], limit=paged.limit, following=following)


@router.get("/products/search", response_model=Envelope[list[SearchHit]])
async def search_products(parts: PartsDep, caller: CurrentCaller, paged: Paged, q: Words) -> Any:
    """Offers by the words of their name and text, by GTIN, SKU or part number, or by a name that looks like it."""
    async with reader(parts.database) as conn:
        found, following = await queries.search(
            conn, q, everything=caller.may(Scope.ADMIN), after=paged.after, limit=paged.limit
        )
    return ok([SearchHit.of(row) for row in found], limit=paged.limit, following=following)


@router.get("/products/{product_id}", response_model=Envelope[ProductDetail], responses=errors(404))
async def get_product(parts: PartsDep, caller: CurrentCaller, product_id: PathId) -> Any:
    """With every offer of it that the caller may see."""
    async with reader(parts.database) as conn:
        everything = caller.may(Scope.ADMIN)
        row = await queries.one(conn, product_id, everything=everything)
        if row is None:
            raise NotFound(f"there is no product {product_id}")
        found = await queries.offers(conn, product_id, everything=everything)
    return ok(ProductDetail.of({**row, "offers": [ProductOffer.of(offer) for offer in found]}))


@router.get("/product-conflicts", response_model=Envelope[list[ConflictResponse]])
async def list_conflicts(parts: PartsDep, paged: Paged) -> Any:
    """Offers that could not be linked without guessing; link them by hand."""
    async with reader(parts.database) as conn:
        found, following = await queries.conflicts(conn, paged.after, paged.limit)
    return ok([ConflictResponse.of(row) for row in found], limit=paged.limit, following=following)


@router.post("/products/{product_id}/offers", response_model=Envelope[None], responses=errors(404, 413))
async def link_offer(parts: PartsDep, caller: CurrentCaller, product_id: PathId, body: OfferLink) -> Any:
    """By hand: the resolver does not touch it any more."""
    async with parts.database.transaction() as conn:
        await product_actions.link(conn, caller.name, body.source_product_id, product_id, body.reason)
    return ok(None)


@router.delete("/offers/{source_product_id}/product", response_model=Envelope[None], responses=errors(404))
async def unlink_offer(parts: PartsDep, caller: CurrentCaller, source_product_id: PathId) -> Any:
    """The resolver looks again."""
    async with parts.database.transaction() as conn:
        await product_actions.unlink(conn, caller.name, source_product_id)
    return ok(None)
