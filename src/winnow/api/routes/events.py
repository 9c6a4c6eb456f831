"""Events: lists, one event, a feed ranked for a reader, calendars, and what people did with them (E-113 … E-115)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Depends, Query, Request
from msgspec.structs import replace
from pydantic import AwareDatetime
from starlette.responses import Response

from winnow.actions import events as actions
from winnow.api.auth import CurrentCaller
from winnow.api.bodies import JsonRoute
from winnow.api.documented import errors
from winnow.api.envelope import Envelope, ok
from winnow.api.models.events import (
    EventDetail,
    EventMember,
    EventResponse,
    EventStatus,
    RankedEvent,
    Reaction,
    SubscriptionCreate,
    SubscriptionMade,
)
from winnow.api.params import Filter, Paged, PartsDep, PathId, QueryId
from winnow.errors import InvalidInput, NotFound
from winnow.publish.calendars import ics, rss
from winnow.publish.calendars.entry import Entry
from winnow.publish.calendars.json_ld import as_json_ld
from winnow.queries.events import lists
from winnow.queries.events.feed import MAX_METRES, feed
from winnow.queries.events.lists import Around, Filters
from winnow.queries.reading import reader
from winnow.store.events import reactions, subscriptions
from winnow.vocabulary.event_categories import categories as known_categories

router = APIRouter(tags=["events"], responses=errors(), route_class=JsonRoute)
public = APIRouter(tags=["events"])

MAX_IN_CALENDAR = 2_000  # entries of one calendar; programs that subscribe fetch all of it each time
FEED_DAYS = 60
KEPT_DAYS = 30  # past events stay in a calendar for a month, so that it does not forget what was yesterday
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
        around=_circle(latitude, longitude, radius_m),
        categories=_checked(category),
        text=q or None,
        source_id=source_id,
        venue_id=venue_id,
        event_status=status,
    )


Wanted = Annotated[Filters, Depends(filters)]


def _checked(names: list[str]) -> tuple[str, ...]:
    unknown = [name for name in names if name not in known_categories()]
    if unknown:
        raise InvalidInput(f"no category {unknown[0]!r}; there are {', '.join(known_categories())}", field="category")
    return tuple(names)


def _circle(latitude: float | None, longitude: float | None, radius_m: float | None) -> Around | None:
    if latitude is None and longitude is None and radius_m is None:
        return None
    if latitude is None or longitude is None or radius_m is None:
        raise InvalidInput("latitude, longitude and radius_m are given together or not at all", field="radius_m")
    return Around(latitude, longitude, radius_m)


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


@router.get("/events.ics", response_class=Response, responses={200: {"content": {"text/calendar": {}}}})
async def calendar(parts: PartsDep, wanted: Wanted) -> Response:
    return Response(ics.render_ics(await _entries(parts, wanted), "Events"), media_type=ics.CONTENT_TYPE)


@router.get("/events.rss", response_class=Response, responses={200: {"content": {"application/rss+xml": {}}}})
async def syndicated(parts: PartsDep, request: Request, wanted: Wanted) -> Response:
    return Response(
        rss.render_rss(await _entries(parts, wanted), "Events", str(request.url)), media_type=rss.CONTENT_TYPE
    )


@router.get("/events.jsonld", response_class=Response, responses={200: {"content": {"application/ld+json": {}}}})
async def linked_data(parts: PartsDep, wanted: Wanted) -> Response:
    """schema.org Events, as a web page embeds them."""
    return Response(
        orjson.dumps([as_json_ld(entry) for entry in await _entries(parts, wanted)]), media_type="application/ld+json"
    )


async def _entries(parts: PartsDep, wanted: Filters) -> list[Entry]:
    since = wanted.since or datetime.now(UTC) - timedelta(days=KEPT_DAYS)
    async with reader(parts.database) as conn:
        found, _ = await lists.listed(conn, replace(wanted, since=since), limit=MAX_IN_CALENDAR)
    return [Entry.of(row) for row in found]


@router.get("/events/{event_id}", response_model=Envelope[EventDetail], responses=errors(404))
async def one_event(parts: PartsDep, event_id: PathId) -> Any:
    """An event that was merged into another one is answered with that one."""
    async with reader(parts.database) as conn:
        row = await lists.visible(conn, event_id)
        if row is None:
            raise NotFound(f"there is no event {event_id}")
        listed_as = await lists.members(conn, row["id"])
    return ok(EventDetail.of({**row, "listed_as": [EventMember.of(member) for member in listed_as]}))


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
            categories=_checked(category),
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


@router.post("/event-subscriptions", status_code=201, response_model=Envelope[SubscriptionMade], responses=errors(413))
async def subscribe(parts: PartsDep, caller: CurrentCaller, body: SubscriptionCreate) -> Any:
    """An address that calendar programs can subscribe to without a key of ours."""
    _circle(body.filters.latitude, body.filters.longitude, body.filters.radius_m)
    _checked(body.filters.categories)
    stated = body.filters.model_dump(exclude_none=True)
    async with parts.database.transaction() as conn:
        made, token = await actions.subscribe(conn, caller.name, body.name, stated, caller.workspace_id)
    return ok(SubscriptionMade(id=made, ics=f"/calendar/{token}.ics", rss=f"/calendar/{token}.rss"))


@router.delete("/event-subscriptions/{subscription_id}", response_model=Envelope[None], responses=errors(404))
async def unsubscribe(parts: PartsDep, caller: CurrentCaller, subscription_id: PathId) -> Any:
    async with parts.database.transaction() as conn:
        await actions.unsubscribe(conn, caller.name, subscription_id)
    return ok(None)


@public.get(
    "/calendar/{token}.{form}",
    response_class=Response,
    responses={s: r for s, r in errors(404).items() if s not in (401, 403)},
)
async def subscribed(parts: PartsDep, request: Request, token: str, form: str) -> Response:
    """The events of a subscription: `ics` or `rss`."""
    if form not in ("ics", "rss") or len(token) > 64:
        raise NotFound("there is no such calendar")
    async with parts.database.transaction() as conn:
        found = await subscriptions.find(conn, token)
    if found is None:
        raise NotFound("there is no such calendar")
    entries = await _entries(parts, _stored_filters(found.filters))
    if form == "ics":
        return Response(ics.render_ics(entries, found.name), media_type=ics.CONTENT_TYPE)
    return Response(rss.render_rss(entries, found.name, str(request.url)), media_type=rss.CONTENT_TYPE)


def _stored_filters(stated: dict[str, Any]) -> Filters:
    return Filters(
        around=_circle(stated.get("latitude"), stated.get("longitude"), stated.get("radius_m")),
        categories=tuple(stated.get("categories", ())),
        text=stated.get("q"),
        source_id=stated.get("source_id"),
        venue_id=stated.get("venue_id"),
    )
