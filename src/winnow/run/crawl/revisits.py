"""Chores of upkeep about visits that are due early: changes of other shops every minute, popularity every hour."""

from __future__ import annotations

from datetime import timedelta

from winnow.db.engine import Database
from winnow.sources import revisit
from winnow.store import reads

OVERLAP = timedelta(minutes=1)
BEAT_SECONDS = 30.0

# The scheduler's row remembers how far a chore has come, and lets one upkeep at a time do it.
_CHANGES_SINCE = """
SELECT coalesce(last_changes_seen_at, now() - interval '1 hour'), now() FROM scheduler_state WHERE id = 1
FOR UPDATE SKIP LOCKED
"""
_CHANGES_SEEN = "UPDATE scheduler_state SET last_changes_seen_at = %s WHERE id = 1"
_POPULARITY_DUE = """
UPDATE scheduler_state SET last_popularity_at = now()
WHERE id = 1 AND coalesce(last_popularity_at, '-infinity') < now() - interval '1 hour'
"""


class Revisits:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def follow_changes(self) -> int:
        """A commit that began before `until` may end after it; a minute of overlap catches it."""
        async with self._database.transaction() as conn:
            await conn.execute("INSERT INTO scheduler_state (id) VALUES (1) ON CONFLICT DO NOTHING")
            span = await (await conn.execute(_CHANGES_SINCE)).fetchone()
            if span is None:
                return 0
            since, until = span
            due = await revisit.follow_changes(conn, since, until)
            await conn.execute(_CHANGES_SEEN, (until - OVERLAP,))
        return due

    async def count_popularity(self) -> int:
        async with self._database.transaction() as conn:
            if not (await conn.execute(_POPULARITY_DUE)).rowcount:
                return 0
            await reads.forget(conn)
            return await revisit.count_popularity(conn)
