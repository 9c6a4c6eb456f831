"""Discovery of event sources: start it, see what it found, accept or reject. All audited."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from winnow.actions.agendas import discovery as actions
from winnow.actions.agendas import regions
from winnow.api.auth import CurrentCaller
from winnow.api.bodies import JsonRoute
from winnow.api.documented import errors
from winnow.api.envelope import Envelope, ok
from winnow.api.models.discovery import (
    CandidateAcceptance,
    CandidateAccepted,
    CandidateRejection,
    CandidateResponse,
    CandidateStatus,
    DiscoveryJobResponse,
    DiscoveryStart,
    DiscoveryStarted,
    MunicipalityResponse,
)
from winnow.api.params import Paged, PartsDep, PathId
from winnow.queries.events import discovery as queries
from winnow.queries.reading import reader

router = APIRouter(prefix="/discovery", tags=["events"], responses=errors(), route_class=JsonRoute)


@router.get("/jobs", response_model=Envelope[list[DiscoveryJobResponse]])
async def list_jobs(parts: PartsDep, paged: Paged) -> Any:
    async with reader(parts.database) as conn:
        found, following = await queries.jobs(conn, after=paged.after, limit=paged.limit)
    return ok([DiscoveryJobResponse.of(row) for row in found], limit=paged.limit, following=following)


@router.post("/jobs", status_code=202, response_model=Envelope[DiscoveryStarted], responses=errors(409, 413))
async def start(parts: PartsDep, caller: CurrentCaller, body: DiscoveryStart) -> Any:
    """Queues pages to look at, and municipalities to search now and every week (E-012); what is under way already is
    not queued twice. 409 for municipalities without a search API."""
    async with parts.database.transaction() as conn:
        made = await actions.add_seeds(conn, caller.name, parts.intake, body.seed_urls)
        if body.known:
            made += await actions.add_known(conn, caller.name, parts.intake)
        if body.municipalities or body.provinces:
            services = parts.settings.services
            made += await regions.search(conn, caller.name, services, body.municipalities, body.provinces)
    return ok(DiscoveryStarted(jobs=made))


@router.get("/municipalities", response_model=Envelope[list[MunicipalityResponse]])
async def list_municipalities(parts: PartsDep, paged: Paged) -> Any:
    """Those that are searched for event sources, and when they were."""
    async with reader(parts.database) as conn:
        found, following = await queries.municipalities(conn, after=paged.after, limit=paged.limit)
    return ok([MunicipalityResponse.of(row) for row in found], limit=paged.limit, following=following)


@router.get("/candidates", response_model=Envelope[list[CandidateResponse]])
async def list_candidates(
    parts: PartsDep, paged: Paged, status: Annotated[CandidateStatus | None, Query()] = None
) -> Any:
    """What was found, newest first."""
    async with reader(parts.database) as conn:
        found, following = await queries.candidates(conn, status=status, after=paged.after, limit=paged.limit)
    return ok([CandidateResponse.of(row) for row in found], limit=paged.limit, following=following)


@router.post(
    "/candidates/{candidate_id}/accept", response_model=Envelope[CandidateAccepted], responses=errors(404, 409, 413)
)
async def accept(
    parts: PartsDep, caller: CurrentCaller, candidate_id: PathId, body: CandidateAcceptance | None = None
) -> Any:
    """Its source is enabled and visited by the daily run."""
    given = {} if body is None else body.model_dump(exclude_none=True)
    here = bool(given.pop("at_municipality", False))
    async with parts.database.transaction() as conn:
        daily_run = parts.settings.schedule.has_daily_run
        source_id = await actions.accept(
            conn, caller.name, parts.intake, candidate_id, daily_run=daily_run, changes=given, at_municipality=here
        )
    return ok(CandidateAccepted(source_id=source_id))


@router.post("/candidates/{candidate_id}/reject", response_model=Envelope[None], responses=errors(404, 409, 413))
async def reject(parts: PartsDep, caller: CurrentCaller, candidate_id: PathId, body: CandidateRejection) -> Any:
    """Its source is removed; neither the page nor its site is proposed again."""
    async with parts.database.transaction() as conn:
        await actions.reject(conn, caller.name, candidate_id, body.reason)
    return ok(None)
