from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from winnow.db.tables.publish import Delivery, WebhookEndpoint
from winnow.queries.reading import Row, cut, first, page, rows

E, D = WebhookEndpoint.__table__, Delivery.__table__


async def endpoints(conn: AsyncConnection, after: int | None = None, limit: int = 50) -> tuple[list[Row], str | None]:
    return cut(await rows(conn, page(select(E), E.c.id, after, limit)), limit)


async def endpoint(conn: AsyncConnection, endpoint_id: int) -> Row | None:
    return await first(conn, select(E).where(E.c.id == endpoint_id))


async def deliveries(
    conn: AsyncConnection,
    *,
    status: str | None = None,
    topic: str | None = None,
    endpoint_id: int | None = None,
    after: int | None = None,
    limit: int = 50,
) -> tuple[list[Row], str | None]:
    """Newest first."""
    statement = select(*(c for c in D.c if c.name != "payload"))
    for column, value in ((D.c.status, status), (D.c.topic, topic), (D.c.endpoint_id, endpoint_id)):
        if value is not None:
            statement = statement.where(column == value)
    return cut(await rows(conn, page(statement, D.c.id, after, limit, newest=True)), limit)


async def delivery(conn: AsyncConnection, delivery_id: int) -> Row | None:
    return await first(conn, select(D).where(D.c.id == delivery_id))
