"""Adapters: which exist, and whether each may run (P-101)."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path

from winnow.actions import adapters as adapter_actions
from winnow.actions.parts import Parts
from winnow.api.auth import Asking
from winnow.api.bodies import JsonRoute
from winnow.api.documented import failing
from winnow.api.envelope import Envelope, ok
from winnow.api.models.adapters import AdapterDisable, AdapterEnable, AdapterShown
from winnow.api.params import With
from winnow.errors import NotFound
from winnow.queries import adapters as queries
from winnow.queries.reading import reader

router = APIRouter(prefix="/adapters", tags=["adapters"], responses=failing(), route_class=JsonRoute)

AdapterId = Annotated[str, Path(min_length=1, max_length=200)]


@router.get("", response_model=Envelope[list[AdapterShown]])
async def list_adapters(parts: With) -> Any:
    async with reader(parts.database) as conn:
        return ok([AdapterShown.of(row) for row in await queries.listed(conn, parts.registry)])


@router.post("/{adapter_id}/disable", response_model=Envelope[AdapterShown], responses=failing(404, 413))
async def disable_adapter(parts: With, asking: Asking, adapter_id: AdapterId, body: AdapterDisable) -> Any:
    """Nothing is scheduled with it any more; reason and caller are recorded."""
    await _known(parts, adapter_id)
    async with parts.database.transaction() as conn:
        await adapter_actions.disable(conn, asking.name, adapter_id, body.reason, body.note)
    return ok(await _known(parts, adapter_id))


@router.post("/{adapter_id}/enable", response_model=Envelope[AdapterShown], responses=failing(404, 413))
async def enable_adapter(parts: With, asking: Asking, adapter_id: AdapterId, body: AdapterEnable) -> Any:
    """Its first run is watched closely (P-087)."""
    await _known(parts, adapter_id)
    async with parts.database.transaction() as conn:
        await adapter_actions.enable(conn, asking.name, adapter_id, body.note)
    return ok(await _known(parts, adapter_id))


async def _known(parts: Parts, adapter_id: str) -> AdapterShown:
    async with reader(parts.database) as conn:
        for row in await queries.listed(conn, parts.registry):
            if row["id"] == adapter_id:
                return AdapterShown.model_validate(row)
    raise NotFound("there is no such adapter")
