"""Monitors: whether the last run of each source looks like the ones before it (C-069)."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from winnow.actions import monitors as actions
from winnow.api.auth import CurrentCaller
from winnow.api.bodies import JsonRoute
from winnow.api.documented import errors
from winnow.api.envelope import Envelope, ok
from winnow.api.models.monitors import MonitorChange, MonitoredSource
from winnow.api.params import Paged, PartsDep, PathId, QueryId
from winnow.judge import monitor_readings
from winnow.queries.reading import cut

router = APIRouter(prefix="/monitors", tags=["monitors"], responses=errors(), route_class=JsonRoute)


@router.get("", response_model=Envelope[list[MonitoredSource]])
async def list_monitors(
    parts: PartsDep,
    paged: Paged,
    broken: Annotated[bool, Query(description="Only sources that a monitor complains about.")] = False,
    source_id: QueryId = None,
) -> Any:
    """What the monitors say of the last run of each source."""
    async with parts.database.connection() as conn:
        found = await monitor_readings.newest(
            conn, broken=broken, source_id=source_id, after=paged.after or 0, limit=paged.limit + 1
        )
    rows, following = cut(found, paged.limit, "source_id")
    return ok([MonitoredSource.of(row) for row in rows], limit=paged.limit, following=following)


@router.patch("/{source_id}", response_model=Envelope[dict[str, Any]], responses=errors(404, 413))
async def change_monitors(parts: PartsDep, caller: CurrentCaller, source_id: PathId, body: MonitorChange) -> Any:
    """Set limits of one source, from its next run on."""
    await actions.change(parts.database, source_id, body.changes(), caller.name)
    return ok(body.changes())


@router.post("/{source_id}/accept", response_model=Envelope[dict[str, list[int]]], responses=errors(404))
async def accept_monitors(parts: PartsDep, caller: CurrentCaller, source_id: PathId) -> Any:
    """Take what the last run brought for usual from now on; the alerts about it are resolved."""
    return ok({"resolved_alerts": await actions.accept(parts.database, source_id, caller.name)})
