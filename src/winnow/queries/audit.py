"""Who changed what, newest first."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from winnow.db.tables.observe import AuditEntry
from winnow.queries.reading import Row, cut, page, rows

A = AuditEntry.__table__


async def listed(
    conn: AsyncConnection,
    *,
    actor: str | None = None,
    action: str | None = None,
    object_type: str | None = None,
    object_id: str | None = None,
    after: int | None = None,
    limit: int = 50,
) -> tuple[list[Row], str | None]:
    statement = select(A)
    wanted = ((A.c.actor, actor), (A.c.action, action), (A.c.object_type, object_type), (A.c.object_id, object_id))
    for column, value in wanted:
        if value is not None:
            statement = statement.where(column == value)
    return cut(await rows(conn, page(statement, A.c.id, after, limit, newest=True)), limit)
