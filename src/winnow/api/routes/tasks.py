"""Tasks as they stand (C-004), and jobs of the events pipeline (E-098)."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Query

from winnow.actions import runs as run_actions
from winnow.api.auth import CurrentCaller
from winnow.api.bodies import JsonRoute
from winnow.api.documented import errors
from winnow.api.envelope import Envelope, ok
from winnow.api.models.work import (
    PipelineJobResponse,
    TaskDetail,
    TaskResponse,
    TaskSummary,
)
from winnow.api.params import Filter, PartsDep, QueryId
from winnow.errors import NotFound
from winnow.queries import tasks as queries
from winnow.queries.reading import reader

router = APIRouter(tags=["tasks"], responses=errors(), route_class=JsonRoute)

TaskStatus = Literal["queued", "running", "done", "failed", "cancelled", "stale"]
PipelineStage = Literal["fetch", "parse", "normalize", "persist", "completed", "dead_letter"]
Limit = Annotated[int, Query(ge=1, le=500)]


@router.get("/tasks", response_model=Envelope[list[TaskResponse]])
async def list_tasks(
    parts: PartsDep,
    status: Annotated[TaskStatus | None, Query()] = None,
    source_id: QueryId = None,
    target_id: QueryId = None,
    run_id: QueryId = None,
    domain: Filter = None,
    archived: Annotated[bool, Query(description="Finished ones that left the hot table.")] = False,
    limit: Limit = 50,
    after: Annotated[UUID | None, Query(description="meta.next of the page before.")] = None,
) -> Any:
    """Newest first."""
    async with reader(parts.database) as conn:
        found, following = await queries.listed(
            conn,
            status=status,
            source_id=source_id,
            target_id=target_id,
            run_id=run_id,
            domain=domain,
            archived=archived,
            after=after,
            limit=limit,
        )
    return ok([TaskResponse.of(row) for row in found], limit=limit, following=following)


@router.get("/tasks/summary", response_model=Envelope[TaskSummary])
async def summary(parts: PartsDep) -> Any:
    async with reader(parts.database) as conn:
        return ok(TaskSummary.of(await queries.summary(conn)))


@router.get("/tasks/{task_id}", response_model=Envelope[TaskDetail], responses=errors(404))
async def get_task(parts: PartsDep, task_id: UUID) -> Any:
    """With every failed attempt; errors outlive restarts (C-008, C-009)."""
    async with reader(parts.database) as conn:
        row = await queries.one(conn, task_id)
    if row is None:
        raise NotFound(f"there is no task {task_id}")
    return ok(TaskDetail.of(row))


@router.post("/tasks/{task_id}/cancel", response_model=Envelope[TaskDetail], responses=errors(404, 409))
async def cancel_task(parts: PartsDep, caller: CurrentCaller, task_id: UUID) -> Any:
    """Only while it is queued: a running task finishes (409)."""
    async with parts.database.transaction() as conn:
        await run_actions.cancel_task(conn, caller.name, task_id)
    return await get_task(parts, task_id)


@router.get("/pipeline-jobs", response_model=Envelope[list[PipelineJobResponse]])
async def list_pipeline_jobs(
    parts: PartsDep,
    stage: Annotated[PipelineStage | None, Query()] = None,
    run_id: Filter = None,
    limit: Limit = 50,
    after: Annotated[UUID | None, Query(description="meta.next of the page before.")] = None,
) -> Any:
    """Jobs of the events pipeline, newest first; those of one daily run share run_id (E-029, E-098)."""
    async with reader(parts.database) as conn:
        found, following = await queries.pipeline_jobs(conn, stage=stage, run_id=run_id, after=after, limit=limit)
    return ok([PipelineJobResponse.of(row) for row in found], limit=limit, following=following)
