from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from winnow.db.tables.prices import PriceCorrection
from winnow.queries.reading import Row, cut, page, rows

K = PriceCorrection.__table__


async def listed(
    conn: AsyncConnection, *, everything: bool = False, after: int | None = None, limit: int = 50
) -> tuple[list[Row], str | None]:
    """Newest first; those in force, or all."""
    statement = select(K) if everything else select(K).where(K.c.revoked_at.is_(None))
    return cut(await rows(conn, page(statement, K.c.id, after, limit, newest=True)), limit)
