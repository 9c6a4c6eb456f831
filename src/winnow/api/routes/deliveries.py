"""What was told to whom, and what could not be."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query

from winnow.actions import webhooks
from winnow.api.auth import Asking
from winnow.api.bodies import JsonRoute
from winnow.api.documented import failing
from winnow.api.envelope import Envelope, ok
from winnow.api.models.fields import Changed
from winnow.api.models.publish import DeliveryDetail, DeliveryShown, Redeliver
from winnow.api.params import Filter, Paged, PathId, QueryId, With
from winnow.errors import NotFound
from winnow.queries import publish as queries
from winnow.queries.reading import reader

router = APIRouter(prefix="/deliveries", tags=["deliveries"], responses=failing(), route_class=JsonRoute)

DeliveryStatus = Literal["pending", "sending", "delivered", "dead"]


@router.get("", response_model=Envelope[list[DeliveryShown]])
async def list_deliveries(
    parts: With,
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
    return ok([DeliveryShown.of(row) for row in found], limit=paged.limit, following=following)


@router.get("/{delivery_id}", response_model=Envelope[DeliveryDetail], responses=failing(404))
async def get_delivery(parts: With, delivery_id: PathId) -> Any:
    async with reader(parts.database) as conn:
        row = await queries.delivery(conn, delivery_id)
    if row is None:
        raise NotFound(f"there is no delivery {delivery_id}")
    return ok(DeliveryDetail.of(row))


@router.post("/redeliver", response_model=Envelope[Changed], responses=failing(413))
async def redeliver(parts: With, asking: Asking, body: Redeliver) -> Any:
    async with parts.database.transaction() as conn:
        again = await webhooks.redeliver(conn, asking.name, body.ids)
    return ok(Changed(ids=again))
