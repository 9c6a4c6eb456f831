from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from winnow.db.tables.publish import Watch
from winnow.db.tables.sources import ScrapeTarget
from winnow.queries.reading import Row, cut, page, rows

W, T = Watch.__table__, ScrapeTarget.__table__


async def listed(
    conn: AsyncConnection, *, target_id: int | None = None, after: int | None = None, limit: int = 50
) -> tuple[list[Row], str | None]:
    statement = select(*W.c, T.c.url).join(T, T.c.id == W.c.target_id)
    if target_id is not None:
        statement = statement.where(W.c.target_id == target_id)
    return cut(await rows(conn, page(statement, W.c.id, after, limit)), limit)
