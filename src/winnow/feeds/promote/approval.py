"""A person decides: a blocked run is activated after all (F-089 … F-091), or a run is taken back (F-140)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import structlog
from psycopg.rows import dict_row

from winnow.db.engine import Database
from winnow.db.sql import load
from winnow.errors import Conflict, InvalidInput, NotFound
from winnow.feeds import feed as feeds
from winnow.feeds.feed import Connection, Feed
from winnow.feeds.load import memory_store, retract
from winnow.feeds.promote import phase2
from winnow.observe import audit

log = structlog.get_logger(__name__)

ROLL_BACK = load("feeds/promote/roll_back.sql")
# FN-05: a run that only found the file unchanged does not make an older one stale. Neither does one that was taken back
# before it was promoted: nothing is left of it.
_NEWER = """
SELECT id FROM affiliate_feed_runs
WHERE feed_id = %s AND status = 'SUCCEEDED' AND skipped_reason IS NULL AND id > %s
    AND (promoted_at IS NOT NULL OR invalidated_at IS NULL)
LIMIT 1
"""
_APPROVE = """
UPDATE affiliate_feed_runs SET expiry_approved_at = %s, expiry_approved_by = %s
WHERE id = %s AND expiry_approved_at IS NULL
"""
MESSAGES = {
    "RUN_NOT_FOUND": "there is no such run",
    "FEED_BUSY": "a run of this feed is under way: try again when it has ended",
    "RUN_NOT_SUCCEEDED": "only a run that has loaded a file can be activated or rolled back",
    "NOT_BLOCKED": "the run was not blocked: there is nothing to approve",
    "ALREADY_APPROVED": "the run is approved already",
    "STALE_RUN": "a newer run has completed",
    "ALREADY_INVALIDATED": "the run was taken back already",
}


class ApprovalRefused(Conflict):
    """`code` is one of F-090's."""

    feed_id: int | None = None

    def __init__(self, code: str) -> None:
        super().__init__(MESSAGES[code])
        self.code = code


class NoSuchRun(ApprovalRefused, NotFound):
    def __init__(self) -> None:
        super().__init__("RUN_NOT_FOUND")


async def approve(database: Database, run_id: int, actor: str) -> int:
    """How many offers were activated. All checks under the lock, all writes in one transaction."""
    try:
        async with _locked(database, run_id) as (conn, feed, run):
            await _may_approve(conn, run, feed)
            moment = (await _one(conn, "SELECT clock_timestamp() AS t", ()))["t"]
            done = await conn.execute(_APPROVE, (moment, actor, run_id))
            if done.rowcount != 1:
                raise ApprovalRefused("ALREADY_APPROVED")
            await phase2.promote(conn, feed.id, run_id, moment, run["products_upserted"])
            after = {"run_id": run_id, "products_promoted": run["products_upserted"]}
            await audit.record(conn, actor, "ACTIVATION_APPROVED", "feed", feed.id, None, after)
    except ApprovalRefused as refused:
        log.warning("ACTIVATION_APPROVAL_REJECTED", feed_id=refused.feed_id, run_id=run_id, reason=refused.code,
                    actor=actor)  # fmt: skip
        raise
    log.info(
        "ACTIVATION_APPROVED", feed_id=feed.id, actor=actor, run_id=run_id, products_promoted=run["products_upserted"]
    )
    return int(run["products_upserted"])


async def roll_back(database: Database, run_id: int, actor: str, reason: str) -> None:
    """Hides the run's prices, restores the texts and prices it replaced, undoes its activation, and makes the next run
    read the whole file again."""
    if not reason.strip():
        raise InvalidInput("reason must say why the run is taken back", "reason")
    async with _locked(database, run_id) as (conn, feed, run):
        if run["status"] != "SUCCEEDED" or run["skipped_reason"] is not None:
            raise ApprovalRefused("RUN_NOT_SUCCEEDED")
        if run["invalidated_at"] is not None:
            raise ApprovalRefused("ALREADY_INVALIDATED")
        if await _newer(conn, run):
            raise ApprovalRefused("STALE_RUN")
        if feed.loaded_run_id != run_id:  # a later run, which failed
            await retract.retract_unpromoted(conn, feed)
        for statement in ROLL_BACK.split(";\n"):
            await conn.execute(statement, {"run_id": run_id, "feed_id": feed.id, "actor": actor, "reason": reason})
        await retract.retract(conn, run_id)
        await memory_store.forget(conn, feed.id)
        await audit.record(conn, actor, "RUN_ROLLED_BACK", "feed", feed.id, None, {"run_id": run_id}, reason)
    log.warning("RUN_ROLLED_BACK", feed_id=feed.id, run_id=run_id, actor=actor, reason=reason)


async def _may_approve(conn: Connection, run: dict[str, Any], feed: Feed) -> None:
    if run["status"] != "SUCCEEDED":
        raise ApprovalRefused("RUN_NOT_SUCCEEDED")
    if not run["expiry_blocked"]:
        raise ApprovalRefused("NOT_BLOCKED")
    if run["expiry_approved_at"] is not None:
        raise ApprovalRefused("ALREADY_APPROVED")
    if run["invalidated_at"] is not None or await _newer(conn, run):
        raise ApprovalRefused("STALE_RUN")
    # A later run replaced its rows, even if it failed afterwards.
    if feed.current_seen_run_id != run["id"] or feed.loaded_run_id != run["id"]:
        raise ApprovalRefused("STALE_RUN")


async def _newer(conn: Connection, run: dict[str, Any]) -> bool:
    return await (await conn.execute(_NEWER, (run["feed_id"], run["id"]))).fetchone() is not None


@asynccontextmanager
async def _locked(database: Database, run_id: int) -> AsyncIterator[tuple[Connection, Feed, dict[str, Any]]]:
    """One transaction under the feed's lock, so that no run is under way; the run's own row is locked as well, against
    upkeep, which takes old ones away."""
    async with database.dedicated() as conn:
        first = await _one(conn, "SELECT feed_id FROM affiliate_feed_runs WHERE id = %s", (run_id,))
        feed = await feeds.get(conn, first["feed_id"])
        try:
            if not await feeds.try_lock(conn, feed):
                raise ApprovalRefused("FEED_BUSY")
            try:
                async with conn.transaction():
                    run = await _one(conn, "SELECT * FROM affiliate_feed_runs WHERE id = %s FOR UPDATE", (run_id,))
                    yield conn, await feeds.get(conn, feed.id), run
            finally:
                await feeds.unlock(conn, feed)
        except ApprovalRefused as refused:
            refused.feed_id = feed.id
            raise


async def _one(conn: Connection, query: str, given: tuple[Any, ...]) -> dict[str, Any]:
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(query, given)
        row = await cursor.fetchone()
    if row is None:
        raise NoSuchRun
    return row
