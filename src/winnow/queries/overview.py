"""What the first page of the console shows: each list short, each count from an index or a small table."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sqlalchemy import Select, case, func, literal, select, union_all
from sqlalchemy.ext.asyncio import AsyncConnection

from winnow.db.tables.feeds import AffiliateFeedRun
from winnow.db.tables.judge import Quarantine
from winnow.db.tables.publish import Alert
from winnow.db.tables.runs import ScrapeRun
from winnow.db.tables.schedule import DeadLetter, Lane, Task, TaskArchive
from winnow.db.tables.sources import ScrapeTarget, Source
from winnow.queries.feeds import awaiting_approval
from winnow.queries.reading import Row, first, rows
from winnow.queries.runs import REJECTED

K, H, R, S, T, L, Q, D, A, F = (
    m.__table__
    for m in (
        Task, TaskArchive, ScrapeRun, Source, ScrapeTarget, Lane, Quarantine, DeadLetter, Alert, AffiliateFeedRun
    )
)  # fmt: skip
LATE_AFTER = timedelta(minutes=5)  # a target is late when its visit is overdue by more than this


async def figures(conn: AsyncConnection) -> Row:
    """How much there is of everything that waits, for work or for a person."""
    waiting = select(
        func.coalesce(func.sum(L.c.queued), 0).label("queued"),
        func.coalesce(func.sum(L.c.in_flight), 0).label("running"),
    )
    found = await first(conn, waiting) or {}
    counts = {
        "workers": select(func.count(K.c.leased_by.distinct())).where(K.c.status == "running"),
        "held": select(func.count()).select_from(Q).where(Q.c.resolved_at.is_(None)),
        "dead": select(func.count()).select_from(D).where(D.c.status == "pending"),
        "alerts": select(func.count()).select_from(A).where(A.c.resolved_at.is_(None), A.c.acknowledged_at.is_(None)),
        "approvals": select(func.count()).select_from(F).where(awaiting_approval(F)),
        "sources": select(func.count()).select_from(S),
    }
    together = select(*(statement.scalar_subquery().label(name) for name, statement in counts.items()))
    return {**found, **(await first(conn, together) or {})}


async def running(conn: AsyncConnection, limit: int = 10) -> list[Row]:
    """Runs that are under way, the newest first."""
    columns = (R.c.id, R.c.source_id, R.c.trigger, R.c.started_at, R.c.urls_planned, R.c.urls_attempted,
               R.c.urls_failed, R.c.offers_valid, R.c.offers_quarantined, S.c.name.label("source_name"))  # fmt: skip
    joined = R.join(S, S.c.id == R.c.source_id)
    return await rows(
        conn, select(*columns).select_from(joined).where(R.c.status == "RUNNING").order_by(R.c.id.desc()).limit(limit)
    )


async def throughput(conn: AsyncConnection, minutes: int = 60) -> list[Row]:
    """Finished tasks by minute; a minute without any has no row. A page that robots.txt forbids is none of them."""
    since = func.now() - literal(timedelta(minutes=minutes))

    def finished(of: Any) -> Select[Any]:
        return select(of.c.finished_at, of.c.status, of.c.outcome).where(of.c.finished_at > since)

    both = union_all(finished(K), finished(H)).subquery()
    minute = func.date_trunc("minute", both.c.finished_at).label("minute")
    done = func.count().filter(both.c.status == "done", both.c.outcome.is_distinct_from("robots_blocked")).label("done")
    failed = func.count().filter(both.c.status == "failed").label("failed")
    return await rows(conn, select(minute, done, failed).group_by(minute).order_by(minute))


async def outcomes(conn: AsyncConnection, days: int = 7) -> list[Row]:
    """What the runs of the last days brought, by hour (by day when there are many days)."""
    unit = "hour" if days <= 2 else "day"
    when = func.date_trunc(unit, R.c.started_at).label("at")
    summed = {"accepted": R.c.offers_valid, "held": R.c.offers_quarantined, "rejected": REJECTED,
              "failed": R.c.urls_failed}  # fmt: skip
    columns = [func.sum(column).label(name) for name, column in summed.items()]
    since = func.now() - literal(timedelta(days=days))
    return await rows(conn, select(when, *columns).where(R.c.started_at > since).group_by(when).order_by(when))


async def freshness(conn: AsyncConnection, limit: int = 10) -> list[Row]:
    """Sources against their own cadence, the latest first: of its active targets, how many are overdue, how many were
    never visited, and how many are on time, which a target is only after its first visit."""
    late = T.c.next_crawl_at < func.now() - literal(LATE_AFTER)
    counted = (
        select(
            T.c.source_id,
            func.count().label("targets"),
            func.count().filter(late).label("late"),
            func.count().filter(T.c.last_scraped_at.is_(None)).label("never"),
            func.count().filter(T.c.last_scraped_at.is_not(None), late.is_not(True)).label("on_time"),
            func.min(case((late, T.c.next_crawl_at))).label("late_since"),
            func.min(T.c.last_scraped_at).label("oldest"),
            func.max(T.c.last_scraped_at).label("newest"),
            func.min(T.c.crawl_frequency).label("every"),
            func.min(T.c.schedule).label("schedule"),
        )
        .where(T.c.enabled, T.c.status == "ACTIVE")
        .group_by(T.c.source_id)
        .subquery()
    )
    columns = (S.c.name, S.c.paused, S.c.enabled, counted)
    statement = select(*columns).select_from(counted.join(S, S.c.id == counted.c.source_id))
    worst = (counted.c.on_time * 1.0 / counted.c.targets).asc(), counted.c.oldest.asc().nulls_first()
    return await rows(conn, statement.order_by(*worst).limit(limit))
