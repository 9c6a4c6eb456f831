"""Reading for API, CLI and console: SQLAlchemy Core on the declared tables, in transactions that cannot write.

`reader(db)` hands out connections whose transactions are READ ONLY, so GET cannot change anything even by
mistake (R-25).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from sqlalchemy import ColumnElement, Select
from sqlalchemy.ext.asyncio import AsyncConnection

from winnow.db.engine import Database

Row = dict[str, Any]


@asynccontextmanager
async def reader(database: Database) -> AsyncIterator[AsyncConnection]:
    async with database.engine.connect() as connection:
        await connection.execution_options(postgresql_readonly=True)
        yield connection


async def rows(connection: AsyncConnection, statement: Select[*tuple[Any, ...]]) -> list[Row]:
    return [dict(row) for row in (await connection.execute(statement)).mappings()]


async def first(connection: AsyncConnection, statement: Select[*tuple[Any, ...]]) -> Row | None:
    row = (await connection.execute(statement.limit(1))).mappings().first()
    return None if row is None else dict(row)


def page(
    statement: Select[Any], key: ColumnElement[Any], after: Any, limit: int, *, newest: bool = False
) -> Select[Any]:
    """The rows after the cursor, by key; one more than asked for, so that `cut` knows whether there are more."""
    if after is not None:
        statement = statement.where(key < after if newest else key > after)
    return statement.order_by(key.desc() if newest else key.asc()).limit(limit + 1)


def cut(found: Sequence[Row], limit: int, key: str = "id") -> tuple[list[Row], str | None]:
    """The page and the cursor of the next one."""
    if len(found) <= limit:
        return list(found), None
    kept = list(found[:limit])
    return kept, str(kept[-1][key])


def contains(text: str) -> str:
    """A LIKE pattern for a part of a text, whatever characters it has."""
    escaped = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"
