"""A person decides: a blocked run is activated after all (F-089 … F-091), or a run is taken back (F-140)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import structlog
from psycopg.rows import dict_row

from winnow.db.engine import Database
from winnow.db.sql import load
from winnow.errors import Conflict, NotFound
from winnow.feeds import feed as feeds
from winnow.feeds import phase2, remembered
from winnow.feeds.feed import Connection, Feed
from winnow.observe import audit

log = structlog.get_logger(__name__)

ROLL_BACK = load("feeds/roll_back.sql")
# FN-05: a run that only found the file unchanged does not make an older one stale.
_NEWER = """
SELECT id FROM affiliate_feed_runs
WHERE feed_id = %s AND status = 'SUCCEEDED' AND skipped_reason IS NULL AND id > %s LIMIT 1
"""
_APPROVE = """
UPDATE affiliate_feed_runs SET expiry_approved_at = %s, expiry_approved_by = %s
WHERE id = %s AND expiry_approved_at IS NULL
"""
WORDS = {
    "RUN_NOT_FOUND": "there is no such run",
    "FEED_BUSY": "a run of this feed is under way: try again when it has ended",
    "RUN_NOT_SUCCEEDED": "only a run that succeeded can be activated",
    "NOT_BLOCKED": "the run was not blocked: there is nothing to approve",
    "ALREADY_APPROVED": "the run is approved already",
    "STALE_RUN": "a newer run has completed",
    "ALREADY_INVALIDATED": "the run was taken back already",
}


class Refused(Conflict):
    """`code` is one of F-090's."""

    def __init__(self, code: str) -> None:
        super().__init__(WORDS[code])
        self.code = code


async def approve(database: Database, run_id: int, actor: str) -> int:
    """How many offers were activated. All checks under the lock, all writes in one transaction."""
    try:
        async with _locked(database, run_id) as (conn, feed, run), conn.transaction():
            await _may_approve(conn, run)
            moment = (await _one(conn, "SELECT clock_timestamp() AS t", ()))["t"]
            done = await conn.execute(_APPROVE, (moment, actor, run_id))
            if done.rowcount != 1:
                raise Refused("ALREADY_APPROVED")
            await phase2.promote(conn, feed.id, run_id, moment, run["products_upserted"])
            after = {"run_id": run_id, "products_promoted": run["products_upserted"]}
            await audit.record(conn, actor, "ACTIVATION_APPROVED", "feed", feed.id, None, after)
    except Refused as refused:
        log.warning("ACTIVATION_APPROVAL_REJECTED", run_id=run_id, reason=refused.code, actor=actor)
        raise
    log.info(
        "ACTIVATION_APPROVED", feed_id=feed.id, actor=actor, run_id=run_id, products_promoted=run["products_upserted"]
    )
    return int(run["products_upserted"])


async def roll_back(database: Database, run_id: int, actor: str, reason: str) -> None:
    """The run's prices are hidden, its activation is undone, and the next run reads the whole file again. What a
    product is called stays as the run wrote it until then."""
    async with _locked(database, run_id) as (conn, feed, run), conn.transaction():
        if run["status"] != "SUCCEEDED" or run["skipped_reason"] is not None:
            raise Refused("RUN_NOT_SUCCEEDED")
        if run["invalidated_at"] is not None:
            raise Refused("ALREADY_INVALIDATED")
        if await _newer(conn, run):
            raise Refused("STALE_RUN")
        for statement in ROLL_BACK.split(";\n"):
            await conn.execute(statement, {"run_id": run_id, "feed_id": feed.id, "actor": actor, "reason": reason})
        await remembered.forget(conn, feed.id)
        await audit.record(conn, actor, "RUN_ROLLED_BACK", "feed", feed.id, None, {"run_id": run_id}, reason)
    log.warning("RUN_ROLLED_BACK", feed_id=feed.id, run_id=run_id, actor=actor, reason=reason)


async def _may_approve(conn: Connection, run: dict[str, Any]) -> None:
    if run["status"] != "SUCCEEDED":
        raise Refused("RUN_NOT_SUCCEEDED")
    if not run["expiry_blocked"]:
        raise Refused("NOT_BLOCKED")
    if run["expiry_approved_at"] is not None:
        raise Refused("ALREADY_APPROVED")
    if run["invalidated_at"] is not None or await _newer(conn, run):
        raise Refused("STALE_RUN")


async def _newer(conn: Connection, run: dict[str, Any]) -> bool:
    return await (await conn.execute(_NEWER, (run["feed_id"], run["id"]))).fetchone() is not None


@asynccontextmanager
async def _locked(database: Database, run_id: int) -> AsyncIterator[tuple[Connection, Feed, dict[str, Any]]]:
    """The run is read under the lock: nothing about it can change until it is given back."""
    async with database.dedicated() as conn:
        try:
            first = await _one(conn, "SELECT feed_id FROM affiliate_feed_runs WHERE id = %s", (run_id,))
        except NotFound:
            raise Refused("RUN_NOT_FOUND") from None
        feed = await feeds.get(conn, first["feed_id"])
        if not await feeds.try_lock(conn, feed):
            raise Refused("FEED_BUSY")
        try:
            yield conn, feed, await _one(conn, "SELECT * FROM affiliate_feed_runs WHERE id = %s", (run_id,))
        finally:
            await feeds.unlock(conn, feed)


async def _one(conn: Connection, query: str, given: tuple[Any, ...]) -> dict[str, Any]:
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(query, given)
        row = await cursor.fetchone()
    if row is None:
        raise NotFound("there is no such row")
    return row
