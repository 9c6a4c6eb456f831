"""robots.txt as it was fetched, per origin of a domain."""

from __future__ import annotations

from sqlalchemy import case, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from winnow.db.tables.fetch import Robots
from winnow.queries.reading import Row, rows

R = Robots.__table__
MAX_ORIGINS = 20


async def of_domain(conn: AsyncConnection, domain: str) -> list[Row]:
    """An origin whose robots.txt was not fetched yet has no expiry."""
    until = case((func.isfinite(R.c.expires_at), R.c.expires_at), else_=None).label("expires_at")
    shown = [c for c in R.c if c.name != "expires_at"]
    return await rows(conn, select(*shown, until).where(R.c.domain == domain).order_by(R.c.origin).limit(MAX_ORIGINS))
