from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, Numeric, Select, case, cast, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from winnow.db.tables.judge import Quarantine
from winnow.db.tables.prices import LatestPrice
from winnow.db.tables.store import SourceProduct
from winnow.queries.reading import Row, cut, first, page, rows

Q, L, P = (t.__table__ for t in (Quarantine, LatestPrice, SourceProduct))

_PRICE = Q.c.payload[("price", "minor")]
# A record of another kind may have something else there, or nothing.
_MINOR = case((func.jsonb_typeof(_PRICE) == "number", cast(_PRICE.astext, Numeric)), else_=None)
_STORED = [column for column in Q.c if column.name != "url"]
_READ = (
    Q.c.payload["title"].astext.label("title"),
    func.coalesce(Q.c.payload["url"].astext, Q.c.url).label("url"),
    cast(_MINOR, BigInteger).label("price_minor"),
    Q.c.payload[("price", "currency")].astext.label("currency"),
    Q.c.payload["availability"].astext.label("availability"),
)


def _matching(
    statement: Select[Any],
    status: str | None,
    reason: str | None,
    source_id: int | None,
    adapter_id: str | None,
    target_id: int | None = None,
) -> Select[Any]:
    if status is not None:
        statement = statement.where(Q.c.resolved_at.is_(None) if status == "open" else Q.c.resolved_at.is_not(None))
    wanted = (
        (Q.c.reason, reason), (Q.c.source_id, source_id), (Q.c.adapter_id, adapter_id), (Q.c.target_id, target_id)
    )  # fmt: skip
    for column, value in wanted:
        if value is not None:
            statement = statement.where(column == value)
    return statement


async def listed(
    conn: AsyncConnection,
    *,
    status: str | None = "open",
    reason: str | None = None,
    source_id: int | None = None,
    adapter_id: str | None = None,
    target_id: int | None = None,
    after: int | None = None,
    limit: int = 50,
) -> tuple[list[Row], str | None]:
    """Newest first. `status`: open, resolved, or None for all."""
    statement = _matching(select(*_STORED, *_READ), status, reason, source_id, adapter_id, target_id)
    return cut(await rows(conn, page(statement, Q.c.id, after, limit, newest=True)), limit)


async def one(conn: AsyncConnection, entry_id: int) -> Row | None:
    """With what was accepted of its offer last."""
    kind, value = Q.c.payload[("identity", "type")].astext, Q.c.payload[("identity", "value")].astext
    offers = (P.c.source_id == Q.c.source_id) & (P.c.identity_key == kind + ":" + value)
    joined = Q.outerjoin(P, offers).outerjoin(L, (L.c.source_product_id == P.c.id) & L.c.scraped)
    now = (
        L.c.amount_minor.label("last_minor"),
        L.c.currency.label("last_currency"),
        L.c.list_price_minor.label("last_list_minor"),
        L.c.availability.label("last_availability"),
        L.c.observed_at.label("last_observed_at"),
        P.c.id.label("offer_id"),
        P.c.title.label("last_title"),
        P.c.brand.label("last_brand"),
        P.c.sku.label("last_sku"),
    )
    return await first(conn, select(*_STORED, *_READ, *now).select_from(joined).where(Q.c.id == entry_id))


async def open_ids(
    conn: AsyncConnection, *, reason: str | None, source_id: int | None, adapter_id: str | None, limit: int
) -> tuple[list[int], int]:
    """(ids of open entries that match, oldest first; how many there are in all)."""
    statement = _matching(select(Q.c.id), "open", reason, source_id, adapter_id)
    total = select(func.count()).select_from(statement.subquery())
    ids = [row["id"] for row in await rows(conn, statement.order_by(Q.c.id).limit(limit))]
    return ids, int((await conn.execute(total)).scalar_one())
