"""The daily run of event sources: which take part, which is started next, and when it is over (E-024 … E-031).

Sources are started by priority, as many at a time as there are workers for them (E-030), each as an ordinary run.
Everything is stored in two tables, so that another process goes on where a killed one stopped.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any
from uuid import UUID

import msgspec
import psycopg
import structlog
from psycopg import AsyncConnection
from psycopg.rows import class_row, dict_row, scalar_row
from psycopg.types.json import Jsonb

from winnow.db.sql import load
from winnow.errors import Conflict, NotFound
from winnow.schedule import runs, scheduler, source_circuits
from winnow.schedule.queue.backpressure import Rejection
from winnow.schedule.queue.task import Trigger, new_id
from winnow.schedule.settings import ScheduleSettings

log = structlog.get_logger(__name__)

SELECT = load("schedule/daily_sources.sql")
MAX_WORKERS, JOBS_PER_WORKER = 10, 10  # E-030
SLOW_MINUTES = 15  # a source that takes longer no longer keeps the next one waiting (E-007)
LONGEST_HOURS = 20  # then the day is closed with what there is, before the next one begins

_ADD = """
INSERT INTO daily_runs (run_id, day, trigger, requested_by) VALUES (%(run_id)s, %(day)s, %(trigger)s, %(by)s)
ON CONFLICT DO NOTHING RETURNING id
"""
_RUNNING = """
SELECT id, run_id, day, trigger, requested_by, workers, started_at,
       started_at < now() - make_interval(hours => %s) AS late
FROM daily_runs WHERE status = 'RUNNING' FOR UPDATE SKIP LOCKED
"""
_HAS_DAY = "SELECT 1 FROM daily_runs WHERE day = %s AND trigger = 'SCHEDULED'"
_UNDER_WAY = """
SELECT count(*) FILTER (WHERE r.started_at > now() - make_interval(mins => %(slow)s)) AS quick, count(*) AS running
FROM daily_run_sources AS d JOIN scrape_runs AS r ON r.id = d.scrape_run_id
WHERE d.daily_run_id = %(id)s AND d.state = 'started' AND r.status = 'RUNNING'
"""
# What has changed since the morning counts: a source that was asked to slow down meanwhile is left out, too.
_NEXT = """
SELECT d.source_id, h.circuit_state <> 'CLOSED' AS probe,
       CASE WHEN NOT h.enabled THEN 'disabled' WHEN h.auto_disabled THEN 'auto_disabled'
            WHEN NOT h.is_available THEN 'circuit_open' WHEN h.paused THEN 'paused'
            WHEN h.rate_limited THEN 'rate_limited' END AS reason,
       CASE WHEN h.rate_limited THEN h.rate_limited_until ELSE h.cooldown_until END AS until
FROM daily_run_sources AS d JOIN source_health_status AS h ON h.id = d.source_id
WHERE d.daily_run_id = %s AND d.state = 'waiting' ORDER BY d.position LIMIT %s
"""
_STARTED = """
UPDATE daily_run_sources SET state = 'started', scrape_run_id = %(run)s
WHERE daily_run_id = %(id)s AND source_id = %(source)s
"""
_LEFT_OUT = """
UPDATE daily_run_sources SET state = 'left_out', reason = %(reason)s, until = %(until)s
WHERE daily_run_id = %(id)s AND source_id = %(source)s
"""
_WAITING = "SELECT count(*) FROM daily_run_sources WHERE daily_run_id = %s AND state = 'waiting'"
_GIVE_UP = """
UPDATE daily_run_sources SET state = 'left_out', reason = 'day_over' WHERE daily_run_id = %s AND state = 'waiting'
"""
_CLOSE = """
UPDATE daily_runs SET status = 'COMPLETED', completed_at = now(), summary = %s WHERE id = %s RETURNING completed_at
"""
_CADENCE = "SELECT id AS target_id, schedule, crawl_frequency FROM scrape_targets WHERE id = ANY(%s)"
_FIRST = """
SELECT id FROM scrape_targets
WHERE source_id = %s AND enabled AND status = 'ACTIVE' AND found_by_run_id IS NULL ORDER BY priority DESC, id LIMIT 1
"""
_FORGET = """
DELETE FROM daily_runs WHERE id IN (
    SELECT id FROM daily_runs WHERE completed_at < now() - make_interval(secs => %s) ORDER BY id LIMIT %s)
"""

Connection = AsyncConnection[Any]


class DailyRun(msgspec.Struct, frozen=True, kw_only=True):
    """`run_id` is what its jobs share (E-029). `late`: it has taken longer than a daily run may."""

    id: int
    run_id: UUID
    day: date
    trigger: str
    requested_by: str | None
    workers: int
    started_at: datetime
    late: bool = False


class NextSource(msgspec.Struct, frozen=True, kw_only=True):
    source_id: int
    probe: bool
    reason: str | None
    until: datetime | None


class Progress(msgspec.Struct, kw_only=True):
    """What one look did; `over`: nothing waits and nothing is under way."""

    started: int = 0
    left_out: int = 0
    over: bool = False


def workers_for(jobs: int, machine: int) -> int:
    """One for every 10 jobs, at most 10 (E-030), and no more than the machine's settings allow."""
    return max(0, min(-(-jobs // JOBS_PER_WORKER), MAX_WORKERS, machine))


async def has_day(conn: Connection, day: date) -> bool:
    return await (await conn.execute(_HAS_DAY, (day,))).fetchone() is not None


async def begin(
    conn: Connection, day: date, trigger: Trigger, machine: int, *, gated: Sequence[str] = (), by: str | None = None
) -> int | None:
    """The new run with all its sources; None when the day has its own already, or another one is under way."""
    given = {"run_id": new_id(), "day": day, "trigger": trigger, "by": by}
    row = await (await conn.execute(_ADD, given)).fetchone()
    if row is None:
        return None
    await conn.execute(SELECT, {"id": row[0], "gated": list(gated)})
    jobs = await _scalar(conn, _WAITING, row[0])
    await conn.execute("UPDATE daily_runs SET workers = %s WHERE id = %s", (workers_for(jobs, machine), row[0]))
    log.info("daily_run_started", run=row[0], day=day.isoformat(), sources=jobs, trigger=str(trigger))
    return int(row[0])


async def running(conn: Connection) -> DailyRun | None:
    """The one that is under way, locked; None also while another process is at it."""
    async with conn.cursor(row_factory=class_row(DailyRun)) as cursor:
        await cursor.execute(_RUNNING, (LONGEST_HOURS,))
        return await cursor.fetchone()


async def advance(conn: Connection, run: DailyRun, settings: ScheduleSettings) -> Progress:
    """Start the sources that are next by priority."""
    if run.late:
        await conn.execute(_GIVE_UP, (run.id,))
        return Progress(over=True)
    done = Progress()
    quick, _ = await _under_way(conn, run.id)
    while quick + done.started < run.workers:
        found = await _next(conn, run.id, run.workers - quick - done.started)
        if not found or not await _start_all(conn, run, found, settings, done):
            break
    _, still = await _under_way(conn, run.id)
    done.over = still == 0 and await _scalar(conn, _WAITING, run.id) == 0
    return done


async def close(conn: Connection, run: DailyRun, summary: dict[str, Any]) -> None:
    await conn.execute(_CLOSE, (Jsonb(summary), run.id))


async def forget(conn: Connection, days: float, n: int) -> int:
    return (await conn.execute(_FORGET, (days * 86_400, n))).rowcount


async def _start_all(
    conn: Connection, run: DailyRun, found: Sequence[NextSource], settings: ScheduleSettings, done: Progress
) -> bool:
    """False when the queue is full: what waits goes on waiting."""
    for one in found:
        if one.reason is not None:
            await _leave_out(conn, run, one.source_id, one.reason, one.until)
            done.left_out += 1
            continue
        try:
            async with conn.transaction():  # what is wrong with one source is its own (E-002)
                reason = await _start(conn, run, one, settings)
        except NotFound:
            reason = "no_target"
        except psycopg.OperationalError:
            raise  # the database is away: nobody's fault, and the next look goes on from here
        except Exception:
            log.exception("daily_source_failed", run=run.id, source_id=one.source_id)
            reason = "error"
        if reason == Rejection.QUEUE_FULL:
            return False
        if reason is None:
            done.started += 1
        else:
            await _leave_out(conn, run, one.source_id, reason)
            done.left_out += 1
    return True


async def _start(conn: Connection, run: DailyRun, one: NextSource, settings: ScheduleSettings) -> str | None:
    """Start the run of a source, or return why not. A run that is under way already becomes the source's run of this
    day."""
    trigger = Trigger(run.trigger)
    first = [await _scalar(conn, _FIRST, one.source_id)] if one.probe else None
    try:
        async with conn.transaction():
            started = await runs.start(
                conn, one.source_id, trigger, settings, target_ids=first, requested_by=run.requested_by
            )
    except Conflict as active:
        await conn.execute(_STARTED, {"id": run.id, "source": one.source_id, "run": int(active.existing or 0)})
        return None
    if started.run_id is None:
        return started.reason or "queued_already"
    if one.probe:
        await source_circuits.mark_probing(conn, one.source_id)
    await conn.execute(_STARTED, {"id": run.id, "source": one.source_id, "run": started.run_id})
    async with conn.cursor(row_factory=class_row(scheduler.Cadenced)) as cursor:
        await cursor.execute(_CADENCE, (started.accepted,))
        await scheduler.reschedule(conn, await cursor.fetchall(), await _scalar(conn, "SELECT now()"))
    return None


async def _leave_out(
    conn: Connection, run: DailyRun, source_id: int, reason: str, until: datetime | None = None
) -> None:
    log.info("daily_source_left_out", run=run.id, source_id=source_id, reason=reason)
    await conn.execute(_LEFT_OUT, {"id": run.id, "source": source_id, "reason": reason, "until": until})


async def _next(conn: Connection, run_id: int, n: int) -> list[NextSource]:
    async with conn.cursor(row_factory=class_row(NextSource)) as cursor:
        await cursor.execute(_NEXT, (run_id, n))
        return await cursor.fetchall()


async def _under_way(conn: Connection, run_id: int) -> tuple[int, int]:
    """(sources that count as being visited now, sources whose run has not ended)"""
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(_UNDER_WAY, {"id": run_id, "slow": SLOW_MINUTES})
        row = await cursor.fetchone()
    return (0, 0) if row is None else (row["quick"], row["running"])


async def _scalar(conn: Connection, query: str, *given: Any) -> Any:
    async with conn.cursor(row_factory=scalar_row) as cursor:
        await cursor.execute(query, given)
        return await cursor.fetchone()
