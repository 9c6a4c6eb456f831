"""Feeds, their runs, and what a run did not see."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sqlalchemy import ColumnElement, Select, String, and_, column, func, literal_column, select, table, true
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.orm import aliased

from winnow.db.tables.feeds import AffiliateFeed, AffiliateFeedRun, AffiliateFeedRunError
from winnow.db.tables.prices import LatestPrice
from winnow.db.tables.sources import Retailer, Source
from winnow.db.tables.store import SourceProduct
from winnow.errors import NotFound
from winnow.feeds.run_result import RunResult, result_sql
from winnow.queries.reading import Row, contains, cut, first, page, rows

F, R, S, X = (m.__table__ for m in (AffiliateFeed, AffiliateFeedRun, Source, AffiliateFeedRunError))
RETAILERS, OFFERS, LATEST = Retailer.__table__, SourceProduct.__table__, LatestPrice.__table__
PRESENCE = table(
    "offer_presence",
    *map(column, ("source_product_id", "source_id", "in_step", "last_seen_at", "last_seen_success_at")),
)
SEEN = table("source_product_seen", *map(column, ("run_id", "source_product_id", "created_at")))
_HIDDEN = frozenset({"secret_ciphertext", "secret_key_id", "secret_version"})
MAX_RUNS = 60


def awaiting_approval(runs: Any) -> ColumnElement[bool]:
    """Whether a run waits for approval; at most one of a feed does, and it need not be the last."""
    return literal_column(result_sql(runs.name), String) == RunResult.AWAITING_APPROVAL


def _feeds() -> Select[Any]:
    """With the last run of each, and how many offers the newest file that was read had; nothing of a secret but whether
    there is one."""
    result = literal_column(result_sql("affiliate_feed_runs"), String).label("result")
    last = select(R, result).where(R.c.feed_id == F.c.id).order_by(R.c.id.desc()).limit(1).lateral("last")
    whole = and_(R.c.feed_id == F.c.id, R.c.status == "SUCCEEDED", R.c.skipped_reason.is_(None))
    loaded = select(R.c.products_upserted).where(whole).order_by(R.c.id.desc()).limit(1).scalar_subquery()
    shown = [c for c in F.c if c.name not in _HIDDEN]
    waits = select(func.max(R.c.id)).where(R.c.feed_id == F.c.id, awaiting_approval(R)).scalar_subquery()
    return select(
        *shown,
        S.c.name,
        S.c.url,
        S.c.is_display_primary,
        RETAILERS.c.name.label("retailer"),
        F.c.secret_ciphertext.is_not(None).label("has_password"),
        last.c.id.label("last_run_id"),
        last.c.result.label("last_result"),
        loaded.label("last_offers"),
        last.c.error_message.label("last_error"),
        waits.label("waiting_run_id"),
    ).select_from(
        F.join(S, S.c.id == F.c.source_id)
        .outerjoin(RETAILERS, RETAILERS.c.id == S.c.retailer_id)
        .outerjoin(last, true())
    )


async def listed(
    conn: AsyncConnection,
    *,
    status: str | None = None,
    q: str | None = None,
    after: int | None = None,
    limit: int = 50,
) -> tuple[list[Row], str | None]:
    statement = _feeds()
    if status is not None:
        statement = statement.where(F.c.status == status)
    if q:
        statement = statement.where(func.concat_ws(" ", S.c.name, RETAILERS.c.name, type_=String).ilike(contains(q)))
    return cut(await rows(conn, page(statement, F.c.id, after, limit)), limit)


async def one(conn: AsyncConnection, feed_id: int) -> Row | None:
    return await first(conn, _feeds().where(F.c.id == feed_id))


async def runs(
    conn: AsyncConnection,
    feed_id: int,
    *,
    trigger: str | None = None,
    status: str | None = None,
    after: int | None = None,
    limit: int = 50,
) -> tuple[list[Row], str | None]:
    """Newest first (F-106)."""
    statement = select(R).where(R.c.feed_id == feed_id)
    if trigger is not None:
        statement = statement.where(R.c.trigger == trigger)
    if status is not None:
        statement = statement.where(R.c.status == status)
    return cut(await rows(conn, page(statement, R.c.id, after, limit, newest=True)), limit)


async def run(conn: AsyncConnection, run_id: int) -> Row:
    """With the name of its feed, whether the feed's presence is still as this run left it, and the held run that it
    replaced."""
    newest = (F.c.current_seen_run_id == R.c.id).label("newest")
    held = aliased(AffiliateFeedRun)
    replaced = (
        select(func.max(held.id))
        .where(held.feed_id == R.c.feed_id, held.replaced_by_run_id == R.c.id)
        .scalar_subquery()
    )
    statement = select(R, S.c.name, newest, replaced.label("replaced_run_id")).select_from(
        R.join(F, F.c.id == R.c.feed_id).join(S, S.c.id == R.c.source_id)
    )
    found = await first(conn, statement.where(R.c.id == run_id))
    if found is None:
        raise NotFound(f"there is no feed run {run_id}")
    return found


async def metrics(conn: AsyncConnection, feed_id: int) -> list[Row]:
    """The last runs that ended, oldest first."""
    names = ("id", "started_at", "status", "rows_read", "products_upserted", "products_rejected", "prices_written",
             "active_count_before", "would_expire_count", "duration_ms", "skipped_reason")  # fmt: skip
    ended = select(*(R.c[name] for name in names)).where(R.c.feed_id == feed_id, R.c.status != "RUNNING")
    found = await rows(conn, ended.order_by(R.c.id.desc()).limit(MAX_RUNS))
    return found[::-1]


async def errors(
    conn: AsyncConnection, run_id: int, *, after: int | None = None, limit: int = 50
) -> tuple[list[Row], str | None]:
    """In the order they were found."""
    statement = select(X).where(X.c.run_id == run_id)
    return cut(await rows(conn, page(statement, X.c.id, after, limit)), limit)


async def seen(
    conn: AsyncConnection, run_id: int, *, after: int | None = None, limit: int = 50
) -> tuple[list[Row], str | None]:
    """Offers a run saw (F-028); those of older runs are forgotten with them."""
    statement = (
        select(OFFERS.c.id, OFFERS.c.title, OFFERS.c.url, OFFERS.c.identity_value, SEEN.c.created_at.label("seen_at"))
        .select_from(SEEN.join(OFFERS, OFFERS.c.id == SEEN.c.source_product_id))
        .where(SEEN.c.run_id == run_id)
    )
    return cut(await rows(conn, page(statement, OFFERS.c.id, after, limit)), limit)


async def first_errors(conn: AsyncConnection, run_id: int, limit: int) -> list[Row]:
    """In the order of the rows of the file, those about the whole file last."""
    statement = select(X).where(X.c.run_id == run_id)
    return await rows(conn, statement.order_by(X.c.row_number.asc().nulls_last(), X.c.id).limit(limit))


async def unseen(
    conn: AsyncConnection, found: Row, *, after: int | None = None, limit: int = 50
) -> tuple[list[Row], str | None]:
    """Offers that were active when `found`, the newest run of its feed, looked, and that it did not see (F-084)."""
    moment, hours = found["finished_at"] or found["started_at"], found["expiry_hours_at_run"] or 48
    statement = (
        select(
            OFFERS.c.id,
            OFFERS.c.title,
            OFFERS.c.url,
            OFFERS.c.identity_value,
            PRESENCE.c.last_seen_success_at,
            LATEST.c.amount_minor,
            LATEST.c.currency,
        )
        .select_from(
            PRESENCE.join(OFFERS, OFFERS.c.id == PRESENCE.c.source_product_id).outerjoin(
                LATEST, and_(LATEST.c.source_product_id == OFFERS.c.id, LATEST.c.scraped.is_(False))
            )
        )
        .where(PRESENCE.c.source_id == found["source_id"], PRESENCE.c.in_step.is_(False))
        .where(PRESENCE.c.last_seen_success_at >= moment - timedelta(hours=hours))
    )
    return cut(await rows(conn, page(statement, OFFERS.c.id, after, limit)), limit)
