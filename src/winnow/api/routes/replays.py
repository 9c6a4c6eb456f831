"""What would a new version of an adapter change (C-069)? On stored pages, or beside the live one."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query

from winnow.actions import replays
from winnow.actions.parts import Parts
from winnow.api.auth import CurrentCaller
from winnow.api.bodies import JsonRoute
from winnow.api.documented import errors
from winnow.api.envelope import Envelope, ok
from winnow.api.models.replays import ReplayDetail, ReplayOrder, ReplayResponse, ShadowOrder, ShadowStop
from winnow.api.params import Filter, Paged, PartsDep, PathId
from winnow.errors import NotFound
from winnow.queries import replays as queries
from winnow.queries.reading import reader
from winnow.run.commit import shadow

router = APIRouter(tags=["replays"], responses=errors(), route_class=JsonRoute)


@router.get("/replays", response_model=Envelope[list[ReplayResponse]])
async def list_replays(
    parts: PartsDep, paged: Paged, mode: Annotated[Literal["stored", "shadow"] | None, Query()] = None,
    adapter_id: Filter = None,
) -> Any:  # fmt: skip
    """Newest first; shadows are among them."""
    async with reader(parts.database) as conn:
        found, following = await queries.listed(
            conn, mode=mode, adapter_id=adapter_id, after=paged.after, limit=paged.limit
        )
    return ok([ReplayResponse.of(row) for row in found], limit=paged.limit, following=following)


@router.get("/replays/{replay_id}", response_model=Envelope[ReplayDetail], responses=errors(404))
async def get_replay(parts: PartsDep, replay_id: PathId) -> Any:
    """With what it reads differently, by field, and examples."""
    return ok(await _read_one(parts, replay_id))


@router.post("/replays", status_code=202, response_model=Envelope[ReplayDetail], responses=errors(404, 409, 413))
async def start_replay(parts: PartsDep, caller: CurrentCaller, body: ReplayOrder) -> Any:
    """Runs in the background; ask for it by its id. 409: another one is under way."""
    replay_id = await replays.start(
        parts.database,
        caller.name,
        parts.settings,
        parts.registry,
        parts.running_replays,
        body.adapter_id,
        body.version,
        source_id=body.source_id,
        since=body.since,
        limit=body.limit,
    )
    return ok(await _read_one(parts, replay_id))


@router.post("/shadows", status_code=201, response_model=Envelope[ReplayDetail], responses=errors(404, 409, 413))
async def start_shadow(parts: PartsDep, caller: CurrentCaller, body: ShadowOrder) -> Any:
    """From now on every page the live adapter reads is read by the candidate as well."""
    replays.check_registered(parts.registry, body.adapter_id)
    async with parts.database.transaction() as conn:
        shadow_id = await shadow.start(conn, caller.name, parts.registry, body.adapter_id, body.version)
    return ok(await _read_one(parts, shadow_id))


@router.post("/shadows/stop", response_model=Envelope[ReplayDetail], responses=errors(404, 409, 413))
async def stop_shadow(parts: PartsDep, caller: CurrentCaller, body: ShadowStop) -> Any:
    """Its counters stay."""
    async with parts.database.transaction() as conn:
        shadow_id = await shadow.stop(conn, caller.name, body.adapter_id)
    return ok(await _read_one(parts, shadow_id))


async def _read_one(parts: Parts, replay_id: int) -> ReplayDetail:
    async with reader(parts.database) as conn:
        row = await queries.one(conn, replay_id)
    if row is None:
        raise NotFound(f"there is no replay {replay_id}")
    return ReplayDetail.model_validate(row)
