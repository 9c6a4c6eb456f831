"""The ledger's rows with what a person decided about the domain."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select, case, func, literal, select
from sqlalchemy.ext.asyncio import AsyncConnection

from winnow.db.tables.schedule import Domain, DomainCircuit, Lane
from winnow.queries.reading import Row, contains, first, rows

L, D, C = (m.__table__ for m in (Lane, Domain, DomainCircuit))


SLOWED = 2  # how many times longer the interval and the spacing of a slowed lane are (lane_functions.sql, S-059)


def _finite(moment: Any) -> Any:
    return case((func.isfinite(moment), moment), else_=None)


def _ahead(moment: Any) -> Any:
    """None when it is over: a lane keeps the moment."""
    return case((func.isfinite(moment) & (moment > func.now()), moment), else_=None)


def _domains() -> Select[Any]:
    """Lanes named @… belong to no site. A decided domain that was never visited shows the platform's limits."""
    known = select(L.c.lane.label("domain")).where(~L.c.lane.startswith("@"))
    named = known.union(select(D.c.domain_name)).subquery("known")
    wait = func.extract("epoch", func.coalesce(_finite(L.c.slot_at), func.now()) - func.now())
    joined = (
        named.outerjoin(L, L.c.lane == named.c.domain)
        .outerjoin(D, D.c.domain_name == named.c.domain)
        .outerjoin(C, C.c.domain == named.c.domain)
    )
    return select(
        named.c.domain,
        func.coalesce(L.c.queued, 0).label("queued"),
        func.coalesce(L.c.in_flight, 0).label("in_flight"),
        func.coalesce(L.c.tokens, D.c.tokens_per_interval, 1).label("tokens"),
        func.coalesce(L.c.interval_seconds, D.c.interval_seconds, 2.0).label("interval_seconds"),
        func.coalesce(L.c.spacing_seconds, D.c.crawl_delay_seconds, 2.0).label("spacing_seconds"),
        func.coalesce(L.c.max_concurrent, D.c.max_concurrent_requests, 1).label("max_concurrent"),
        func.coalesce(L.c.hours_start, D.c.hours_start).label("hours_start"),
        func.coalesce(L.c.hours_end, D.c.hours_end).label("hours_end"),
        L.c.limits_from,
        func.greatest(0.0, wait).label("next_slot_seconds"),
        _ahead(L.c.slowed_until).label("slowed_until"),
        _ahead(L.c.held_until).label("held_until"),
        func.coalesce(L.c.half_open, literal(False)).label("half_open"),
        func.coalesce(L.c.paused, literal(False)).label("paused"),
        func.coalesce(D.c.is_active, literal(True)).label("is_active"),
        func.coalesce(D.c.respect_robots_txt, literal(True)).label("respect_robots_txt"),
        func.coalesce(C.c.state, "closed").label("circuit"),
        D.c.crawl_frequency,
        D.c.notes,
    ).select_from(joined)


async def listed(
    conn: AsyncConnection, *, q: str | None = None, after: str | None = None, limit: int = 50
) -> tuple[list[Row], str | None]:
    of = _domains().subquery("domains_shown")
    statement = select(of).order_by(of.c.domain).limit(limit + 1)
    if q:
        statement = statement.where(of.c.domain.ilike(contains(q)))
    if after is not None:
        statement = statement.where(of.c.domain > after)
    found = [_to_row(row) for row in await rows(conn, statement)]
    return found[:limit], (found[limit - 1]["domain"] if len(found) > limit else None)


async def one(conn: AsyncConnection, domain: str) -> Row | None:
    of = _domains().subquery("domains_shown")
    row = await first(conn, select(of).where(of.c.domain == domain))
    return None if row is None else _to_row(row)


def _to_row(row: Row) -> Row:
    """`interval_now` and `spacing_now` are what holds while the domain is slowed down."""
    longer = 1 if row["slowed_until"] is None else SLOWED
    now = {"interval_now": longer * row["interval_seconds"], "spacing_now": longer * row["spacing_seconds"]}
    return {**row, **now, "limits_from": row["limits_from"] or {}}
