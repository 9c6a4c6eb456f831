"""Calendar addresses for a choice of events, each with a key of its own in it."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from winnow.actions import events as actions
from winnow.api import calendars
from winnow.api.auth import CurrentCaller
from winnow.api.bodies import JsonRoute
from winnow.api.documented import errors
from winnow.api.envelope import Envelope, ok
from winnow.api.models.events import SubscriptionCreate, SubscriptionMade, SubscriptionResponse
from winnow.api.params import Paged, PartsDep, PathId
from winnow.errors import NotFound
from winnow.queries.events import checks, subscriptions
from winnow.queries.reading import reader
from winnow.store.events import subscriptions as stored

router = APIRouter(prefix="/event-subscriptions", tags=["events"], responses=errors(), route_class=JsonRoute)
public = APIRouter(tags=["events"])


@router.get("", response_model=Envelope[list[SubscriptionResponse]])
async def list_subscriptions(parts: PartsDep, paged: Paged) -> Any:
    """Newest first, those that were revoked as well."""
    async with reader(parts.database) as conn:
        found, following = await subscriptions.listed(conn, after=paged.after, limit=paged.limit)
    return ok([SubscriptionResponse.of(row) for row in found], limit=paged.limit, following=following)


@router.post("", status_code=201, response_model=Envelope[SubscriptionMade], responses=errors(413))
async def subscribe(parts: PartsDep, caller: CurrentCaller, body: SubscriptionCreate) -> Any:
    """An address that calendar programs can subscribe to without a key of ours."""
    stated = body.filters.model_dump(exclude_none=True)
    checks.categories(body.filters.categories)
    checks.of_subscription(stated)
    async with parts.database.transaction() as conn:
        made, token = await actions.subscribe(conn, caller.name, body.name, stated, caller.workspace_id)
    return ok(SubscriptionMade(id=made, **{form: f"/calendar/{token}.{form}" for form in calendars.TYPES}))


@router.delete("/{subscription_id}", response_model=Envelope[None], responses=errors(404))
async def unsubscribe(parts: PartsDep, caller: CurrentCaller, subscription_id: PathId) -> Any:
    async with parts.database.transaction() as conn:
        await actions.unsubscribe(conn, caller.name, subscription_id)
    return ok(None)


@public.get(
    "/calendar/{token}.{form}",
    response_class=Response,
    responses=calendars.documented() | {s: r for s, r in errors(404).items() if s not in (401, 403)},
)
async def subscribed(parts: PartsDep, request: Request, token: str, form: str) -> Response:
    """The events of a subscription: `ics`, `rss` or `jsonld`."""
    if form not in calendars.TYPES or len(token) > 64 or not token.isascii():
        raise NotFound("there is no such calendar")
    async with parts.database.transaction() as conn:
        found = await stored.find(conn, token)
    if found is None:
        raise NotFound("there is no such calendar")
    return await calendars.answer(parts, request, checks.of_subscription(found.filters), form, found.name)
