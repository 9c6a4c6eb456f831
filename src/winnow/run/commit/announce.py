"""What others are told, in the transaction of the change itself (R-02): that a run is over, that a price is another.

One message per run, with its counters, so that it can be read as the run's summary (E-082)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from psycopg.rows import dict_row

from winnow.db.engine import Connection
from winnow.normalise.record import Availability, Money
from winnow.normalise.urls import clickable_url
from winnow.publish import outbox, watches
from winnow.schedule.runs import CountedRun
from winnow.store import offers

RUN_COMPLETED = "run.completed"
FEED_COMPLETED = "feed.completed"
PRICE_CHANGED = "price.changed"
BACK_IN_STOCK = "offer.back_in_stock"
OUT_OF_STOCK = "offer.out_of_stock"
_SUMMARY = """
SELECT r.id AS run_id, r.status, r.source_id, s.name AS source, r.adapter_id, r.trigger, r.duration_ms,
       r.urls_attempted, r.urls_succeeded, r.urls_failed, r.urls_unchanged, r.urls_robots_blocked, r.offers_extracted,
       r.offers_valid, r.offers_dropped, r.offers_quarantined, r.oos_no_price_count,
       r.failure_rate::float8, r.yield_rate::float8,
       (SELECT count(*) FROM domain_circuits AS c WHERE c.domain = s.domain AND c.state = 'open') AS open_circuits
FROM scrape_runs AS r JOIN sources AS s ON s.id = r.source_id
WHERE r.id = ANY(%s) ORDER BY r.id
"""
_FEED_SUMMARY = """
SELECT r.id AS run_id, r.feed_id, r.status, r.source_id, s.name AS source, r.trigger, r.duration_ms, r.download_bytes,
       r.rows_read, r.products_upserted, r.products_rejected, r.prices_written, r.products_promoted, r.products_expired,
       r.error_count, r.error_code, r.error_message, r.skipped_reason, r.expiry_blocked_reason, r.would_expire_count
FROM affiliate_feed_runs AS r JOIN sources AS s ON s.id = r.source_id
WHERE r.id = %s
"""


async def completed(conn: Connection, counted: Sequence[CountedRun]) -> list[CountedRun]:
    """Those of `counted` that are complete now."""
    over = [run for run in counted if run.complete]
    if over:
        await outbox.put(conn, [_message(row) for row in await _summaries(conn, [run.id for run in over])])
    return over


async def feed_completed(conn: Connection, run_id: int) -> None:
    """F-067: after the run was ended, by whoever ended it."""
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(_FEED_SUMMARY, (run_id,))
        rows = await cursor.fetchall()
    await outbox.put(conn, [outbox.Message(FEED_COMPLETED, f"feed:{row['feed_id']}", row) for row in rows])


async def _summaries(conn: Connection, ids: list[int]) -> list[dict[str, Any]]:
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(_SUMMARY, (ids,))
        return await cursor.fetchall()


def _message(summary: dict[str, Any]) -> outbox.Message:
    return outbox.Message(RUN_COMPLETED, f"run:{summary['run_id']}", summary)


async def changed(conn: Connection, written: Sequence[offers.Written]) -> None:
    """What prices that were just appended mean for others. A duplicate was told when it was appended."""
    new = [w for w in written if not w.duplicate]
    moved = [w for w in new if w.changed]
    await outbox.put(conn, [*map(price_changed, moved), *(m for w in moved if (m := stock_changed(w)) is not None)])
    if seen := [_seen(w) for w in new if w.accepted.target_id is not None]:
        await watches.evaluate(conn, seen)


def stock_changed(written: offers.Written) -> outbox.Message | None:
    """An offer that was there before and can be bought again, or no longer."""
    before, now = written.previous_availability, written.accepted.offer.availability
    if before is None or (before == Availability.IN_STOCK) == (now == Availability.IN_STOCK):
        return None
    key, said = f"offer:{written.product_id}", _said(written)
    if now == Availability.IN_STOCK:
        return outbox.Message(BACK_IN_STOCK, key, said)
    return outbox.Message(OUT_OF_STOCK, key, said)


def _seen(written: offers.Written) -> watches.Seen:
    offer, target_id = written.accepted.offer, written.accepted.target_id
    assert target_id is not None
    assert offer.price is not None
    return watches.Seen(
        target_id=target_id,
        product_id=written.product_id,
        title=offer.title or "",
        url=clickable_url(offer.url),
        price=offer.price,
        availability=offer.availability,
        observed_at=offer.observed_at,
        before=written.previous,
        changed=written.changed and written.previous is not None,
    )


def price_changed(written: offers.Written) -> outbox.Message:
    return outbox.Message(PRICE_CHANGED, f"offer:{written.product_id}", _said(written))


def _said(written: offers.Written) -> dict[str, object]:
    offer = written.accepted.offer
    return {
        "source_product_id": written.product_id,
        "target_id": written.accepted.target_id,
        "url": clickable_url(offer.url),
        "title": offer.title,
        "before": _money(written.previous),
        "after": _money(offer.price),
        "availability_before": written.previous_availability,
        "availability": offer.availability,
        "observed_at": offer.observed_at.isoformat(),
    }


def _money(money: Money | None) -> dict[str, object] | None:
    return None if money is None else {"minor": money.minor, "currency": money.currency}
