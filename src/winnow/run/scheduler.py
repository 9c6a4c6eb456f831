"""The scheduler process: puts what is due into the queue. Several may run; one at a time does the work."""

from __future__ import annotations

import asyncio
import time

import structlog

from winnow.db.engine import Connection, Database
from winnow.kinds.adapters import registry
from winnow.observe import metrics
from winnow.publish import alerts
from winnow.publish.alerts import SLACK, Alert
from winnow.run import feed_runs
from winnow.run.daily.daily_events import DailyEvents
from winnow.run.periodic import run_periodically, stop_on_signals
from winnow.schedule import crawls, scheduler
from winnow.schedule.ledger import limits, policies
from winnow.schedule.ledger.ledger import PostgresLedger
from winnow.settings import Settings

log = structlog.get_logger(__name__)

REJECTIONS = "queue_rejections"
MAX_CYCLE_SECONDS = 10.0  # the other chores have their turn; the next cycle goes on


class Scheduler:
    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._settings = settings.schedule
        self._ledger = PostgresLedger(database)
        self._policies = policies.load(settings.schedule.domain_policies_path)
        adapters = registry(settings.run.adapters_dir)
        self._gated = sorted(set(adapters.list()) - adapters.shared())
        self.daily = DailyEvents(database, settings, self._gated)

    async def tick(self) -> scheduler.Tick:
        """Passes until nothing is due (C-016). Each is a transaction: runs are locked before lanes (run/closing.py)."""
        until = time.monotonic() + MAX_CYCLE_SECONDS
        done = scheduler.Tick(more=True)
        while done.more and time.monotonic() < until:
            async with self._database.transaction() as conn:
                done = await scheduler.tick(conn, self._settings, gated=self._gated, cycle=done)
                await _alert(conn, done)
        await limits.refresh_unknown(self._database, self._ledger, self._settings, self._policies)
        _report(done)
        return done

    async def feeds(self) -> None:
        await feed_runs.tick(self._database)

    async def crawls(self) -> None:
        """Start the crawls whose source has become free."""
        async with self._database.transaction() as conn:
            started = await crawls.start_waiting(conn, self._settings)
        if started:
            log.info("crawls_started", crawls=started)

    async def recheck(self) -> None:
        """Recheck limits and circuits before each tick: a source whose targets are always due would have no room for
        it otherwise."""
        async with self._database.transaction() as conn:
            done = await scheduler.recheck(conn, self._settings, gated=self._gated)
        _report(done)


async def _alert(conn: Connection, done: scheduler.Tick) -> None:
    """P-070, P-074, P-099: more than half of a cycle did not fit into the queue (PN-13)."""
    if done.paused_for is not None:
        details = {"rejected": done.rejected, "accepted": done.accepted, "paused_s": done.paused_for.total_seconds()}
        title = f"the queue is full: {done.rejected} of {done.rejected + done.accepted} targets were rejected"
        alert = Alert(severity=SLACK, code="queue_rejections", key=REJECTIONS, title=title, details=details)
        await alerts.open_alert(conn, alert)
    elif done.accepted:
        await alerts.resolve(conn, "scheduler", keys=[REJECTIONS])


def _report(done: scheduler.Tick) -> None:
    if done.rejected:
        metrics.queue_rejected("queue_full", done.rejected)
    if done.accepted or done.rejected:
        log.info("scheduled", runs=done.runs, accepted=done.accepted, rejected=done.rejected)


async def serve(settings: Settings) -> None:
    async with await Database.open(settings.db) as database:
        parts = Scheduler(database, settings)
        log.info("scheduler_started", lanes=await limits.forget(database))
        # The daily run comes first: what it starts is not started once more by its own time.
        chores = (parts.daily.run_once, parts.recheck, parts.tick, parts.feeds, parts.crawls)
        await run_periodically(stop_on_signals(), settings.schedule.scheduler_tick_seconds, *chores)


def main(settings: Settings) -> None:
    asyncio.run(serve(settings))
