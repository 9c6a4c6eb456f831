"""What the end of its tasks means to a job, and to whoever asked to be called back (S-040, S-101, S-135).

Every way a task can end passes here, in the transaction that ends it: settled, given up by rescue, refused behind
an open circuit, cancelled, or gone stale. So a job that is over and its one callback exist together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from winnow.db.engine import Connection
from winnow.publish import callbacks, deliveries
from winnow.run import endings
from winnow.run.visit import Ending, Visit
from winnow.schedule import jobs, queue
from winnow.schedule.jobs import CountedJob, End
from winnow.schedule.task import Producer
from winnow.store import enrichment

TASK_TOPIC = "scrape.ended"


def end_of(end: Ending) -> End:
    return End.COMPLETED if end.outcome == endings.ACCEPTED else End.FAILED


async def settled(conn: Connection, ended: Sequence[tuple[Visit, Ending]]) -> list[CountedJob]:
    asked = [(visit, end) for visit, end in ended if visit.task.producer == Producer.ENRICHMENT]
    if not asked:
        return []
    for visit, end in asked:
        await _call_back(conn, visit, end)
    return await count(conn, [(visit.task.job_id, end_of(end)) for visit, end in asked])


async def withdrawn(conn: Connection, gone: Iterable[queue.Withdrawn]) -> list[CountedJob]:
    return await count(conn, [(task.job_id, End.CANCELLED) for task in gone])


async def count(conn: Connection, ends: Iterable[tuple[UUID | None, End]]) -> list[CountedJob]:
    counted = await jobs.count(conn, ends)
    for job in counted:
        if job.over:
            await _report(conn, job)
    return counted


async def _report(conn: Connection, job: CountedJob) -> None:
    if job.callback_url is None:
        return
    results = await enrichment.of_job(conn, job.id) if job.total <= callbacks.MOST_RESULTS else None
    await callbacks.put(
        conn,
        job_id=job.id,
        status=job.status,
        total=job.total,
        completed=job.completed,
        failed=job.failed,
        results=results,
        callback_url=job.callback_url,
    )


async def _call_back(conn: Connection, visit: Visit, end: Ending) -> None:
    """A standalone task that named an address reports there, in the shape of a job of one."""
    task = visit.task
    url = (task.payload or {}).get("callback_url")
    if task.job_id is not None or not isinstance(url, str):
        return
    done = end_of(end) is End.COMPLETED
    read = visit.assessment.read if done and visit.assessment is not None else None
    result = read.results[0].data if read is not None and read.results else None
    body: dict[str, Any] = {
        "job_id": None,
        "task_id": str(task.id),
        "status": "completed" if done else "failed",
        "error": None if done else end.reason or end.outcome,
        "summary": {"total": 1, "completed": int(done), "failed": int(not done)},
        "results": [{"task_id": str(task.id), "target_url": task.url, "result": result}] if done else [],
    }
    await deliveries.put(conn, url=url, topic=TASK_TOPIC, payload=body)
