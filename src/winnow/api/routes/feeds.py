"""Affiliate feeds: add, change, run, test, approve, take back (F-105 … F-107, F-127)."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from fastapi import APIRouter

from winnow.actions import feeds
from winnow.api.auth import CurrentCaller
from winnow.api.bodies import JsonRoute
from winnow.api.documented import errors
from winnow.api.envelope import Envelope, ok
from winnow.api.models.feeds import (
    Approved,
    Click,
    Destination,
    Enable,
    FeedClone,
    FeedCreate,
    FeedErrorResponse,
    FeedResponse,
    FeedRunResponse,
    FeedTargets,
    FeedTargetsOutcome,
    FeedUpdate,
    JobResponse,
    Queued,
    RollBack,
    RunStatus,
    RunTrigger,
    SeenOffer,
)
from winnow.api.params import Paged, PartsDep, PathId
from winnow.feeds import feed as stored
from winnow.feeds.feed import Feed
from winnow.queries import feeds as queries
from winnow.queries.reading import reader

router = APIRouter(tags=["feeds"], responses=errors(), route_class=JsonRoute)


def _to_model(feed: Feed) -> FeedResponse:
    return FeedResponse.model_validate(feeds.to_dict(feed))


@router.get("/feeds", response_model=Envelope[list[FeedResponse]])
async def list_feeds(parts: PartsDep, paged: Paged) -> Any:
    async with parts.database.connection() as conn:
        found = await stored.listed(conn, paged.after or 0, paged.limit + 1)
    following = str(found[paged.limit - 1].id) if len(found) > paged.limit else None
    return ok([_to_model(feed) for feed in found[: paged.limit]], limit=paged.limit, following=following)


@router.post("/feeds", status_code=201, response_model=Envelope[FeedResponse], responses=errors(409, 413))
async def add_feed(parts: PartsDep, caller: CurrentCaller, body: FeedCreate) -> Any:
    async with parts.database.transaction() as conn:
        return ok(_to_model(await feeds.add(conn, caller.name, parts.feed_setup, body.model_dump())))


@router.get("/feeds/{feed_id}", response_model=Envelope[FeedResponse], responses=errors(404))
async def get_feed(parts: PartsDep, feed_id: PathId) -> Any:
    async with parts.database.connection() as conn:
        return ok(_to_model(await stored.get(conn, feed_id)))


@router.patch("/feeds/{feed_id}", response_model=Envelope[FeedResponse], responses=errors(404, 409, 413))
async def update_feed(parts: PartsDep, caller: CurrentCaller, feed_id: PathId, body: FeedUpdate) -> Any:
    changes = body.model_dump(exclude_unset=True)
    async with parts.database.transaction() as conn:
        return ok(_to_model(await feeds.change(conn, caller.name, parts.feed_setup, feed_id, changes)))


@router.delete("/feeds/{feed_id}", response_model=Envelope[None], responses=errors(404, 409))
async def delete_feed(parts: PartsDep, caller: CurrentCaller, feed_id: PathId) -> Any:
    """The feed and its runs are removed and its offers hidden; prices stay in the history."""
    async with parts.database.transaction() as conn:
        await feeds.delete(conn, caller.name, feed_id)
    return ok(None)


@router.post(
    "/feeds/{feed_id}/clone", status_code=201, response_model=Envelope[FeedResponse], responses=errors(404, 409, 413)
)
async def clone_feed(parts: PartsDep, caller: CurrentCaller, feed_id: PathId, body: FeedClone) -> Any:
    """A draft with the same settings and a source of its own."""
    async with parts.database.transaction() as conn:
        return ok(_to_model(await feeds.clone(conn, caller.name, parts.feed_setup, feed_id, body.name)))


@router.post("/feeds/{feed_id}/targets", response_model=Envelope[FeedTargetsOutcome], responses=errors(404, 409, 413))
async def add_feed_targets(parts: PartsDep, caller: CurrentCaller, feed_id: PathId, body: FeedTargets) -> Any:
    """Offers that the feed shows become targets; the prices of their pages belong to the offers (P-002)."""
    async with parts.database.transaction() as conn:
        done = await feeds.add_targets(
            conn,
            caller.name,
            parts.intake,
            feed_id,
            body.cadence(),
            offer_ids=body.offer_ids,
            skus=body.skus,
            priority=body.priority,
        )
    return ok(FeedTargetsOutcome.model_validate(done, from_attributes=True))


@router.post("/feeds/{feed_id}/enable", response_model=Envelope[FeedResponse], responses=errors(404, 409, 413))
async def enable_feed(parts: PartsDep, caller: CurrentCaller, feed_id: PathId, body: Enable) -> Any:
    async with parts.database.transaction() as conn:
        return ok(_to_model(await feeds.enable(conn, caller.name, feed_id, acknowledged=body.acknowledged)))


@router.post("/feeds/{feed_id}/pause", response_model=Envelope[FeedResponse], responses=errors(404, 409))
async def pause_feed(parts: PartsDep, caller: CurrentCaller, feed_id: PathId) -> Any:
    async with parts.database.transaction() as conn:
        return ok(_to_model(await feeds.pause(conn, caller.name, feed_id)))


@router.post("/feeds/{feed_id}/primary", response_model=Envelope[FeedResponse], responses=errors(404))
async def make_primary(parts: PartsDep, caller: CurrentCaller, feed_id: PathId) -> Any:
    """The one source of its retailer that is shown (F-110)."""
    async with parts.database.transaction() as conn:
        return ok(_to_model(await feeds.make_primary(conn, caller.name, feed_id)))


@router.post("/feeds/{feed_id}/run", status_code=202, response_model=Envelope[Queued], responses=errors(404, 409))
async def run_feed(parts: PartsDep, caller: CurrentCaller, feed_id: PathId) -> Any:
    """Always "Run queued": now, or after the run that is under way (F-069)."""
    async with parts.database.transaction() as conn:
        return ok(Queued(task_id=await feeds.run_now(conn, caller.name, feed_id)))


@router.post("/feeds/{feed_id}/test", status_code=202, response_model=Envelope[Queued], responses=errors(404))
async def test_feed(parts: PartsDep, feed_id: PathId) -> Any:
    """A worker reads the first 100 rows and writes nothing; ask for the result with the task's id (F-107)."""
    async with parts.database.transaction() as conn:
        return ok(Queued(message="Test queued", task_id=await feeds.test(conn, feed_id)))


@router.get("/feeds/jobs/{task_id}", response_model=Envelope[JobResponse], responses=errors(404))
async def get_job(parts: PartsDep, task_id: UUID) -> Any:
    async with parts.database.connection() as conn:
        return ok(JobResponse.model_validate(await feeds.job(conn, task_id)))


@router.get("/feeds/{feed_id}/runs", response_model=Envelope[list[FeedRunResponse]], responses=errors(404))
async def list_feed_runs(
    parts: PartsDep, feed_id: PathId, paged: Paged, trigger: RunTrigger | None = None, status: RunStatus | None = None
) -> Any:
    """Newest first (F-106)."""
    async with parts.database.connection() as conn:
        await stored.get(conn, feed_id)
    async with reader(parts.database) as conn:
        found, following = await queries.runs(
            conn, feed_id, trigger=trigger, status=status, after=paged.after, limit=paged.limit
        )
    return ok([FeedRunResponse.of(run) for run in found], limit=paged.limit, following=following)


@router.get("/feed-runs/{run_id}", response_model=Envelope[FeedRunResponse], responses=errors(404))
async def get_feed_run(parts: PartsDep, run_id: PathId) -> Any:
    async with reader(parts.database) as conn:
        return ok(FeedRunResponse.of(await queries.run(conn, run_id)))


@router.get("/feed-runs/{run_id}/errors", response_model=Envelope[list[FeedErrorResponse]], responses=errors(404))
async def list_feed_errors(parts: PartsDep, run_id: PathId, paged: Paged) -> Any:
    async with reader(parts.database) as conn:
        await queries.run(conn, run_id)
        found, following = await queries.errors(conn, run_id, after=paged.after, limit=paged.limit)
    return ok([FeedErrorResponse.of(error) for error in found], limit=paged.limit, following=following)


@router.get("/feed-runs/{run_id}/offers", response_model=Envelope[list[SeenOffer]], responses=errors(404))
async def list_seen_offers(parts: PartsDep, run_id: PathId, paged: Paged) -> Any:
    """The offers that a run saw, whether they are activated or not."""
    async with reader(parts.database) as conn:
        await queries.run(conn, run_id)
        found, following = await queries.seen(conn, run_id, after=paged.after, limit=paged.limit)
    return ok([SeenOffer.of(row) for row in found], limit=paged.limit, following=following)


@router.post("/feed-runs/{run_id}/approve", response_model=Envelope[Approved], responses=errors(404, 409))
async def approve_run(parts: PartsDep, caller: CurrentCaller, run_id: PathId) -> Any:
    """Activates the offers of a run that was blocked (F-089)."""
    return ok(Approved(run_id=run_id, products_promoted=await feeds.approve(parts.database, caller.name, run_id)))


@router.post("/feed-runs/{run_id}/rollback", response_model=Envelope[FeedRunResponse], responses=errors(404, 409, 413))
async def roll_back_run(parts: PartsDep, caller: CurrentCaller, run_id: PathId, body: RollBack) -> Any:
    """Takes the newest run back: its prices are hidden, its activation is undone (F-140)."""
    await feeds.roll_back(parts.database, caller.name, run_id, body.reason)
    async with reader(parts.database) as conn:
        return ok(FeedRunResponse.of(await queries.run(conn, run_id)))


@router.post("/offers/{offer_id}/click", response_model=Envelope[Destination], responses=errors(404, 413))
async def click(parts: PartsDep, offer_id: PathId, body: Click) -> Any:
    """Where a reader who follows the offer is sent; the click is logged (F-136)."""
    async with parts.database.connection() as conn:
        return ok(Destination(url=await feeds.click(conn, offer_id, body.placement)))
