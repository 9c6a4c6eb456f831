"""Maintenance of feeds: ends lost runs, deletes old runs and orphaned offers, alerts before a feed goes stale."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from datetime import datetime

import msgspec
import structlog

from winnow.db.engine import Database
from winnow.feeds import feed as feeds
from winnow.feeds import runs
from winnow.feeds.attempt import FinishedFeedRun, Notice, Notify, OnFinished
from winnow.feeds.feed import Connection, Feed
from winnow.feeds.run_result import RunResult, result_sql
from winnow.feeds.runs import Run
from winnow.feeds.transport import spool

log = structlog.get_logger(__name__)

RUN_DAYS = 30  # F-114
BATCH = 1_000
SLOW_SECONDS = 600.0  # F-114: a clean-up that takes longer is worth an alert
ORPHAN_DAYS = 90  # F-140: an offer nobody saw for so long, and that never had a price, is taken out
CLICK_DAYS = 400  # F-136: networks report a purchase up to a year after its click
LOST_SECONDS = 120  # longer than the longest pause between two attempts (FN-10) and a lease of a worker
SOON = 0.75  # FN-07: the share of the expiry window after which silence is worth an alert

# A run is lost when no task carries it any more (FN-13). The lock is tried afterwards, one feed at a time.
_LOST = """
SELECT r.id, r.feed_id, r.trigger FROM affiliate_feed_runs AS r
WHERE r.status = 'RUNNING' AND r.started_at < now() - make_interval(secs => %s)
    AND NOT EXISTS (
        SELECT FROM tasks AS t WHERE t.lane = '@feeds' AND t.status IN ('queued', 'running')
            AND (t.payload ->> 'run_id')::bigint = r.id)
"""
# What hides a run's prices names the run: one that is being taken back at this moment has to stay. So has one that was
# never promoted and wrote prices: without their run they would be visible (PN-15).
_OLD = """
DELETE FROM affiliate_feed_runs WHERE id IN (
    SELECT r.id FROM affiliate_feed_runs AS r
    WHERE r.started_at < now() - make_interval(days => %s) AND r.status <> 'RUNNING' AND r.invalidated_at IS NULL
        AND NOT EXISTS (SELECT FROM price_corrections AS c WHERE c.affiliate_feed_run_id = r.id)
        AND (r.promoted_at IS NOT NULL
            OR NOT EXISTS (SELECT FROM prices AS p WHERE p.affiliate_feed_run_id = r.id))
    ORDER BY r.started_at LIMIT %s
    FOR UPDATE OF r SKIP LOCKED)
RETURNING artifact_url
"""
_ORPHANS = """
DELETE FROM source_products WHERE id IN (
    SELECT o.id FROM source_products AS o
    JOIN source_product_presence AS s ON s.source_product_id = o.id
    WHERE o.feed_run_id IS NOT NULL AND s.left_by_run_id IS NOT NULL AND s.back_run_id IS NULL
        AND s.last_seen_at < now() - make_interval(days => %s)
        AND NOT EXISTS (SELECT FROM prices AS p WHERE p.source_product_id = o.id)
        AND NOT EXISTS (SELECT FROM product_links AS l WHERE l.source_product_id = o.id)
        AND NOT EXISTS (SELECT FROM scrape_targets AS t WHERE t.source_product_id = o.id)
    LIMIT %s)
"""
_OLD_CLICKS = """
DELETE FROM offer_clicks WHERE id IN (
    SELECT id FROM (SELECT id, clicked_at FROM offer_clicks ORDER BY id LIMIT %s) AS first
    WHERE clicked_at < now() - make_interval(days => %s))
"""
_STALE_SOON = """
UPDATE affiliate_feeds SET stale_alerted_at = now()
WHERE status = 'ENABLED' AND stale_alerted_at IS NULL AND promoted_at IS NOT NULL
    AND promoted_at + make_interval(hours => expiry_hours) * %s < now()
RETURNING id
"""
_WAITING_BLOCK = f"""
SELECT r.expiry_blocked_reason FROM affiliate_feed_runs AS r
WHERE r.feed_id = %s AND {result_sql("r")} = '{RunResult.AWAITING_APPROVAL}'
"""

Slow = Callable[[Connection, float], Awaitable[None]]


class Stale(msgspec.Struct, frozen=True):
    feed: Feed
    goes_stale_at: datetime


async def reap(database: Database, notify: Notify, on_finished: OnFinished, lost_seconds: float = LOST_SECONDS) -> int:
    """FN-13: ends runs whose job is gone and whose lock is free. Returns how many; people are told as of any other
    failure (F-113)."""
    async with database.connection() as conn:
        lost = await (await conn.execute(_LOST, (lost_seconds,))).fetchall()
    done = 0
    for run_id, feed_id, trigger in lost:
        done += await _end_lost_run(database, Run(id=run_id, feed_id=feed_id, trigger=trigger), notify, on_finished)
    return done


async def _end_lost_run(database: Database, run: Run, notify: Notify, on_finished: OnFinished) -> bool:
    async with database.dedicated() as conn:
        feed = await feeds.get(conn, run.feed_id)
        if not await feeds.try_lock(conn, feed):
            return False
        try:
            async with conn.transaction():
                error = {"code": "WORKER_LOST", "message": "the worker died and no other one resumed the run"}
                ended = await runs.fail(conn, run, error, {})
                await _notify_failed(conn, notify, feed, run, error["message"], disabled=ended.disabled)
                await on_finished(conn, FinishedFeedRun(feed=feed, run_id=run.id, ended=ended))
        finally:
            await feeds.unlock(conn, feed)
    log.warning("RUN_REAPED", run_id=run.id, feed_id=run.feed_id)
    return True


async def _notify_failed(conn: Connection, notify: Notify, feed: Feed, run: Run, error: str, *, disabled: bool) -> None:
    for code in ("RUN_FAILED", *(["FEED_AUTO_DISABLED"] if disabled else [])):
        await notify(conn, Notice(code=code, feed=feed, run_id=run.id, details={"error": error}))


async def _ignore_duration(_: Connection, __: float) -> None:
    return None


async def clean(conn: Connection, days: int = RUN_DAYS, most: int = BATCH, slow: Slow = _ignore_duration) -> int:
    """F-114: runs older than 30 days, a thousand at a time; their prices stay and forget them. `slow` hears how many
    seconds it took."""
    began, total = time.monotonic(), 0
    while (gone := await _cleaned(conn, days, most)) > 0:
        total += gone
        log.info("CLEANUP_BATCH_COMPLETE", deleted=gone, stage="cleanup")
        if gone < most:
            break
    seconds = time.monotonic() - began
    if total:
        log.info("CLEANUP_COMPLETE", deleted=total, duration_ms=round(seconds * 1000), stage="cleanup")
    if seconds > SLOW_SECONDS:
        log.error("CLEANUP_SLOW", duration_ms=round(seconds * 1000), stage="cleanup")
    await slow(conn, seconds)
    return total


async def _cleaned(conn: Connection, days: int, most: int) -> int:
    deleted = await (await conn.execute(_OLD, (days, most))).fetchall()
    for (url,) in deleted:
        if url is not None:
            spool.drop(url)
    return len(deleted)


async def drop_orphans(conn: Connection, days: int = ORPHAN_DAYS, most: int = BATCH) -> int:
    return (await conn.execute(_ORPHANS, (days, most))).rowcount


async def going_stale(conn: Connection, notify: Callable[[Connection, Stale], Awaitable[None]]) -> int:
    """FN-07: alert once before the offers of a feed that skips or waits for approval disappear."""
    found = await (await conn.execute(_STALE_SOON, (SOON,))).fetchall()
    for (feed_id,) in found:
        feed = await feeds.get(conn, feed_id)
        assert feed.goes_stale_at is not None
        log.warning("FEED_GOING_STALE", feed_id=feed_id, goes_stale_at=feed.goes_stale_at.isoformat())
        await notify(conn, Stale(feed, feed.goes_stale_at))
    return len(found)


async def unlinked(conn: Connection) -> tuple[int, int, int] | None:
    """A feed with offers the resolver has not seen: feed, source, and the last offer it has. Only what was activated
    once may make products (F-139)."""
    found = await conn.execute(
        "SELECT f.id, f.source_id, f.linked_through_id FROM affiliate_feeds AS f WHERE f.promoted_run_id IS NOT NULL"
        " AND f.loaded_run_id IS NOT DISTINCT FROM f.promoted_run_id"
        " AND EXISTS (SELECT FROM source_products AS o WHERE o.source_id = f.source_id AND o.id > f.linked_through_id)"
        " ORDER BY f.linked_through_id LIMIT 1"
    )
    return await found.fetchone()


async def linked(conn: Connection, feed_id: int, through: int) -> None:
    await conn.execute("UPDATE affiliate_feeds SET linked_through_id = %s WHERE id = %s", (through, feed_id))


async def activated(conn: Connection, run_id: int | None) -> bool:
    """Whether the run's offers are shown. One that was blocked, or only found the file unchanged, is no relief."""
    found = await conn.execute("SELECT promoted_at IS NOT NULL FROM affiliate_feed_runs WHERE id = %s", (run_id,))
    row = await found.fetchone()
    return bool(row and row[0])


async def block_of_waiting_run(conn: Connection, feed_id: int) -> str | None:
    """Why the run of the feed that waits for approval was held; None if none waits."""
    row = await (await conn.execute(_WAITING_BLOCK, (feed_id,))).fetchone()
    return row and str(row[0])


async def forget_clicks(conn: Connection, days: int = CLICK_DAYS, most: int = BATCH) -> int:
    return (await conn.execute(_OLD_CLICKS, (most, days))).rowcount
