"""The catalogue's crawl jobs and their batches (C-003 … C-008, C-054)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import AwareDatetime

from winnow.actions import targets as target_actions
from winnow.actions.catalogue import control
from winnow.actions.catalogue.crawl_jobs import submit
from winnow.actions.parts import Parts
from winnow.api.auth import CurrentCaller
from winnow.api.bodies import JsonRoute
from winnow.api.documented import errors
from winnow.api.envelope import Envelope, ok
from winnow.api.models.crawl_jobs import (
    BatchResponse,
    ControlResult,
    CrawlAttempt,
    CrawlJobAccepted,
    CrawlJobBatch,
    CrawlJobDetail,
    CrawlJobStatus,
    CrawlStatus,
)
from winnow.api.models.fields import Changed
from winnow.api.params import Filter, Paged, PartsDep, PathId, QueryId
from winnow.db.engine import Connection
from winnow.errors import InvalidInput, NotFound
from winnow.queries.catalogue import crawl_jobs as queries
from winnow.queries.catalogue.revisit import describe_revisit
from winnow.queries.reading import reader

router = APIRouter(tags=["crawls"], responses=errors(), route_class=JsonRoute)

Moment = Annotated[AwareDatetime | None, Query(description="Visited last, or made where it never was.")]
Limit = Annotated[int, Query(ge=1, le=500)]
Control = Callable[[Connection, str, int], Awaitable[int]]


@router.post("/crawl-jobs", status_code=202, response_model=Envelope[list[CrawlJobAccepted]], responses=errors(413))
async def submit_crawl_jobs(parts: PartsDep, caller: CurrentCaller, body: CrawlJobBatch) -> Any:
    """All of them or none: a URL that may not be stored refuses the batch and is named in the details."""
    for n, job in enumerate(body.jobs):
        try:
            parts.intake.check(job.url)
        except InvalidInput as wrong:
            raise InvalidInput(str(wrong), field=f"jobs.{n}.url") from None
    async with parts.database.transaction() as conn:
        accepted = await submit(conn, caller.name, parts.intake, [job.job() for job in body.jobs], body.note)
    return ok([CrawlJobAccepted.model_validate(a, from_attributes=True) for a in accepted])


@router.get("/crawl-jobs", response_model=Envelope[list[CrawlJobStatus]])
async def list_crawl_jobs(
    parts: PartsDep,
    paged: Paged,
    status: Annotated[CrawlStatus | None, Query()] = None,
    batch_id: QueryId = None,
    crawl_id: QueryId = None,
    domain: Filter = None,
    paused: Annotated[bool | None, Query()] = None,
    since: Moment = None,
    until: Moment = None,
) -> Any:
    """URLs of products, and what crawls found; by id."""
    async with reader(parts.database) as conn:
        found, following = await queries.listed(
            conn, status=status, batch_id=batch_id, crawl_id=crawl_id, domain=domain, paused=paused, since=since,
            until=until, after=paged.after, limit=paged.limit,
        )  # fmt: skip
    return ok([CrawlJobStatus.of(row) for row in found], limit=paged.limit, following=following)


@router.get("/crawl-jobs/{job_id}", response_model=Envelope[CrawlJobDetail], responses=errors(404))
async def get_crawl_job(parts: PartsDep, job_id: PathId) -> Any:
    async with reader(parts.database) as conn:
        row = await queries.one(conn, job_id)
    if row is None:
        raise NotFound(f"there is no crawl job {job_id}")
    return ok(CrawlJobDetail.of({**row, "revisit": describe_revisit(row)}))


@router.get("/crawl-jobs/{job_id}/attempts", response_model=Envelope[list[CrawlAttempt]], responses=errors(404))
async def list_attempts(
    parts: PartsDep,
    job_id: PathId,
    limit: Limit = 50,
    after: Annotated[UUID | None, Query(description="meta.next of the page before.")] = None,
) -> Any:
    """Every visit of the URL, newest first, with its requests and what failed (C-008)."""
    async with reader(parts.database) as conn:
        if await queries.one(conn, job_id) is None:
            raise NotFound(f"there is no crawl job {job_id}")
        found, following = await queries.attempts(conn, job_id, after=after, limit=limit)
    return ok([CrawlAttempt.of(row) for row in found], limit=limit, following=following)


@router.post("/crawl-jobs/{job_id}/recrawl", response_model=Envelope[Changed], responses=errors(404))
async def recrawl(parts: PartsDep, caller: CurrentCaller, job_id: PathId) -> Any:
    """Due now because a person asks for it (C-020)."""
    async with parts.database.transaction() as conn:
        return ok(Changed(ids=await target_actions.recrawl(conn, caller.name, [job_id])))


@router.get("/crawl-batches", response_model=Envelope[list[BatchResponse]])
async def list_batches(parts: PartsDep, paged: Paged) -> Any:
    """Newest first."""
    async with reader(parts.database) as conn:
        found, following = await queries.batches(conn, after=paged.after, limit=paged.limit)
    return ok([BatchResponse.of(row) for row in found], limit=paged.limit, following=following)


@router.get("/crawl-batches/{batch_id}", response_model=Envelope[BatchResponse], responses=errors(404))
async def get_batch(parts: PartsDep, batch_id: PathId) -> Any:
    """Its URLs by status; list them with /crawl-jobs?batch_id=…"""
    async with reader(parts.database) as conn:
        row = await queries.batch(conn, batch_id)
    if row is None:
        raise NotFound(f"there is no batch {batch_id}")
    return ok(BatchResponse.of(row))


@router.post("/crawl-batches/{batch_id}/pause", response_model=Envelope[ControlResult], responses=errors(404, 409))
async def pause_batch(parts: PartsDep, caller: CurrentCaller, batch_id: PathId) -> Any:
    """Its URLs are not visited until it is resumed; running visits finish."""
    return await _control(parts, caller.name, batch_id, control.pause_batch)


@router.post("/crawl-batches/{batch_id}/resume", response_model=Envelope[ControlResult], responses=errors(404, 409))
async def resume_batch(parts: PartsDep, caller: CurrentCaller, batch_id: PathId) -> Any:
    """It goes on where it was."""
    return await _control(parts, caller.name, batch_id, control.resume_batch)


@router.post("/crawl-batches/{batch_id}/stop", response_model=Envelope[ControlResult], responses=errors(404, 409))
async def stop_batch(parts: PartsDep, caller: CurrentCaller, batch_id: PathId) -> Any:
    """Its URLs are not visited again unless they are submitted again. What was stored stays."""
    return await _control(parts, caller.name, batch_id, control.stop_batch)


async def _control(parts: Parts, actor: str, batch_id: int, change: Control) -> Any:
    async with parts.database.transaction() as conn:
        return ok(ControlResult(changed=await change(conn, actor, batch_id)))
