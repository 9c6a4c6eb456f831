"""Jobs of the scraping service, and the tasks of one (S-027, S-029)."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import select, union_all
from sqlalchemy.ext.asyncio import AsyncConnection

from winnow.db.tables.results import EnrichmentResult
from winnow.db.tables.schedule import Job, Task, TaskArchive
from winnow.queries.reading import Row, cut, page, rows

J, HOT, ARCHIVE, RESULTS = (m.__table__ for m in (Job, Task, TaskArchive, EnrichmentResult))
_SHOWN = ("id", "job_id", "adapter_id", "url", "status", "outcome", "reason", "last_error", "attempts", "finished_at")


async def listed(
    conn: AsyncConnection,
    *,
    status: str | None = None,
    workspace_id: str | None = None,
    after: UUID | None = None,
    limit: int = 50,
) -> tuple[list[Row], str | None]:
    """Newest first: ids grow with time."""
    statement = select(J)
    for column, value in ((J.c.status, status), (J.c.workspace_id, workspace_id)):
        if value is not None:
            statement = statement.where(column == value)
    return cut(await rows(conn, page(statement, J.c.id, after, limit, newest=True)), limit)


async def tasks(
    conn: AsyncConnection, job_id: UUID, *, after: UUID | None = None, limit: int = 50
) -> tuple[list[Row], str | None]:
    """In the order they were asked for, whether they are finished or not, with the verdict on their result."""
    of = union_all(*(select(*(t.c[n] for n in _SHOWN)).where(t.c.job_id == job_id) for t in (HOT, ARCHIVE))).subquery()
    verdicts = (RESULTS.c.verdict, RESULTS.c.reasons, RESULTS.c.erased_at)
    joined = of.outerjoin(RESULTS, RESULTS.c.task_id == of.c.id)
    statement = select(of, *verdicts).select_from(joined)
    return cut(await rows(conn, page(statement, of.c.id, after, limit)), limit)
