"""Who is told what. For admins only: addresses of other systems are nobody else's business."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from winnow.actions import webhooks
from winnow.actions.parts import Parts
from winnow.api.auth import Asking
from winnow.api.bodies import JsonRoute
from winnow.api.documented import failing
from winnow.api.envelope import Envelope, ok
from winnow.api.models.publish import WebhookCreate, WebhookMade, WebhookShown, WebhookUpdate
from winnow.api.params import Paged, PathId, With
from winnow.errors import NotFound
from winnow.queries import publish as queries
from winnow.queries.reading import reader

router = APIRouter(prefix="/webhooks", tags=["webhooks"], responses=failing(), route_class=JsonRoute)


@router.get("", response_model=Envelope[list[WebhookShown]])
async def list_webhooks(parts: With, paged: Paged) -> Any:
    async with reader(parts.database) as conn:
        found, following = await queries.endpoints(conn, paged.after, paged.limit)
    return ok([WebhookShown.of(row) for row in found], limit=paged.limit, following=following)


@router.get("/{webhook_id}", response_model=Envelope[WebhookShown], responses=failing(404))
async def get_webhook(parts: With, webhook_id: PathId) -> Any:
    return ok(await _shown(parts, webhook_id))


@router.post("", status_code=201, response_model=Envelope[WebhookMade], responses=failing(409, 413))
async def add_webhook(parts: With, asking: Asking, body: WebhookCreate) -> Any:
    """The secret is in this answer only. An address that may not be sent to is refused."""
    ring = await parts.secrets.ring()
    async with parts.database.transaction() as conn:
        made, secret = await webhooks.add(conn, asking.name, ring, parts.allow, **body.model_dump())
    shown = await _shown(parts, made.id)
    return ok(WebhookMade(**shown.model_dump(), secret=secret))


@router.patch("/{webhook_id}", response_model=Envelope[WebhookShown], responses=failing(404, 413))
async def change_webhook(parts: With, asking: Asking, webhook_id: PathId, body: WebhookUpdate) -> Any:
    ring = await parts.secrets.ring()
    async with parts.database.transaction() as conn:
        await webhooks.change(conn, asking.name, ring, parts.allow, webhook_id, body.model_dump(exclude_unset=True))
    return ok(await _shown(parts, webhook_id))


@router.delete("/{webhook_id}", response_model=Envelope[None], responses=failing(404, 409))
async def remove_webhook(parts: With, asking: Asking, webhook_id: PathId) -> Any:
    """With its deliveries."""
    async with parts.database.transaction() as conn:
        await webhooks.remove(conn, asking.name, webhook_id)
    return ok(None)


async def _shown(parts: Parts, webhook_id: int) -> WebhookShown:
    async with reader(parts.database) as conn:
        row = await queries.endpoint(conn, webhook_id)
    if row is None:
        raise NotFound(f"there is no webhook {webhook_id}")
    return WebhookShown.model_validate(row)
