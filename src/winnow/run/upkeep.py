"""The upkeep process: rescue, archive, retries, alerts. Each chore is one small transaction and safe to run twice."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import partial

import structlog

from winnow.db.engine import Connection, Database
from winnow.fetch.archive.archive import Archive
from winnow.fetch.egress.allow import AllowList
from winnow.fetch.egress.guard import EgressGuard
from winnow.fetch.failure import FailureCode
from winnow.judge import replays
from winnow.kinds.adapters import registry
from winnow.publish import alerts, endpoints, outbox
from winnow.publish.alerts import NOTE, SLACK, Alert
from winnow.publish.keys import Secrets
from winnow.publish.publisher import Publisher
from winnow.publish.sender import Sender
from winnow.run import closing, drift
from winnow.run.admission.proxy_choice import Exits
from winnow.run.archived_pages import ArchivedPages
from winnow.run.audits.invariants import InvariantAudit
from winnow.run.audits.monitors import RunMonitors
from winnow.run.closing import ClosedTasks
from winnow.run.commit import announce, failure_alerts
from winnow.run.crawl import revisits
from winnow.run.discovery.discovery import Discovery
from winnow.run.discovery.weekly import WeeklyDiscovery
from winnow.run.event_upkeep import EventUpkeep, vectors_of
from winnow.run.events.geocoding import Geocoding
from winnow.run.events.healing import AgendaHealing
from winnow.run.events.reading_days import ReadingDays
from winnow.run.exports.clickhouse import ClickHouseLoad
from winnow.run.feed_runs import FeedUpkeep
from winnow.run.image_tasks import PictureQueue
from winnow.run.page_retention import TIDY_SECONDS, PageRetention
from winnow.run.periodic import run_periodically, stop_on_signals
from winnow.run.retention import Retention
from winnow.run.search.upkeep import SearchUpkeep
from winnow.run.service_alerts import ServiceAlerts
from winnow.run.services import open_services
from winnow.schedule import circuits, submissions, upkeep
from winnow.schedule.jobs import TaskEnd
from winnow.schedule.queue import dead_letters, queue
from winnow.schedule.queue.task import Status
from winnow.settings import Settings
from winnow.sources import visited
from winnow.store import enrichment, resolver
from winnow.store.search.server.client import server_of

log = structlog.get_logger(__name__)

STALE_ALERT = 100  # P-071
STALE_BATCH = 10_000
SENDERS = 4  # rounds of sending at the same time
SERVICES_SECONDS = 30.0  # how soon what waits for an outside service is tried again
DISCOVERY_SECONDS = 10.0  # how soon a page that a person gave is looked at
AUDIT_SECONDS = 300.0  # how often it is asked whether the invariants are due
SEARCH_SECONDS = 1.0  # how soon a new price is found
PUBLISH_SECONDS = 0.5  # how soon a message leaves after its commit
STALE, LETTERS = "stale_targets", "dead_letters"
SLOW_CHORES_EVERY = 12  # beats between the chores that need not run on each
RESOLVE_BATCH = 1_000
ARCHIVED_AT_ONCE, MAX_BATCHES = 5_000, 20  # 100 000 a minute: more than workers finish, and rescue waits for it

_SWEEP_IF_DUE = """
INSERT INTO scheduler_state AS s (id, last_stale_sweep_at) VALUES (1, now())
ON CONFLICT (id) DO UPDATE SET last_stale_sweep_at = now()
WHERE s.last_stale_sweep_at IS NULL OR s.last_stale_sweep_at < now() - interval '1 hour'
"""


class Upkeep:
    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._settings = settings.schedule
        self._publish = settings.publish
        self._shared = registry(settings.run.adapters_dir).shared()
        self._beats = 0

    async def rescue(self) -> int:
        async with self._database.transaction() as conn:
            lost = await upkeep.rescue(conn)
            await visited.record(conn, [v for task in lost if (v := _visit_of_lost(task)) is not None])
            await closing.fail_lost(conn, lost)
        return len(lost)

    async def retry_letters(self) -> int:
        async with self._database.transaction() as conn:
            return await dead_letters.retry(conn)

    async def make_stale(self) -> int:
        """Hourly (P-071). The scheduler's row remembers when, so that restarts do not repeat it."""
        async with self._database.transaction() as conn:
            due = await conn.execute(_SWEEP_IF_DUE)
            if not due.rowcount:
                return 0
            gone = (await withdraw_stale(conn, self._settings.stale_after_hours)).tasks
            stale = await visited.make_stale(conn, [t.target_id for t in gone if t.target_id is not None])
            await _alert_stale(conn, stale)
        if stale > STALE_ALERT:
            log.error("stale_targets", count=stale, added=len(gone))
        return len(gone)

    async def check_drift(self) -> int:
        """Runs that ended: alerts and auto-disable (P-083 … P-091)."""
        async with self._database.transaction() as conn:
            return await drift.check(conn, self._shared)

    async def remind(self) -> int:
        """Repeat alerts that keep happening, and alert on too many dead letters (E-083) and on failures alike
        (E-006)."""
        async with self._database.transaction() as conn:
            await _alert_letters(conn, self._publish.alert_dead_letters)
            await failure_alerts.update(conn, self._publish.alert_recurring_failures)
            return await alerts.repeat(conn, timedelta(minutes=self._publish.alert_repeat_minutes))

    async def resolve(self) -> int:
        """Link changed offers to their products, and index them for search."""
        taken = 0
        for _ in range(MAX_BATCHES):
            async with self._database.transaction() as conn:
                done = await resolver.run_once(conn, RESOLVE_BATCH)
            taken += done.taken
            if done.conflicts:
                log.warning("products_ambiguous", conflicts=done.conflicts)
            if done.taken < RESOLVE_BATCH:
                break
        return taken

    async def mark_half_open(self) -> int:
        async with self._database.connection() as conn:
            return await circuits.mark_half_open(conn)

    async def tidy(self) -> None:
        """Archive finished tasks, close orphaned runs and check the lane counts; not on every beat."""
        self._beats += 1
        if self._beats % SLOW_CHORES_EVERY != 1:
            return
        for _ in range(MAX_BATCHES):
            if await self._archive() < ARCHIVED_AT_ONCE:
                break
        async with self._database.transaction() as conn:
            await announce.completed(conn, await upkeep.close_finished_runs(conn))
            await replays.abandon_lost(conn)
        async with self._database.connection() as conn:
            await upkeep.recount_lanes(conn)
            await outbox.forget(conn)
            await submissions.forget(conn)
            await enrichment.expire(conn)

    async def _archive(self) -> int:
        async with self._database.transaction() as conn:
            return await upkeep.archive_finished(conn, self._settings, ARCHIVED_AT_ONCE)


async def withdraw_stale(conn: Connection, hours: float) -> ClosedTasks:
    """Give up tasks that waited for a day (P-071)."""
    return await closing.withdraw(
        conn, FailureCode.STALE, status=Status.STALE, end=TaskEnd.FAILED, older_than_seconds=hours * 3600, n=STALE_BATCH
    )


async def _alert_stale(conn: Connection, stale: int) -> None:
    """Raises the alert when more than a hundred targets went stale (P-071, P-099), and resolves it when fewer did."""
    if stale > STALE_ALERT:
        title = f"{stale} targets waited too long to be visited"
        alert = Alert(severity=NOTE, code=STALE, key=STALE, title=title, details={"stale": stale})
        await alerts.open_alert(conn, alert)
    else:
        await alerts.resolve(conn, "upkeep", keys=[STALE])


async def _alert_letters(conn: Connection, most: int) -> None:
    letters = await dead_letters.waiting(conn)
    if letters > most:
        title = f"{letters} dead letters wait: `winnow dead-letters list`"
        details = {"waiting": letters}
        alert = Alert(severity=SLACK, code=LETTERS, key=LETTERS, title=title, details=details, lasting=True)
        await alerts.open_alert(conn, alert)
    else:
        await alerts.resolve(conn, "upkeep", keys=[LETTERS])


def _visit_of_lost(task: queue.Lost) -> visited.Visited | None:
    """The visit of a task that lost too many workers (P-080). The page may or may not have killed them, so the URL's
    failures are left alone."""
    if task.target_id is None or task.status != Status.FAILED:
        return None
    status = f"{FailureCode.INTERNAL}:{FailureCode.WORKER_LOST}"
    return visited.Visited(target_id=task.target_id, task_id=task.id, status=status, error=task.last_error)


async def serve(settings: Settings) -> None:
    async with await Database.open(settings.db) as database:
        parts, events = Upkeep(database, settings), EventUpkeep(database)
        exits = Exits(database, settings.db, settings.fetch, EgressGuard(AllowList(settings.fetch.egress_allow)))
        async with database.transaction() as conn:
            await endpoints.follow_settings(conn, settings.publish)
        archive = Archive(settings.fetch.archive_url, settings.db.folder / "pages")
        pages = ArchivedPages(database, archive)
        early = revisits.Revisits(database)
        pictures = PictureQueue(database, AllowList(settings.fetch.egress_allow))
        keeper = PageRetention(database, archive, settings.fetch)
        search_server = server_of(settings.search)
        search = SearchUpkeep(database, search_server, settings.search.search_lag_alert_seconds)
        log.info("upkeep_started")
        chores = (
            parts.rescue, parts.retry_letters, pictures.queue_pictures, parts.check_drift, parts.make_stale,
            parts.mark_half_open, parts.remind, parts.resolve, events.close_listings, parts.tidy,
        )  # fmt: skip
        stopping = stop_on_signals()
        every = partial(run_periodically, stopping)
        async with open_publisher(database, settings) as publisher, open_services(database, settings) as services:
            matching = EventUpkeep(database, vectors_of(database, services.embedder))
            await asyncio.gather(  # a proxy or receiver that hangs must not keep rescues waiting
                every(settings.schedule.upkeep_tick_seconds, *chores),
                every(settings.fetch.proxy_health_check_interval_seconds, exits.check_unhealthy, exits.tidy),
                every(TIDY_SECONDS, keeper.expire, keeper.sweep, Retention(database, settings).forget),
                every(settings.schedule.upkeep_tick_seconds, FeedUpkeep(database, settings.db).feeds),
                every(SEARCH_SECONDS, search.apply),
                every(SEARCH_SECONDS, search.push),
                every(SERVICES_SECONDS, search.check_lag),
                every(SERVICES_SECONDS, ServiceAlerts(database, settings.services).run_once),
                every(settings.schedule.upkeep_tick_seconds, matching.match),
                every(revisits.BEAT_SECONDS, early.follow_changes, early.count_popularity),
                every(SERVICES_SECONDS, Geocoding(database, services.geocoder).run_once),
                every(DISCOVERY_SECONDS, Discovery(database, settings, stopping).run_once),
                every(SERVICES_SECONDS, AgendaHealing(database, pages, services.llm).run_once),
                every(SERVICES_SECONDS, ReadingDays(database, services.llm).run_once),
                every(DISCOVERY_SECONDS, WeeklyDiscovery(database, settings).run_once),
                every(SERVICES_SECONDS, RunMonitors(database, settings.observe).run_once),
                every(AUDIT_SECONDS, InvariantAudit(database, settings.observe.invariants_hours).run_once),
                every(settings.publish.clickhouse_minutes * 60, ClickHouseLoad(database, settings).run_once),
                *(every(PUBLISH_SECONDS, chore) for chore in _publishing(publisher)),
            )
        if search_server is not None:
            await search_server.close()


@asynccontextmanager
async def open_publisher(database: Database, settings: Settings) -> AsyncIterator[Publisher]:
    sender = Sender(EgressGuard(AllowList(settings.fetch.egress_allow)), settings.fetch.user_agent)
    try:
        secrets = Secrets(database, settings.db, settings.publish)
        yield Publisher(database, settings.publish, sender, secrets)
    finally:
        await sender.close()


def _publishing(publisher: Publisher) -> list[Callable[[], Awaitable[object]]]:
    """One sender, in a beat of its own: a receiver that does not answer holds up a quarter of the sending, not the
    rest."""

    async def prepare() -> None:
        await publisher.fan_out()
        await publisher.take_back_lost()

    return [prepare, *[publisher.drain] * SENDERS]


def main(settings: Settings) -> None:
    asyncio.run(serve(settings))
