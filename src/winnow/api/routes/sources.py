from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from winnow.actions import domains
from winnow.actions import sources as source_actions
from winnow.actions.parts import Parts
from winnow.api.auth import CurrentCaller
from winnow.api.bodies import JsonRoute
from winnow.api.documented import errors
from winnow.api.envelope import Envelope, ok
from winnow.api.models.sources import (
    Kind,
    SourceCreate,
    SourceDetail,
    SourceHealth,
    SourceResponse,
    SourceUpdate,
    TrustUpdate,
)
from winnow.api.params import Filter, Paged, PartsDep, PathId
from winnow.errors import NotFound
from winnow.queries import sources as queries
from winnow.queries.reading import reader

router = APIRouter(prefix="/sources", tags=["sources"], responses=errors(), route_class=JsonRoute)


@router.get("", response_model=Envelope[list[SourceResponse]])
async def list_sources(
    parts: PartsDep, paged: Paged, kind: Annotated[Kind | None, Query()] = None, q: Filter = None
) -> Any:
    async with reader(parts.database) as conn:
        found, following = await queries.listed(conn, kind=kind, q=q, after=paged.after, limit=paged.limit)
    return ok([SourceResponse.of(row) for row in found], limit=paged.limit, following=following)


@router.get("/health", response_model=Envelope[list[SourceHealth]])
async def list_health(
    parts: PartsDep,
    kind: Annotated[Kind | None, Query()] = None,
    available: Annotated[bool | None, Query(description="Only those that may, or may not, be scheduled.")] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> Any:
    """The source whose turn it is first."""
    async with reader(parts.database) as conn:
        found = await queries.health(conn, kind=kind, available=available, limit=limit)
    return ok([SourceHealth.of(row) for row in found], limit=limit)


@router.get("/{source_id}", response_model=Envelope[SourceDetail], responses=errors(404))
async def get_source(parts: PartsDep, source_id: PathId) -> Any:
    return ok(await _read_one(parts, source_id))


@router.post("", status_code=201, response_model=Envelope[SourceDetail], responses=errors(409, 413))
async def add_source(parts: PartsDep, caller: CurrentCaller, body: SourceCreate) -> Any:
    async with parts.database.transaction() as conn:
        made = await source_actions.add(conn, caller.name, parts.intake, **body.model_dump())
    await domains.refresh(parts.database, parts.politeness, made.domain)
    return ok(await _read_one(parts, made.id))


@router.patch("/{source_id}", response_model=Envelope[SourceDetail], responses=errors(404, 409, 413))
async def update_source(parts: PartsDep, caller: CurrentCaller, source_id: PathId, body: SourceUpdate) -> Any:
    async with parts.database.transaction() as conn:
        await source_actions.update(conn, caller.name, parts.intake, source_id, body.model_dump(exclude_unset=True))
    found = await _read_one(parts, source_id)
    await domains.refresh(parts.database, parts.politeness, found.domain)
    return ok(found)


@router.patch("/{source_id}/trust", response_model=Envelope[SourceDetail], responses=errors(404, 413))
async def change_trust(parts: PartsDep, caller: CurrentCaller, source_id: PathId, body: TrustUpdate) -> Any:
    """Sets whether consumers see the offers of the source."""
    async with parts.database.transaction() as conn:
        await source_actions.change_trust(conn, caller.name, source_id, body.model_dump(exclude_unset=True))
    return ok(await _read_one(parts, source_id))


@router.post("/{source_id}/pause", response_model=Envelope[SourceDetail], responses=errors(404))
async def pause_source(parts: PartsDep, caller: CurrentCaller, source_id: PathId) -> Any:
    """Stops scheduling and dispatching tasks of the source until it is resumed; running tasks finish."""
    return ok(await _pause(parts, caller.name, source_id, True))


@router.post("/{source_id}/resume", response_model=Envelope[SourceDetail], responses=errors(404))
async def resume_source(parts: PartsDep, caller: CurrentCaller, source_id: PathId) -> Any:
    return ok(await _pause(parts, caller.name, source_id, False))


async def _pause(parts: Parts, actor: str, source_id: int, paused: bool) -> SourceDetail:
    async with parts.database.transaction() as conn:
        await source_actions.pause(conn, actor, source_id, paused)
    return await _read_one(parts, source_id)


async def _read_one(parts: Parts, source_id: int) -> SourceDetail:
    async with reader(parts.database) as conn:
        row = await queries.one(conn, source_id)
    if row is None:
        raise NotFound(f"there is no source {source_id}")
    return SourceDetail.model_validate(row)
