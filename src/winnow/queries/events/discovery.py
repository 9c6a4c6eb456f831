"""Discovery jobs, and the candidates they found."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from winnow.db.tables.discovery import DiscoveryCandidate, DiscoveryJob, Municipality
from winnow.db.tables.sources import Source
from winnow.queries.reading import Row, cut, first, page, rows

C, J, M, S = DiscoveryCandidate.__table__, DiscoveryJob.__table__, Municipality.__table__, Source.__table__


async def candidates(
    conn: AsyncConnection, *, status: str | None = "pending", after: int | None = None, limit: int = 50
) -> tuple[list[Row], str | None]:
    """Newest first."""
    joined = C.outerjoin(M, M.c.id == C.c.municipality_id).outerjoin(S, S.c.id == C.c.source_id)
    named = (M.c.name.label("municipality"), S.c.name.label("source_name"), S.c.needs_review, S.c.review_reason)
    statement = select(*C.c, *named).select_from(joined)
    if status is not None:
        statement = statement.where(C.c.status == status)
    return cut(await rows(conn, page(statement, C.c.id, after, limit, newest=True)), limit)


async def candidate(conn: AsyncConnection, candidate_id: int) -> Row | None:
    return await first(conn, select(*C.c).where(C.c.id == candidate_id))


async def jobs(conn: AsyncConnection, *, after: int | None = None, limit: int = 50) -> tuple[list[Row], str | None]:
    """Newest first."""
    return cut(await rows(conn, page(select(*J.c), J.c.id, after, limit, newest=True)), limit)


async def municipalities(
    conn: AsyncConnection, *, after: int | None = None, limit: int = 50
) -> tuple[list[Row], str | None]:
    """Those that are searched, or were."""
    return cut(await rows(conn, page(select(*M.c), M.c.id, after, limit)), limit)
