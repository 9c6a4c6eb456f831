"""Daily runs of event sources: the list, one with its sources, and the newest of a day."""

from __future__ import annotations

from datetime import date
from typing import Any

from sqlalchemy import Select, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from winnow.db.tables.daily import DailyRun, DailyRunSource
from winnow.db.tables.runs import ScrapeRun
from winnow.db.tables.sources import Source
from winnow.queries.reading import Row, cut, first, page, rows

D, P, R, S = DailyRun.__table__, DailyRunSource.__table__, ScrapeRun.__table__, Source.__table__


def _runs() -> Select[Any]:
    of_run = P.c.daily_run_id == D.c.id

    def count(state: str) -> Any:
        counted = select(func.count()).select_from(P).where(of_run, P.c.state == state)
        return counted.correlate(D).scalar_subquery().label(f"sources_{state}")

    return select(*D.c, count("waiting"), count("started"), count("left_out"))


async def listed(conn: AsyncConnection, *, after: int | None = None, limit: int = 50) -> tuple[list[Row], str | None]:
    """Newest first."""
    return cut(await rows(conn, page(_runs(), D.c.id, after, limit, newest=True)), limit)


async def one(conn: AsyncConnection, daily_run_id: int) -> Row | None:
    return await first(conn, _runs().where(D.c.id == daily_run_id))


async def newest(conn: AsyncConnection, day: date | None = None) -> Row | None:
    """The newest of a day, or of all."""
    statement = _runs().order_by(D.c.id.desc()).limit(1)
    return await first(conn, statement if day is None else statement.where(D.c.day == day))


async def sources(conn: AsyncConnection, daily_run_id: int) -> list[Row]:
    """The sources of a run in the order of their turn, with how the visit of each went."""
    columns = (
        P.c.position, P.c.source_id, S.c.name.label("source_name"), P.c.priority_score, P.c.state, P.c.reason,
        P.c.until, P.c.scrape_run_id, R.c.status, R.c.urls_attempted, R.c.urls_failed, R.c.offers_valid,
    )  # fmt: skip
    joined = P.join(S, S.c.id == P.c.source_id).outerjoin(R, R.c.id == P.c.scrape_run_id)
    return await rows(
        conn, select(*columns).select_from(joined).where(P.c.daily_run_id == daily_run_id).order_by(P.c.position)
    )
