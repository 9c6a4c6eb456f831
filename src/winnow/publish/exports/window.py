"""Which rows an export has: those that changed in [since, until), by the database's clock.

Rows become visible when their transaction commits, not in the order of their ids or times, so a cursor that took the
newest row it saw would skip what was still being written. `until` is therefore the begin of the oldest transaction that
is under way: every row older than that is visible or will never be, and the next export begins exactly there.
"""

from __future__ import annotations

from datetime import datetime

import msgspec

from winnow.db.engine import Connection
from winnow.db.sql import load

BEGINNING = datetime.fromisoformat("1970-01-01T00:00:00+00:00")
# A transaction has its time a moment before others can see that it is under way; this is many times as long.
_SETTLE = "SELECT clock_timestamp(), pg_sleep(0.1)"
_OLDEST = """
SELECT least(%s, min(xact_start))
FROM pg_stat_activity
WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
"""
_FLOOR = load("publish/exports/price_floor.sql")


class Window(msgspec.Struct, frozen=True):
    since: datetime
    until: datetime


async def settled_until(conn: Connection) -> datetime:
    """The moment before which nothing can appear any more. On a connection outside a transaction."""
    row = await (await conn.execute(_SETTLE)).fetchone()
    assert row is not None
    found = await (await conn.execute(_OLDEST, (row[0],))).fetchone()
    assert found is not None
    oldest: datetime = found[0]
    return oldest


async def open_window(conn: Connection, since: datetime | None, until: datetime | None) -> Window:
    """`until` only where it is earlier than what is settled."""
    settled = await settled_until(conn)
    return Window(since or BEGINNING, settled if until is None else min(until, settled))


async def price_floor(conn: Connection, since: datetime) -> datetime:
    """No price recorded before this can have changed since: the index on the time of recording does the rest."""
    row = await (await conn.execute(_FLOOR, {"since": since})).fetchone()
    return BEGINNING if row is None or row[0] is None else max(BEGINNING, row[0])
