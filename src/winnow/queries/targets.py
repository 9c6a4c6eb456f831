from __future__ import annotations

from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.ext.asyncio import AsyncConnection

from winnow.db.tables.sources import ScrapeTarget, Source
from winnow.queries.reading import Row, contains, cut, first, page, rows

T, S = ScrapeTarget.__table__, Source.__table__


def _targets() -> Select[Any]:
    joined = T.join(S, S.c.id == T.c.source_id)
    return select(*T.c, S.c.name.label("source_name"), S.c.retailer_id).select_from(joined)


async def listed(
    conn: AsyncConnection,
    *,
    source_id: int | None = None,
    status: str | None = None,
    domain: str | None = None,
    q: str | None = None,
    after: int | None = None,
    limit: int = 50,
) -> tuple[list[Row], str | None]:
    statement = _targets()
    for column, wanted in ((T.c.source_id, source_id), (T.c.status, status), (T.c.domain, domain)):
        if wanted is not None:
            statement = statement.where(column == wanted)
    if q:
        statement = statement.where(T.c.url.ilike(contains(q)))
    return cut(await rows(conn, page(statement, T.c.id, after, limit)), limit)


async def one(conn: AsyncConnection, target_id: int) -> Row | None:
    return await first(conn, _targets().where(T.c.id == target_id))


async def of_url(conn: AsyncConnection, url_hash: str) -> list[Row]:
    """A page may be a target of several sources."""
    return await rows(conn, _targets().where(T.c.url_hash == url_hash).order_by(T.c.id).limit(20))


async def of_offer(conn: AsyncConnection, offer: Row) -> list[Row]:
    """Where an offer is read: at the target that found it, or at its own URL."""
    own = (T.c.source_id == offer["source_id"]) & (T.c.url_hash == offer["url_hash"])
    found = _targets().where((T.c.source_product_id == offer["id"]) | own)
    return await rows(conn, found.order_by(T.c.id).limit(20))
