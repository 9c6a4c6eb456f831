"""What brings a visit forward besides its interval: a change in another shop (C-020), and how popular a product is
(C-021)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from psycopg import AsyncConnection

from winnow.db.sql import load

CHANGES = load("sources/changes.sql")
POPULARITY = load("sources/popularity.sql")
AT_ONCE = 5_000

Connection = AsyncConnection[Any]


async def follow_changes(conn: Connection, since: datetime, until: datetime, n: int = AT_ONCE) -> int:
    """How many targets are due by it."""
    return (await conn.execute(CHANGES, {"since": since, "until": until, "n": n})).rowcount


async def count_popularity(conn: Connection, n: int = AT_ONCE) -> int:
    """How many targets became more or less popular."""
    return (await conn.execute(POPULARITY, {"n": n})).rowcount
