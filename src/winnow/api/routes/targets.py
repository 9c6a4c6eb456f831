from __future__ import annotations

import io
from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request

from winnow.actions import target_choice
from winnow.actions import targets as target_actions
from winnow.actions.imports import Import
from winnow.actions.parts import Parts
from winnow.api.auth import CurrentCaller
from winnow.api.bodies import JsonRoute
from winnow.api.documented import errors
from winnow.api.envelope import Envelope, ok
from winnow.api.models.fields import Changed, Ids
from winnow.api.models.targets import (
    ChoiceBody,
    ImportResponse,
    TargetAdded,
    TargetCreate,
    TargetResponse,
    TargetStatus,
    TargetUpdate,
    Watch,
)
from winnow.api.params import Filter, Paged, PartsDep, PathId, QueryId
from winnow.db.engine import Connection
from winnow.errors import NotFound
from winnow.extract.target_choice import Choice
from winnow.queries import targets as queries
from winnow.queries.reading import reader
from winnow.sources import sources

router = APIRouter(prefix="/targets", tags=["targets"], responses=errors(), route_class=JsonRoute)

CADENCE = frozenset({"schedule", "every_seconds", "by_hand", "first_at"})
_CSV = {"content": {"text/csv": {"schema": {"type": "string"}}}, "required": True}


@router.get("", response_model=Envelope[list[TargetResponse]])
async def list_targets(
    parts: PartsDep,
    paged: Paged,
    source_id: QueryId = None,
    status: Annotated[TargetStatus | None, Query()] = None,
    domain: Filter = None,
    q: Filter = None,
) -> Any:
    async with reader(parts.database) as conn:
        found, following = await queries.listed(
            conn, source_id=source_id, status=status, domain=domain, q=q, after=paged.after, limit=paged.limit
        )
    return ok([TargetResponse.of(row) for row in found], limit=paged.limit, following=following)


@router.get("/{target_id}", response_model=Envelope[TargetResponse], responses=errors(404))
async def get_target(parts: PartsDep, target_id: PathId) -> Any:
    return ok(await _read_one(parts, target_id))


@router.post("", status_code=201, response_model=Envelope[TargetAdded], responses=errors(404, 409, 413))
async def add_target(parts: PartsDep, caller: CurrentCaller, body: TargetCreate) -> Any:
    """A URL the source has already is 409; `meta.existing` is its target."""
    async with parts.database.transaction() as conn:
        source = await sources.get(conn, body.source_id)
        target_id = await target_actions.add(
            conn,
            caller.name,
            parts.intake,
            source,
            body.url,
            when=body.cadence(),
            adapter_id=body.adapter_id,
            priority=body.priority,
            enabled=body.enabled,
            notes=body.notes,
        )
    return ok(TargetAdded(id=target_id, source_id=source.id))


@router.post("/watch", status_code=201, response_model=Envelope[TargetAdded], responses=errors(413))
async def watch(parts: PartsDep, caller: CurrentCaller, body: Watch) -> Any:
    """Source and target in one go; asking again gives the same target with `created` false."""
    when = body.cadence() if body.model_fields_set & CADENCE else None
    async with parts.database.transaction() as conn:
        watched = await target_actions.watch(
            conn, caller.name, parts.intake, body.url, when, priority=body.priority, notes=body.notes
        )
    return ok(TargetAdded(id=watched.target_id, source_id=watched.source_id, created=watched.created))


@router.post(
    "/import",
    response_model=Envelope[ImportResponse],
    responses=errors(404, 413),
    openapi_extra={"requestBody": _CSV},
)
async def import_targets(parts: PartsDep, caller: CurrentCaller, request: Request, source_id: QueryId = None) -> Any:
    """The body is the CSV itself. Wrong rows come back with line and reason; the good ones are in."""
    body = await request.body()
    source = None
    if source_id is not None:
        async with parts.database.connection() as conn:
            source = await sources.get(conn, source_id)
    report = await Import(parts.database, parts.intake, caller.name, source).run(io.BytesIO(body))
    return ok(ImportResponse.model_validate(report, from_attributes=True))


@router.patch("/{target_id}", response_model=Envelope[TargetResponse], responses=errors(404, 413))
async def update_target(parts: PartsDep, caller: CurrentCaller, target_id: PathId, body: TargetUpdate) -> Any:
    changes = body.model_dump(exclude_unset=True, exclude=set(CADENCE))
    when = body.cadence() if body.model_fields_set & CADENCE else None
    async with parts.database.transaction() as conn:
        await target_actions.update(conn, caller.name, parts.intake, target_id, changes, when)
    return ok(await _read_one(parts, target_id))


@router.put("/{target_id}/choice", response_model=Envelope[TargetResponse], responses=errors(404, 413))
async def choose_what_is_read(parts: PartsDep, caller: CurrentCaller, target_id: PathId, body: ChoiceBody) -> Any:
    """Reads one variant of the page (SKU, size, colour), or the price at a CSS selector. What is not on the page is
    held with that reason; another variant's price is never taken instead."""
    choice = Choice(**body.model_dump(exclude_none=True))
    async with parts.database.transaction() as conn:
        await target_choice.choose(conn, caller.name, target_id, choice)
    return ok(await _read_one(parts, target_id))


@router.post("/pause", response_model=Envelope[Changed], responses=errors(404, 413))
async def pause_targets(parts: PartsDep, caller: CurrentCaller, body: Ids) -> Any:
    """Cancels their queued tasks; running tasks finish."""
    return await _each(parts, caller.name, target_actions.pause, body.ids)


@router.post("/resume", response_model=Envelope[Changed], responses=errors(404, 413))
async def resume_targets(parts: PartsDep, caller: CurrentCaller, body: Ids) -> Any:
    return await _each(parts, caller.name, target_actions.resume, body.ids)


@router.post("/requeue", response_model=Envelope[Changed], responses=errors(404, 413))
async def requeue_targets(parts: PartsDep, caller: CurrentCaller, body: Ids) -> Any:
    """STALE and BROKEN targets are due again now (P-100)."""
    return await _each(parts, caller.name, target_actions.requeue, body.ids)


@router.post("/remove", response_model=Envelope[Changed], responses=errors(404, 413))
async def remove_targets(parts: PartsDep, caller: CurrentCaller, body: Ids) -> Any:
    return await _each(parts, caller.name, target_actions.remove, body.ids)


@router.delete("/{target_id}", response_model=Envelope[Changed], responses=errors(404))
async def remove_target(parts: PartsDep, caller: CurrentCaller, target_id: PathId) -> Any:
    """Its price history stays."""
    return await _each(parts, caller.name, target_actions.remove, [target_id])


Change = Callable[[Connection, str, Sequence[int]], Awaitable[list[int]]]


async def _each(parts: Parts, actor: str, change: Change, ids: list[int]) -> Envelope[Changed]:
    """All of them or none: an id that does not exist changes nothing."""
    async with parts.database.transaction() as conn:
        return ok(Changed(ids=await change(conn, actor, ids)))


async def _read_one(parts: Parts, target_id: int) -> TargetResponse:
    async with reader(parts.database) as conn:
        row = await queries.one(conn, target_id)
    if row is None:
        raise NotFound(f"there is no target {target_id}")
    return TargetResponse.model_validate(row)
