"""Reads the price changes of promoted runs in batches, for publishing, and those of runs that were rolled back after
that, the other way round: who heard of a price hears that it no longer holds."""

from __future__ import annotations

from typing import Any

import msgspec
from psycopg.rows import dict_row

from winnow.db.sql import load
from winnow.feeds.feed import Connection

CHANGES, WITHDRAWN = load("feeds/promote/price_changes.sql"), load("feeds/promote/withdrawn_changes.sql")
BATCH = 1_000
_NEXT_RUN = """
SELECT id, published_price_id, previous_promoted_run_id IS NULL FROM affiliate_feed_runs
WHERE promoted_at IS NOT NULL AND changes_published_at IS NULL AND invalidated_at IS NULL
ORDER BY promoted_at LIMIT 1 FOR UPDATE SKIP LOCKED
"""
_LAST_ID = """
SELECT max(id), count(*) FROM (
    SELECT id FROM prices WHERE affiliate_feed_run_id = %(run_id)s AND id > %(after)s ORDER BY id LIMIT %(n)s) AS batch
"""
_NEXT_WITHDRAWN = """
SELECT id, published_price_id FROM affiliate_feed_runs
WHERE promoted_at IS NOT NULL AND changes_published_at IS NULL AND invalidated_at IS NOT NULL AND published_price_id > 0
ORDER BY invalidated_at LIMIT 1 FOR UPDATE SKIP LOCKED
"""
_FIRST_ID = """
SELECT min(id), count(*) FROM (
    SELECT id FROM prices WHERE affiliate_feed_run_id = %(run_id)s AND id <= %(through)s
    ORDER BY id DESC LIMIT %(n)s) AS batch
"""
_STORE = """
UPDATE affiliate_feed_runs
SET published_price_id = %s, changes_published_at = CASE WHEN %s THEN clock_timestamp() END WHERE id = %s
"""


class PriceChanges(msgspec.Struct, frozen=True):
    """`rows`: the last price of each offer in the batch, with the price consumers saw before. `read`: prices read."""

    rows: list[dict[str, Any]]
    read: int


async def take_batch(conn: Connection) -> PriceChanges | None:
    """The next batch of the oldest run that is not published; progress is stored in the caller's transaction."""
    run = await (await conn.execute(_NEXT_RUN)).fetchone()
    if run is None:
        return None
    run_id, after, first = run
    if first:  # a first load changes no price anybody saw
        await conn.execute(_STORE, (after, True, run_id))
        return PriceChanges([], 0)
    parameters = {"run_id": run_id, "after": after, "n": BATCH}
    last, count = await (await conn.execute(_LAST_ID, parameters)).fetchone() or (None, 0)
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(CHANGES, parameters)
        rows = await cursor.fetchall()
    await conn.execute(_STORE, (last or after, count < BATCH, run_id))
    return PriceChanges(rows, int(count))


async def take_withdrawn_batch(conn: Connection) -> PriceChanges | None:
    """The next batch of a run that was rolled back after its prices were published; `before` is what was published."""
    run = await (await conn.execute(_NEXT_WITHDRAWN)).fetchone()
    if run is None:
        return None
    run_id, through = run
    parameters = {"run_id": run_id, "through": through, "n": BATCH}
    lowest, count = await (await conn.execute(_FIRST_ID, parameters)).fetchone() or (None, 0)
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(WITHDRAWN, parameters)
        rows = await cursor.fetchall()
    over = lowest is None or count < BATCH
    await conn.execute(_STORE, (0 if lowest is None or over else lowest - 1, over, run_id))
    return PriceChanges(rows, int(count))
