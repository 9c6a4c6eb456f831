"""How often people opened and kept an event, as the apps that show it report (E-114)."""

from __future__ import annotations

from winnow.db.engine import Connection
from winnow.errors import NotFound

_ADD = """
INSERT INTO event_reactions AS r (event_id, clicks, saves)
SELECT coalesce(e.merged_into, e.id), %(clicks)s, %(saves)s FROM events AS e WHERE e.id = %(id)s
ON CONFLICT (event_id) DO UPDATE
SET clicks = r.clicks + excluded.clicks, saves = greatest(r.saves + excluded.saves, 0), updated_at = now()
RETURNING event_id
"""


async def add(conn: Connection, event_id: int, *, clicks: int = 0, saves: int = 0) -> None:
    """For an event that was merged, those of the one it is shown as."""
    cursor = await conn.execute(_ADD, {"id": event_id, "clicks": clicks, "saves": saves})
    if await cursor.fetchone() is None:
        raise NotFound(f"there is no event {event_id}")
