"""Venues as operators see them: the places of events, and the names they are listed under."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from sqlalchemy import func, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from winnow.db.tables.events import Event, Venue, VenueAlias
from winnow.queries.reading import Row, contains, cut, first, page, rows

V = Venue.__table__.c


async def listed(
    conn: AsyncConnection,
    *,
    text: str | None = None,
    located: bool | None = None,
    merged: bool | None = None,
    after: int | None = None,
    limit: int = 50,
) -> tuple[list[Row], str | None]:
    """`text` is a part of the name or of the town."""
    statement = select(Venue.__table__)
    if text:
        statement = statement.where(or_(V.name.ilike(contains(text)), V.town.ilike(contains(text))))
    if located is not None:
        statement = statement.where(V.latitude.is_not(None) if located else V.latitude.is_(None))
    if merged is not None:
        statement = statement.where(V.merged_into.is_not(None) if merged else V.merged_into.is_(None))
    return cut(await rows(conn, page(statement, V.id, after, limit)), limit)


async def one(conn: AsyncConnection, venue_id: int) -> Row | None:
    """With its aliases, and the venues that were merged into it."""
    found = await first(conn, select(Venue.__table__).where(V.id == venue_id))
    if found is None:
        return None
    aliases = select(VenueAlias.__table__).where(VenueAlias.venue_id == venue_id).order_by(VenueAlias.alias_key)
    merged = select(V.id, V.name, V.town).where(V.merged_into == venue_id).order_by(V.id)
    return found | {"aliases": await rows(conn, aliases), "merged": await rows(conn, merged)}


async def coming(conn: AsyncConnection, venue_ids: Sequence[int]) -> dict[int, int]:
    """How many events of days to come each of these venues has."""
    statement = (
        select(Event.venue_id, func.count().label("events"))
        .where(Event.venue_id.in_(venue_ids), Event.starts_at >= datetime.now(UTC))
        .group_by(Event.venue_id)
    )
    return {row["venue_id"]: row["events"] for row in await rows(conn, statement)}
