"""The daily run of event sources, as chores of the scheduler: begun at its hour, advanced on each beat, summed up once
when it is over (E-024, E-080 … E-082)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import structlog
from psycopg.rows import dict_row

from winnow.db.engine import Connection, Database
from winnow.db.sql import load
from winnow.errors import Conflict
from winnow.publish import outbox
from winnow.schedule import daily
from winnow.schedule.daily import DailyRun
from winnow.schedule.local_time import last_firing, wall_clock
from winnow.schedule.queue.task import Trigger
from winnow.schedule.settings import OFF, ScheduleSettings
from winnow.settings import Settings

log = structlog.get_logger(__name__)

DAY_COMPLETED = "events.day_completed"
SUMMARY = load("run/daily/summary.sql")
_UNDER_WAY = "SELECT id FROM daily_runs WHERE status = 'RUNNING'"


class DailyEvents:
    def __init__(self, database: Database, settings: Settings, gated: Sequence[str] = ()) -> None:
        self._database = database
        self._settings = settings.schedule
        self._machine = machine_workers(settings)
        self._gated = list(gated)

    async def run_once(self) -> None:
        await self.begin_when_due()
        await self.advance()

    async def begin_when_due(self, now: datetime | None = None) -> int | None:
        """The day's run, from its hour on: a scheduler that was away at that hour begins it later the same day. `now`
        is the database's."""
        async with self._database.transaction() as conn:
            now = now or await _database_now(conn)
            day = wall_clock(self._settings.timezone, now).date()
            if not is_due(self._settings, now) or await daily.has_day(conn, day):
                return None
            return await daily.begin(conn, day, Trigger.SCHEDULED, self._machine, gated=self._gated)

    async def advance(self) -> None:
        async with self._database.transaction() as conn:
            run = await daily.running(conn)
            if run is None:
                return
            done = await daily.advance(conn, run, self._settings)
            if done.over:
                await complete(conn, run)


def is_due(settings: ScheduleSettings, now: datetime) -> bool:
    """Whether today's hour has come, by the installation's clock."""
    if settings.events_schedule == OFF:
        return False
    fired = last_firing(settings.events_schedule, settings.timezone, now)
    return fired.date() == wall_clock(settings.timezone, now).date()


def machine_workers(settings: Settings) -> int:
    return settings.run.worker_processes * settings.run.worker_concurrency


async def start(conn: Connection, settings: Settings, gated: Sequence[str], by: str) -> int:
    """A run on demand (E-024); Conflict while another one is under way."""
    day = wall_clock(settings.schedule.timezone, await _database_now(conn)).date()
    begun = await daily.begin(conn, day, Trigger.MANUAL, machine_workers(settings), gated=gated, by=by)
    if begun is not None:
        return begun
    row = await (await conn.execute(_UNDER_WAY)).fetchone()
    raise Conflict("a daily run is under way", existing=None if row is None else str(row[0]))


async def complete(conn: Connection, run: DailyRun) -> dict[str, Any]:
    """Store the summary and publish it once, in the transaction that closes the run. The summary of a day without a
    source is stored and not published."""
    summary = await summarise(conn, run)
    await daily.close(conn, run, summary)
    if summary["sources_processed"] or summary["sources_left_out"]:
        await outbox.put(conn, [outbox.Message(DAY_COMPLETED, f"day:{run.id}", summary)])
    told = {name: summary[name] for name in ("sources_processed", "events_inserted", "events_updated", "errors")}
    log.info("daily_run_completed", run=run.id, day=run.day.isoformat(), counts=told)
    return summary


async def summarise(conn: Connection, run: DailyRun) -> dict[str, Any]:
    """Return the summary as it stands now."""
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(SUMMARY, {"id": run.id, "started_at": run.started_at})
        counted = await cursor.fetchone()
    assert counted is not None
    head = {
        "run_id": str(run.run_id),
        "daily_run_id": run.id,
        "day": run.day.isoformat(),
        "trigger": run.trigger,
        "started_at": run.started_at.isoformat(timespec="seconds"),
        "completed_at": (await _database_now(conn)).isoformat(timespec="seconds"),
        "workers": run.workers,
    }
    return head | counted


async def _database_now(conn: Connection) -> datetime:
    row = await (await conn.execute("SELECT now()")).fetchone()
    assert row is not None
    moment: datetime = row[0]
    return moment
