"""Venues: the places of events, with the names they are listed under."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from winnow.actions import events as actions
from winnow.api.auth import CurrentCaller
from winnow.api.bodies import JsonRoute
from winnow.api.documented import errors
from winnow.api.envelope import Envelope, ok
from winnow.api.models.event_decisions import (
    AliasResponse,
    Reasoned,
    VenueCorrection,
    VenueDetail,
    VenueMerge,
    VenueResponse,
)
from winnow.api.params import Filter, Paged, PartsDep, PathId
from winnow.errors import NotFound
from winnow.queries.events import venues
from winnow.queries.reading import reader

router = APIRouter(prefix="/venues", tags=["events"], responses=errors(), route_class=JsonRoute)


@router.get("", response_model=Envelope[list[VenueResponse]])
async def list_venues(parts: PartsDep, paged: Paged, q: Filter = None) -> Any:
    async with reader(parts.database) as conn:
        found, following = await venues.listed(conn, text=q or None, after=paged.after, limit=paged.limit)
    return ok([VenueResponse.of(row) for row in found], limit=paged.limit, following=following)


@router.get("/{venue_id}", response_model=Envelope[VenueDetail], responses=errors(404))
async def one_venue(parts: PartsDep, venue_id: PathId) -> Any:
    """With every name it is listed under."""
    return ok(await _one(parts, venue_id))


@router.patch("/{venue_id}", response_model=Envelope[VenueDetail], responses=errors(404, 413))
async def correct_venue(parts: PartsDep, caller: CurrentCaller, venue_id: PathId, body: VenueCorrection) -> Any:
    """Its events of days to come move with its coordinates, whatever their pages state."""
    values = body.model_dump(exclude_unset=True, exclude={"reason"})
    async with parts.database.transaction() as conn:
        await actions.correct_venue(conn, caller.name, venue_id, values, reason=body.reason)
    return ok(await _one(parts, venue_id))


@router.post("/{venue_id}/merge", response_model=Envelope[VenueDetail], responses=errors(404, 409, 413))
async def merge_venue(parts: PartsDep, caller: CurrentCaller, venue_id: PathId, body: VenueMerge) -> Any:
    """Every name of this venue is a name of the other from now on. Answers with the other."""
    async with parts.database.transaction() as conn:
        await actions.merge_venues(conn, caller.name, venue_id, body.into, reason=body.reason)
    return ok(await _one(parts, body.into))


@router.post("/{venue_id}/unmerge", response_model=Envelope[VenueDetail], responses=errors(404, 409, 413))
async def unmerge_venue(parts: PartsDep, caller: CurrentCaller, venue_id: PathId, body: Reasoned) -> Any:
    async with parts.database.transaction() as conn:
        await actions.unmerge_venue(conn, caller.name, venue_id, reason=body.reason)
    return ok(await _one(parts, venue_id))


async def _one(parts: PartsDep, venue_id: int) -> VenueDetail:
    async with reader(parts.database) as conn:
        row = await venues.one(conn, venue_id)
    if row is None:
        raise NotFound(f"there is no venue {venue_id}")
    aliases = [AliasResponse.of(alias) for alias in row["aliases"]]
    found: VenueDetail = VenueDetail.of({**row, "aliases": aliases})
    return found
