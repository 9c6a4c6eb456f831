"""Records that wait for a person: look, accept, reject, write down (P-067)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query

from winnow.actions import quarantine as quarantine_actions
from winnow.actions.parts import Parts
from winnow.api.auth import CurrentCaller
from winnow.api.bodies import JsonRoute
from winnow.api.documented import errors
from winnow.api.envelope import Envelope, ok
from winnow.api.models.fields import MAX_IDS
from winnow.api.models.quarantine import (
    Accept,
    Decide,
    Decided,
    DecideMany,
    HeldDetail,
    HeldResponse,
    Noted,
    RefusedResponse,
)
from winnow.api.params import Filter, Paged, PartsDep, PathId, QueryId
from winnow.db.engine import Connection
from winnow.errors import NotFound
from winnow.queries import quarantine as queries
from winnow.queries.reading import reader

router = APIRouter(prefix="/quarantine", tags=["quarantine"], responses=errors(), route_class=JsonRoute)


@router.get("", response_model=Envelope[list[HeldResponse]])
async def list_held(
    parts: PartsDep,
    paged: Paged,
    status: Annotated[Literal["open", "resolved", "all"], Query()] = "open",
    reason: Filter = None,
    adapter_id: Filter = None,
    source_id: QueryId = None,
    target_id: QueryId = None,
) -> Any:
    """Newest first."""
    async with reader(parts.database) as conn:
        found, following = await queries.listed(
            conn,
            status=None if status == "all" else status,
            reason=reason,
            source_id=source_id,
            adapter_id=adapter_id,
            target_id=target_id,
            after=paged.after,
            limit=paged.limit,
        )
    return ok([HeldResponse.of(row) for row in found], limit=paged.limit, following=following)


@router.get("/{entry_id}", response_model=Envelope[HeldDetail], responses=errors(404))
async def get_held(parts: PartsDep, entry_id: PathId) -> Any:
    """With its findings, everything that was read, and the price its offer has now."""
    return ok(await _read_one(parts, entry_id))


@router.post("/accept", response_model=Envelope[Decided], responses=errors(413))
async def accept_many(parts: PartsDep, caller: CurrentCaller, body: DecideMany) -> Any:
    """Named ones, or all that match, at most a thousand at once; each is accepted or refused for itself."""

    async def decide(conn: Connection, entry_id: int) -> None:
        await quarantine_actions.accept(conn, caller.name, entry_id, note=body.note)

    return ok(await _each(parts, body, decide))


@router.post("/reject", response_model=Envelope[Decided], responses=errors(413))
async def reject_many(parts: PartsDep, caller: CurrentCaller, body: DecideMany) -> Any:
    async def decide(conn: Connection, entry_id: int) -> None:
        await quarantine_actions.reject(conn, caller.name, entry_id, note=body.note)

    return ok(await _each(parts, body, decide))


@router.post("/{entry_id}/accept", response_model=Envelope[HeldDetail], responses=errors(404, 409, 413))
async def accept_held(parts: PartsDep, caller: CurrentCaller, entry_id: PathId, body: Accept) -> Any:
    """Stores the record like any accepted one, with the name of the reviewer. 409: already decided, or changed since it
    was held."""
    before = await _read_one(parts, entry_id)
    price = None if body.price is None else quarantine_actions.parse_price(body.price, body.currency or before.currency)
    async with parts.database.transaction() as conn:
        await quarantine_actions.accept(conn, caller.name, entry_id, note=body.note, price=price)
    return ok(await _read_one(parts, entry_id))


@router.post("/{entry_id}/reject", response_model=Envelope[HeldDetail], responses=errors(404, 409, 413))
async def reject_held(parts: PartsDep, caller: CurrentCaller, entry_id: PathId, body: Decide) -> Any:
    async with parts.database.transaction() as conn:
        await quarantine_actions.reject(conn, caller.name, entry_id, note=body.note)
    return ok(await _read_one(parts, entry_id))


@router.post("/{entry_id}/note", response_model=Envelope[HeldDetail], responses=errors(404, 413))
async def note_held(parts: PartsDep, caller: CurrentCaller, entry_id: PathId, body: Noted) -> Any:
    async with parts.database.transaction() as conn:
        await quarantine_actions.annotate(conn, caller.name, entry_id, body.note)
    return ok(await _read_one(parts, entry_id))


async def _each(parts: Parts, body: DecideMany, decide: Callable[[Connection, int], Awaitable[None]]) -> Decided:
    ids, left = body.ids or [], 0
    if body.all_open:
        async with reader(parts.database) as conn:
            ids, total = await queries.open_ids(
                conn, reason=body.reason, source_id=body.source_id, adapter_id=body.adapter_id, limit=MAX_IDS
            )
        left = total - len(ids)
    done = await quarantine_actions.decide_each(parts.database, ids, decide)
    return Decided(done=done.done, refused=[RefusedResponse.model_validate(r) for r in done.refused], left=left)


async def _read_one(parts: Parts, entry_id: int) -> HeldDetail:
    async with reader(parts.database) as conn:
        row = await queries.one(conn, entry_id)
    if row is None:
        raise NotFound(f"there is no quarantine entry {entry_id}")
    return HeldDetail.model_validate(row)
