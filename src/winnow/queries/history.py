"""What an offer cost over time, summed up. Consumers through their view (P-092), operators with corrections applied."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Select, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from winnow.queries.prices import CONSUMER_PRICES, CORRECTED_PRICES
from winnow.queries.reading import Row, cut, first, page, rows

MAX_GAPS = 100


class History:
    """Of one offer, in one currency, within a window."""

    def __init__(
        self,
        product_id: int,
        *,
        everything: bool,
        currency: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> None:
        self._of = CORRECTED_PRICES if everything else CONSUMER_PRICES
        self._where: list[ColumnElement[bool]] = [self._of.c.source_product_id == product_id]
        self.currency = currency
        if since is not None:
            self._where.append(self._of.c.observed_at >= since)
        if until is not None:
            self._where.append(self._of.c.observed_at < until)

    async def settle_currency(self, conn: AsyncConnection) -> str | None:
        """That of the newest price, unless one was asked for: amounts of two currencies are never compared."""
        if self.currency is None:
            newest = self._select(self._of.c.currency).order_by(self._of.c.observed_at.desc(), self._of.c.id.desc())
            row = await first(conn, newest)
            self.currency = None if row is None else row["currency"]
        if self.currency is not None:
            self._where.append(self._of.c.currency == self.currency)
        return self.currency

    async def summary(self, conn: AsyncConnection) -> Row:
        of = self._of.c
        totals = self._select(
            func.count().label("observations"),
            func.min(of.amount_minor).label("lowest_minor"),
            func.max(of.amount_minor).label("highest_minor"),
            func.min(of.observed_at).label("first_observed_at"),
            func.max(of.observed_at).label("last_observed_at"),
            func.max(of.exponent).label("exponent"),
        )
        found = await first(conn, totals) or {}
        newest = await first(conn, self._select(self._of).order_by(of.observed_at.desc(), of.id.desc()))
        return {**found, "currency": self.currency, "now": newest}

    async def gaps(self, conn: AsyncConnection, longer_than: timedelta) -> list[Row]:
        """Times in which nothing was observed: a chart must not draw a line through them. Newest first."""
        of = self._of.c
        before = func.lag(of.observed_at).over(order_by=(of.observed_at, of.id)).label("since")
        spans = self._select(before, of.observed_at.label("until")).subquery("spans")
        wide = select(spans).where(spans.c.until - spans.c.since > longer_than)
        return await rows(conn, wide.order_by(spans.c.until.desc()).limit(MAX_GAPS))

    async def points(self, conn: AsyncConnection, after: int | None, limit: int) -> tuple[list[Row], str | None]:
        """Newest first."""
        return cut(await rows(conn, page(self._select(self._of), self._of.c.id, after, limit, newest=True)), limit)

    def _select(self, *columns: Any) -> Select[Any]:
        return select(*columns).where(*self._where)
