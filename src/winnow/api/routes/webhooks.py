"""Webhook subscriptions. For admins only: they hold addresses of other systems."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from winnow.actions import webhooks
from winnow.actions.parts import Parts
from winnow.api.auth import CurrentCaller
from winnow.api.bodies import JsonRoute
from winnow.api.documented import errors
from winnow.api.envelope import Envelope, ok
from winnow.api.models.publish import WebhookCreate, WebhookMade, WebhookResponse, WebhookUpdate
from winnow.api.params import Paged, PartsDep, PathId
from winnow.errors import NotFound
from winnow.queries import publish as queries
from winnow.queries.reading import reader

router = APIRouter(prefix="/webhooks", tags=["webhooks"], responses=errors(), route_class=JsonRoute)


@router.get("", response_model=Envelope[list[WebhookResponse]])
async def list_webhooks(parts: PartsDep, paged: Paged) -> Any:
    async with reader(parts.database) as conn:
        found, following = await queries.endpoints(conn, paged.after, paged.limit)
    return ok([WebhookResponse.of(row) for row in found], limit=paged.limit, following=following)


@router.get("/{webhook_id}", response_model=Envelope[WebhookResponse], responses=errors(404))
async def get_webhook(parts: PartsDep, webhook_id: PathId) -> Any:
    return ok(await _read_one(parts, webhook_id))


@router.post("", status_code=201, response_model=Envelope[WebhookMade], responses=errors(409, 413))
async def add_webhook(parts: PartsDep, caller: CurrentCaller, body: WebhookCreate) -> Any:
    """The secret is in this answer only. An address that may not be sent to is refused."""
    ring = await parts.secrets.key_ring()
    async with parts.database.transaction() as conn:
        made, secret = await webhooks.add(conn, caller.name, ring, parts.allow, **body.model_dump())
    found = await _read_one(parts, made.id)
    return ok(WebhookMade(**found.model_dump(), secret=secret))


@router.patch("/{webhook_id}", response_model=Envelope[WebhookResponse], responses=errors(404, 413))
async def change_webhook(parts: PartsDep, caller: CurrentCaller, webhook_id: PathId, body: WebhookUpdate) -> Any:
    ring = await parts.secrets.key_ring()
    async with parts.database.transaction() as conn:
        await webhooks.change(conn, caller.name, ring, parts.allow, webhook_id, body.model_dump(exclude_unset=True))
    return ok(await _read_one(parts, webhook_id))


@router.delete("/{webhook_id}", response_model=Envelope[None], responses=errors(404, 409))
async def remove_webhook(parts: PartsDep, caller: CurrentCaller, webhook_id: PathId) -> Any:
    """With its deliveries."""
    async with parts.database.transaction() as conn:
        await webhooks.remove(conn, caller.name, webhook_id)
    return ok(None)


async def _read_one(parts: Parts, webhook_id: int) -> WebhookResponse:
    async with reader(parts.database) as conn:
        row = await queries.endpoint(conn, webhook_id)
    if row is None:
        raise NotFound(f"there is no webhook {webhook_id}")
    return WebhookResponse.model_validate(row)
