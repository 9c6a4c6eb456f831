"""Watch rules, each with the number of receivers it reaches."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ARRAY, Boolean, Text, any_, case, cast, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from winnow.db.tables.publish import Watch, WebhookEndpoint
from winnow.db.tables.sources import ScrapeTarget
from winnow.queries.reading import Row, cut, page, rows

W, T, E = Watch.__table__, ScrapeTarget.__table__, WebhookEndpoint.__table__


def _receivers() -> Any:
    """How many enabled receivers a notification of the rule would reach now: its own, or all that subscribe to it."""
    subscribed = E.c.topics.op("&&", return_type=Boolean)(cast(["*", "watch.*", "watch.fired"], ARRAY(Text)))
    of_source = (func.cardinality(E.c.source_ids) == 0) | (T.c.source_id == any_(E.c.source_ids))
    reached = case((W.c.endpoint_id.is_not(None), W.c.endpoint_id == E.c.id), else_=subscribed & of_source)
    return select(func.count()).where(E.c.enabled, reached).correlate(W, T).scalar_subquery()


async def listed(
    conn: AsyncConnection, *, target_id: int | None = None, after: int | None = None, limit: int = 50
) -> tuple[list[Row], str | None]:
    statement = select(*W.c, T.c.url, _receivers().label("receivers")).join(T, T.c.id == W.c.target_id)
    if target_id is not None:
        statement = statement.where(W.c.target_id == target_id)
    return cut(await rows(conn, page(statement, W.c.id, after, limit)), limit)
