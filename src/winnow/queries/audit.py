from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from winnow.db.tables.observe import AuditEntry
from winnow.queries.reading import Row, contains, cut, page, rows

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
    """Newest first. `actor` and `action` match a part of it."""
    statement = select(*A.c)
    for column, part in ((A.c.actor, actor), (A.c.action, action)):
        if part:
            statement = statement.where(column.ilike(contains(part), escape="\\"))
    for column, wanted in ((A.c.object_type, object_type), (A.c.object_id, object_id)):
        if wanted:
            statement = statement.where(column == wanted)
    return cut(await rows(conn, page(statement, A.c.id, after, limit, newest=True)), limit)
