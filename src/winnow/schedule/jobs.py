"""Jobs: tasks asked for together through the API, counted as they end, over with the last one (S-027, S-029)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any
from uuid import UUID

import msgspec
from psycopg import AsyncConnection
from psycopg.rows import class_row

from winnow.db.sql import load
from winnow.errors import Conflict, NotFound

COUNT = load("schedule/count_job.sql")

Connection = AsyncConnection[Any]

_CREATE = """
INSERT INTO jobs (id, workspace_id, total_tasks, callback_url)
VALUES (%(id)s, %(workspace_id)s, %(total)s, %(callback_url)s)
"""
CANCELLED = "cancelled"
_CANCEL = """
UPDATE jobs SET status = 'cancelled', updated_at = statement_timestamp()
WHERE id = %s AND finished_at IS NULL RETURNING id
"""


class NewJob(msgspec.Struct, frozen=True, kw_only=True):
    id: UUID
    total: int
    workspace_id: str | None = None
    callback_url: str | None = None


class TaskEnd(StrEnum):
    """What the end of a task is to its job."""

    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


class CountedJob(msgspec.Struct, frozen=True, kw_only=True):
    """`over`: the call that returned this counted the last task; it is true once in a job's life."""

    id: UUID
    status: str
    total: int
    completed: int
    failed: int
    cancelled: int
    callback_url: str | None
    over: bool


async def create(conn: Connection, job: NewJob) -> None:
    await conn.execute(_CREATE, msgspec.structs.asdict(job))


async def count(conn: Connection, ends: Iterable[tuple[UUID | None, TaskEnd]]) -> list[CountedJob]:
    """`ends` are tasks of any job; those of none are left out."""
    tallies: dict[UUID, dict[TaskEnd, int]] = defaultdict(lambda: dict.fromkeys(TaskEnd, 0))
    for job_id, end in ends:
        if job_id is not None:
            tallies[job_id][end] += 1
    return await _count(conn, tallies) if tallies else []


async def _count(conn: Connection, tallies: Mapping[UUID, Mapping[TaskEnd, int]]) -> list[CountedJob]:
    given: dict[str, list[Any]] = {"id": list(tallies)}
    for end in TaskEnd:
        given[end.value] = [tally[end] for tally in tallies.values()]
    async with conn.cursor(row_factory=class_row(CountedJob)) as cursor:
        await cursor.execute(COUNT, given)
        return await cursor.fetchall()


async def cancel(conn: Connection, job_id: UUID) -> bool:
    """Mark the job as cancelled; the caller withdraws its tasks (run/closing.py). False when it was cancelled
    already, so that a caller who lost the answer may ask again. A job that is over in another way is a Conflict."""
    known = await (await conn.execute("SELECT status FROM jobs WHERE id = %s FOR UPDATE", (job_id,))).fetchone()
    if known is None:
        raise NotFound(f"Job not found: {job_id}")
    if known[0] == CANCELLED:
        return False
    if await (await conn.execute(_CANCEL, (job_id,))).fetchone() is None:
        raise Conflict(f"job {job_id} is {known[0]}", existing=str(known[0]))
    return True


async def cancelled_tasks(conn: Connection, job_id: UUID) -> int:
    found = await (await conn.execute("SELECT cancelled_tasks FROM jobs WHERE id = %s", (job_id,))).fetchone()
    return int(found[0]) if found is not None else 0
