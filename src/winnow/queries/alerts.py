from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from winnow.db.tables.publish import Alert
from winnow.queries.reading import Row, cut, first, page, rows

A = Alert.__table__


async def listed(
    conn: AsyncConnection,
    *,
    everything: bool = False,
    severity: str | None = None,
    code: str | None = None,
    after: int | None = None,
    limit: int = 50,
) -> tuple[list[Row], str | None]:
    """Newest first; only open ones unless `everything` is wanted."""
    statement = select(A) if everything else select(A).where(A.c.resolved_at.is_(None))
    for column, value in ((A.c.severity, severity), (A.c.code, code)):
        if value is not None:
            statement = statement.where(column == value)
    return cut(await rows(conn, page(statement, A.c.id, after, limit, newest=True)), limit)


async def one(conn: AsyncConnection, alert_id: int) -> Row | None:
    return await first(conn, select(A).where(A.c.id == alert_id))
