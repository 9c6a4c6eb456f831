"""Corrections of the price history. Stored prices never change; a correction changes which of them are shown."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from winnow.actions import products as product_actions
from winnow.api.auth import CurrentCaller
from winnow.api.bodies import JsonRoute
from winnow.api.documented import errors
from winnow.api.envelope import Envelope, ok
from winnow.api.models.products import CorrectionCreate, CorrectionMade, CorrectionResponse
from winnow.api.params import Paged, PartsDep, PathId
from winnow.queries import corrections as queries
from winnow.queries.reading import reader

router = APIRouter(prefix="/corrections", tags=["corrections"], responses=errors(), route_class=JsonRoute)


@router.get("", response_model=Envelope[list[CorrectionResponse]])
async def list_corrections(
    parts: PartsDep,
    paged: Paged,
    everything: Annotated[bool, Query(alias="all", description="Revoked ones too.")] = False,
) -> Any:
    """Newest first."""
    async with reader(parts.database) as conn:
        found, following = await queries.listed(conn, everything=everything, after=paged.after, limit=paged.limit)
    return ok([CorrectionResponse.of(row) for row in found], limit=paged.limit, following=following)


@router.post("", status_code=201, response_model=Envelope[CorrectionMade], responses=errors(404, 413))
async def add_correction(parts: PartsDep, caller: CurrentCaller, body: CorrectionCreate) -> Any:
    """Hides (IGNORE) or scales (MULTIPLY) the prices it fits, from now on and until it is revoked."""
    async with parts.database.transaction() as conn:
        made = await product_actions.correct(conn, caller.name, body.model_dump(exclude_none=True))
    return ok(CorrectionMade(id=made))


@router.delete("/{correction_id}", response_model=Envelope[None], responses=errors(404, 409))
async def revoke_correction(parts: PartsDep, caller: CurrentCaller, correction_id: PathId) -> Any:
    """The prices are shown again as they were observed; the correction stays on record."""
    async with parts.database.transaction() as conn:
        await product_actions.revoke_correction(conn, caller.name, correction_id)
    return ok(None)
