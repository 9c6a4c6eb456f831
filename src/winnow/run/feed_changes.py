"""Publishes the price and stock changes of promoted feed runs, and evaluates watches on their offers.

A chore, not part of the promotion: a run may change half a million prices, and promoting it is one row. Progress is
stored with the run in the transaction of the messages, so that each change is published once. A run that is held or
rolled back publishes nothing.
"""

from __future__ import annotations

from typing import Any

from psycopg.rows import dict_row

from winnow.db.engine import Connection, Database
from winnow.db.sql import load
from winnow.kinds.writers.price_messages import change_messages
from winnow.normalise.record import Money
from winnow.normalise.urls import clickable_url
from winnow.publish import outbox, watches

CHANGES = load("run/feed_changes.sql")
BATCH, BATCHES = 1_000, 50
_NEXT_RUN = """
SELECT id, published_price_id, previous_promoted_run_id IS NULL AS first FROM affiliate_feed_runs
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


async def publish(database: Database, batches: int = BATCHES) -> int:
    """Returns how many prices were looked at. Some on each call; the next call goes on."""
    total = 0
    for _ in range(batches):
        async with database.transaction() as conn:
            looked = await _publish_some(conn)
        if looked is None:
            break
        total += looked
    return total


async def _publish_some(conn: Connection) -> int | None:
    run = await (await conn.execute(_NEXT_RUN)).fetchone()
    if run is None:
        return None
    run_id, after, first = run
    if first:  # a first load changes no price anybody saw
        await conn.execute(_STORE, (after, True, run_id))
        return 0
    parameters = {"run_id": run_id, "after": after, "n": BATCH}
    row = await (await conn.execute(_LAST_ID, parameters)).fetchone()
    last, count = row or (None, 0)
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(CHANGES, parameters)
        await _publish(conn, await cursor.fetchall())
    await conn.execute(_STORE, (last or after, count < BATCH, run_id))
    return int(count)


async def _publish(conn: Connection, rows: list[dict[str, Any]]) -> None:
    changed = [row for row in rows if _changed(row)]
    await outbox.put(conn, [message for row in changed for message in _messages(row)])
    if seen := [_seen(row) for row in rows if row["target_id"] is not None]:
        await watches.evaluate(conn, seen)


def _changed(row: dict[str, Any]) -> bool:
    """Another price or stock than before; a price that was only confirmed is no change."""
    before = (row["before_minor"], row["before_currency"], row["before_availability"])
    return row["before_minor"] is not None and before != (row["amount_minor"], row["currency"], row["availability"])


def _messages(row: dict[str, Any]) -> list[outbox.Message]:
    was, now = row["before_availability"] == "IN_STOCK", row["availability"] == "IN_STOCK"
    return change_messages(row["source_product_id"], _body(row), was=was, now=now)


def _body(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "source_product_id": row["source_product_id"],
        "target_id": row["target_id"],
        "url": clickable_url(row["url"]),
        "title": row["title"],
        "before": {"minor": row["before_minor"], "currency": row["before_currency"]},
        "after": {"minor": row["amount_minor"], "currency": row["currency"]},
        "availability_before": row["before_availability"],
        "availability": row["availability"],
        "observed_at": row["observed_at"].isoformat(),
    }


def _seen(row: dict[str, Any]) -> watches.Seen:
    before = None if row["before_minor"] is None else Money(row["before_minor"], row["before_currency"])
    return watches.Seen(
        target_id=row["target_id"],
        product_id=row["source_product_id"],
        title=row["title"],
        url=clickable_url(row["url"]),
        price=Money(row["amount_minor"], row["currency"]),
        availability=row["availability"],
        observed_at=row["observed_at"],
        before=before,
        changed=_changed(row),
    )
