"""What is due is put in the queue. One tick is one pass; the loops around it are in run/scheduler.py."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec
import structlog
from psycopg import AsyncConnection
from psycopg.rows import class_row, dict_row

from winnow.db.sql import load
from winnow.errors import Conflict
from winnow.schedule import cadence, runs, source_circuits
from winnow.schedule.queue.task import Trigger
from winnow.schedule.settings import ScheduleSettings

log = structlog.get_logger(__name__)

DUE = load("schedule/due.sql")
MAX_PER_PASS = 100  # C-016

Connection = AsyncConnection[Any]


class Cadenced(msgspec.Struct, frozen=True, kw_only=True):
    """A target and how often it is visited."""

    target_id: int
    schedule: str | None
    crawl_frequency: timedelta | None


class DueTarget(runs.Due, frozen=True, kw_only=True):
    schedule: str | None
    crawl_frequency: timedelta | None
    probe: bool


class Tick(msgspec.Struct, kw_only=True):
    """What the passes of one cycle did. `paused_for` is set when too much was rejected (P-073), `more` when the last
    pass may have left something that is due."""

    runs: list[int] = []
    accepted: int = 0
    rejected: int = 0
    backing_off: bool = False
    paused_for: timedelta | None = None
    more: bool = False


async def tick(
    conn: Connection,
    settings: ScheduleSettings,
    *,
    recheck: bool = False,
    gated: Sequence[str] = (),
    cycle: Tick | None = None,
) -> Tick:
    """One transaction: the first MAX_PER_PASS of what is due now become runs and tasks, or stay due. `recheck` takes
    the BROKEN targets instead (P-075). A second scheduler at the same moment finds nothing to do. `gated` adapters
    visit only sources whose terms were reviewed (P-103). `cycle`: what the passes before this one did."""
    done = cycle or Tick()
    before, done.more = done.accepted, False
    state = await _state(conn)
    if state is None or state["backing_off"]:
        return Tick(backing_off=state is not None)
    if state["paused_at"] is not None:  # C-003: a person paused everything
        return done
    trigger = Trigger.RECHECK if recheck else Trigger.SCHEDULED
    due = await _due(conn, recheck, gated)
    await runs.lock_active(conn, {target.source_id for target in due})
    retry_after_ms = 0
    for group in _by_run(due):
        started = await _start(conn, group, trigger, settings)
        if started is None:
            continue
        accepted = set(started.accepted)
        await reschedule(conn, [t for t in group if t.target_id in accepted], state["now"])
        done.accepted += len(accepted)
        done.rejected += started.rejected
        retry_after_ms = max(retry_after_ms, started.retry_after_ms)
        if started.run_id is not None:
            done.runs = [*done.runs, *({started.run_id} - set(done.runs))]
            if group[0].probe:
                await source_circuits.mark_probing(conn, group[0].source_id)
    await _back_off(conn, done, state["rejected_cycles"], timedelta(milliseconds=retry_after_ms))
    done.more = len(due) == MAX_PER_PASS and done.accepted > before and not done.rejected
    return done


async def recheck(conn: Connection, settings: ScheduleSettings, *, gated: Sequence[str] = ()) -> Tick:
    """Queue BROKEN targets again a week after their last visit (P-075). Each has its own time, so that one whose
    source has an active run, or that found the queue full, is tried soon and not a week later."""
    done = await tick(conn, settings, recheck=True, gated=gated)
    if done.accepted:
        await conn.execute("UPDATE scheduler_state SET last_recheck_at = now() WHERE id = 1")
    return done


async def _state(conn: Connection) -> dict[str, Any] | None:
    """The scheduler's row, locked for this tick; None while another scheduler holds it."""
    await conn.execute("INSERT INTO scheduler_state (id) VALUES (1) ON CONFLICT DO NOTHING")
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(
            "SELECT rejected_cycles, paused_at, now() AS now, "
            "coalesce(scheduler_backoff_until > now(), false) AS backing_off "
            "FROM scheduler_state WHERE id = 1 FOR UPDATE SKIP LOCKED"
        )
        state = await cursor.fetchone()
    if state is not None:
        await conn.execute("UPDATE scheduler_state SET last_tick_at = now() WHERE id = 1")
    return state


async def _due(conn: Connection, broken: bool, gated: Sequence[str]) -> list[DueTarget]:
    async with conn.cursor(row_factory=class_row(DueTarget)) as cursor:
        await cursor.execute(DUE, {"n": MAX_PER_PASS, "broken": broken, "gated": list(gated)})
        return await cursor.fetchall()


def _by_run(due: Sequence[DueTarget]) -> list[list[DueTarget]]:
    """Group due targets into one run per source: the targets of the adapter that comes first by priority; or, to see
    whether a source works again, only the first target."""
    groups: dict[int, list[DueTarget]] = {}
    for target in due:
        group = groups.setdefault(target.source_id, [])
        if not group or (group[0].adapter_id == target.adapter_id and not target.probe):
            group.append(target)
    return list(groups.values())


async def _start(
    conn: Connection, group: Sequence[DueTarget], trigger: Trigger, settings: ScheduleSettings
) -> runs.StartedRun | None:
    try:
        return await runs.join_due(conn, group, trigger, settings)
    except Conflict as active:  # started by a person between our look and now
        log.info("run_active", source_id=group[0].source_id, run_id=active.existing)
        return None


async def reschedule(conn: Connection, targets: Sequence[DueTarget | Cadenced], now: datetime) -> None:
    """Set the next time of each accepted target. An interval counts from the end of the visit (C-018); until then it
    is set from now, so that a lost visit is repeated."""
    if not targets:
        return
    await conn.execute(
        "UPDATE scrape_targets AS t SET next_crawl_at = g.due, due_because = 'time' "
        "FROM unnest(%s::bigint[], %s::timestamptz[]) AS g (id, due) WHERE t.id = g.id",
        ([t.target_id for t in targets], [_next(t, now) for t in targets]),
    )


def _next(target: DueTarget | Cadenced, now: datetime) -> datetime | None:
    """Return the next time. Intake refuses crons that cannot be read; one that got into the table all the same must
    not stop the others."""
    try:
        return cadence.next_due(target.schedule, target.crawl_frequency, now)
    except ValueError as wrong:  # all of croniter's errors are
        log.error("schedule_unreadable", target_id=target.target_id, schedule=target.schedule, reason=str(wrong))
        return None


async def _back_off(conn: Connection, done: Tick, cycles: int, retry_after: timedelta) -> None:
    offered = done.accepted + done.rejected
    if offered == 0:
        return
    cycles, pause = cadence.backoff_after(done.rejected, offered, cycles, retry_after)
    done.paused_for = pause
    await conn.execute(
        "UPDATE scheduler_state SET rejected_cycles = %s, scheduler_backoff_until = now() + %s::interval, "
        "updated_at = now() WHERE id = 1",
        (cycles, pause),
    )
    if pause is not None:
        level = log.error if pause > cadence.BACKOFF_ALERT else log.warning
        level("scheduler_backoff", seconds=pause.total_seconds(), rejected=done.rejected, offered=offered)
