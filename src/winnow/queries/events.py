"""Events as consumers see them: the view `shown_events`, filtered, paged, and ranked for one reader (E-113 … E-115)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from winnow.errors import InvalidInput
from winnow.queries.reading import Row

MAX_RADIUS_M = 500_000.0
MAX_RANKED = 2_000  # candidates of one feed: the next ones around the reader, of which the best are shown
FEED_DAYS = 60
MAX_RUNNING_DAYS = 31  # an exhibition that opened longer ago is no news
HALF_DISTANCE_M = 10_000.0  # an event this far away counts half
HALF_DAYS = 7.0  # and so does one in a week
# What each part of the rank can add (E-114, E-115).
WEIGHTS = {"distance": 0.35, "category": 0.25, "time": 0.2, "social": 0.1, "reliability": 0.1}
SAVE_IS_CLICKS = 3.0  # who saves an event means it more than who opens it
METRES = "earth_distance(ll_to_earth(e.latitude, e.longitude), ll_to_earth(:latitude, :longitude))"


# What began before `since` and is not over. The first condition is for the index.
_COMING = f"""e.starts_at > :since - interval '{MAX_RUNNING_DAYS} days' AND (e.starts_at >= :since OR e.ends_at > :since
    OR (e.event_time = 'TBD' AND e.starts_at > :since - interval '1 day'))"""


class EventFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Which events. `since` and `until` are moments (until is not included), `status` is the `event_status`."""

    since: datetime | None = None
    until: datetime | None = None
    latitude: float | None = None
    longitude: float | None = None
    radius_m: float | None = None
    categories: tuple[str, ...] = ()
    q: str | None = None
    source_id: int | None = None
    venue_id: int | None = None
    status: str | None = None


class Reader(msgspec.Struct, frozen=True, kw_only=True):
    """For whom a feed is ranked: where they are and what they like."""

    latitude: float
    longitude: float
    radius_m: float = 50_000.0
    categories: tuple[str, ...] = ()


async def listed(
    conn: AsyncConnection, wanted: EventFilter, after: str | None = None, limit: int = 50
) -> tuple[list[Row], str | None]:
    """By time, the next ones first. Events that run already count as coming until they end."""
    where, values = _conditions(wanted)
    if after is not None:
        values |= _position(after)
        where.append("(e.starts_at, e.id) > (:after_at, :after_id)")
    chosen = f"SELECT e.*{_distance(wanted)} FROM shown_events AS e WHERE {' AND '.join(where)}"
    statement = text(f"{chosen} ORDER BY e.starts_at, e.id LIMIT :n")
    found = [dict(row) for row in (await conn.execute(statement, values | {"n": limit + 1})).mappings()]
    following = _cursor(found[limit - 1]) if len(found) > limit else None
    return found[:limit], following


async def one(conn: AsyncConnection, event_id: int) -> Row | None:
    found = (
        await conn.execute(text("SELECT e.* FROM shown_events AS e WHERE e.id = :id"), {"id": event_id})
    ).mappings()
    row = found.first()
    return None if row is None else dict(row)


async def shown_as(conn: AsyncConnection, event_id: int) -> int | None:
    """The event that an event which was merged is shown as."""
    statement = text("SELECT merged_into FROM events WHERE id = :id")
    return (await conn.execute(statement, {"id": event_id})).scalar_one_or_none()


_MEMBERS = text("""
SELECT e.id, e.source_id, s.name AS source_name, e.title, e.event_date, e.event_time, e.url, e.status, e.event_status,
       e.missing_since, e.last_seen_at, e.merged_into
FROM events AS e JOIN sources AS s ON s.id = e.source_id
WHERE e.id = :id OR e.merged_into = :id ORDER BY e.merged_into NULLS FIRST, e.id LIMIT 100
""")
_CHANGES = text("""
SELECT c.changed_at, c.cause, c.changes, c.actor, c.task_id FROM event_changes AS c
WHERE c.event_id = :id ORDER BY c.id DESC LIMIT 100
""")


async def members(conn: AsyncConnection, event_id: int) -> list[Row]:
    """The same event as each source lists it: the one that is shown first."""
    return [dict(row) for row in (await conn.execute(_MEMBERS, {"id": event_id})).mappings()]


async def changes(conn: AsyncConnection, event_id: int) -> list[Row]:
    return [dict(row) for row in (await conn.execute(_CHANGES, {"id": event_id})).mappings()]


_FEED = """
WITH near AS (
    SELECT e.*, {metres} AS distance_m FROM shown_events AS e WHERE {where} ORDER BY e.starts_at, e.id LIMIT :ranked
), trusted AS (
    SELECT h.id, h.reliability_score FROM source_health_status AS h
    WHERE h.id IN (SELECT DISTINCT n.source_id FROM near AS n)
), weighed AS (
    SELECT n.*, t.reliability_score,
        coalesce(m.sources, 0) + 1 AS listed_by, coalesce(r.clicks, 0) AS clicks, coalesce(r.saves, 0) AS saves,
        power(0.5, n.distance_m / :half_m) AS near_by,
        (n.category = ANY(CAST(:liked AS text[])))::int AS liked,
        power(0.5, greatest(extract(epoch FROM n.starts_at - :now), 0) / 86400 / :half_days) AS soon
    FROM near AS n
    JOIN trusted AS t ON t.id = n.source_id
    LEFT JOIN LATERAL (
        SELECT count(DISTINCT o.source_id) AS sources FROM events AS o
        WHERE o.merged_into = n.id AND o.source_id <> n.source_id
    ) AS m ON true
    LEFT JOIN event_reactions AS r ON r.event_id = n.id
)
SELECT w.*, round((
        :w_distance * w.near_by + :w_category * w.liked + :w_time * w.soon + :w_reliability * w.reliability_score
        + :w_social * (1 - power(0.5, (w.listed_by - 1) + ln(1 + w.clicks + :save * w.saves)))
    )::numeric, 4)::float8 AS score
FROM weighed AS w ORDER BY score DESC, w.starts_at, w.id LIMIT :n OFFSET :start
"""


async def feed(
    conn: AsyncConnection, reader: Reader, now: datetime, after: int | None = None, limit: int = 50
) -> tuple[list[Row], str | None]:
    """What is worth showing to a reader: near, liked, soon, listed by many, from sources that can be relied on. Nothing
    cancelled. The cursor counts."""
    wanted = EventFilter(
        since=now,
        until=now + timedelta(days=FEED_DAYS),
        latitude=reader.latitude,
        longitude=reader.longitude,
        radius_m=reader.radius_m,
    )
    where, values = _conditions(wanted)
    where.append("e.event_status <> 'cancelled'")
    start = after or 0
    values |= {f"w_{name}": weight for name, weight in WEIGHTS.items()}
    values |= {"ranked": MAX_RANKED, "half_m": HALF_DISTANCE_M, "half_days": HALF_DAYS, "save": SAVE_IS_CLICKS}
    values |= {"liked": list(reader.categories), "now": now, "n": limit + 1, "start": start}
    statement = text(_FEED.format(metres=METRES, where=" AND ".join(where)))
    found = [dict(row) for row in (await conn.execute(statement, values)).mappings()]
    return found[:limit], str(start + limit) if len(found) > limit else None


def _conditions(wanted: EventFilter) -> tuple[list[str], dict[str, Any]]:
    where, values = ["true"], {}
    for name, value, condition in (
        ("since", wanted.since, _COMING),
        ("until", wanted.until, "e.starts_at < :until"),
        ("source_id", wanted.source_id, "e.source_id = :source_id"),
        ("venue_id", wanted.venue_id, "e.venue_id = :venue_id"),
        ("status", wanted.status, "e.event_status = :status"),
        ("q", wanted.q, "to_tsvector('simple', e.search_text) @@ websearch_to_tsquery('simple', :q)"),
        ("categories", list(wanted.categories) or None, "e.category = ANY(:categories)"),
    ):
        if value is not None:
            where.append(condition)
            values[name] = value
    _add_place(wanted, where, values)
    return where, values


def _add_place(wanted: EventFilter, where: list[str], values: dict[str, Any]) -> None:
    if wanted.latitude is None or wanted.longitude is None:
        return
    values |= {"latitude": wanted.latitude, "longitude": wanted.longitude}
    if wanted.radius_m is not None:
        values["radius"] = min(wanted.radius_m, MAX_RADIUS_M)
        where.append(f"{METRES} <= :radius")


def _distance(wanted: EventFilter) -> str:
    return f", {METRES} AS distance_m" if wanted.latitude is not None and wanted.longitude is not None else ""


def _cursor(row: Row) -> str:
    """Where a page ends: the moment in microseconds, and the id."""
    return f"{int(row['starts_at'].timestamp() * 1_000_000)}.{row['id']}"


def _position(cursor: str) -> dict[str, Any]:
    moment, _, event_id = cursor.partition(".")
    if not (
        moment.lstrip("-").isascii() and moment.lstrip("-").isdigit() and event_id.isascii() and event_id.isdigit()
    ):
        raise InvalidInput("not the `meta.next` of a page before", field="after")
    if len(moment) > 18 or len(event_id) > 18:
        raise InvalidInput("not the `meta.next` of a page before", field="after")
    at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=int(moment))
    return {"after_at": at, "after_id": int(event_id)}
