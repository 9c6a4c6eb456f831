"""Watches: a notification when the offer of a target falls below a price, drops, or is back in stock.

Evaluated in the transaction that appends an accepted price, so a crossing and its message exist together or not at
all: replays and repeated visits append nothing and notify nothing. One message per crossing: a watch that has fired is
armed again when the price (or the stock) has gone back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

import msgspec
from psycopg import AsyncConnection
from psycopg.errors import UniqueViolation
from psycopg.rows import class_row, dict_row, scalar_row

from winnow.db.sql import load
from winnow.errors import Conflict, NotFound
from winnow.normalise.money.currencies import exponent
from winnow.normalise.record import Money
from winnow.publish import outbox

WATCH = load("publish/watch.sql")
WATCH_FIRED = "watch.fired"

_ADD = """
INSERT INTO watches (target_id, condition, threshold_minor, threshold_exponent, currency, drop_percent, endpoint_id,
                     armed, created_by)
VALUES (%(target_id)s, %(condition)s, %(threshold_minor)s, %(threshold_exponent)s, %(currency)s, %(drop_percent)s,
        %(endpoint_id)s, %(armed)s, %(actor)s)
RETURNING id
"""
_SAME = """
SELECT id FROM watches
WHERE target_id = %(target_id)s AND condition = %(condition)s
    AND (threshold_minor, threshold_exponent, drop_percent, endpoint_id)
        IS NOT DISTINCT FROM (%(threshold_minor)s::bigint, %(threshold_exponent)s::smallint,
                              %(drop_percent)s::float8, %(endpoint_id)s::bigint)
"""
# The newest accepted price of what the target shows: the offer it refreshes, else the one seen last on its page. Of an
# offer of a feed a promoted run's price counts too.
_LATEST = """
SELECT p.id AS product_id, p.title, p.url, l.amount_minor, l.currency, l.availability, l.observed_at
FROM scrape_targets AS t
JOIN source_products AS p
    ON CASE WHEN t.source_product_id IS NOT NULL THEN p.id = t.source_product_id
            ELSE p.source_id = t.source_id AND p.url_hash = t.url_hash END
JOIN latest_prices AS l ON l.source_product_id = p.id
LEFT JOIN prices AS f ON f.id = l.price_id AND NOT l.scraped
LEFT JOIN affiliate_feed_runs AS r ON r.id = f.affiliate_feed_run_id
WHERE t.id = %s AND (l.scraped OR t.source_product_id IS NOT NULL
    AND (f.affiliate_feed_run_id IS NULL OR r.promoted_at IS NOT NULL AND r.invalidated_at IS NULL))
ORDER BY l.created_at DESC LIMIT 1
"""
_OUT_OF_STOCK = """
UPDATE watches SET armed = true
WHERE target_id = ANY(%s) AND condition = 'back_in_stock' AND enabled AND NOT armed
"""

Connection = AsyncConnection[Any]


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """The condition of a watch. `threshold` is compared in `currency`, or in that of the first price seen."""

    target_id: int
    condition: str
    threshold: Decimal | None = None
    currency: str | None = None
    drop_percent: float | None = None
    endpoint_id: int | None = None


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """An accepted price of a target. `changed`: it is another than the one before, and there was one."""

    target_id: int
    product_id: int
    title: str
    url: str
    price: Money
    availability: str
    observed_at: datetime
    before: Money | None = None
    changed: bool = False


class Fired(msgspec.Struct, frozen=True, kw_only=True):
    id: int
    target_id: int
    product_id: int
    condition: str
    threshold_minor: int | None
    threshold_exponent: int | None
    currency: str | None
    drop_percent: float | None
    endpoint_id: int | None
    reference_before: int | None


async def evaluate(conn: Connection, seen: Sequence[Seen]) -> int:
    """How many fired. Call it with prices that were just appended, before their transaction ends."""
    watched = await _watched(conn, [one.target_id for one in seen])
    fired = 0
    for some in _rounds([one for one in seen if one.target_id in watched]):
        async with conn.cursor(row_factory=class_row(Fired)) as cursor:
            await cursor.execute(WATCH, _columns(some))
            crossed = await cursor.fetchall()
        about = {one.target_id: one for one in some}
        await outbox.put(conn, [_message(watch, about[watch.target_id]) for watch in crossed])
        fired += len(crossed)
    return fired


async def _watched(conn: Connection, target_ids: list[int]) -> set[int]:
    """Most targets have no watch: this look is a fifth of what the statement costs (measured, 100 targets)."""
    async with conn.cursor(row_factory=scalar_row) as cursor:
        await cursor.execute("SELECT target_id FROM watches WHERE enabled AND target_id = ANY(%b)", (target_ids,))
        return set(await cursor.fetchall())


async def out_of_stock(conn: Connection, target_ids: Sequence[int]) -> None:
    """Pages that say so and show no price: nothing is appended, but back-in-stock watches have to know."""
    if target_ids:
        await conn.execute(_OUT_OF_STOCK, (sorted(target_ids),))


async def add(conn: Connection, wanted: Wanted, actor: str) -> tuple[int, bool]:
    """Its id, and whether it fired at once because what is known already meets it."""
    minor, digits = scaled(wanted.threshold)
    given = {
        **msgspec.structs.asdict(wanted),
        "threshold_minor": minor,
        "threshold_exponent": digits,
        "armed": wanted.condition != "back_in_stock",  # armed by being seen out of stock
        "actor": actor,
    }
    try:
        async with conn.transaction(), conn.cursor(row_factory=scalar_row) as cursor:
            await cursor.execute(_ADD, given)
            watch_id = await cursor.fetchone()
    except UniqueViolation:
        row: Any = await (await conn.execute(_SAME, given)).fetchone()
        raise Conflict("this is watched already", existing=str(row[0]) if row else None) from None
    latest = await _latest(conn, wanted.target_id)
    fired = await _evaluate_new(conn, int(watch_id or 0), latest)
    return int(watch_id or 0), fired


async def remove(conn: Connection, watch_id: int) -> dict[str, Any]:
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(
            "DELETE FROM watches WHERE id = %s RETURNING target_id, condition, threshold_minor, threshold_exponent, "
            "currency, drop_percent, endpoint_id",
            (watch_id,),
        )
        gone = await cursor.fetchone()
    if gone is None:
        raise NotFound(f"there is no watch {watch_id}")
    return gone


def scaled(threshold: Decimal | None) -> tuple[int | None, int | None]:
    """20.00 is 20 with no digits after the point: written in one way, it is stored once."""
    if threshold is None:
        return None, None
    _, digits, power = threshold.normalize().as_tuple()
    number = int("".join(map(str, digits)))
    assert isinstance(power, int)
    return (number * 10**power, 0) if power > 0 else (number, -power)


async def _latest(conn: Connection, target_id: int) -> Seen | None:
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(_LATEST, (target_id,))
        row = await cursor.fetchone()
    if row is None:
        return None
    price = Money(row.pop("amount_minor"), row.pop("currency"))
    return Seen(target_id=target_id, price=price, **row)


async def _evaluate_new(conn: Connection, watch_id: int, latest: Seen | None) -> bool:
    """Only the new one: the others have seen this price already."""
    if latest is None:
        return False
    async with conn.cursor(row_factory=class_row(Fired)) as cursor:
        await cursor.execute(WATCH, {**_columns([latest]), "only": watch_id})
        crossed = await cursor.fetchall()
    await outbox.put(conn, [_message(watch, latest) for watch in crossed])
    return bool(crossed)


def _rounds(seen: Sequence[Seen]) -> Iterator[list[Seen]]:
    """A target seen twice is looked at twice, in order."""
    left = list(seen)
    while left:
        now: dict[int, Seen] = {}
        later = []
        for one in left:
            if one.target_id in now:
                later.append(one)
            else:
                now[one.target_id] = one
        yield list(now.values())
        left = later


def _columns(seen: Sequence[Seen]) -> dict[str, Any]:
    return {
        "target_id": [s.target_id for s in seen],
        "product_id": [s.product_id for s in seen],
        "amount": [s.price.minor for s in seen],
        "currency": [s.price.currency for s in seen],
        "exponent": [exponent(s.price.currency) for s in seen],
        "availability": [str(s.availability) for s in seen],
        "changed": [s.changed for s in seen],
        "only": None,
    }


def _message(watch: Fired, seen: Seen) -> outbox.Message:
    payload: dict[str, Any] = {
        "watch_id": watch.id,
        "condition": watch.condition,
        "target_id": watch.target_id,
        "source_product_id": seen.product_id,
        "title": seen.title,
        "url": seen.url,
        "price": _money(seen.price),
        "before": _money(seen.before),
        "availability": str(seen.availability),
        "observed_at": seen.observed_at.isoformat(),
    }
    if watch.threshold_minor is not None and watch.threshold_exponent is not None:
        payload["below"] = str(Decimal(watch.threshold_minor).scaleb(-watch.threshold_exponent))
    if watch.drop_percent is not None:
        payload["drop_percent"] = watch.drop_percent
        payload["dropped_from"] = {"minor": watch.reference_before, "currency": seen.price.currency}
    return outbox.Message(WATCH_FIRED, f"watch:{watch.id}", payload, watch.endpoint_id)


def _money(money: Money | None) -> dict[str, Any] | None:
    return None if money is None else {"minor": money.minor, "currency": money.currency}
