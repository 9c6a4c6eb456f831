from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query

from winnow.actions import runs as run_actions
from winnow.api.auth import CurrentCaller
from winnow.api.bodies import JsonRoute
from winnow.api.documented import errors
from winnow.api.envelope import Envelope, failure, ok
from winnow.api.models.work import Cancelled, RunResponse, RunStart, RunStarted
from winnow.api.params import Filter, Paged, PartsDep, PathId, QueryId
from winnow.errors import Conflict, NotFound
from winnow.queries import runs as queries
from winnow.queries.reading import reader
from winnow.schedule.queue.backpressure import Rejection

router = APIRouter(prefix="/runs", tags=["runs"], responses=errors(), route_class=JsonRoute)

RunStatus = Literal["RUNNING", "SUCCESS", "FAILED", "QUARANTINED"]


@router.get("", response_model=Envelope[list[RunResponse]])
async def list_runs(
    parts: PartsDep,
    paged: Paged,
    source_id: QueryId = None,
    status: Annotated[RunStatus | None, Query()] = None,
    adapter_id: Filter = None,
) -> Any:
    """Newest first, with all counters, rates and errors (P-101)."""
    async with reader(parts.database) as conn:
        found, following = await queries.listed(
            conn, source_id=source_id, status=status, adapter_id=adapter_id, after=paged.after, limit=paged.limit
        )
    return ok([RunResponse.of(row) for row in found], limit=paged.limit, following=following)


@router.get("/{run_id}", response_model=Envelope[RunResponse], responses=errors(404))
async def get_run(parts: PartsDep, run_id: PathId) -> Any:
    async with reader(parts.database) as conn:
        row = await queries.one(conn, run_id)
    if row is None:
        raise NotFound(f"there is no run {run_id}")
    return ok(RunResponse.of(row))


@router.post("", status_code=202, response_model=Envelope[RunStarted], responses=errors(404, 409, 413, 429))
async def start_run(parts: PartsDep, caller: CurrentCaller, body: RunStart) -> Any:
    """One run of a source is active at a time: the second one gets 409 with the first one's id (R-07)."""
    async with parts.database.transaction() as conn:
        started = await run_actions.start(
            conn,
            caller.name,
            body.source_id,
            parts.settings.schedule,
            body.target_ids,
            gated=parts.gated,
            budget=None if body.budget is None else body.budget.model_dump(exclude_none=True),
        )
    if started.run_id is None and started.reason == Rejection.QUEUE_FULL:
        seconds = -(-started.retry_after_ms // 1000)
        return failure(429, "the queue is full", code="queue_full", headers={"Retry-After": str(seconds)})
    if started.run_id is None:
        raise Conflict("nothing to start: " + (started.reason or "every target is queued or running already"))
    return ok(
        RunStarted(
            run_id=started.run_id,
            accepted=len(started.accepted),
            rejected=started.rejected,
            reason=started.reason,
            retry_after_ms=started.retry_after_ms,
        )
    )


@router.post("/{run_id}/cancel", response_model=Envelope[Cancelled], responses=errors(404, 409))
async def cancel_run(parts: PartsDep, caller: CurrentCaller, run_id: PathId) -> Any:
    """Cancels the queued tasks of the run; running tasks finish."""
    async with parts.database.transaction() as conn:
        return ok(Cancelled(cancelled=await run_actions.cancel(conn, caller.name, run_id)))
