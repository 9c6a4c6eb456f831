from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from winnow.db.engine import Database

Rows = Callable[..., Awaitable[list[Any]]]


@pytest.fixture
def rows(database: Database) -> Rows:
    async def fetch(query: str, *given: object) -> list[Any]:
        async with database.connection() as conn:
            found = await conn.execute(query, given)
            return [row[0] if len(row) == 1 else row for row in await found.fetchall()] if found.description else []

    return fetch
