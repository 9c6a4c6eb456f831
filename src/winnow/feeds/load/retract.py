"""Takes the rows of a run out of the tables again, so that the next run is compared with what consumers see.

A run that was not promoted is retracted when the next one begins to load; until then a person may approve it. A
promoted run is retracted when it is rolled back. Both under the feed's lock.
"""

from __future__ import annotations

import structlog

from winnow.db.sql import load
from winnow.feeds.feed import Connection, Feed

log = structlog.get_logger(__name__)

RETRACT = load("feeds/load/retract.sql")
# What a run that was never promoted removed is in step again, with the offers that consumers see.
_KEEP_REMOVED = """
UPDATE source_product_presence
SET back_run_id = CASE WHEN last_seen_success_at IS NOT NULL THEN %(promoted)s::bigint END, removed_by_run_id = NULL,
    updated_at = now()
WHERE removed_by_run_id = %(run_id)s AND left_by_run_id = %(run_id)s AND back_run_id IS NULL
"""
# It can no longer be approved: what it loaded is gone.
_REPLACE_HELD = """
UPDATE affiliate_feed_runs SET replaced_by_run_id = %s
WHERE id = %s AND expiry_blocked AND expiry_approved_at IS NULL AND invalidated_at IS NULL
RETURNING id
"""
# Nothing is known of the file of a retracted run: the same file has to be read again.
_FORGET_FILE = """
UPDATE affiliate_feeds SET last_remote_mtime = NULL, last_remote_size = NULL, last_content_hash = NULL WHERE id = %s
"""


async def retract(conn: Connection, run_id: int) -> None:
    """Inside the caller's transaction."""
    for statement in RETRACT.split(";\n"):
        await conn.execute(statement, {"run_id": run_id})


async def begin_load(conn: Connection, feed: Feed, run_id: int) -> int | None:
    """Before a run's first chunk: the tables are as consumers see them, and from now on they hold this run's rows.
    Returns the held run without an approval that this one replaces."""
    async with conn.transaction():
        row = await (await conn.execute(
            "SELECT loaded_run_id, promoted_run_id FROM affiliate_feeds WHERE id = %s FOR UPDATE", (feed.id,)
        )).fetchone()  # fmt: skip
        loaded, promoted = row or (None, None)
        if loaded == run_id:
            return None
        replaced = await _leave(conn, feed, run_id, loaded, promoted) if loaded is not None else None
        await conn.execute("UPDATE affiliate_feeds SET loaded_run_id = %s WHERE id = %s", (run_id, feed.id))
    if replaced is not None:
        log.warning("HELD_RUN_REPLACED", stage="upsert", replaced_run_id=replaced)
    return replaced


async def retract_unpromoted(conn: Connection, feed: Feed) -> None:
    """Takes out what a run loaded that was not promoted, if there is one."""
    loaded, promoted = feed.loaded_run_id, feed.promoted_run_id
    if loaded is not None and loaded != promoted:
        await _retract_unpromoted(conn, feed.id, loaded, promoted)


async def _retract_unpromoted(conn: Connection, feed_id: int, loaded: int, promoted: int | None) -> None:
    await retract(conn, loaded)
    await conn.execute(_KEEP_REMOVED, {"run_id": loaded, "promoted": promoted})
    await conn.execute(_FORGET_FILE, (feed_id,))


async def _leave(conn: Connection, feed: Feed, run_id: int, loaded: int, promoted: int | None) -> int | None:
    if loaded == promoted:
        return None
    await _retract_unpromoted(conn, feed.id, loaded, promoted)
    held = await (await conn.execute(_REPLACE_HELD, (run_id, loaded))).fetchone()
    return held and int(held[0])
