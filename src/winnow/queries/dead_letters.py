from __future__ import annotations

from typing import Any

from sqlalchemy import Select, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from winnow.db.tables.schedule import DeadLetter
from winnow.queries.reading import Row, cut, first, page, rows

D = DeadLetter.__table__


def _matching(
    statement: Select[Any], status: str | None, stage: str | None, error_type: str | None, source_id: int | None
) -> Select[Any]:
    wanted = ((D.c.status, status), (D.c.stage, stage), (D.c.error_type, error_type), (D.c.source_id, source_id))
    for column, value in wanted:
        if value is not None:
            statement = statement.where(column == value)
    return statement


def _letters() -> Select[Any]:
    return select(*D.c, D.c.payload["url"].astext.label("url"))


async def listed(
    conn: AsyncConnection,
    *,
    status: str | None = None,
    stage: str | None = None,
    error_type: str | None = None,
    source_id: int | None = None,
    after: int | None = None,
    limit: int = 50,
) -> tuple[list[Row], str | None]:
    """Newest first."""
    statement = _matching(_letters(), status, stage, error_type, source_id)
    return cut(await rows(conn, page(statement, D.c.id, after, limit, newest=True)), limit)


async def one(conn: AsyncConnection, letter_id: int) -> Row | None:
    return await first(conn, _letters().where(D.c.id == letter_id))


async def pending(
    conn: AsyncConnection, *, stage: str | None, error_type: str | None, source_id: int | None, limit: int
) -> tuple[list[int], int]:
    """(ids of pending letters that match, oldest first; how many there are in all)."""
    statement = _matching(select(D.c.id), "pending", stage, error_type, source_id)
    total = select(func.count()).select_from(statement.subquery())
    ids = [row["id"] for row in await rows(conn, statement.order_by(D.c.id).limit(limit))]
    return ids, int((await conn.execute(total)).scalar_one())


async def reasons(conn: AsyncConnection) -> list[Row]:
    """Why open letters failed, the most frequent first."""
    statement = select(D.c.stage, D.c.error_type, func.count().label("letters")).where(D.c.status == "pending")
    return await rows(conn, statement.group_by(D.c.stage, D.c.error_type).order_by(func.count().desc()).limit(50))
