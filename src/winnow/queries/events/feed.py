"""The personal feed of events around a place (E-114, E-115)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from winnow.db.sql import load
from winnow.errors import InvalidInput
from winnow.queries.events.lists import Around
from winnow.queries.reading import Row
from winnow.store.events.place import areas_around

FEED = text(load("queries/events/feed.sql"))
PER_AREA = 100  # of the next events of an area; a feed shows a few dozen
MAX_METRES = 100_000.0


async def feed(
    conn: AsyncConnection,
    around: Around,
    *,
    since: datetime,
    until: datetime,
    categories: Sequence[str] = (),
    skip: int = 0,
    limit: int = 50,
) -> list[Row]:
    """Best first. `categories` are preferred, not required."""
    areas = areas_around(around.latitude, around.longitude, around.metres)
    if not 0 < around.metres <= MAX_METRES or areas is None:
        raise InvalidInput(f"the radius of a feed is up to {MAX_METRES / 1000:g} km", field="radius")
    given = {
        "latitude": around.latitude, "longitude": around.longitude, "metres": around.metres, "areas": areas,
        "since": since, "until": until, "categories": list(categories), "per_area": PER_AREA, "skip": skip,
        "limit": limit,
    }  # fmt: skip
    return [dict(row) for row in (await conn.execute(FEED, given)).mappings()]
