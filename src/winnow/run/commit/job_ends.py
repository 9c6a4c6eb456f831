"""What the end of its tasks means to a job, and to whoever asked to be called back (S-040, S-101, S-135).

Every way a task can end passes here, in the transaction that ends it: settled, given up by rescue, refused behind
an open circuit, cancelled, or gone stale. So an end and its one callback exist together: that of a job that is over,
and that of a task whose request named an address of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol
from uuid import UUID

from winnow.db.engine import Connection
from winnow.kinds.writers.results import result_of
from winnow.publish import callbacks, deliveries
from winnow.run import endings
from winnow.run.commit import task_log
from winnow.run.commit.storing import ref_of
from winnow.run.visit import Ending, Visit
from winnow.schedule import jobs
from winnow.schedule.jobs import CountedJob, TaskEnd
from winnow.schedule.queue.task import CALLBACK_KEY, Producer
from winnow.store import enrichment

TASK_TOPIC = "scrape.ended"


class CallbackTask(Protocol):
    """A task as far as a callback speaks of it."""

    @property
    def id(self) -> UUID: ...
    @property
    def job_id(self) -> UUID | None: ...
    @property
    def producer(self) -> str: ...
    @property
    def url(self) -> str: ...
    @property
    def payload(self) -> dict[str, Any] | None: ...


class Gone(CallbackTask, Protocol):
    """One that left the queue without being settled: withdrawn, refused, or lost for good."""

    @property
    def reason(self) -> str | None: ...


def end_of(end: Ending) -> TaskEnd:
    return TaskEnd.COMPLETED if end.outcome == endings.ACCEPTED else TaskEnd.FAILED


async def settled(conn: Connection, ended: Sequence[tuple[Visit, Ending]]) -> list[CountedJob]:
    asked = [(visit, end) for visit, end in ended if visit.task.producer == Producer.ENRICHMENT]
    for visit, end in asked:
        await _call_back(conn, visit.task, end_of(end), _why(end), _result(visit))
    return await _count(conn, [(visit.task.job_id, end_of(end)) for visit, end in asked])


async def gone(conn: Connection, tasks: Iterable[Gone], end: TaskEnd) -> list[CountedJob]:
    """Count tasks that left the queue in their jobs; tasks without a job are left out."""
    asked = [task for task in tasks if task.producer == Producer.ENRICHMENT]
    for task in asked:
        await _call_back(conn, task, end, task.reason or end)
        if end is TaskEnd.FAILED:
            task_log.failed(task, task.reason or end)
    return await _count(conn, [(task.job_id, end) for task in asked])


async def _count(conn: Connection, ends: Iterable[tuple[UUID | None, TaskEnd]]) -> list[CountedJob]:
    counted = await jobs.count(conn, ends)
    for job in counted:
        if job.over:
            await _report(conn, job)
    return counted


async def _report(conn: Connection, job: CountedJob) -> None:
    if job.callback_url is None:
        return
    results = await enrichment.of_job(conn, job.id) if job.total <= callbacks.MAX_RESULTS else None
    await callbacks.create(
        conn,
        job_id=job.id,
        status=job.status,
        total=job.total,
        completed=job.completed,
        failed=job.failed,
        results=results,
        callback_url=job.callback_url,
    )


async def _call_back(
    conn: Connection, task: CallbackTask, end: TaskEnd, reason: str | None, result: dict[str, Any] | None = None
) -> None:
    """Describe the task as a job of one; a task of a job that named an address of its own says which job."""
    url = (task.payload or {}).get(CALLBACK_KEY)
    if not isinstance(url, str):
        return
    done = end is TaskEnd.COMPLETED
    body: dict[str, Any] = {
        "job_id": None if task.job_id is None else str(task.job_id),
        "task_id": str(task.id),
        "status": end,
        "error": None if done else reason,
        "summary": {"total": 1, "completed": int(done), "failed": int(end is TaskEnd.FAILED)},
        "results": [result] if done and result is not None else [],
    }
    await deliveries.create_direct(conn, url=url, topic=TASK_TOPIC, payload=body, about=task.id)


def _why(end: Ending) -> str:
    return endings.describe_outcome(end.outcome, end.reason, end.error)


def _result(visit: Visit) -> dict[str, Any] | None:
    """As a job's callback lists it (store/enrichment.of_job)."""
    if visit.assessment is None or not visit.assessment.records:
        return None
    task = visit.task
    found = result_of(ref_of(visit), visit.assessment.records)
    return {
        "task_id": str(task.id),
        "target_type": task.adapter_id,
        "target_url": task.url,
        "result": found.data,
        "problems": found.problems,
    }
