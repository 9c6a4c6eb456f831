"""Events as consumers read them: lists, one event, a feed ranked for a reader, calendars (E-113 … E-115)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from msgspec.structs import replace
from pydantic import AwareDatetime
from starlette.responses import Response

from winnow.api import calendars
from winnow.api.bodies import JsonRoute
from winnow.api.documented import errors
from winnow.api.envelope import Envelope, ok
from winnow.api.models.events import (
    EventChange,
    EventDetail,
    EventMember,
    EventResponse,
    EventStatus,
    RankedEvent,
    Reaction,
)
from winnow.api.params import Filter, Paged, PartsDep, PathId, QueryId
from winnow.errors import NotFound
from winnow.queries.events import checks, lists
from winnow.queries.events.feed import MAX_METRES, feed
from winnow.queries.events.lists import Around, Filters
from winnow.queries.reading import reader
from winnow.store.events import reactions

router = APIRouter(tags=["events"], responses=errors(), route_class=JsonRoute)

FEED_DAYS = 60
Latitude = Annotated[float | None, Query(ge=-90, le=90)]
Longitude = Annotated[float | None, Query(ge=-180, le=180)]
Radius = Annotated[float | None, Query(gt=0, le=500_000, description="Metres around latitude and longitude.")]
Categories = Annotated[list[str], Query(max_length=10, description="One of ten; may be given several times.")]
Cursor = Annotated[str | None, Query(max_length=40, description="meta.next of the page before.")]


async def filters(
    since: Annotated[AwareDatetime | None, Query(description="Not over at this moment; default: now.")] = None,
    until: Annotated[AwareDatetime | None, Query(description="Beginning before this.")] = None,
    latitude: Latitude = None,
    longitude: Longitude = None,
    radius_m: Radius = None,
    category: Categories = [],  # noqa: B006 - FastAPI copies it
    q: Filter = None,
    source_id: QueryId = None,
    venue_id: QueryId = None,
    status: EventStatus | None = None,
) -> Filters:
    return Filters(
        since=since,
        until=until,
        around=checks.circle(latitude, longitude, radius_m),
        categories=checks.categories(category),
        text=q or None,
        source_id=source_id,
        venue_id=venue_id,
        event_status=status,
    )


Wanted = Annotated[Filters, Depends(filters)]


@router.get("/events", response_model=Envelope[list[EventResponse]])
async def list_events(
    parts: PartsDep,
    wanted: Wanted,
    limit: Annotated[int, Query(ge=1, le=500, description="Rows per page.")] = 50,
    after: Cursor = None,
) -> Any:
    """Events to come, the next ones first."""
    async with reader(parts.database) as conn:
        wanted = wanted if wanted.since is not None else replace(wanted, since=datetime.now(UTC))
        found, following = await lists.listed(conn, wanted, after=after, limit=limit)
    return ok([EventResponse.of(row) for row in found], limit=limit, following=following)


@router.get("/events.ics", response_class=Response, responses=calendars.documented("text/calendar"))
async def calendar(parts: PartsDep, request: Request, wanted: Wanted) -> Response:
    return await calendars.answer(parts, request, wanted, "ics", "Events")


@router.get("/events.rss", response_class=Response, responses=calendars.documented("application/rss+xml"))
async def syndicated(parts: PartsDep, request: Request, wanted: Wanted) -> Response:
    return await calendars.answer(parts, request, wanted, "rss", "Events")


@router.get("/events.jsonld", response_class=Response, responses=calendars.documented("application/ld+json"))
async def linked_data(parts: PartsDep, request: Request, wanted: Wanted) -> Response:
    """schema.org Events, as a web page embeds them."""
    return await calendars.answer(parts, request, wanted, "jsonld", "Events")


@router.get("/events/{event_id}", response_model=Envelope[EventDetail], responses=errors(404))
async def one_event(parts: PartsDep, event_id: PathId) -> Any:
    """An event that was merged into another one is answered with that one."""
    async with reader(parts.database) as conn:
        row = await lists.visible(conn, event_id)
        if row is None:
            raise NotFound(f"there is no event {event_id}")
        listed_as = await lists.members(conn, row["id"])
    return ok(EventDetail.of({**row, "listed_as": [EventMember.of(member) for member in listed_as]}))


@router.get("/events/{event_id}/history", response_model=Envelope[list[EventChange]], responses=errors(404))
async def history(parts: PartsDep, event_id: PathId) -> Any:
    """What changed of it, the last change first; of an event that was merged, those of the one it is shown as."""
    async with reader(parts.database) as conn:
        row = await lists.visible(conn, event_id)
        if row is None:
            raise NotFound(f"there is no event {event_id}")
        found = await lists.changes(conn, row["id"])
    return ok([EventChange.of(change) for change in found])


@router.get("/feed", response_model=Envelope[list[RankedEvent]])
async def ranked_feed(
    parts: PartsDep,
    paged: Paged,
    latitude: Annotated[float, Query(ge=-90, le=90)],
    longitude: Annotated[float, Query(ge=-180, le=180)],
    radius_m: Annotated[float, Query(gt=0, le=MAX_METRES)] = 50_000,
    category: Categories = [],  # noqa: B006 - FastAPI copies it
) -> Any:
    """Events worth showing to a reader: near, of categories they like, soon, listed by many, from reliable sources."""
    now, start = datetime.now(UTC), paged.after or 0
    async with reader(parts.database) as conn:
        found = await feed(
            conn,
            Around(latitude, longitude, radius_m),
            since=now,
            until=now + timedelta(days=FEED_DAYS),
            categories=checks.categories(category),
            skip=start,
            limit=paged.limit + 1,
        )
    following = str(start + paged.limit) if len(found) > paged.limit else None
    return ok([RankedEvent.of(row) for row in found[: paged.limit]], limit=paged.limit, following=following)


@router.post("/events/{event_id}/reactions", response_model=Envelope[None], responses=errors(404, 413))
async def react(parts: PartsDep, event_id: PathId, body: Reaction) -> Any:
    """What people did with it, as the app that shows it counted; it moves the event up in the feed (E-114)."""
    async with parts.database.transaction() as conn:
        await reactions.add(conn, event_id, clicks=body.clicks, saves=body.saves)
    return ok(None)
