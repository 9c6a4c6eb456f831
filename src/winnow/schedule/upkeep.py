"""Chores that keep the queue consistent. Each is `run_once`-shaped; run/upkeep.py calls them on a beat."""

from __future__ import annotations

from typing import Any

import structlog
from psycopg import AsyncConnection
from psycopg.rows import dict_row, scalar_row

from winnow.schedule import runs
from winnow.schedule.queue import dead_letters, queue
from winnow.schedule.queue.task import Stage, Status
from winnow.schedule.settings import ScheduleSettings

log = structlog.get_logger(__name__)

Connection = AsyncConnection[Any]

_ARCHIVE = """
WITH old AS (
    DELETE FROM tasks
    WHERE id IN (
        SELECT id FROM tasks
        WHERE finished_at IS NOT NULL AND finished_at < now() - make_interval(secs => %(seconds)s)
        ORDER BY finished_at LIMIT %(n)s FOR UPDATE SKIP LOCKED
    )
    RETURNING *
), kept AS (
    INSERT INTO task_archive SELECT * FROM old ON CONFLICT (id) DO NOTHING RETURNING 1
)
SELECT count(*) FROM kept
"""
# The counts of a lane follow every change in the same transaction. Should they ever disagree with the
# tasks, this puts them right and says so: it is an alarm, not a mechanism.
_MISCOUNTED = """
WITH true_counts AS (
    SELECT lane,
           count(*) FILTER (WHERE status = 'queued' AND due_at IS NULL)::integer AS queued,
           count(*) FILTER (WHERE status = 'running')::integer AS in_flight
    FROM tasks WHERE status IN ('queued', 'running') GROUP BY lane
), wrong AS (
    SELECT l.lane, coalesce(t.queued, 0) AS queued, coalesce(t.in_flight, 0) AS in_flight
    FROM lanes AS l LEFT JOIN true_counts AS t USING (lane)
    WHERE (l.queued, l.in_flight) IS DISTINCT FROM (coalesce(t.queued, 0), coalesce(t.in_flight, 0))
)
"""
_RECOUNT = f"""{_MISCOUNTED}
UPDATE lanes AS l SET queued = w.queued, in_flight = w.in_flight FROM wrong AS w WHERE l.lane = w.lane
RETURNING l.lane
"""


async def rescue(conn: Connection) -> list[queue.Lost]:
    """Put the tasks of dead workers back; one that keeps losing workers ends as a dead letter (R-05). The caller
    closes them (run/closing.py)."""
    lost = await queue.rescue(conn)
    failed = [task for task in lost if task.status == Status.FAILED]
    await dead_letters.write(conn, [_letter(task) for task in failed])
    for task in lost:
        log.warning("task_rescued", task_id=str(task.id), status=task.status, stage=task.stage, reason=task.last_error)
    return lost


async def archive_finished(conn: Connection, settings: ScheduleSettings, n: int = 5_000) -> int:
    """Move finished tasks out of the hot table."""
    async with conn.cursor(row_factory=scalar_row) as cursor:
        await cursor.execute(_ARCHIVE, {"seconds": settings.keep_finished_hours * 3600, "n": n})
        return int(await cursor.fetchone() or 0)


async def recount_lanes(conn: Connection) -> list[str]:
    """Correct lane counts that disagree with the tasks. One statement sees both at one moment, so looking needs no
    lock; only correcting does."""
    async with conn.cursor(row_factory=scalar_row) as cursor:
        await cursor.execute(f"{_MISCOUNTED} SELECT 1 FROM wrong LIMIT 1")
        if await cursor.fetchone() is None:
            return []
    async with conn.transaction(), conn.cursor(row_factory=scalar_row) as cursor:
        await cursor.execute("LOCK TABLE lanes IN SHARE ROW EXCLUSIVE MODE")
        await cursor.execute(_RECOUNT)
        wrong = await cursor.fetchall()
    for lane in wrong:
        log.error("lane_counts_corrected", lane=lane)
    return wrong


async def close_finished_runs(conn: Connection) -> list[runs.CountedRun]:
    """A run whose tasks are all gone without having been counted (deleted by hand, say) is closed."""
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(
            "SELECT r.id FROM scrape_runs AS r "
            "WHERE r.status = 'RUNNING' AND r.started_at < now() - interval '1 minute' "
            "AND r.links_waiting = 0 "
            "AND NOT EXISTS (SELECT 1 FROM tasks AS t WHERE t.run_id = r.id AND t.status IN ('queued','running'))"
        )
        orphans = [row["id"] for row in await cursor.fetchall()]
    await conn.execute(
        "UPDATE scrape_runs SET urls_planned = urls_attempted + urls_cancelled WHERE id = ANY(%s)", (orphans,)
    )
    return await runs.count(conn, {run_id: runs.Tally() for run_id in orphans})


def _letter(task: queue.Lost) -> dead_letters.Letter:
    return dead_letters.Letter(
        task_id=task.id,
        source_id=task.source_id,
        run_id=task.run_id,
        stage=task.stage,
        error_type="worker_lost",
        error_message=task.last_error,
        payload=dead_letters.payload_of(task, task.page_id if task.stage != Stage.FETCH else None),
        retried_from=(task.payload or {}).get(dead_letters.LETTER_KEY),
    )
