"""Calendar subscriptions as operators see them; their addresses are shown once and never again."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from winnow.db.tables.events import EventSubscription
from winnow.queries.reading import Row, cut, page, rows

_SHOWN = [column for column in EventSubscription.__table__.c if column.name != "token_hash"]


async def listed(conn: AsyncConnection, *, after: int | None = None, limit: int = 50) -> tuple[list[Row], str | None]:
    statement = page(select(*_SHOWN), EventSubscription.__table__.c.id, after, limit, newest=True)
    return cut(await rows(conn, statement), limit)
