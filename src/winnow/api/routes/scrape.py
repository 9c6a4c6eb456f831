"""The scraping service: a backend posts a URL and a target type and gets a validated result (S-011 … S-017)."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Header, Request

from winnow.actions import scraping
from winnow.actions.parts import Parts
from winnow.actions.scraping import RequestedTarget
from winnow.api.auth import CurrentCaller
from winnow.api.documented import errors
from winnow.api.envelope import Envelope, ok, request_id
from winnow.api.models.fields import storable
from winnow.api.models.scrape import (
    BatchScrapeRequest,
    JobAccepted,
    JobCancelled,
    ScrapeJob,
    ScrapeRequest,
    ScrapeResult,
    ScrapeTask,
    SyncScrapeRequest,
    TaskAccepted,
    TypeResponse,
)
from winnow.api.params import PartsDep
from winnow.api.scrape_route import ScrapeRoute
from winnow.db import bell
from winnow.db.bell import Ring
from winnow.errors import InvalidInput, NotFound, Stopping, TaskFailed, TaskTimedOut
from winnow.fetch import failure as failures
from winnow.observe.keys import Caller
from winnow.queries import scrape as queries
from winnow.queries.reading import reader

GRACE_SECONDS = 1.0  # for a running task whose time is over: the answer can then say how it ended

router = APIRouter(prefix="/scrape", tags=["scraping service"], responses=errors(), route_class=ScrapeRoute)

DRAINING_SECONDS = 30.0  # S-085: by then another process answers
RepeatKey = Annotated[
    str | None,
    Header(alias="Idempotency-Key", min_length=1, max_length=200, description="The same key finds the first submit."),
]


@router.post("", status_code=202, response_model=Envelope[TaskAccepted], responses=errors(409, 413))
async def submit(
    request: Request, parts: PartsDep, caller: CurrentCaller, body: ScrapeRequest, key: RepeatKey = None
) -> Any:
    """Queued at once, read when its domain's turn comes; ask for it or be called back."""
    _accepting(request)
    return ok(TaskAccepted(task_id=await _submitted(parts, caller, body, key), status="queued"))


@router.post("/sync", response_model=Envelope[ScrapeTask], responses=errors(409, 413, 502, 504))
async def submit_and_wait(
    request: Request, parts: PartsDep, caller: CurrentCaller, body: SyncScrapeRequest, key: RepeatKey = None
) -> Any:
    """The same queue, in front of everything else in it. A task that failed is answered with its error (502)."""
    _accepting(request)
    task_id = await _submitted(parts, caller, body, key)
    if not await parts.arrivals.wait(task_id, body.timeout_seconds):
        async with parts.database.transaction() as conn:
            withdrawn = await scraping.give_up(conn, task_id)
        if not withdrawn:  # its worker ends it at the same moment, for the same limit
            await parts.arrivals.wait(task_id, GRACE_SECONDS)
    found = await _task(parts, caller, task_id)
    _raise_late(found, body.timeout_seconds)
    _raise_for(found)
    return ok(ScrapeTask.of(found))


@router.post("/batch", status_code=202, response_model=Envelope[JobAccepted], responses=errors(409, 413))
async def submit_batch(
    request: Request, parts: PartsDep, caller: CurrentCaller, body: BatchScrapeRequest, key: RepeatKey = None
) -> Any:
    """One to a hundred targets, all of them or none. Smaller jobs run first (S-038)."""
    _accepting(request)
    asked = [_asked(target) for target in body.targets]
    scraping.check_workspaces(caller, asked)
    checked = scraping.check_job(parts.scrape_rules, asked, body.callback_url)
    async with parts.database.transaction() as conn:
        await scraping.record_credentials(conn, caller.name, checked)
        taken = await scraping.submit_job(
            conn,
            caller.name,
            parts.scrape_rules,
            checked,
            callback_url=body.callback_url,
            request_id=request_id(),
            key=None if key is None else _clean(key),
        )
    assert taken.job_id is not None
    return ok(JobAccepted(job_id=taken.job_id, total_tasks=len(checked)))


@router.get("/types", response_model=Envelope[list[TypeResponse]])
async def list_types(parts: PartsDep) -> Any:
    """Lists the target types and the schemas of their results."""
    kinds = parts.scrape_rules.kinds
    types = [kinds.target_type(name) for name in kinds.target_types()]
    return ok(
        [
            TypeResponse(name=t.target_type or t.name, kind=t.name, version=t.version, fields=list(t.fields),
                      result_schema=t.model.model_json_schema() if t.model else {})
            for t in types
        ]
    )  # fmt: skip


@router.get("/jobs/{job_id:uuid}", response_model=Envelope[ScrapeJob], responses=errors(404))
async def get_job(parts: PartsDep, caller: CurrentCaller, job_id: UUID) -> Any:
    return ok(ScrapeJob.of(await _job(parts, caller, job_id)))


@router.get("/jobs/{job_id:uuid}/results", response_model=Envelope[list[ScrapeResult]], responses=errors(404))
async def get_results(parts: PartsDep, caller: CurrentCaller, job_id: UUID) -> Any:
    """Of the tasks that are completed by now."""
    await _job(parts, caller, job_id)
    async with reader(parts.database) as conn:
        return ok([ScrapeResult.of(row) for row in await queries.results(conn, job_id)])


@router.post("/jobs/{job_id:uuid}/cancel", response_model=Envelope[JobCancelled], responses=errors(404, 409))
async def cancel_job(parts: PartsDep, caller: CurrentCaller, job_id: UUID) -> Any:
    """Queued tasks will not run, running ones finish (S-103). A job that is over stays as it is (409); asking again
    gives the same answer."""
    await _job(parts, caller, job_id)
    async with parts.database.transaction() as conn:
        cancelled = await scraping.cancel_job(conn, caller.name, job_id)
    return ok(JobCancelled(job_id=job_id, cancelled=cancelled))


# Only a valid id matches: GET on /sync and /batch is a wrong method (405), not an unknown task.
@router.get("/{task_id:uuid}", response_model=Envelope[ScrapeTask], responses=errors(404, 405))
async def get_task(parts: PartsDep, caller: CurrentCaller, task_id: UUID) -> Any:
    return ok(ScrapeTask.of(await _task(parts, caller, task_id)))


async def _submitted(parts: Parts, caller: Caller, body: ScrapeRequest, key: str | None) -> UUID:
    asked = _asked(body)
    scraping.check_workspaces(caller, [asked])
    checked = scraping.check(parts.scrape_rules, asked)
    if asked.credential_provider is not None:
        async with parts.database.transaction() as conn:
            await scraping.record_credentials(conn, caller.name, [checked])
    if key is None:
        taken = await scraping.submit(parts.submits, checked, request_id=request_id())
    else:
        async with parts.database.transaction() as conn:
            taken = await scraping.submit_once(
                conn, caller.name, parts.scrape_rules, checked, request_id=request_id(), key=_clean(key)
            )
        if isinstance(body, SyncScrapeRequest) and not taken.repeated:
            await bell.wake_listeners(parts.database, Ring.SUBMITTED)
    assert taken.task_id is not None
    return taken.task_id


async def _task(parts: Parts, caller: Caller, task_id: UUID) -> dict[str, Any]:
    """The task; one of another workspace does not exist for the caller."""
    async with reader(parts.database) as conn:
        found = await queries.task(conn, task_id)
    if found is None or not caller.serves(found["workspace_id"]):
        raise NotFound(f"Task not found: {task_id}")
    return found


async def _job(parts: Parts, caller: Caller, job_id: UUID) -> dict[str, Any]:
    async with reader(parts.database) as conn:
        found = await queries.job(conn, job_id)
    if found is None or not caller.serves(found["workspace_id"]):
        raise NotFound(f"Job not found: {job_id}")
    return found


def _accepting(request: Request) -> None:
    """S-085: a process that is stopping accepts no new work; queued tasks stay queued."""
    if getattr(request.app.state, "stopping", False):
        raise Stopping("this process is stopping: try again", DRAINING_SECONDS)


def _raise_late(task: dict[str, Any], seconds: int) -> None:
    """S-012: answer for a task that did not end in time, by its current state instead of the state when the wait
    ended."""
    late = f"Task execution timed out: no result within {seconds} s"
    if task["status"] in ("queued", "running"):
        raise TaskTimedOut(
            f"{late}; task {task['id']} is still {task['status']}: how it ends can be read later", str(task["id"])
        )
    if task["reason"] == failures.FailureCode.NOT_AWAITED:
        tried = f"after {task['last_error']}" if task["last_error"] else "before its turn came, and nothing was sent"
        raise TaskTimedOut(f"{late}; task {task['id']} was cancelled {tried}: submit it again", str(task["id"]))


def _raise_for(task: dict[str, Any]) -> None:
    """S-080, S-081, S-083: what was not the page's fault has a status of its own; every other failure is a 502."""
    if task["status"] not in ("failed", "cancelled"):
        return
    failure = failures.of_task(task["outcome"], task["reason"])
    raises = TaskFailed if failure is None else failure.meaning.raises or TaskFailed
    message = task["error"]
    if failure is not None and failure != task["reason"] and raises is not TaskFailed:
        message = failure.meaning.sentence
    if issubclass(raises, TaskTimedOut):
        message = f"Task execution timed out: {message}; task {task['id']} failed and will not be tried again"
    raise raises(message, str(task["id"])) if issubclass(raises, TaskFailed) else raises(message)


def _asked(body: ScrapeRequest) -> RequestedTarget:
    return RequestedTarget(
        target_type=body.target_type,
        target_url=body.target_url,
        workspace_id=body.workspace_id,
        requested_fields=body.requested_fields,
        callback_url=body.callback_url,
        credential_provider=body.credential_provider,
        timeout_seconds=body.timeout_seconds if isinstance(body, SyncScrapeRequest) else None,
    )


def _clean(key: str) -> str:
    try:
        return storable(key)
    except ValueError as wrong:
        raise InvalidInput(str(wrong), "Idempotency-Key") from None
