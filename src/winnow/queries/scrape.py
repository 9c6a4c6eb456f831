"""Tasks and jobs of the scraping service, in its own words (S-026 … S-029)."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from sqlalchemy import FromClause, Select, bindparam, exists, select, union_all
from sqlalchemy.ext.asyncio import AsyncConnection

from winnow.db.tables.results import EnrichmentResult
from winnow.db.tables.schedule import Job, Task, TaskArchive
from winnow.queries.reading import Row, first, rows
from winnow.run import endings
from winnow.schedule.queue.task import Producer

HOT, ARCHIVE, JOBS, RESULTS = (m.__table__ for m in (Task, TaskArchive, Job, EnrichmentResult))


def status_of(status: str, outcome: str | None) -> str:
    """Of a task, to its caller: what was held or refused is no result (S-026)."""
    if status in ("queued", "running", "cancelled"):
        return status
    return "completed" if status == "done" and outcome == "accepted" else "failed"


def _one_of(table: FromClause) -> Select[*tuple[Any, ...]]:
    joined = table.outerjoin(RESULTS, RESULTS.c.task_id == table.c.id)
    shown = (RESULTS.c.data, RESULTS.c.further, RESULTS.c.problems)
    asked = (table.c.id == bindparam("task_id")) & (table.c.producer == Producer.ENRICHMENT)
    return select(table, *shown).select_from(joined).where(asked).limit(1)


_TASK = (_one_of(HOT), _one_of(ARCHIVE))  # asked for most of all: writing them each time took as long as asking


async def task(conn: AsyncConnection, task_id: UUID) -> Row | None:
    for statement in _TASK:
        found = (await conn.execute(statement, {"task_id": task_id})).mappings().first()
        if found is not None:
            return _to_row(dict(found))
    return None


def _to_row(row: Row) -> Row:
    status, asked = status_of(row["status"], row["outcome"]), row["payload"] or {}
    done = status == "completed"
    return {
        **row,
        "status": status,
        "target_type": row["adapter_id"],
        "target_url": row["url"],
        "requested_fields": asked.get("requested_fields"),
        "workspace_id": asked.get("workspace_id"),
        "priority": row["rank"],
        "completed_at": row["finished_at"],
        "result": row["data"] if done else None,
        "further_results": (row["further"] or []) if done else [],
        "problems": (row["problems"] or {}) if done else {},
        "error": _why(row) if status in ("failed", "cancelled") else None,
    }


def _why(row: Row) -> str:
    return endings.describe_outcome(row["outcome"] or row["status"], row["reason"], row["last_error"])


async def job(conn: AsyncConnection, job_id: UUID) -> Row | None:
    """Running from the first task that is taken up until the last has ended."""
    found = await first(conn, select(JOBS).where(JOBS.c.id == job_id))
    if found is not None and found["status"] == "queued":
        begun = found["completed_tasks"] + found["failed_tasks"] + found["cancelled_tasks"] > 0
        found["status"] = "running" if begun or await _running(conn, job_id) else "queued"
    return None if found is None else found | {"task_ids": await _task_ids(conn, job_id)}


async def _task_ids(conn: AsyncConnection, job_id: UUID) -> list[UUID]:
    """Ids grow with the order of the targets."""
    both = (select(of.c.id).where(of.c.job_id == job_id) for of in (HOT, ARCHIVE))
    return sorted((await conn.execute(union_all(*both))).scalars())


async def _running(conn: AsyncConnection, job_id: UUID) -> bool:
    under_way = exists().where((HOT.c.job_id == job_id) & (HOT.c.status == "running"))
    return bool((await conn.execute(select(under_way))).scalar())


async def results(conn: AsyncConnection, job_id: UUID) -> list[dict[str, Any]]:
    columns = [RESULTS.c[name] for name in ("task_id", "target_type", "target_url", "problems")]
    accepted = (RESULTS.c.job_id == job_id) & (RESULTS.c.verdict == "accept")
    return await rows(
        conn, select(*columns, RESULTS.c.data.label("result")).where(accepted).order_by(RESULTS.c.task_id)
    )
