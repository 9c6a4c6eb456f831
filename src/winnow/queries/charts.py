"""What charts draw: prices of offers over time, and how an adapter's runs went. Bounded whatever the history."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Integer, cast, column, func, select, table
from sqlalchemy.ext.asyncio import AsyncConnection

from winnow.db.tables.prices import Price
from winnow.db.tables.runs import ScrapeRun
from winnow.queries.prices import CORRECTED_PRICES
from winnow.queries.reading import Row, first, rows

P, H, R = CORRECTED_PRICES, Price.__table__, ScrapeRun.__table__
SEEN = table("offer_presence", column("source_product_id"), column("last_seen_success_at"))

MAX_POINTS = 300  # of one line: more than a screen has room for
MAX_RUNS = 100


async def prices(
    conn: AsyncConnection, offers: list[int], *, currency: str, since: datetime, until: datetime
) -> list[Row]:
    """The prices of each offer in equal stretches of time, oldest first: the last of each, and its lowest and highest.
    `observations` of them lie between `first_at` and `observed_at`."""
    width = (until - since) / MAX_POINTS
    stretch = cast(func.floor(func.extract("epoch", P.c.observed_at - since) / width.total_seconds()), Integer)
    last: Any = {
        name: func.array_agg(P.c[name].op("ORDER BY")(P.c.observed_at.desc()))[1].label(name)
        for name in ("amount_minor", "in_stock", "exponent")
    }
    statement = (
        select(
            P.c.source_product_id,
            stretch.label("stretch"),
            *last.values(),
            func.min(P.c.amount_minor).label("lowest_minor"),
            func.max(P.c.amount_minor).label("highest_minor"),
            func.count().label("observations"),
            func.min(P.c.observed_at).label("first_at"),
            func.max(P.c.observed_at).label("observed_at"),
        )
        .where(P.c.source_product_id.in_(offers), P.c.currency == currency)
        .where(P.c.observed_at >= since, P.c.observed_at < until)
        .group_by(P.c.source_product_id, "stretch")
        .order_by(P.c.source_product_id, "stretch")
    )
    return await rows(conn, statement)


async def confirmed(conn: AsyncConnection, offers: list[int]) -> dict[int, datetime]:
    """When each offer was last seen with the price it has: a visit that finds the same price adds none."""
    statement = select(SEEN.c.source_product_id, SEEN.c.last_seen_success_at)
    found = await rows(conn, statement.where(SEEN.c.source_product_id.in_(offers)))
    return {row["source_product_id"]: row["last_seen_success_at"] for row in found if row["last_seen_success_at"]}


async def health(conn: AsyncConnection, adapter_id: str, source_id: int | None = None) -> list[Row]:
    """The last finished runs with the adapter, oldest first."""
    shown = [
        "id",
        "completed_at",
        "status",
        "failure_rate",
        "yield_rate",
        "drop_rate",
        "urls_attempted",
        "offers_valid",
    ]
    ended = (R.c.adapter_id == adapter_id) & R.c.completed_at.is_not(None)
    statement = select(*(R.c[name] for name in shown)).where(ended)
    if source_id is not None:
        statement = statement.where(R.c.source_id == source_id)
    found = await rows(conn, statement.order_by(R.c.id.desc()).limit(MAX_RUNS))
    return found[::-1]


async def first_price(conn: AsyncConnection, offers: list[int], currency: str) -> datetime | None:
    """When the oldest of these offers was first observed."""
    oldest = select(func.min(H.c.observed_at).label("at")).where(
        H.c.source_product_id.in_(offers), H.c.currency == currency
    )
    found: datetime | None = (await rows(conn, oldest))[0]["at"]
    return found


async def newest_price(conn: AsyncConnection, offer: int) -> Row | None:
    """By the index of the history: the same for an offer with a million prices."""
    return await first(
        conn, select(P).where(P.c.source_product_id == offer).order_by(P.c.created_at.desc(), P.c.id.desc())
    )


async def totals(conn: AsyncConnection, offer: int, currency: str) -> Row:
    """In one reading of the history."""
    found = select(
        func.count().label("observations"),
        func.min(P.c.amount_minor).label("lowest_minor"),
        func.max(P.c.amount_minor).label("highest_minor"),
    ).where(P.c.source_product_id == offer, P.c.currency == currency)
    return (await rows(conn, found))[0]
