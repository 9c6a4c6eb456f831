"""A worker process: claims tasks as it has room for them, runs each through the pipeline, keeps its leases.

It never waits for one domain while another is ready: the claim hands out only what may be sent now.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
from collections.abc import AsyncIterator, Sequence
from datetime import timedelta
from uuid import UUID

import psycopg
import structlog

from winnow.db.bell import Ring
from winnow.db.engine import Database
from winnow.errors import DatabaseUnavailable
from winnow.fetch.archive.archive import Archive
from winnow.fetch.archive.packing import PackingProcess
from winnow.fetch.credentials import Credentials
from winnow.fetch.egress.allow import AllowList
from winnow.fetch.egress.guard import EgressGuard
from winnow.fetch.http.client import HttpFetcher
from winnow.fetch.ways import open_ways
from winnow.judge.adapter_versions import remember
from winnow.kinds.adapters import registry
from winnow.kinds.registry import all_kinds
from winnow.observe import metrics
from winnow.run import garbage_collection
from winnow.run.admission.gatekeeper import Gatekeeper
from winnow.run.admission.proxy_choice import Exits
from winnow.run.admission.robots import RobotsBook
from winnow.run.archived_pages import ArchivedPages
from winnow.run.claimer import Claimer, DirectClaimer
from winnow.run.commit import task_log
from winnow.run.commit.committer import UNDER_WAY, Committer
from winnow.run.commit.measure import measure
from winnow.run.commit.persist import PersistedVisits
from winnow.run.feed_runs import FeedTrips, means_of
from winnow.run.parsers import ParserPool
from winnow.run.pipeline import Pipeline
from winnow.run.visit import Visit
from winnow.schedule.ledger import policies
from winnow.schedule.ledger.ledgers import ledger_of
from winnow.schedule.queue import queue
from winnow.schedule.queue.task import FEED_LANE, Claimed, Status, waited_for
from winnow.settings import Settings
from winnow.sources.domain import domain_of

log = structlog.get_logger(__name__)

SHORTEST_REST, LONGEST_REST = 0.005, 0.25  # seconds between claims that found nothing
# A grant is for sending within 100 ms: no more are taken at once than this process can send by then.
CLAIM_MOST, CLAIM_LEAST = 32, 16
# What is paused, alone or with its domain or source, waits for a person and not for a worker.
_UNFINISHED_WORK = """
SELECT 1 FROM scrape_runs AS r JOIN sources AS s ON s.id = r.source_id
WHERE r.links_waiting > 0 AND r.status = 'RUNNING' AND NOT s.paused AND NOT r.paused
UNION ALL
SELECT 1 FROM tasks LEFT JOIN lanes USING (lane)
WHERE status = 'running' OR (status = 'queued' AND due_at IS DISTINCT FROM 'infinity' AND lanes.paused IS NOT TRUE)
LIMIT 1
"""


class Worker:
    def __init__(
        self,
        name: str,
        database: Database,
        claimer: Claimer,
        settings: Settings,
        pipeline: Pipeline,
        committer: Committer,
        feeds: FeedTrips,
    ) -> None:
        self.name = name
        self._feeds = feeds
        self._database = database
        self._claimer = claimer
        self._settings = settings
        self._pipeline = pipeline
        self._committer = committer
        self._held: dict[UUID, Claimed] = {}
        self._trips: set[asyncio.Task[None]] = set()
        self._room = asyncio.Event()
        self._stopping = asyncio.Event()
        self._woken = asyncio.Event()
        self.settled_count = 0

    async def warm(self) -> None:
        """Prepare what the first page would wait for."""
        await self._pipeline.warm()

    def stop(self) -> None:
        self._stopping.set()
        self._room.set()
        self._woken.set()

    def settled(self, batch: Sequence[Visit], written: PersistedVisits) -> None:
        """Forget tasks that the committer settled, whether they were still ours or not."""
        for visit in batch:
            self._held.pop(visit.task.id, None)
            if visit.task.id in written.settled:
                self.settled_count += 1
                end = written.ends.get(visit.task.id) or visit.ending
                assert end is not None
                if end.status is Status.DONE:
                    self._pipeline.known_links.remember(visit)
                measure(visit, end)
                task_log.settled(visit, end)
                if visit.grant is not None and visit.ending is not None and visit.ending.unused_grant:
                    self._claimer.returned(visit.grant)
            if waited_for(visit.task) and visit.ending is not None and not visit.ending.final:
                self._woken.set()
        self._room.set()

    async def run(self, *, until_empty: bool = False) -> None:
        """Until stopped; or, for tests and benches, until a while passes with nothing left to do."""
        bell = self._database.listen(Ring.SUBMITTED, self._woken)
        heartbeat = asyncio.create_task(self._keep_leases())
        commits = asyncio.create_task(self._committer.run())
        commits.add_done_callback(lambda _: self.stop())  # should it fail, nothing would ever be settled again
        try:
            await self._claim_loop(until_empty)
            await self._drain()
        finally:
            await bell.close()
            self._committer.close()
            await commits
            heartbeat.cancel()
            await asyncio.gather(heartbeat, return_exceptions=True)

    async def _claim_loop(self, until_empty: bool) -> None:
        rest = SHORTEST_REST
        while not self._stopping.is_set():
            # Claiming a handful at a time keeps the database busy with claims instead of work.
            if (room := self._free()) < min(CLAIM_LEAST, self._max_visits()):
                self._room.clear()
                await self._room.wait()
                continue
            visits = await self._claimer.claim(room)
            for visit in visits:
                self._start(visit)
            if visits:
                rest = SHORTEST_REST
                continue
            if until_empty and not self._held and await self._nothing_left():
                return
            rest = SHORTEST_REST if await self._wait_for_work(rest) else min(rest * 2, LONGEST_REST)

    def _free(self) -> int:
        """How many tasks to claim. Results that wait to be committed take no place, but when a second batch waits
        the database does not keep up and gets no more."""
        if self._committer.is_full:
            return 0
        limits = self._settings.run
        waiting = len(self._held) - len(self._trips)
        backlog = (UNDER_WAY + 1) * limits.commit_batch - waiting
        return min(CLAIM_MOST, limits.worker_concurrency - len(self._trips), backlog)

    def _max_visits(self) -> int:
        """What is free when nothing is under way."""
        limits = self._settings.run
        return min(limits.worker_concurrency, (UNDER_WAY + 1) * limits.commit_batch)

    async def _wait_for_work(self, seconds: float) -> bool:
        """Wait for work; True when a synchronous task arrived and cut the wait short."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._woken.wait(), seconds)
        woken = self._woken.is_set()
        self._woken.clear()
        return woken

    def _start(self, visit: Visit) -> None:
        task = visit.task
        self._held[task.id] = task
        trip = asyncio.create_task(self._feed_trip(task) if task.lane == FEED_LANE else self._pipeline.run(visit))
        self._trips.add(trip)
        trip.add_done_callback(self._arrived)

    async def _feed_trip(self, task: Claimed) -> None:
        try:
            await self._feeds.run(task)
            self.settled_count += 1
        finally:
            self._held.pop(task.id, None)

    def _arrived(self, trip: asyncio.Task[None]) -> None:
        self._trips.discard(trip)
        self._room.set()

    async def _nothing_left(self) -> bool:
        async with self._database.connection() as conn:
            found = await conn.execute(_UNFINISHED_WORK)
            row = await found.fetchone()
        return row is None

    async def _keep_leases(self) -> None:
        """Every third of a lease. A lease that was taken away is noticed here or by its fence."""
        while True:
            await asyncio.sleep(self._settings.schedule.lease_seconds / 3)
            held = list(self._held.values())
            if not held:
                continue
            try:
                async with self._database.connection() as conn:
                    ours = await queue.heartbeat(conn, held, self._settings.schedule.lease_seconds)
            except (DatabaseUnavailable, psycopg.errors.DeadlockDetected) as away:
                log.warning("heartbeat_missed", reason=str(away))
                continue
            for lost in (task for task in held if task.id not in ours and task.id in self._held):
                log.warning("lease_lost", task_id=str(lost.id), fence=lost.fence)

    async def _drain(self) -> None:
        """S-085: running tasks may finish; queued ones stay queued."""
        if self._trips:
            await asyncio.wait(self._trips, timeout=self._settings.browser.graceful_shutdown_seconds)
        for trip in list(self._trips):
            trip.cancel()


@contextlib.asynccontextmanager
async def assembled(database: Database, settings: Settings) -> AsyncIterator[Worker]:
    """A worker with all its parts, taken down again in the right order."""
    archive = Archive(settings.fetch.archive_url, settings.db.folder / "pages", PackingProcess)
    guard = EgressGuard(AllowList(settings.fetch.egress_allow))
    fetcher = HttpFetcher(settings.fetch, guard)
    ways = open_ways(settings.browser, fetcher, guard, settings.db.folder / "browsers")
    exits = Exits(database, settings.db, settings.fetch, guard)
    parsers = ParserPool(settings.run)
    credentials = Credentials(settings.credentials)
    ledger = ledger_of(database, settings.schedule)
    rules = policies.load(settings.schedule.domain_policies_path)
    adapters = registry(settings.run.adapters_dir)
    for broken in adapters.broken:
        log.error("adapter_unusable", adapter_id=broken.id, reason=broken.reason)
    for plugin in all_kinds().broken:
        log.error("plugin_unusable", plugin=plugin.name, reason=plugin.reason)
    workers: list[Worker] = []
    committer = Committer(
        database,
        archive,
        settings.run,
        settings.schedule.circuit_rules,
        lambda batch, done: workers[0].settled(batch, done),
    )
    pipeline = Pipeline(
        ways=ways,
        gatekeeper=Gatekeeper(
            database, ledger, RobotsBook(database, fetcher, settings.fetch, exits), settings.schedule, rules, exits
        ),
        archived=ArchivedPages(database, archive),
        parsers=parsers,
        registry=adapters,
        kinds=all_kinds(),
        committer=committer,
        credentials=credentials,
        task_seconds=settings.schedule.task_timeout_seconds,
        timeout_ms=settings.fetch.fetch_timeout_ms,
        max_bytes=settings.fetch.fetch_max_bytes,
        images=settings.fetch.download_images,
        allow=AllowList(settings.fetch.egress_allow),
        recheck=timedelta(hours=settings.browser.tier_recheck_hours),
    )
    feeds = FeedTrips(means_of(database, settings), settings.feeds.feed_runs_at_once)
    name = f"{socket.gethostname()}:{os.getpid()}"
    claimer = DirectClaimer(
        database, ledger, name, settings.schedule.lease_seconds, max_attempts=settings.schedule.max_attempts
    )
    workers.append(Worker(name, database, claimer, settings, pipeline, committer, feeds))
    async with database.transaction() as conn:
        await remember(conn, adapters, workers[0].name)
    await fetcher.open()
    await exits.open()
    domain_of("https://example.com")  # reads the suffix list now, not while a grant is waiting to be used
    try:
        yield workers[0]
    finally:
        await parsers.close()
        await ways.close()
        await credentials.close()
        await fetcher.close()
        await ledger.close()
        archive.close()


async def serve(settings: Settings, *, until_empty: bool = False) -> None:
    async with await Database.open(settings.db) as database, assembled(database, settings) as worker:
        loop = asyncio.get_running_loop()
        for name in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(name, worker.stop)
        garbage_collection.reduce_collections()
        metrics.no_browsers_yet()
        log.info("worker_started", worker=worker.name, concurrency=settings.run.worker_concurrency)
        warming = None if until_empty else asyncio.create_task(worker.warm())
        await worker.run(until_empty=until_empty)
        if warming is not None:
            warming.cancel()
            await asyncio.gather(warming, return_exceptions=True)
        log.info("worker_stopped", worker=worker.name, settled=worker.settled_count)


def main(settings: Settings, *, until_empty: bool = False) -> None:
    asyncio.run(serve(settings, until_empty=until_empty))
