"""Reads the price changes of promoted runs in batches, for publishing."""

from __future__ import annotations

from typing import Any

import msgspec
from psycopg.rows import dict_row

from winnow.db.sql import load
from winnow.feeds.feed import Connection

CHANGES = load("feeds/promote/price_changes.sql")
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
