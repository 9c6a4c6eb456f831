"""Tasks of both tables: the hot one and the archive of what is finished (DESIGN §11.1)."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from sqlalchemy import Select, case, column, func, select, table
from sqlalchemy.ext.asyncio import AsyncConnection

from winnow.db.tables.extract import DraftRow
from winnow.db.tables.judge import RecordRow
from winnow.db.tables.schedule import ErrorLog, Lane, Task, TaskArchive
from winnow.queries.reading import Row, cut, first, page, rows

HOT, ARCHIVE, LANES, ERRORS = (m.__table__ for m in (Task, TaskArchive, Lane, ErrorLog))
DRAFTS, RECORDS = DraftRow.__table__, RecordRow.__table__
MAX_DOMAINS = 100
MAX_READ = 50  # a page rarely has more than one thing; a listing has dozens

_PIPELINE_COLUMNS = (
    "id source_id run_id current_stage stage_status attempts max_attempts last_error created_at started_at "
    "completed_at priority"
)
PIPELINE_JOBS = table("pipeline_jobs", *(column(name) for name in _PIPELINE_COLUMNS.split()))


def _columns(of: Any) -> Select[Any]:
    """`due_at` infinity means paused; that is no moment a program can read."""
    due = case((func.isfinite(of.c.due_at), of.c.due_at), else_=None).label("due_at")
    shown = [c for c in of.c if c.name not in ("due_at", "payload", "fence", "leased_by")]
    return select(*shown, due, of.c.lane.label("domain"))


async def listed(
    conn: AsyncConnection,
    *,
    status: str | None = None,
    source_id: int | None = None,
    target_id: int | None = None,
    run_id: int | None = None,
    domain: str | None = None,
    archived: bool = False,
    after: UUID | None = None,
    limit: int = 50,
) -> tuple[list[Row], str | None]:
    """Newest first, from the hot table or from the archive."""
    of = ARCHIVE if archived else HOT
    wanted = {"status": status, "source_id": source_id, "target_id": target_id, "run_id": run_id, "lane": domain}
    statement = _columns(of)
    for name, value in wanted.items():
        if value is not None:
            statement = statement.where(of.c[name] == value)
    return cut(await rows(conn, page(statement, of.c.id, after, limit, newest=True)), limit)


async def of_run(
    conn: AsyncConnection, run_id: int, *, outcome: str | None = None, after: UUID | None = None, limit: int = 50
) -> tuple[list[Row], str | None]:
    """Newest first, from both tables: a run that is under way has tasks in each."""
    found = []
    for of in (HOT, ARCHIVE):
        statement = _columns(of).where(of.c.run_id == run_id)
        if outcome is not None:
            statement = statement.where(func.coalesce(of.c.outcome, of.c.status) == outcome)
        found += await rows(conn, page(statement, of.c.id, after, limit, newest=True))
    found.sort(key=lambda row: row["id"], reverse=True)
    return cut(found[: limit + 1], limit)


async def of_target(
    conn: AsyncConnection, target_id: int, *, after: UUID | None = None, limit: int = 50
) -> tuple[list[Row], str | None]:
    """Newest first, from both tables: finished tasks stay in the hot one for a day (WINNOW_KEEP_FINISHED_HOURS)."""
    found = []
    for of in (HOT, ARCHIVE):
        statement = _columns(of).where(of.c.target_id == target_id)
        found += await rows(conn, page(statement, of.c.id, after, limit, newest=True))
    found.sort(key=lambda row: row["id"], reverse=True)
    return cut(found[: limit + 1], limit)


async def outcomes_of_run(conn: AsyncConnection, run_id: int) -> dict[str, int]:
    """How its tasks ended, or where they stand: outcome (status while there is none) -> how many."""
    counted: dict[str, int] = {}
    for of in (HOT, ARCHIVE):
        name = func.coalesce(of.c.outcome, of.c.status).label("name")
        statement = select(name, func.count().label("n")).where(of.c.run_id == run_id).group_by(name)
        for row in await rows(conn, statement):
            counted[row["name"]] = counted.get(row["name"], 0) + row["n"]
    return dict(sorted(counted.items(), key=lambda item: -item[1]))


async def read(conn: AsyncConnection, task_id: UUID) -> tuple[list[Row], list[Row]]:
    """(drafts, records) of one task: what was read, and the verdicts."""
    drafts = select(DRAFTS).where(DRAFTS.c.task_id == task_id).order_by(DRAFTS.c.id).limit(MAX_READ)
    records = select(RECORDS).where(RECORDS.c.task_id == task_id).order_by(RECORDS.c.id).limit(MAX_READ)
    return await rows(conn, drafts), await rows(conn, records)


async def one(conn: AsyncConnection, task_id: UUID) -> Row | None:
    for of in (HOT, ARCHIVE):
        found = await first(conn, _columns(of).where(of.c.id == task_id))
        if found is not None:
            errors = select(ERRORS).where(ERRORS.c.task_id == task_id).order_by(ERRORS.c.id)
            found["errors"] = await rows(conn, errors)
            return found
    return None


async def summary(conn: AsyncConnection) -> Row:
    statuses = select(HOT.c.status, func.count().label("n")).group_by(HOT.c.status)
    domains = (
        select(LANES.c.lane.label("domain"), LANES.c.queued, LANES.c.in_flight.label("running"))
        .where((LANES.c.queued > 0) | (LANES.c.in_flight > 0))
        .order_by((LANES.c.queued + LANES.c.in_flight).desc())
        .limit(MAX_DOMAINS)
    )
    by_status = {row["status"]: row["n"] for row in await rows(conn, statuses)}
    return {"by_status": by_status, "by_domain": await rows(conn, domains)}


async def pipeline_jobs(
    conn: AsyncConnection,
    *,
    stage: str | None = None,
    run_id: str | None = None,
    after: UUID | None = None,
    limit: int = 50,
) -> tuple[list[Row], str | None]:
    """Newest first, in the words of the events pipeline."""
    statement = select(PIPELINE_JOBS)
    if stage is not None:
        statement = statement.where(PIPELINE_JOBS.c.current_stage == stage)
    if run_id is not None:
        statement = statement.where(PIPELINE_JOBS.c.run_id == run_id)
    return cut(await rows(conn, page(statement, PIPELINE_JOBS.c.id, after, limit, newest=True)), limit)
