"""Alerts (P-099)."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query

from winnow.actions import alerts as alert_actions
from winnow.api.auth import CurrentCaller
from winnow.api.bodies import JsonRoute
from winnow.api.documented import errors
from winnow.api.envelope import Envelope, ok
from winnow.api.models.alerts import AlertResponse, Silence
from winnow.api.models.fields import Changed, Ids
from winnow.api.params import Filter, Paged, PartsDep
from winnow.queries import alerts as queries
from winnow.queries.reading import reader

router = APIRouter(prefix="/alerts", tags=["alerts"], responses=errors(), route_class=JsonRoute)


@router.get("", response_model=Envelope[list[AlertResponse]])
async def list_alerts(
    parts: PartsDep,
    paged: Paged,
    status: Annotated[Literal["open", "all"], Query()] = "open",
    severity: Annotated[Literal["P1", "P2", "P3"] | None, Query()] = None,
    code: Filter = None,
) -> Any:
    """Newest first."""
    async with reader(parts.database) as conn:
        found, following = await queries.listed(
            conn, everything=status == "all", severity=severity, code=code, after=paged.after, limit=paged.limit
        )
    return ok([AlertResponse.of(row) for row in found], limit=paged.limit, following=following)


@router.post("/acknowledge", response_model=Envelope[Changed], responses=errors(404, 413))
async def acknowledge_alerts(parts: PartsDep, caller: CurrentCaller, body: Ids) -> Any:
    """Marks them as being worked on; they stay open."""
    async with parts.database.transaction() as conn:
        return ok(Changed(ids=await alert_actions.acknowledge(conn, caller.name, body.ids)))


@router.post("/silence", response_model=Envelope[Changed], responses=errors(404, 413))
async def silence_alerts(parts: PartsDep, caller: CurrentCaller, body: Silence) -> Any:
    """No notification for so many hours, even if they close and open again; 0 hours end the silence."""
    async with parts.database.transaction() as conn:
        return ok(Changed(ids=await alert_actions.silence(conn, caller.name, body.ids, timedelta(hours=body.hours))))


@router.post("/resolve", response_model=Envelope[Changed], responses=errors(413))
async def resolve_alerts(parts: PartsDep, caller: CurrentCaller, body: Ids) -> Any:
    """Marks them as resolved. If the problem occurs again, a new alert opens."""
    async with parts.database.transaction() as conn:
        return ok(Changed(ids=await alert_actions.resolve(conn, caller.name, body.ids)))
