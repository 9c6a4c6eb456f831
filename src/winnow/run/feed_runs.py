"""Feeds in the processes: the worker's trips, the scheduler's tick, upkeep's chores. `feeds/` does the work."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
import structlog

from winnow.db.engine import Connection, Database
from winnow.db.keyring import open_ring
from winnow.db.settings import DatabaseSettings
from winnow.errors import DatabaseUnavailable, StaleFence, WinnowError
from winnow.feeds import jobs, testing, upkeep
from winnow.feeds.attempt import AttemptResult, FinishedFeedRun, Means, Notice, attempt
from winnow.feeds.credentials import FeedSecrets
from winnow.feeds.promote.breaker import Block
from winnow.feeds.reseal import any_stored, reseal
from winnow.feeds.runs import FeedJob
from winnow.feeds.transport.transport import Reach
from winnow.fetch.egress.allow import AllowList
from winnow.fetch.egress.guard import EgressGuard
from winnow.publish import alerts
from winnow.run import feed_changes
from winnow.run.commit import announce
from winnow.schedule.queue import queue
from winnow.schedule.queue.task import Claimed, Settlement, Stage, Status
from winnow.settings import Settings
from winnow.store import resolver

log = structlog.get_logger(__name__)

LINKED_AT_ONCE, LINKED_PARTS = 1_000, 10
AWAY_SECONDS = 5.0  # until a run is tried again whose database went away
SEVERITY = {
    "FEED_AUTO_DISABLED": alerts.PAGE,
    "IDENTITY_UPGRADE_DETECTED": alerts.NOTE,
    "PATH_CASE_COLLISION": alerts.NOTE,
}
SENTENCES = {
    "RUN_FAILED": "The run of feed {name} failed: {error}",
    "FILE_SIZE_LIMIT_EXCEEDED": "The file of feed {name} is too large: {error}",
    "ROW_COUNT_LIMIT_EXCEEDED": "The file of feed {name} has too many rows: {error}",
    "UNIQUE_PRODUCT_LIMIT_EXCEEDED": "The file of feed {name} has too many products: {error}",
    "FEED_AUTO_DISABLED": "Feed {name} was disabled after repeated failures: {error}",
    "SPIKE_THRESHOLD_EXCEEDED": "Feed {name}: {would_expire_count} offers would expire; activation waits for approval",
    "DATA_QUALITY_URL_HASH_SPIKE": "Feed {name}: {url_hash_fallback_count} rows without an id; activation waits",
    "PRICE_JUMP": "Feed {name}: {price_jump_count} prices ({price_jump_percent} %) are at least 5 times as high or as"
    " low as before; the run waits for approval",
    "EXPIRY_STEP_FAILED": "Feed {name} was loaded, but its offers could not be activated: {error}",
    "IDENTITY_UPGRADE_DETECTED": "Feed {name}: {identity_upgrade_count} products are new offers under a better id",
    "IDENTITY_FLAP_DETECTED": "Feed {name}: {identity_flap_count} products came back under an id they had before",
    "PATH_CASE_COLLISION": "Feed {name}: {path_case_collision_count} addresses differ in upper and lower case only; see"
    " url_normalization_mode",
    "FEED_GOING_STALE": "Feed {name}: its offers expire at {goes_stale_at} unless a run is activated before",
}
# Over with the next run that succeeds without telling them again.
_PASSED = ("RUN_FAILED", "FILE_SIZE_LIMIT_EXCEEDED", "ROW_COUNT_LIMIT_EXCEEDED", "UNIQUE_PRODUCT_LIMIT_EXCEEDED",
           "FEED_AUTO_DISABLED", "EXPIRY_STEP_FAILED", "IDENTITY_UPGRADE_DETECTED", "IDENTITY_FLAP_DETECTED",
           "PATH_CASE_COLLISION")  # fmt: skip
_SLOW = "feeds:CLEANUP_SLOW"


def means_of(database: Database, settings: Settings) -> Means:
    reach = Reach(
        guard=EgressGuard(AllowList(settings.fetch.egress_allow)),
        allow_plain_ftp=settings.feeds.allow_plain_ftp,
        folder=settings.feeds.feed_folder,
        connect_seconds=settings.feeds.feed_connect_timeout_ms / 1000,
        idle_seconds=settings.feeds.feed_idle_timeout_ms / 1000,
    )
    return Means(
        database=database,
        reach=reach,
        secret=FeedSecrets(database, settings.db).secret,
        folder=settings.db.folder / "feeds",
        notify=notify,
        on_finished=ended,
        chunk_rows=settings.feeds.feed_chunk_rows,
    )


async def notify(conn: Connection, notice: Notice) -> None:
    """Open an alert (F-113), which leaves by the outbox in the same transaction; a receiver that cannot be reached
    fails no run."""
    details = {"feed_id": notice.feed.id, "source_id": notice.feed.source_id, "run_id": notice.run_id, **notice.details}
    sentence = SENTENCES.get(notice.code, "Feed {name}: {code}: {error}")
    words = {"error": "", **details, "name": notice.feed.name, "code": notice.code}
    await alerts.open_alert(
        conn,
        alerts.Alert(
            severity=SEVERITY.get(notice.code, alerts.SLACK),
            code=notice.code,
            key=f"feed:{notice.feed.id}:{notice.code}",
            title=sentence.format(**words),
            details=details,
        ),
    )


async def ended(conn: Connection, ending: FinishedFeedRun) -> None:
    """The run's summary, and the alerts that are over with it: also those of a held run that it replaced, even if it
    failed afterwards."""
    await announce.feed_completed(conn, ending.run_id)
    waiting = await upkeep.block_of_waiting_run(conn, ending.feed.id)
    over = [str(block) for block in Block if block != waiting]
    if ending.ended.status == "SUCCEEDED":
        over += [code for code in _PASSED if code not in ending.notified]
        if await upkeep.activated(conn, ending.run_id):
            over.append("FEED_GOING_STALE")
    await alerts.resolve(conn, "feeds", keys=[f"feed:{ending.feed.id}:{code}" for code in over])


class FeedTrips:
    """Takes a claimed task through one attempt and settles it."""

    def __init__(self, means: Means, at_once: int) -> None:
        self._means = means
        self._room = asyncio.Semaphore(at_once)

    async def run(self, task: Claimed) -> None:
        async with self._room:
            end = await self._settlement(task)
        await self._settle(end)

    async def _settlement(self, task: Claimed) -> Settlement:
        try:
            job = msgspec.convert(task.payload or {}, FeedJob)
            if job.trigger == jobs.TEST:
                return await self._test(task, job)
            outcome = await attempt(self._means, job, task.attempts, _remember(task))
            await self._after(job, outcome)
            return _settled(task, outcome)
        except DatabaseUnavailable as away:
            return _back(task, str(away), AWAY_SECONDS, refund=True)
        except WinnowError as error:  # the feed is gone, or the task is no longer ours
            return Settlement(task=task, status=Status.FAILED, outcome="failed", reason=error.code, error=str(error))
        except Exception as defect:
            log.exception("feed_defect", task_id=str(task.id))
            return Settlement(task=task, status=Status.FAILED, outcome="failed", reason="internal", error=str(defect))

    async def _test(self, task: Claimed, job: FeedJob) -> Settlement:
        result = await testing.test(self._means, job.feed_id)
        async with self._means.database.connection() as conn:
            await queue.remember(conn, task, {"result": msgspec.to_builtins(result)})
        return Settlement(task=task, status=Status.DONE, outcome="tested")

    async def _after(self, job: FeedJob, outcome: AttemptResult) -> None:
        """Queue the run that somebody asked for meanwhile, after the lock was given back (FN-04). A worker that was
        killed before this finds the run ended when the task comes back, and does it then."""
        if outcome.run_id is None or (outcome.word != "ended" and not (outcome.ended and outcome.ended.follow_up)):
            return
        async with self._means.database.transaction() as conn:
            await jobs.follow_up(conn, job.feed_id, outcome.run_id)

    async def _settle(self, end: Settlement) -> None:
        async def work(conn: Connection) -> None:
            async with conn.transaction():
                settled = await queue.settle(conn, [end])
                await queue.free(conn, [end], settled)

        await self._means.database.retry(work)


def _remember(task: Claimed) -> Callable[[Connection, Mapping[str, Any]], Any]:
    async def remember(conn: Connection, fields: Mapping[str, Any]) -> None:
        if not await queue.remember(conn, task, dict(fields)):
            raise StaleFence(f"task {task.id} was taken away before its run began")

    return remember


def _settled(task: Claimed, outcome: AttemptResult) -> Settlement:
    if outcome.retry_in is not None:
        return _back(task, outcome.error, outcome.retry_in)
    failed = outcome.word == "failed"
    return Settlement(
        task=task,
        status=Status.FAILED if failed else Status.DONE,
        outcome="failed" if failed else "ok",
        reason=outcome.word,
        error=outcome.error,
    )


def _back(task: Claimed, error: str | None, wait: float, *, refund: bool = False) -> Settlement:
    return Settlement(task=task, status=Status.QUEUED, stage=Stage.FETCH, outcome="retry", reason="retry", error=error,
                      wait_seconds=wait, refund=refund)  # fmt: skip


async def tick(database: Database) -> int:
    async with database.transaction() as conn:
        return await jobs.schedule_due(conn)


class FeedUpkeep:
    def __init__(self, database: Database, stored: DatabaseSettings | None = None) -> None:
        self._database, self._stored = database, stored
        self._beats = 0

    async def feeds(self) -> None:
        await upkeep.reap(self._database, notify, ended)
        async with self._database.transaction() as conn:
            await upkeep.going_stale(conn, _notify_stale)
        await self.link()
        await feed_changes.publish(self._database)
        self._beats += 1
        if self._beats % 60 == 1:
            async with self._database.connection() as conn:
                await upkeep.clean(conn, slow=_notify_slow)
                await upkeep.forget_clicks(conn)
                await upkeep.drop_orphans(conn)
                await self._reseal(conn)

    async def link(self) -> int:
        """F-139: new offers are linked to products and found by search, some on each beat."""
        taken = 0
        for _ in range(LINKED_PARTS):
            async with self._database.transaction() as conn:
                waiting = await upkeep.unlinked(conn)
                if waiting is None:
                    break
                feed_id, source_id, after = waiting
                done = await resolver.run_over(conn, source_id, after, LINKED_AT_ONCE)
                if done.through is None:  # another process is at it
                    break
                await upkeep.linked(conn, feed_id, done.through)
            taken += done.taken
        return taken

    async def _reseal(self, conn: Connection) -> None:
        """F-140: what an older key sealed is sealed with the current one, while runs go on."""
        if self._stored is not None and await any_stored(conn):
            await reseal(conn, await open_ring(conn, self._stored))


async def _notify_stale(conn: Connection, stale: upkeep.Stale) -> None:
    details = {"goes_stale_at": stale.goes_stale_at.isoformat()}
    await notify(conn, Notice(code="FEED_GOING_STALE", feed=stale.feed, run_id=None, details=details))


async def _notify_slow(conn: Connection, seconds: float) -> None:
    """F-114: an alert while clean-ups take too long, over with the next that does not."""
    if seconds <= upkeep.SLOW_SECONDS:
        await alerts.resolve(conn, "feeds", keys=[_SLOW])
        return
    title = f"Taking old feed runs away took {round(seconds / 60)} minutes"
    details = {"duration_ms": round(seconds * 1000)}
    alert = alerts.Alert(severity=alerts.SLACK, code="CLEANUP_SLOW", key=_SLOW, title=title, details=details)
    await alerts.open_alert(conn, alert)
