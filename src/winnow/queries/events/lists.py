"""Events as faces show them: those consumers read, all rows as operators see them, and one with its history."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Select, and_, column, func, literal, or_, select, table, text, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from winnow.db.tables.event_matches import EventDoubt, EventMerge
from winnow.db.tables.events import LONG, Event, EventChange
from winnow.db.tables.sources import Source
from winnow.errors import InvalidInput
from winnow.normalise.text import fold
from winnow.queries.reading import Row, cut, first, page, rows
from winnow.store.events.place import areas_around

_SHOWN = (
    "id source_id source_name title description event_date event_time starts_at ends_at over_at end_date time_zone "
    "doors timing recurrence category event_type event_status sold_out venue_id venue_name structured_location "
    "structured_date latitude longitude precision location_flagged online area organiser performers price_low_minor "
    "price_high_minor currency image_url url ticket_url uid language confidence provenance sequence "
    "normalization_method first_seen_at last_seen_at missing_since search_text created_at updated_at"
)
SHOWN = table("shown_events", *(column(name) for name in _SHOWN.split()))
_LISTED = [column_ for column_ in SHOWN.c if column_.name not in ("search_text", "area")]
_OPERATOR = (
    Event.id, Event.source_id, Event.source_key, Event.occurrence, Event.title, Event.event_date, Event.event_time,
    Event.starts_at, Event.venue_id, Event.venue_name, Event.category, Event.status, Event.event_status, Event.url,
    Event.merged_into, Event.missing_since, Event.misses, Event.gone_at, Event.location_flagged, Event.sequence,
    Event.last_seen_at, Event.updated_at,
)  # fmt: skip
MAX_RADIUS = 500_000.0  # metres


class Around(msgspec.Struct, frozen=True):
    """A circle on the map, in metres."""

    latitude: float
    longitude: float
    metres: float


class Filters(msgspec.Struct, frozen=True, kw_only=True):
    """Which events are wanted. `status` is a state of the row for operators, `event_status` what its source says.
    Days are those of the place itself, moments are the same everywhere."""

    since: datetime | None = None
    until: datetime | None = None
    first_day: date | None = None
    last_day: date | None = None
    around: Around | None = None
    categories: tuple[str, ...] = ()
    text: str | None = None
    source_id: int | None = None
    venue_id: int | None = None
    event_status: str | None = None
    status: str | None = None


async def listed(
    conn: AsyncConnection, filters: Filters, *, after: str | None = None, limit: int = 50
) -> tuple[list[Row], str | None]:
    """What consumers see, in the order in which it begins."""
    statement = select(*_LISTED).where(*_conditions(SHOWN.c, filters))
    return await _in_order(conn, statement, SHOWN.c, filters.since, after, limit)


async def all_rows(
    conn: AsyncConnection, filters: Filters, *, after: str | None = None, limit: int = 50
) -> tuple[list[Row], str | None]:
    """Every row as operators see it: merged, hidden and gone ones as well."""
    named = select(*_OPERATOR, Source.name.label("source_name"))
    statement: Any = named.join(Source, Source.id == Event.source_id)
    where = _of_rows(filters)
    return await _in_order(conn, statement.where(*where), Event.__table__.c, filters.since, after, limit)


async def points(conn: AsyncConnection, filters: Filters, limit: int) -> list[Row]:
    """Where the next of them are; with a `status`, of all rows of that state."""
    columns: Any = SHOWN.c if filters.status is None else Event.__table__.c
    where = _conditions(columns, filters) if filters.status is None else _of_rows(filters)
    wanted = [columns[name] for name in ("id", "title", "starts_at", "venue_name", "latitude", "longitude")]
    statement = select(*wanted).where(columns.latitude.is_not(None), *where)
    return (await _in_order(conn, statement, columns, filters.since, None, limit))[0]


async def one(conn: AsyncConnection, event_id: int) -> Row | None:
    """A row with everything known of it: its source, the events it stands for or is shown as, its changes."""
    statement = select(Event.__table__, Source.name.label("source_name"))
    event = await first(conn, statement.join(Source, Source.id == Event.source_id).where(Event.id == event_id))
    if event is None:
        return None
    return event | {
        "members": await members(conn, event["merged_into"] or event_id),
        "changes": await changes(conn, event_id),
        "merges": await merges(conn, event_id),
    }


async def visible(conn: AsyncConnection, event_id: int) -> Row | None:
    """What consumers see of it; of one that is merged, the event it is shown as."""
    root = select(func.coalesce(Event.merged_into, Event.id)).where(Event.id == event_id).scalar_subquery()
    return await first(conn, select(*_LISTED).where(SHOWN.c.id == root))


async def members(conn: AsyncConnection, root_id: int) -> list[Row]:
    """The events of other sources that are shown as this one, itself first."""
    statement = select(*_OPERATOR, Source.name.label("source_name")).join(Source, Source.id == Event.source_id)
    statement = statement.where(or_(Event.id == root_id, Event.merged_into == root_id))
    return await rows(conn, statement.order_by(Event.merged_into.is_not(None), Event.id))


async def changes(conn: AsyncConnection, event_id: int, limit: int = 200) -> list[Row]:
    table_ = EventChange.__table__
    return await rows(
        conn, select(table_).where(table_.c.event_id == event_id).order_by(table_.c.id.desc()).limit(limit)
    )


async def merges(conn: AsyncConnection, event_id: int) -> list[Row]:
    """Merges of this event, those that were undone as well."""
    both = or_(EventMerge.kept_id == event_id, EventMerge.merged_id == event_id)
    return await rows(conn, select(EventMerge.__table__).where(both).order_by(EventMerge.id.desc()))


async def doubts(
    conn: AsyncConnection, *, status: str = "open", after: int | None = None, limit: int = 50
) -> tuple[list[Row], str | None]:
    """Pairs that wait for a person, with what both are called."""
    low, high = Event.__table__.alias("low"), Event.__table__.alias("high")
    named = [
        side.c[name].label(f"{word}_{name}")
        for word, side in (("low", low), ("high", high))
        for name in ("title", "source_id", "event_date", "event_time", "venue_name", "url")
    ]
    sources = {word: Source.__table__.alias(f"{word}_source") for word in ("low", "high")}
    named += [source.c.name.label(f"{word}_source_name") for word, source in sources.items()]
    statement = (
        select(EventDoubt.__table__, *named)
        .join(low, low.c.id == EventDoubt.low_id)
        .join(high, high.c.id == EventDoubt.high_id)
        .join(sources["low"], sources["low"].c.id == low.c.source_id)
        .join(sources["high"], sources["high"].c.id == high.c.source_id)
        .where(EventDoubt.status == status)
    )
    return cut(await rows(conn, page(statement, EventDoubt.__table__.c.id, after, limit)), limit)


def _of_rows(filters: Filters) -> list[ColumnElement[bool]]:
    where = _conditions(Event.__table__.c, filters)
    if filters.status == "merged":
        where.append(Event.merged_into.is_not(None))
    elif filters.status == "missing":
        where.append(and_(Event.missing_since.is_not(None), Event.status == "published"))
    elif filters.status is not None:
        where.append(Event.status == filters.status)
    return where


def _conditions(columns: Any, filters: Filters) -> list[ColumnElement[bool]]:
    where: list[ColumnElement[bool]] = []
    if filters.since is not None:
        where.append(columns.over_at >= filters.since)
    if filters.until is not None:
        where.append(columns.starts_at < filters.until)
    if filters.first_day is not None:
        where.append(func.coalesce(columns.end_date, columns.event_date) >= filters.first_day)
    if filters.last_day is not None:
        where.append(columns.event_date <= filters.last_day)
    if filters.categories:
        where.append(columns.category.in_(filters.categories))
    for name in ("source_id", "venue_id", "event_status"):
        if (wanted := getattr(filters, name)) is not None:
            where.append(columns[name] == wanted)
    if filters.text:
        where.append(_matches(columns.search_text, filters.text))
    if filters.around is not None:
        where += _within(columns, filters.around)
    return where


def _matches(column_: Any, words: str) -> ColumnElement[bool]:
    """All words, each by its beginning."""
    wanted = [word for word in "".join(c if c.isalnum() else " " for c in fold(words)).split() if word]
    if not wanted:
        raise InvalidInput("a text to search for has a letter or a digit", field="q")
    query = " & ".join(f"{word}:*" for word in wanted)
    document = func.to_tsvector(text("'simple'::regconfig"), column_)
    return document.op("@@")(func.to_tsquery(text("'simple'::regconfig"), literal(query)))


def _within(columns: Any, around: Around) -> list[ColumnElement[bool]]:
    """By areas first, which have an index, then by the distance itself."""
    if not 0 < around.metres <= MAX_RADIUS:
        raise InvalidInput(f"a radius is up to {MAX_RADIUS / 1000:g} km", field="radius_m")
    here = func.ll_to_earth(around.latitude, around.longitude)
    there = func.ll_to_earth(columns.latitude, columns.longitude)
    where: list[ColumnElement[bool]] = [columns.latitude.is_not(None)]
    areas = areas_around(around.latitude, around.longitude, around.metres)
    if areas is not None:
        where.append(columns.area.in_(areas))
    return [*where, func.earth_distance(here, there) <= around.metres]


async def _in_order(
    conn: AsyncConnection, statement: Select[Any], columns: Any, since: datetime | None, after: str | None, limit: int
) -> tuple[list[Row], str | None]:
    """A page by (start, id), so that events that begin together are neither left out nor repeated."""
    at, key = columns.starts_at, columns.id
    if after is not None:
        statement = statement.where(tuple_(at, key) > tuple_(*map(literal, _cursor(after))))
    parts = [part.order_by(at, key).limit(limit + 1) for part in _parts(statement, columns, since)]
    found = [row for part in parts for row in await rows(conn, part)]
    found = sorted(found, key=lambda row: (row["starts_at"], row["id"]))[: limit + 1]
    if len(found) <= limit:
        return found, None
    last = found[limit - 1]
    return found[:limit], f"{last['starts_at'].isoformat()}~{last['id']}"


def _parts(statement: Select[Any], columns: Any, since: datetime | None) -> list[Select[Any]]:
    """What is on now began lately or is long: two parts, each with an index, so that a list of events to come costs the
    same however many are over."""
    if since is None:
        return [statement]
    lately = since - timedelta(days=2)
    return [
        statement.where(text(LONG), columns.starts_at < lately),
        statement.where(columns.starts_at >= lately),
    ]


def _cursor(after: str) -> tuple[datetime, int]:
    moment, _, key = after.partition("~")
    try:
        return datetime.fromisoformat(moment), int(key)
    except ValueError:
        raise InvalidInput("this is no cursor of a list of events", field="after") from None
