"""Watches: notifications about single pages."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from winnow.actions import targets as target_actions
from winnow.actions import watches
from winnow.actions.parts import Parts
from winnow.actions.watches import WatchConditions
from winnow.api.auth import CurrentCaller
from winnow.api.bodies import JsonRoute
from winnow.api.documented import errors
from winnow.api.envelope import Envelope, ok
from winnow.api.models.watches import WatchCreate, WatchMade, WatchResponse
from winnow.api.params import Paged, PartsDep, PathId, QueryId
from winnow.db.engine import Connection
from winnow.errors import InvalidInput
from winnow.queries import watches as queries
from winnow.queries.reading import reader

router = APIRouter(prefix="/watches", tags=["watches"], responses=errors(), route_class=JsonRoute)


@router.get("", response_model=Envelope[list[WatchResponse]])
async def list_watches(parts: PartsDep, paged: Paged, target_id: QueryId = None) -> Any:
    async with reader(parts.database) as conn:
        found, following = await queries.listed(conn, target_id=target_id, after=paged.after, limit=paged.limit)
    return ok([WatchResponse.of(row) for row in found], limit=paged.limit, following=following)


@router.post("", status_code=201, response_model=Envelope[WatchMade], responses=errors(404, 409, 413))
async def add_watch(parts: PartsDep, caller: CurrentCaller, body: WatchCreate) -> Any:
    """Notified once per crossing, by webhook; at once if the condition is met already."""
    ring = await parts.secrets.key_ring()
    async with parts.database.transaction() as conn:
        target_id = await _target(parts, conn, caller.name, body)
        wish = WatchConditions(**body.model_dump(exclude={"target_id", "url"}))
        made = await watches.add(conn, caller.name, ring, parts.allow, target_id, wish)
    return ok(WatchMade(ids=made.ids, target_id=target_id, fired=made.fired, secret=made.secret))


@router.delete("/{watch_id}", response_model=Envelope[None], responses=errors(404))
async def remove_watch(parts: PartsDep, caller: CurrentCaller, watch_id: PathId) -> Any:
    async with parts.database.transaction() as conn:
        await watches.remove(conn, caller.name, watch_id)
    return ok(None)


async def _target(parts: Parts, conn: Connection, actor: str, body: WatchCreate) -> int:
    if (body.target_id is None) == (body.url is None):
        raise InvalidInput("give either target_id or url", field="target_id")
    if body.target_id is not None:
        return body.target_id
    return (await target_actions.watch(conn, actor, parts.intake, body.url or "")).target_id
