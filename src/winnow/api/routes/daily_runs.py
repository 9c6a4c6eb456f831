"""The daily run of event sources: start one now, see what it did."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from winnow.actions import runs as actions
from winnow.api.auth import CurrentCaller
from winnow.api.bodies import JsonRoute
from winnow.api.documented import errors
from winnow.api.envelope import Envelope, ok
from winnow.api.models.daily_runs import DailyRunResponse, DailyRunSourceResponse, DailyRunStarted
from winnow.api.params import Paged, PartsDep, PathId
from winnow.errors import NotFound
from winnow.queries.events import daily_runs as queries
from winnow.queries.reading import reader

router = APIRouter(prefix="/daily-runs", tags=["events"], responses=errors(), route_class=JsonRoute)


@router.get("", response_model=Envelope[list[DailyRunResponse]])
async def list_daily_runs(parts: PartsDep, paged: Paged) -> Any:
    """Runs of all event sources, newest first, each with its summary (E-081)."""
    async with reader(parts.database) as conn:
        found, following = await queries.listed(conn, after=paged.after, limit=paged.limit)
    return ok([DailyRunResponse.of(row) for row in found], limit=paged.limit, following=following)


@router.get("/{daily_run_id}", response_model=Envelope[DailyRunResponse], responses=errors(404))
async def get_daily_run(parts: PartsDep, daily_run_id: PathId) -> Any:
    async with reader(parts.database) as conn:
        row = await queries.one(conn, daily_run_id)
    if row is None:
        raise NotFound(f"there is no daily run {daily_run_id}")
    return ok(DailyRunResponse.of(row))


@router.get("/{daily_run_id}/sources", response_model=Envelope[list[DailyRunSourceResponse]], responses=errors(404))
async def get_daily_run_sources(parts: PartsDep, daily_run_id: PathId) -> Any:
    """Its sources in the order of their turn, also those that were left out and why (E-026)."""
    async with reader(parts.database) as conn:
        if await queries.one(conn, daily_run_id) is None:
            raise NotFound(f"there is no daily run {daily_run_id}")
        found = await queries.sources(conn, daily_run_id)
    return ok([DailyRunSourceResponse.of(row) for row in found])


@router.post("", status_code=202, response_model=Envelope[DailyRunStarted], responses=errors(409))
async def start_daily_run(parts: PartsDep, caller: CurrentCaller) -> Any:
    """Visits all event sources now. 409 with the id of the one that is under way."""
    async with parts.database.transaction() as conn:
        begun = await actions.start_daily(conn, caller.name, parts.settings, parts.gated)
    return ok(DailyRunStarted(id=begun))
