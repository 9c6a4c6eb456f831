"""Prices. A caller with the admin scope sees all prices, others what consumers may see (P-092)."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import AwareDatetime
from sqlalchemy.ext.asyncio import AsyncConnection

from winnow.api.auth import CurrentCaller
from winnow.api.bodies import JsonRoute
from winnow.api.documented import errors
from winnow.api.envelope import Envelope, ok
from winnow.api.models.offers import OfferResponse, PricePoint
from winnow.api.models.products import HistoryResponse
from winnow.api.params import Filter, Paged, PartsDep, PathId, QueryId
from winnow.errors import NotFound
from winnow.observe.keys import Scope
from winnow.queries import prices as queries
from winnow.queries.history import History
from winnow.queries.reading import reader

router = APIRouter(tags=["prices"], responses=errors(), route_class=JsonRoute)

InStock = Annotated[bool | None, Query(description="Only offers in, or not in, stock.")]
# Written out in a request line, four thousand characters may be 48 kB; a server refuses lines above 64.
UrlFilter = Annotated[str | None, Query(max_length=4_000, description="The page an offer is on.")]


async def _check_exists(conn: AsyncConnection, source_product_id: int, *, everything: bool) -> None:
    found = await queries.product(conn, source_product_id) is not None
    if not found or not (everything or await queries.is_visible(conn, source_product_id)):
        raise NotFound(f"there is no offer {source_product_id}")


@router.get("/prices", response_model=Envelope[list[OfferResponse]])
async def latest_prices(
    parts: PartsDep,
    caller: CurrentCaller,
    paged: Paged,
    source_id: QueryId = None,
    in_stock: InStock = None,
    q: Filter = None,
    url: UrlFilter = None,
) -> Any:
    """Offers with their current price."""
    async with reader(parts.database) as conn:
        products = None
        if url is not None:
            products = await queries.products_of_url(conn, parts.intake.check(url).url_hash)
        found, following = await queries.latest(
            conn,
            everything=caller.may(Scope.ADMIN),
            source_id=source_id,
            in_stock=in_stock,
            q=q,
            products=products,
            after=paged.after,
            limit=paged.limit,
        )
    return ok([OfferResponse.of(row) for row in found], limit=paged.limit, following=following)


@router.get("/prices/{source_product_id}", response_model=Envelope[list[PricePoint]], responses=errors(404))
async def price_history(parts: PartsDep, caller: CurrentCaller, paged: Paged, source_product_id: PathId) -> Any:
    """The history of one offer, newest first."""
    async with reader(parts.database) as conn:
        await _check_exists(conn, source_product_id, everything=caller.may(Scope.ADMIN))
        found, following = await queries.history(
            conn, [source_product_id], everything=caller.may(Scope.ADMIN), after=paged.after, limit=paged.limit
        )
    parts.reads.note([source_product_id])
    return ok([PricePoint.of(row) for row in found], limit=paged.limit, following=following)


@router.get("/prices/{source_product_id}/history", response_model=Envelope[HistoryResponse], responses=errors(404))
async def summed_history(
    parts: PartsDep,
    caller: CurrentCaller,
    paged: Paged,
    source_product_id: PathId,
    currency: Annotated[
        str | None, Query(pattern="^[A-Z]{3}$", description="Default: that of the newest price.")
    ] = None,
    since: Annotated[AwareDatetime | None, Query(description="Observed from here on.")] = None,
    until: Annotated[AwareDatetime | None, Query(description="Observed before this.")] = None,
    gap_hours: Annotated[float, Query(gt=0, le=87_600, description="Longer without an observation is a gap.")] = 48.0,
) -> Any:
    """Lowest, highest and current price of one offer, when nothing was observed, and the history itself."""
    async with reader(parts.database) as conn:
        await _check_exists(conn, source_product_id, everything=caller.may(Scope.ADMIN))
        history = History(
            source_product_id, everything=caller.may(Scope.ADMIN), currency=currency, since=since, until=until
        )
        await history.settle_currency(conn)
        found = await history.summary(conn)
        gaps = await history.gaps(conn, timedelta(hours=gap_hours))
        points, following = await history.points(conn, paged.after, paged.limit)
    shown = HistoryResponse.of({**found, "source_product_id": source_product_id, "gaps": gaps, "points": points})
    return ok(shown, limit=paged.limit, following=following)


@router.get("/targets/{target_id}/prices", response_model=Envelope[list[PricePoint]], responses=errors(404))
async def target_history(parts: PartsDep, caller: CurrentCaller, paged: Paged, target_id: PathId) -> Any:
    """The history of every offer found at a target, newest first."""
    async with reader(parts.database) as conn:
        products = await queries.products_of_target(conn, target_id)
        if products is None:
            raise NotFound(f"there is no target {target_id}")
        found, following = await queries.history(
            conn, products, everything=caller.may(Scope.ADMIN), after=paged.after, limit=paged.limit
        )
    return ok([PricePoint.of(row) for row in found], limit=paged.limit, following=following)
