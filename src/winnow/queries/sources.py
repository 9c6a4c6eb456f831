from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Select, column, func, select, table
from sqlalchemy.ext.asyncio import AsyncConnection

from winnow.db.tables.feeds import AffiliateFeed
from winnow.db.tables.runs import ScrapeRun
from winnow.db.tables.sources import Retailer, ScrapeTarget, Source
from winnow.db.tables.store import SourceTrust
from winnow.queries.reading import Row, contains, cut, first, page, rows

S, R, T, TRUST, RUNS, FEEDS = (
    m.__table__ for m in (Source, Retailer, ScrapeTarget, SourceTrust, ScrapeRun, AffiliateFeed)
)

_HEALTH_COLUMNS = (
    "id name domain kind enabled paused circuit_state failure_count cooldown_until is_available rate_limited "
    "rate_limited_until last_scraped_at last_success_at days_since_last_scrape historical_event_count "
    "reliability_score consecutive_failures priority_score"
)
HEALTH = table("source_health_status", *(column(name) for name in _HEALTH_COLUMNS.split()))
MAX_NAMES = 300


def _ended(*statuses: str) -> ColumnElement[Any]:
    """When a run of the source last ended so."""
    ended = select(func.max(RUNS.c.completed_at)).where(RUNS.c.source_id == S.c.id, RUNS.c.status.in_(statuses))
    return ended.scalar_subquery()


def _sources() -> Select[Any]:
    count = select(func.count()).where(T.c.source_id == S.c.id).scalar_subquery()
    activated = select(FEEDS.c.promoted_at).where(FEEDS.c.source_id == S.c.id).scalar_subquery()
    joined = S.outerjoin(R, R.c.id == S.c.retailer_id).outerjoin(TRUST, TRUST.c.source_id == S.c.id)
    return select(
        *S.c,
        func.coalesce(_ended("SUCCESS"), activated).label("last_success_at"),
        _ended("FAILED", "QUARANTINED").label("last_failure_at"),
        R.c.name.label("retailer_name"),
        TRUST.c.visibility_status,
        TRUST.c.upc_trusted,
        TRUST.c.expiry_hours,
        TRUST.c.reviewed_at,
        TRUST.c.reviewed_by,
        TRUST.c.note.label("trust_note"),
        count.label("targets"),
    ).select_from(joined)


async def listed(
    conn: AsyncConnection, *, kind: str | None = None, q: str | None = None, after: int | None = None, limit: int = 50
) -> tuple[list[Row], str | None]:
    statement = _sources()
    if kind is not None:
        statement = statement.where(S.c.kind == kind)
    if q:
        statement = statement.where(S.c.name.ilike(contains(q)) | S.c.domain.ilike(contains(q)))
    return cut(await rows(conn, page(statement, S.c.id, after, limit)), limit)


async def names(conn: AsyncConnection) -> list[Row]:
    """To choose from while typing; whoever has more of them types the name or the number."""
    known = select(S.c.id, S.c.name, S.c.domain).order_by(func.lower(S.c.name), S.c.id)
    return await rows(conn, known.limit(MAX_NAMES))


async def one(conn: AsyncConnection, source_id: int) -> Row | None:
    found = await first(conn, _sources().where(S.c.id == source_id))
    if found is None:
        return None
    counts = select(T.c.status, func.count().label("n")).where(T.c.source_id == source_id).group_by(T.c.status)
    found["targets_by_status"] = {row["status"]: row["n"] for row in await rows(conn, counts)}
    return found


async def health(
    conn: AsyncConnection, *, kind: str | None = None, available: bool | None = None, limit: int = 50
) -> list[Row]:
    """Whether each may be scheduled, the one whose turn it is first (E-025, E-110)."""
    statement = select(HEALTH).order_by(HEALTH.c.priority_score.desc(), HEALTH.c.id).limit(limit)
    if kind is not None:
        statement = statement.where(HEALTH.c.kind == kind)
    if available is not None:
        statement = statement.where(HEALTH.c.is_available.is_(available))
    return await rows(conn, statement)
