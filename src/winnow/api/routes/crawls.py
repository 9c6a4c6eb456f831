from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from fastapi import APIRouter, Query

from winnow.actions.catalogue import crawls as crawl_actions
from winnow.actions.catalogue.crawls import CrawlOrder
from winnow.actions.parts import Parts
from winnow.api.auth import CurrentCaller
from winnow.api.bodies import JsonRoute
from winnow.api.documented import errors
from winnow.api.envelope import Envelope, ok
from winnow.api.models.crawls import CrawlCreate, CrawlReport, CrawlResponse, CrawlStarted, CrawlState, CrawlTasks
from winnow.api.params import Paged, PartsDep, PathId, QueryId
from winnow.db.engine import Connection
from winnow.errors import NotFound
from winnow.queries import crawls as queries
from winnow.queries.reading import reader

router = APIRouter(prefix="/crawls", tags=["crawls"], responses=errors(), route_class=JsonRoute)


@router.get("", response_model=Envelope[list[CrawlResponse]])
async def list_crawls(
    parts: PartsDep, paged: Paged, state: Annotated[CrawlState | None, Query()] = None, source_id: QueryId = None
) -> Any:
    """Newest first."""
    async with reader(parts.database) as conn:
        found, following = await queries.listed(
            conn, state=state, source_id=source_id, after=paged.after, limit=paged.limit
        )
    return ok([CrawlResponse.of(row) for row in found], limit=paged.limit, following=following)


@router.post("", status_code=202, response_model=Envelope[CrawlStarted], responses=errors(404, 409, 413))
async def start_crawl(parts: PartsDep, caller: CurrentCaller, body: CrawlCreate) -> Any:
    """Finds the products of a site by its links and sitemaps. It waits while its source has another run."""
    scope = body.scope
    order = CrawlOrder(
        url=body.url,
        kind=body.kind,
        source_id=body.source_id,
        whole_domain=scope.whole_domain,
        path=scope.path,
        include=scope.include,
        exclude=scope.exclude,
        sections=scope.sections,
        budget=body.budget.model_dump(exclude_none=True),
    )
    async with parts.database.transaction() as conn:
        crawl_id, began = await crawl_actions.start(conn, caller.name, parts.intake, parts.settings.schedule, order)
    return ok(CrawlStarted(id=crawl_id, state="running" if began else "waiting"))


@router.get("/{crawl_id}", response_model=Envelope[CrawlReport], responses=errors(404))
async def get_crawl(parts: PartsDep, crawl_id: PathId) -> Any:
    """How far it is, what it found, and why the rest gave no product."""
    async with reader(parts.database) as conn:
        row = await queries.report(conn, crawl_id)
    if row is None:
        raise NotFound(f"there is no crawl {crawl_id}")
    return ok(CrawlReport.of(row))


@router.post("/{crawl_id}/pause", response_model=Envelope[CrawlTasks], responses=errors(404, 409))
async def pause_crawl(parts: PartsDep, caller: CurrentCaller, crawl_id: PathId) -> Any:
    """Its tasks wait; those that are running finish."""
    return await _change(parts, crawl_actions.pause, caller.name, crawl_id)


@router.post("/{crawl_id}/resume", response_model=Envelope[CrawlTasks], responses=errors(404, 409))
async def resume_crawl(parts: PartsDep, caller: CurrentCaller, crawl_id: PathId) -> Any:
    """It goes on where it was; the time it was paused is not counted."""
    return await _change(parts, crawl_actions.resume, caller.name, crawl_id)


@router.post("/{crawl_id}/stop", response_model=Envelope[CrawlTasks], responses=errors(404, 409))
async def stop_crawl(parts: PartsDep, caller: CurrentCaller, crawl_id: PathId) -> Any:
    """Ends it for good; what it stored stays."""
    return await _change(parts, crawl_actions.stop, caller.name, crawl_id)


async def _change(
    parts: Parts, action: Callable[[Connection, str, int], Awaitable[int]], actor: str, crawl_id: int
) -> Any:
    async with parts.database.transaction() as conn:
        return ok(CrawlTasks(tasks=await action(conn, actor, crawl_id)))
