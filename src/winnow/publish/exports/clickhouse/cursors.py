"""How far each table of a destination is loaded.

A window is written down before its first row leaves, and `after` moves with every batch that arrived. So a load that is
killed goes on in the same window after the last batch that is known to have arrived.
"""

from __future__ import annotations

from datetime import datetime

import msgspec
from psycopg.rows import class_row

from winnow.db.engine import Connection

_FIND = """
SELECT since, until, after_id AS after, row_count AS rows, updated_at FROM export_cursors
WHERE destination = %s AND dataset = %s
"""
_OPEN = """
INSERT INTO export_cursors (destination, dataset, since, until) VALUES (%(destination)s, %(dataset)s, NULL, %(until)s)
ON CONFLICT (destination, dataset) DO UPDATE SET until = excluded.until, after_id = NULL, updated_at = now()
"""
_ADVANCE = """
UPDATE export_cursors SET after_id = %(after)s, row_count = row_count + %(rows)s, updated_at = now()
WHERE destination = %(destination)s AND dataset = %(dataset)s
"""
_CLOSE = """
UPDATE export_cursors SET since = until, until = NULL, after_id = NULL, updated_at = now()
WHERE destination = %s AND dataset = %s AND until IS NOT NULL
"""


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """`until` is set while a window is being loaded; everything changed before `since` is there."""

    since: datetime | None = None
    until: datetime | None = None
    after: int | None = None
    rows: int = 0
    updated_at: datetime | None = None


async def find(conn: Connection, destination: str, dataset: str) -> Progress:
    async with conn.cursor(row_factory=class_row(Progress)) as cursor:
        await cursor.execute(_FIND, (destination, dataset))
        return await cursor.fetchone() or Progress()


async def open_window(conn: Connection, destination: str, dataset: str, until: datetime) -> None:
    await conn.execute(_OPEN, {"destination": destination, "dataset": dataset, "until": until})


async def advance(conn: Connection, destination: str, dataset: str, after: int, rows: int) -> None:
    await conn.execute(
        _ADVANCE, {"destination": destination, "dataset": dataset, "after": after, "rows": rows}
    )  # fmt: skip


async def close_window(conn: Connection, destination: str, dataset: str) -> None:
    await conn.execute(_CLOSE, (destination, dataset))
