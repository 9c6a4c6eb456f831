"""Runs: begun in one place, ended by two (F-060 … F-068).

    begin       lock → insert the run → write its id into the job; nothing that can fail lies between
    succeed     the only end of a run that worked, skipped ones included
    fail        the only end of one that did not

All of them work on the connection that holds the feed's lock.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec
import structlog
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from winnow.db.sql import load
from winnow.feeds import feed as feeds
from winnow.feeds.feed import Connection, Feed
from winnow.observe import audit

log = structlog.get_logger(__name__)

AUTO_DISABLE = 3  # F-066, F-103: failures in a row
SUCCEED = load("feeds/run_succeed.sql")
FAIL = load("feeds/run_fail.sql")
_INSERT = """
INSERT INTO affiliate_feed_runs (feed_id, source_id, trigger, expiry_hours_at_run)
VALUES (%s, %s, %s, %s) RETURNING id
"""
Remember = Callable[[Connection, Mapping[str, Any]], Awaitable[None]]


class FeedJob(msgspec.Struct, frozen=True, kw_only=True):
    """The payload of a queued run (F-062); never a credential."""

    feed_id: int
    trigger: str = "SCHEDULED"
    run_id: int | None = None
    feed_lock_id: int | None = None


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """`resumed`: an earlier attempt may have written some of its rows. `reading`: where the file was, and how it was
    read, when the run began."""

    id: int
    feed_id: int
    trigger: str
    resumed: bool = False
    reading: Mapping[str, Any] = {}


class EndedRun(msgspec.Struct, frozen=True, kw_only=True):
    """`follow_up`: another run was requested while this one was in progress (FN-02, FN-03)."""

    status: str
    follow_up: bool = False
    disabled: bool = False


class NotBegun(msgspec.Struct, frozen=True):
    """The job ended without creating a run; `word` is the reason."""

    word: str


async def begin(conn: Connection, job: FeedJob, remember: Remember) -> tuple[Feed, Run] | NotBegun:
    """Create a run; the only place that does (F-061). On success the caller holds the lock and must release it."""
    feed = await feeds.get(conn, job.feed_id)
    if job.run_id is None and (why := _unwanted(job, feed)) is not None:
        return why
    if not await feeds.try_lock(conn, feed):
        return _busy(job, feed)
    try:
        return await _resumed(conn, job, feed) if job.run_id is not None else await _created(conn, job, remember)
    except BaseException:
        await feeds.unlock(conn, feed)
        raise


def _unwanted(job: FeedJob, feed: Feed) -> NotBegun | None:
    """FN-16; and a follow-up whose request another run has honoured meanwhile (FN-02): one click is one run."""
    if feed.status != "ENABLED":
        log.debug("FEED_SKIPPED_STATUS", feed_id=feed.id, status=feed.status, stage="scheduler")
        return NotBegun("status")
    if job.trigger == "MANUAL_PENDING" and not feed.manual_run_pending:
        log.debug("MANUAL_RUN_PENDING_CHECK", feed_id=feed.id, pending=False)
        return NotBegun("honoured")
    return None


def _busy(job: FeedJob, feed: Feed) -> NotBegun:
    if job.run_id is not None:
        log.warning("RETRY_LOCK_CONFLICT", run_id=job.run_id, feed_id=feed.id, feed_lock_id=feed.feed_lock_id)
    elif job.trigger == "SCHEDULED":
        log.debug("SKIPPED_LOCK_BUSY", feed_id=feed.id, stage="scheduler")
    else:
        log.debug("MANUAL_RUN_DEFERRED", feed_id=feed.id, stage="scheduler")
    return NotBegun("lock_busy")


async def _created(conn: Connection, job: FeedJob, remember: Remember) -> tuple[Feed, Run] | NotBegun:
    run_id = 0
    async with conn.transaction():
        feed = await feeds.get(conn, job.feed_id, lock=True)
        why = _unwanted(job, feed)  # it may have been paused between the look and the lock
        if why is None:
            given = (feed.id, feed.source_id, job.trigger, feed.expiry_hours)
            row = await (await conn.execute(_INSERT, given)).fetchone()
            run_id = row[0] if row else 0
            await remember(conn, {"run_id": run_id, "feed_lock_id": feed.feed_lock_id})
    if why is not None:
        await feeds.unlock(conn, feed)
        return why
    log.debug("ADVISORY_LOCK_ACQUIRED", feed_id=feed.id, run_id=run_id)
    log.info("RUN_START", run_id=run_id, feed_id=feed.id, trigger=job.trigger, worker_pid=os.getpid())
    return feed, Run(id=run_id, feed_id=feed.id, trigger=job.trigger, reading=feed.reading)


async def _resumed(conn: Connection, job: FeedJob, feed: Feed) -> tuple[Feed, Run] | NotBegun:
    """F-063, F-064: the same run again, from the download on. The feed is read again under the lock: meanwhile somebody
    may have taken a run back or said how the file is to be read."""
    feed = await feeds.get(conn, job.feed_id)
    query = "SELECT id, trigger, status FROM affiliate_feed_runs WHERE feed_id = %s AND (id = %s OR status = 'RUNNING')"
    found = await (await conn.execute(query, (feed.id, job.run_id))).fetchall()
    ours = next((row for row in found if row[0] == job.run_id), None)
    others = [row[0] for row in found if row[0] != job.run_id]
    if ours is None or ours[2] != "RUNNING":
        await feeds.unlock(conn, feed)
        return NotBegun("ended")
    if others:
        await feeds.unlock(conn, feed)
        log.error("RUN_ID_MISMATCH", expected_run_id=job.run_id, found_run_id=others[0], feed_id=feed.id)
        return NotBegun("run_id_mismatch")
    log.debug("ADVISORY_LOCK_ACQUIRED", feed_id=feed.id, run_id=job.run_id)
    return feed, Run(id=ours[0], feed_id=feed.id, trigger=ours[1], resumed=True, reading=feed.reading)


async def succeed(conn: Connection, run: Run, values: Mapping[str, Any]) -> EndedRun:
    """F-065, inside the caller's transaction. `values` are the run's columns and what is known of the file. Of a file
    that is elsewhere by now, or to be read otherwise, nothing is known: the next run reads it."""
    given = {**_SUCCESS, **values, "run_id": run.id}
    if (await feeds.get(conn, run.feed_id, lock=True)).reading != run.reading:
        given |= {"keep_state": False, "fingerprint": None}
    row = await _ended(conn, SUCCEED, given)
    return EndedRun(status="SUCCEEDED", follow_up=bool(row and row["follow_up"]))


async def fail(conn: Connection, run: Run, error: Mapping[str, Any], values: Mapping[str, Any]) -> EndedRun:
    """F-066, F-073, inside the caller's transaction. The fatal error counts among the errors (FN-20)."""
    given = {**_FAILURE, **values, **error, "run_id": run.id, "most": AUTO_DISABLE}
    row = await _ended(conn, FAIL, given)
    if row is None:
        return EndedRun(status="FAILED")
    query = "INSERT INTO affiliate_feed_run_errors (run_id, code, message, raw_row) VALUES (%s, %s, %s, %s)"
    await conn.execute(query, (run.id, error["code"], error["message"], Jsonb({})))
    if row["disabled"]:
        await audit.record(conn, "feeds", "FEED_AUTO_DISABLED", "feed", run.feed_id, None,
                           {"status": "DISABLED", "run_id": run.id}, error["message"])  # fmt: skip
        log.warning("FEED_AUTO_DISABLED", feed_id=run.feed_id, consecutive_failures=row["failures"],
                    last_error=error["message"])  # fmt: skip
    return EndedRun(status="FAILED", follow_up=row["follow_up"], disabled=row["disabled"])


async def _ended(conn: Connection, statement: str, given: Mapping[str, Any]) -> dict[str, Any] | None:
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(statement, given)
        row: dict[str, Any] | None = await cursor.fetchone()
        return row


_COUNTS = ("download_bytes", "rows_read", "rows_parsed", "products_upserted", "products_rejected", "prices_written",
           "error_count", "duplicate_key_count", "unknown_stock_count", "url_hash_fallback_count",
           "price_jump_count", "products_removed")  # fmt: skip
_FAILURE: dict[str, Any] = dict.fromkeys(_COUNTS) | {
    "error_count": 0,
    "duplicate_key_count": 0,
    "unknown_stock_count": 0,
    "products_removed": 0,
}
_FOUND_OUT = ("skipped_reason", "blocked_reason", "active", "seen", "would_expire", "expired", "mtime", "size",
              "sha256", "fingerprint")  # fmt: skip
_CHANGED = ("identity_upgrade_count", "identity_flap_count", "path_case_collision_count")
_SUCCESS: dict[str, Any] = (
    _FAILURE | dict.fromkeys(_FOUND_OUT) | dict.fromkeys(_CHANGED, 0) | {"step_failed": False, "keep_state": False}
)
