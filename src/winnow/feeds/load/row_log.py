"""What happens to single rows, in the log (F-124, F-125). A catalogue has half a million of them: the first few of each
chunk are logged, the run counts all (DESIGN §11.21), and where DEBUG is not written they are not even looked at.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import Any

import structlog
from psycopg import AsyncConnection
from psycopg.rows import dict_row

from winnow.db.sql import load
from winnow.feeds.load.ids import IdArray
from winnow.feeds.read.identity import URL_HASH
from winnow.feeds.read.signature import LastPrice, PriceReason, should_write

log = structlog.get_logger(__name__)

SAMPLE = load("feeds/load/row_sample.sql")
SHOWN = 3  # rows of a chunk
_PRICES = "SELECT source_product_id, id FROM prices WHERE affiliate_feed_run_id = %s AND source_product_id = ANY(%s)"


class RowLog:
    """`before` and `after` the chunk's statement, in its transaction; `log_rows` once it is committed."""

    def __init__(self, conn: AsyncConnection[Any], run_id: int, source_id: int, heartbeat_hours: int) -> None:
        self._conn, self._run_id, self._source_id = conn, run_id, source_id
        self._heartbeat = timedelta(hours=heartbeat_hours)
        self._rows: list[dict[str, Any]] = []
        self._now: datetime | None = None

    @property
    def wanted(self) -> bool:
        return bool(log.is_enabled_for(logging.DEBUG))

    async def before(self) -> None:
        self._rows = []
        if not self.wanted:
            return
        async with self._conn.cursor(row_factory=dict_row) as cursor:
            await cursor.execute("SELECT now() AS now")
            self._now = (await cursor.fetchone() or {})["now"]
            await cursor.execute(SAMPLE, {"source_id": self._source_id, "shown": SHOWN})
            self._rows = await cursor.fetchall()

    async def after(self, ids: IdArray) -> None:
        """`ids`: the chunk's first offers, in the order of its rows."""
        if not self._rows:
            return
        shown = list(ids.numbers())
        prices = dict(await (await self._conn.execute(_PRICES, (self._run_id, shown))).fetchall())
        for row, offer in zip(self._rows, shown, strict=True):
            row |= {"id": offer, "price_id": prices.get(offer)}

    def log_rows(self) -> None:
        for row in self._rows:
            _log_product(row)
            _log_price(row, self._reason(row), self._now)
            log.debug("PRESENCE_UPDATED", stage="upsert", source_product_id=row["id"])
            log.debug("SEEN_STAGED", stage="upsert", source_product_id=row["id"])

    def _reason(self, row: dict[str, Any]) -> PriceReason | None:
        at = row["last_price_at"]
        last = None if at is None else LastPrice(row["old_signature"], at)
        assert self._now is not None
        return should_write(last, row["new_signature"], self._now, self._heartbeat)


def _log_product(row: dict[str, Any]) -> None:
    if not row["is_new"]:
        if row["fields_changed"]:
            log.debug("PRODUCT_UPDATED", stage="upsert", source_product_id=row["id"],
                      fields_changed=row["fields_changed"])  # fmt: skip
        return
    log.debug("PRODUCT_CREATED", stage="upsert", source_product_id=row["id"], identity_type=row["identity_type"],
              identity_value=row["identity_value"])  # fmt: skip
    if row["identity_type"] == URL_HASH:
        log.debug("URL_HASH_IDENTITY_CREATED", stage="transform", source_product_id=row["id"], url=row["url"],
                  hash=row["normalized_url_hash"])  # fmt: skip


def _log_price(row: dict[str, Any], reason: PriceReason | None, now: datetime | None) -> None:
    promo = None if row["list_price"] is None else {"list_price": row["list_price"]}
    changed = reason in (PriceReason.NEW, PriceReason.CHANGED)
    log.debug("PRICE_SIGNATURE", stage="transform", source_product_id=row["id"], amount=row["amount"],
              currency=row["currency"], promo=promo, changed=changed)  # fmt: skip
    if reason is PriceReason.HEARTBEAT and now is not None:
        hours = round((now - row["last_price_at"]).total_seconds() / 3600, 1)
        log.debug("PRICE_HEARTBEAT_DUE", stage="transform", source_product_id=row["id"],
                  last_price_at=row["last_price_at"].isoformat(), hours_since=hours)  # fmt: skip
    if reason is not None and row["price_id"] is not None:
        log.debug("PRICE_WRITTEN", stage="upsert", source_product_id=row["id"], price_id=row["price_id"],
                  amount=row["amount"], reason=str(reason))  # fmt: skip
