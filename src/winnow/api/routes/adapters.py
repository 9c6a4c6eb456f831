"""Adapters: which exist, and whether each may run (P-101)."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path

from winnow.actions import adapters as adapter_actions
from winnow.actions.parts import Parts
from winnow.api.auth import CurrentCaller
from winnow.api.bodies import JsonRoute
from winnow.api.documented import errors
from winnow.api.envelope import Envelope, ok
from winnow.api.models.adapters import AdapterDisable, AdapterEnable, AdapterResponse
from winnow.api.params import PartsDep
from winnow.errors import NotFound
from winnow.queries import adapters as queries
from winnow.queries.reading import reader

router = APIRouter(prefix="/adapters", tags=["adapters"], responses=errors(), route_class=JsonRoute)

AdapterId = Annotated[str, Path(min_length=1, max_length=200)]


@router.get("", response_model=Envelope[list[AdapterResponse]])
async def list_adapters(parts: PartsDep) -> Any:
    async with reader(parts.database) as conn:
        return ok([AdapterResponse.of(row) for row in await queries.listed(conn, parts.registry)])


@router.post("/{adapter_id}/disable", response_model=Envelope[AdapterResponse], responses=errors(404, 413))
async def disable_adapter(parts: PartsDep, caller: CurrentCaller, adapter_id: AdapterId, body: AdapterDisable) -> Any:
    """Nothing is scheduled with it any more; reason and caller are recorded."""
    await _known(parts, adapter_id)
    async with parts.database.transaction() as conn:
        await adapter_actions.disable(conn, caller.name, adapter_id, body.reason, body.note)
    return ok(await _known(parts, adapter_id))


@router.post("/{adapter_id}/enable", response_model=Envelope[AdapterResponse], responses=errors(404, 413))
async def enable_adapter(parts: PartsDep, caller: CurrentCaller, adapter_id: AdapterId, body: AdapterEnable) -> Any:
    """Its first run is watched closely (P-087)."""
    await _known(parts, adapter_id)
    async with parts.database.transaction() as conn:
        await adapter_actions.enable(conn, caller.name, adapter_id, body.note)
    return ok(await _known(parts, adapter_id))


async def _known(parts: Parts, adapter_id: str) -> AdapterResponse:
    async with reader(parts.database) as conn:
        for row in await queries.listed(conn, parts.registry):
            if row["id"] == adapter_id:
                return AdapterResponse.model_validate(row)
    raise NotFound("there is no such adapter")
