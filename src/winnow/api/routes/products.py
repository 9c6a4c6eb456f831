"""Canonical products, and search of offers (C-056). A caller with the admin scope sees everything, others what
consumers may see (P-092)."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
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
)
from winnow.api.models.search import SearchResponse
from winnow.api.params import Paged, PartsDep, PathId, QueryId
from winnow.errors import NotFound
from winnow.observe.keys import Scope
from winnow.queries import products as queries
from winnow.queries.reading import reader
from winnow.queries.search.offers import search
from winnow.queries.search.request import MAX_HITS, MAX_QUERY, MAX_VALUES, SearchRequest, Sort
from winnow.queries.search.server import backend_of

router = APIRouter(tags=["products"], responses=errors(), route_class=JsonRoute)

Value = Annotated[str, AfterValidator(storable), Query(max_length=500)]
Values = Annotated[list[Value], Query(max_length=MAX_VALUES)]
Price = Annotated[Decimal | None, Query(ge=0, max_digits=20)]


async def filters(
    brand: Values = [],  # noqa: B006
    category: Values = [],  # noqa: B006
    domain: Values = [],  # noqa: B006
    availability: Values = [],  # noqa: B006
    source_id: QueryId = None,
    currency: Annotated[str | None, Query(pattern="^[A-Za-z]{3}$")] = None,
    price_min: Price = None,
    price_max: Price = None,
    rating_min: Annotated[Decimal | None, Query(ge=0, le=5)] = None,
) -> dict[str, Any]:
    """Several values of one are alternatives. Prices are compared as numbers: give the currency they are meant in."""
    several = {"brand": brand, "category": category, "domain": domain, "availability": availability}
    return {
        **{name: tuple(dict.fromkeys(values)) for name, values in several.items()},
        "source_id": source_id,
        "currency": currency,
        "price_min": price_min,
        "price_max": price_max,
        "rating_min": rating_min,
    }


@router.get("/products/search", response_model=Envelope[SearchResponse])
async def search_products(
    parts: PartsDep,
    caller: CurrentCaller,
    filtered: Annotated[dict[str, Any], Depends(filters)],
    q: Annotated[
        str,
        AfterValidator(storable),
        Query(max_length=MAX_QUERY, description='Words, a "phrase", -excluded words, or a GTIN, SKU or part number.'),
    ] = "",
    sort: Sort = "relevance",
    facets: Annotated[bool, Query(description="Count values of the matches.")] = True,
    limit: Annotated[int, Query(ge=1, le=100, description="Rows per page.")] = 50,
    after: Annotated[int, Query(ge=0, le=MAX_HITS, description="meta.next of the page before.")] = 0,
) -> Any:
    """Offers by the words of their name and text, by number, or by a name that looks like it. A page may have fewer
    rows than its limit: what no longer fits is left out."""
    request = SearchRequest(
        q=q, everything=caller.may(Scope.ADMIN), sort=sort, facets=facets, after=after, limit=limit, **filtered
    )
    async with reader(parts.database) as conn:
        page = await search(conn, request, backend_of(parts.search_server))
    return ok(SearchResponse.of_page(page), limit=limit, following=page.following)


@router.get("/products/{product_id}", response_model=Envelope[ProductDetail], responses=errors(404))
async def get_product(parts: PartsDep, caller: CurrentCaller, product_id: PathId) -> Any:
    """With every offer of it that the caller may see."""
    async with reader(parts.database) as conn:
        everything = caller.may(Scope.ADMIN)
        row = await queries.one(conn, product_id, everything=everything)
        if row is None:
            raise NotFound(f"there is no product {product_id}")
        found = await queries.offers(conn, product_id, everything=everything)
    parts.reads.note([offer["source_product_id"] for offer in found])
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
