"""Deliveries of messages: sent, waiting and dead."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query

from winnow.actions import webhooks
from winnow.api.auth import CurrentCaller
from winnow.api.bodies import JsonRoute
from winnow.api.documented import errors
from winnow.api.envelope import Envelope, ok
from winnow.api.models.fields import Changed
from winnow.api.models.publish import DeliveryDetail, DeliveryResponse, Redeliver
from winnow.api.params import Filter, Paged, PartsDep, PathId, QueryId
from winnow.errors import NotFound
from winnow.queries import publish as queries
from winnow.queries.reading import reader

router = APIRouter(prefix="/deliveries", tags=["deliveries"], responses=errors(), route_class=JsonRoute)

DeliveryStatus = Literal["pending", "sending", "delivered", "dead"]


@router.get("", response_model=Envelope[list[DeliveryResponse]])
async def list_deliveries(
    parts: PartsDep,
    paged: Paged,
    status: Annotated[DeliveryStatus | None, Query()] = None,
    topic: Filter = None,
    webhook_id: QueryId = None,
) -> Any:
    """Newest first."""
    async with reader(parts.database) as conn:
        found, following = await queries.deliveries(
            conn, status=status, topic=topic, endpoint_id=webhook_id, after=paged.after, limit=paged.limit
        )
    return ok([DeliveryResponse.of(row) for row in found], limit=paged.limit, following=following)


@router.get("/{delivery_id}", response_model=Envelope[DeliveryDetail], responses=errors(404))
async def get_delivery(parts: PartsDep, delivery_id: PathId) -> Any:
    async with reader(parts.database) as conn:
        row = await queries.delivery(conn, delivery_id)
    if row is None:
        raise NotFound(f"there is no delivery {delivery_id}")
    return ok(DeliveryDetail.of(row))


@router.post("/redeliver", response_model=Envelope[Changed], responses=errors(413))
async def redeliver(parts: PartsDep, caller: CurrentCaller, body: Redeliver) -> Any:
    async with parts.database.transaction() as conn:
        again = await webhooks.redeliver(conn, caller.name, body.ids)
    return ok(Changed(ids=again))
