"""What operators decide about events: merge, take apart, correct, hide, and pairs that may be one. All audited."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query

from winnow.actions import events as actions
from winnow.api.auth import CurrentCaller
from winnow.api.bodies import JsonRoute
from winnow.api.documented import errors
from winnow.api.envelope import Envelope, ok
from winnow.api.models.event_decisions import (
    Corrected,
    Correction,
    Decided,
    Decision,
    DoubtResponse,
    Merge,
    MergedResponse,
    Reasoned,
)
from winnow.api.params import Paged, PartsDep, PathId
from winnow.queries.events import lists
from winnow.queries.reading import reader

router = APIRouter(tags=["events"], responses=errors(), route_class=JsonRoute)


@router.post("/events/{event_id}/merge", response_model=Envelope[MergedResponse], responses=errors(404, 409, 413))
async def merge(parts: PartsDep, caller: CurrentCaller, event_id: PathId, body: Merge) -> Any:
    """Shows two events as one. Both are kept, and `unmerge` restores them."""
    async with parts.database.transaction() as conn:
        merged = await actions.merge(conn, caller.name, event_id, body.other_id, reason=body.reason or "by a person")
    return ok(MergedResponse(kept_id=merged.kept_id, merged_id=merged.merged_id))


@router.post("/events/{event_id}/unmerge", response_model=Envelope[MergedResponse], responses=errors(404, 409, 413))
async def unmerge(parts: PartsDep, caller: CurrentCaller, event_id: PathId, body: Reasoned) -> Any:
    """Takes an event out of the one it is shown as; rules never merge the two again."""
    async with parts.database.transaction() as conn:
        undone = await actions.unmerge(conn, caller.name, event_id, reason=body.reason)
    return ok(MergedResponse(kept_id=undone.kept_id, merged_id=undone.merged_id))


@router.post("/events/{event_id}/hide", response_model=Envelope[None], responses=errors(404, 409, 413))
async def hide(parts: PartsDep, caller: CurrentCaller, event_id: PathId, body: Reasoned) -> Any:
    """Consumers do not see it until it is restored."""
    async with parts.database.transaction() as conn:
        await actions.hide(conn, caller.name, event_id, reason=body.reason)
    return ok(None)


@router.post("/events/{event_id}/restore", response_model=Envelope[None], responses=errors(404, 409, 413))
async def restore(parts: PartsDep, caller: CurrentCaller, event_id: PathId, body: Reasoned) -> Any:
    async with parts.database.transaction() as conn:
        await actions.restore(conn, caller.name, event_id, reason=body.reason)
    return ok(None)


@router.patch("/events/{event_id}", response_model=Envelope[Corrected], responses=errors(404, 413))
async def correct(parts: PartsDep, caller: CurrentCaller, event_id: PathId, body: Correction) -> Any:
    """Replaces what the source says of these fields, for good."""
    values = body.model_dump(exclude_unset=True, exclude={"reason"})
    async with parts.database.transaction() as conn:
        changed = await actions.correct(conn, caller.name, event_id, values, reason=body.reason)
    return ok(Corrected(changes=changed))


@router.get("/event-doubts", response_model=Envelope[list[DoubtResponse]])
async def list_doubts(
    parts: PartsDep,
    paged: Paged,
    status: Annotated[Literal["open", "merged", "distinct"], Query()] = "open",
) -> Any:
    """Pairs of events that may be one and wait for a person."""
    async with reader(parts.database) as conn:
        found, following = await lists.doubts(conn, status=status, after=paged.after, limit=paged.limit)
    return ok([DoubtResponse.of(row) for row in found], limit=paged.limit, following=following)


@router.post("/event-doubts/{doubt_id}/decide", response_model=Envelope[Decided], responses=errors(404, 409, 413))
async def decide(parts: PartsDep, caller: CurrentCaller, doubt_id: PathId, body: Decision) -> Any:
    async with parts.database.transaction() as conn:
        merged = await actions.decide_doubt(conn, caller.name, doubt_id, same=body.same, reason=body.reason)
    return ok(Decided(kept_id=None if merged is None else merged.kept_id))
