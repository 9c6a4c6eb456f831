"""Feed runs in the queue: their own lane, no domain slot, no robots (DESIGN §11.21)."""

from __future__ import annotations

import logging
import time

import structlog

from winnow.db.sql import load
from winnow.errors import Conflict
from winnow.feeds import feed as feeds
from winnow.feeds.failures import MAX_ATTEMPTS
from winnow.feeds.feed import Connection, Feed
from winnow.observe import audit
from winnow.schedule import cadence
from winnow.schedule.queue import queue
from winnow.schedule.queue.task import FEED_LANE, NewTask, Producer, Trigger, new_id

log = structlog.get_logger(__name__)

DUE = load("feeds/due.sql")
AT_ONCE = 50  # F-053: feeds a tick claims
TEST = "ADMIN_TEST"
_NOT_DUE = """
SELECT id, next_run_at, now() FROM affiliate_feeds WHERE status = 'ENABLED' AND next_run_at > now()
ORDER BY next_run_at LIMIT 10
"""
_ACTIVE = "SELECT id FROM affiliate_feed_runs WHERE feed_id = %s AND status = 'RUNNING' ORDER BY id DESC LIMIT 1"
# A request made while the run was under way (FN-02, FN-03) that no waiting job will meet.
_ASKED = """
SELECT f.source_id FROM affiliate_feeds AS f JOIN affiliate_feed_runs AS r ON r.feed_id = f.id
WHERE f.id = %s AND r.id = %s AND f.status = 'ENABLED' AND f.manual_run_pending
    AND f.manual_run_requested_at > r.started_at
    AND NOT EXISTS (SELECT FROM tasks AS t WHERE t.lane = %s AND t.status = 'queued' AND t.url = %s
                    AND t.payload ->> 'trigger' <> %s)
"""
_CLICK = "INSERT INTO offer_clicks (source_product_id, price_id, placement) VALUES (%s, %s, %s) RETURNING id"
_WORDS = {"SCHEDULED": Trigger.SCHEDULED}


async def enqueue(conn: Connection, feed_id: int, source_id: int, trigger: str) -> str:
    """F-056: no key keeps two jobs of a feed apart; the lock does. Returns the task's id."""
    task = NewTask(
        id=new_id(),
        producer=Producer.FEEDS,
        lane=FEED_LANE,
        url=_address(feed_id),
        rank=50,
        trigger=_WORDS.get(trigger, Trigger.MANUAL),
        source_id=source_id,
        max_attempts=MAX_ATTEMPTS,
        payload={"feed_id": feed_id, "trigger": trigger},
    )
    await queue.enqueue(conn, [task])
    return str(task.id)


def _address(feed_id: int) -> str:
    return f"feed:{feed_id}"


async def follow_up(conn: Connection, feed_id: int, run_id: int) -> None:
    """Queue the run that was requested while another one was in progress (F-068). Idempotent."""
    asked = await (await conn.execute(_ASKED, (feed_id, run_id, FEED_LANE, _address(feed_id), TEST))).fetchone()
    if asked is not None:
        await enqueue(conn, feed_id, asked[0], "MANUAL_PENDING")


async def schedule_due(conn: Connection, n: int = AT_ONCE) -> int:
    """A tick (F-052). In one transaction: what is put off is queued, or neither (the outbox of F-138)."""
    began = time.monotonic()
    claimed = await (await conn.execute(DUE, {"n": n})).fetchall()
    for feed_id, source_id, network, next_run_at, cron, now in claimed:
        if cron is not None:
            next_run_at = cadence.next_fire(cron, now)
            await conn.execute("UPDATE affiliate_feeds SET next_run_at = %s WHERE id = %s", (next_run_at, feed_id))
        await enqueue(conn, feed_id, source_id, "SCHEDULED")
        log.info("FEED_ENQUEUED", feed_id=feed_id, network=network, next_run_at=next_run_at.isoformat(),
                 trigger="SCHEDULED", stage="scheduler")  # fmt: skip
    await _log_not_due(conn)
    log.debug("SCHEDULER_TICK", eligible_feeds=len(claimed), stage="scheduler",
              tick_duration_ms=round((time.monotonic() - began) * 1000))  # fmt: skip
    return len(claimed)


async def _log_not_due(conn: Connection) -> None:
    """F-121: the next ones, where anybody reads it."""
    if not log.is_enabled_for(logging.DEBUG):
        return
    for feed_id, next_run_at, now in await (await conn.execute(_NOT_DUE)).fetchall():
        log.debug("FEED_SKIPPED_NOT_DUE", feed_id=feed_id, next_run_at=next_run_at.isoformat(), now=now.isoformat(),
                  stage="scheduler")  # fmt: skip


async def run_now(conn: Connection, feed: Feed, actor: str) -> str:
    """F-069: always possible for a feed that is enabled, any number of times; next_run_at stays."""
    feed = await feeds.get(conn, feed.id, lock=True)
    if feed.status != "ENABLED":
        raise Conflict(f"feed {feed.id} is {feed.status}: enable it first")
    await conn.execute(
        "UPDATE affiliate_feeds SET manual_run_pending = true, manual_run_requested_at = clock_timestamp()"
        " WHERE id = %s",
        (feed.id,),
    )
    task_id = await enqueue(conn, feed.id, feed.source_id, "MANUAL")
    await audit.record(conn, actor, "MANUAL_RUN_REQUESTED", "feed", feed.id)
    log.info("MANUAL_RUN_REQUESTED", feed_id=feed.id, actor=actor)
    active = await (await conn.execute(_ACTIVE, (feed.id,))).fetchone()
    if active is not None:
        log.warning("MANUAL_RUN_PENDING_SET", feed_id=feed.id, active_run_id=active[0], stage="scheduler")
    return task_id


async def log_click(conn: Connection, offer_id: int, price_id: int | None, placement: str | None) -> int:
    """Its id, for the network's report of what was bought after it."""
    row = await (await conn.execute(_CLICK, (offer_id, price_id, placement))).fetchone()
    assert row is not None
    return int(row[0])
