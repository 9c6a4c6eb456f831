"""Publishes the price and stock changes of promoted feed runs, and evaluates watches on their offers.

A chore, not part of the promotion: a run may change half a million prices, and promoting it is one row. Progress is
stored with the run in the transaction of the messages, so that each change is published once. A held run publishes
nothing; one that is rolled back publishes that what it had published no longer holds.
"""

from __future__ import annotations

from typing import Any

from winnow.db.engine import Connection, Database
from winnow.feeds.promote import price_changes
from winnow.kinds.writers.price_messages import change_messages
from winnow.normalise.record import Money
from winnow.normalise.urls import clickable_url
from winnow.publish import outbox, watches

BATCHES = 50


async def publish(database: Database, batches: int = BATCHES) -> int:
    """Returns how many prices were looked at. Some on each call; the next call goes on."""
    total = 0
    for _ in range(batches):
        async with database.transaction() as conn:
            batch = await price_changes.take_withdrawn_batch(conn) or await price_changes.take_batch(conn)
            if batch is None:
                break
            await _publish(conn, batch.rows)
        total += batch.read
    return total


async def _publish(conn: Connection, rows: list[dict[str, Any]]) -> None:
    changed = [row for row in rows if _changed(row)]
    await outbox.put(conn, [message for row in changed for message in _messages(row)])
    if seen := [_seen(row) for row in rows if row["target_id"] is not None]:
        await watches.evaluate(conn, seen)


def _changed(row: dict[str, Any]) -> bool:
    """Whether price or stock differ from before; a price that was only confirmed is no change."""
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
