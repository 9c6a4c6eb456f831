"""One attempt of a feed run: fetch → load → decide → activate → end. On the lock's own connection, but for
chunks of a first load, which may go beside it on a second one with a lock of its own."""

from __future__ import annotations

import asyncio
import secrets
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import psycopg
import structlog

from winnow.db.engine import Database
from winnow.errors import DatabaseUnavailable
from winnow.feeds import admin, runs
from winnow.feeds import feed as feeds
from winnow.feeds.failures import MAX_ATTEMPTS, FeedFailure, LimitExceeded, Retry, classify
from winnow.feeds.feed import Connection, Feed
from winnow.feeds.load import identity_changes, jumps, memory_store, retract
from winnow.feeds.load.identity_changes import IdentityChanges
from winnow.feeds.load.ids import ID_BYTES
from winnow.feeds.load.load import Loader, Totals
from winnow.feeds.load.writing import LoadTarget
from winnow.feeds.promote import phase2
from winnow.feeds.read import memory
from winnow.feeds.read.child import Read, Started, read, started
from winnow.feeds.read.parse_log import log_frames
from winnow.feeds.read.reading import Assignment
from winnow.feeds.runs import EndedRun, FeedJob, NotBegun, Remember, Run
from winnow.feeds.transport import spool
from winnow.feeds.transport.changes import Skip, StatVerdict, compare_stat, skip_by_hash
from winnow.feeds.transport.transport import Downloaded, FileStat, Reach, Remote, download, stat

log = structlog.get_logger(__name__)

BACKOFF = (5.0, 15.0, 45.0)  # seconds
PROGRESS_SECONDS = 1.0  # how often a running run stores its counters


class Notice(msgspec.Struct, frozen=True, kw_only=True):
    """A notification for people (F-113); `code` is an event of F-130 or the error code of a run."""

    code: str
    feed: Feed
    run_id: int | None
    details: dict[str, Any]


class FinishedFeedRun(msgspec.Struct, frozen=True, kw_only=True):
    """A finished run. `notified`: codes of the notifications sent about it."""

    feed: Feed
    run_id: int
    ended: EndedRun
    notified: frozenset[str] = frozenset()


Notify = Callable[[Connection, Notice], Awaitable[None]]
OnFinished = Callable[[Connection, FinishedFeedRun], Awaitable[None]]  # in the transaction that ends the run


class Means(msgspec.Struct, frozen=True, kw_only=True):
    """Dependencies of an attempt; tests and benches replace them."""

    database: Database
    reach: Reach
    secret: Callable[[Feed], Awaitable[str | None]]
    folder: Path
    notify: Notify
    on_finished: OnFinished
    chunk_rows: int = 5_000  # F-071: 500 … 5 000
    download: Callable[..., Awaitable[Downloaded]] = download
    stat: Callable[[Remote, Reach], Awaitable[FileStat]] = stat
    read: Read = read


class AttemptResult(msgspec.Struct, frozen=True, kw_only=True):
    """Result of one attempt. `retry_in`: seconds until the next attempt; None: the job has ended."""

    word: str
    ended: EndedRun | None = None
    run_id: int | None = None
    retry_in: float | None = None
    error: str | None = None


async def attempt(means: Means, job: FeedJob, number: int, remember: Remember) -> AttemptResult:
    """`number` counts from 1; the last one is final (FN-01). A database that goes away is the caller's."""
    async with means.database.dedicated() as conn:
        begun = await runs.begin(conn, job, remember)
        if isinstance(begun, NotBegun):
            return AttemptResult(word=begun.word, run_id=job.run_id)
        feed, run = begun
        ids = {"feed_id": feed.id, "run_id": run.id, "source_id": feed.source_id, "network": feed.network}
        with structlog.contextvars.bound_contextvars(**ids):
            try:
                return await _Attempt(means, conn, feed, run, number).run()
            finally:
                with suppress(Exception):  # the session's end gives the lock back as well
                    await feeds.unlock(conn, feed)
                    log.debug("ADVISORY_LOCK_RELEASED")


class _Attempt:
    def __init__(self, means: Means, conn: Connection, feed: Feed, run: Run, number: int) -> None:
        self.means, self.conn, self.feed, self.run_row, self.number = means, conn, feed, run, number
        self.totals = Totals()
        self.changes = IdentityChanges()
        self.notified: set[str] = set()
        self.got: Downloaded | None = None
        self.stage = "download"
        self.began = time.monotonic()
        self._progress_at = 0.0

    async def run(self) -> AttemptResult:
        try:
            ended = await self._work()
        except DatabaseUnavailable:
            raise
        except Exception as error:
            if not isinstance(error, FeedFailure):
                log.exception("feed_defect", stage=self.stage)
            return await self._failed(error)
        self._log_complete(ended)
        return AttemptResult(word="succeeded", ended=ended, run_id=self.run_row.id)

    async def _work(self) -> EndedRun:
        remote = self.feed.remote(await self.means.secret(self.feed))
        self.means.folder.mkdir(parents=True, exist_ok=True)
        found = await self._stat(remote)
        if (skip := self._skip_by_stat(found)) is not None:
            return await self._skipped(skip, found, None)
        path = self._spooled
        spool.sweep(path, f"feed-{self.feed.id}-run-")
        try:
            async with started(self.means.read) as reader:  # while the file is fetched
                self.got = await self.means.download(remote, self.means.reach, path)
                if (skip := skip_by_hash(self.got.sha256, self._last_hash)) is not None:
                    return await self._skipped(skip, self.got.stat or found, self.got)
                if self.feed.keep_files:
                    await self._keep(path)
                return await self._load(path, reader)
        finally:
            path.unlink(missing_ok=True)

    async def _keep(self, path: Path) -> None:
        """Archive the file as the server sent it (F-135); it is deleted with its run (F-114)."""
        url = await asyncio.to_thread(spool.keep, path)
        await self.conn.execute(
            "UPDATE affiliate_feed_runs SET artifact_url = %s WHERE id = %s", (url, self.run_row.id)
        )

    @property
    def _spooled(self) -> Path:
        """The spool file of the run, shared by its attempts: a download resumes where the last attempt stopped."""
        return self.means.folder / f"feed-{self.feed.id}-run-{self.run_row.id}"

    @property
    def _last_hash(self) -> str | None:
        return self.feed.last_content_hash

    async def _stat(self, remote: Remote) -> FileStat | None:
        """Size and time of the remote file, or None where the server does not tell: the download reports real
        errors."""
        if self.feed.last_remote_mtime is None or self.feed.last_remote_size is None:
            return None
        found = await self.means.stat(remote, self.means.reach)
        log.debug("FILE_STAT", stage="download", remote_mtime=str(found.mtime), remote_size=found.size,
                  last_mtime=str(self.feed.last_remote_mtime), last_size=self.feed.last_remote_size)  # fmt: skip
        return found

    def _skip_by_stat(self, found: FileStat | None) -> Skip | None:
        verdict = compare_stat(found, self.feed.last_remote_mtime, self.feed.last_remote_size)
        remote, last = _stat_fields(found), str(self.feed.last_remote_mtime)
        if verdict is StatVerdict.UNCHANGED:
            log.debug("STAT_UNCHANGED", stage="download", remote=remote, last=last)
            return Skip.MTIME
        if verdict is StatVerdict.CHANGED:
            log.debug("STAT_CHANGED", stage="download", remote=remote, last=last)
        else:
            log.debug("STAT_INCOMPLETE", stage="download", remote=remote, last=last)
        return None

    async def _skipped(self, skip: Skip, found: FileStat | None, got: Downloaded | None) -> EndedRun:
        """F-096; with `refresh_unchanged` the same file says again what it said (FN-07)."""
        log.info("DOWNLOAD_SKIPPED_UNCHANGED", stage="download", reason=str(skip), hash=got.sha256 if got else None)
        async with self.conn.transaction():
            if self.feed.refresh_unchanged:
                await phase2.refresh(self.conn, self.feed.id)
            file = {"mtime": found and found.mtime, "size": found and found.size, "sha256": got and got.sha256}
            values = {"skipped_reason": str(skip), "keep_state": found is not None, **file}
            if got is not None:
                values["download_bytes"] = got.size
            return await self._finish(await runs.succeed(self.conn, self.run_row, values))

    async def _load(self, path: Path, reader: Started) -> EndedRun:
        self.stage = "upsert"
        target = LoadTarget(
            feed_id=self.feed.id,
            source_id=self.feed.source_id,
            run_id=self.run_row.id,
            heartbeat_hours=self.feed.heartbeat_hours,
            incremental=self.feed.update_mode == "INCREMENTAL",
        )
        # Two connections commit in no order: whoever goes through the offers of an active feed by their ids would miss
        # some (upkeep.unlinked).
        second = (
            partial(feeds.open_second_connection, self.means.database, self.feed)
            if self.feed.promoted_run_id is None
            else None
        )
        await retract.begin_load(self.conn, self.feed, self.run_row.id)
        loader = Loader(self.conn, target, self._progress, second)
        self.totals = loader.totals
        with tempfile.NamedTemporaryFile(dir=self.means.folder, prefix=f"{path.name}.memory-") as kept:
            prepare = partial(self._assignments, path, kept, loader)
            end = await loader.run(log_frames(reader.stream(prepare)))
        await self._count_prices()
        self.stage = "transform"
        if loader.moved or self.run_row.resumed:
            self.changes = await identity_changes.detect(self.conn, self.feed, self.run_row.id, self.totals)
        self.stage = "promote"
        return await self._end(loader.remembered(end), end.salt, loader.plain)

    async def _count_prices(self) -> None:
        """F-048: what earlier attempts of the run have written counts as well."""
        if self.run_row.resumed:
            query = "SELECT count(*) FROM prices WHERE affiliate_feed_run_id = %s"
            row = await (await self.conn.execute(query, (self.run_row.id,))).fetchone()
            self.totals.prices_written = row[0] if row else 0
            self.totals.price_jump_count = await jumps.count(self.conn, self.run_row.id)

    async def _assignments(self, path: Path, kept: Any, loader: Loader) -> AsyncIterator[Assignment | frozenset[bytes]]:
        """The reader's input: the assignment, then the ids of offers it must not skip as unchanged."""
        fresh, now = await loader.prepare(), await self._now()
        known = await memory_store.fetch(self.conn, self.feed.id)
        for part in known.parts:
            kept.write(part)
        kept.flush()
        yield Assignment(
            path=str(path),
            settings=self.feed.parse_settings(now),
            chunk_rows=self.means.chunk_rows,
            source_id=self.feed.source_id,
            run_id=self.run_row.id,
            fresh=fresh,
            lowercase_path=self.feed.url_normalization_mode == "LOWERCASE_PATH",
            salt=known.salt,
            seed=known.seed or secrets.randbits(63),
            memory=kept.name if known.parts else None,
            due_before=memory.stamp(now - timedelta(hours=self.feed.heartbeat_hours)),
        )
        changed = await loader.count_existing(known.made_at)
        if known.parts:
            ours = () if self.run_row.resumed else (self.run_row.id,)
            changed += await memory_store.priced_since(self.conn, self.feed.id, known.run_id, ours)
        yield frozenset(offer.to_bytes(ID_BYTES, "big") for offer in changed)

    async def _now(self) -> datetime:
        row = await (await self.conn.execute("SELECT clock_timestamp()")).fetchone()
        assert row is not None
        moment: datetime = row[0]
        return moment

    async def _progress(self, totals: Totals) -> None:
        if time.monotonic() - self._progress_at < PROGRESS_SECONDS:
            return
        self._progress_at = time.monotonic()
        await self.conn.execute(
            "UPDATE affiliate_feed_runs SET download_bytes = %s, rows_read = %s, rows_parsed = %s,"
            " products_upserted = %s, prices_written = %s, products_rejected = %s WHERE id = %s",
            (
                self.got and self.got.size,
                totals.rows_read,
                totals.rows_parsed,
                totals.products_upserted,
                totals.prices_written,
                totals.products_rejected,
                self.run_row.id,
            ),
        )

    async def _end(self, parts: list[bytes], salt: str, plain: Mapping[int, int] | None) -> EndedRun:
        """Phase 2 and the end of the run in one transaction. An error in it leaves the offers as they were, and the
        run succeeded without it (FN-12)."""
        try:
            async with self.conn.transaction():
                decided = await phase2.decide(self.conn, self.feed, self.totals, plain)
                if decided.blocked is None:
                    if parts:  # before the feed's row is locked: people wait for that
                        await memory_store.keep(self.conn, self.feed.id, self.run_row.id, salt, parts)
                    await phase2.activate(self.conn, self.feed.id, self.run_row.id, decided, self.totals)
                await self._handle_identity_changes()
                ended = await runs.succeed(self.conn, self.run_row, {**self._values(), **decided.values()})
                if decided.blocked is not None:
                    await self._notify(str(decided.blocked), decided.details())
                return await self._finish(ended)
        except DatabaseUnavailable:
            raise
        except Exception as error:
            log.exception("EXPIRY_STEP_FAILED", stage="promote")
            self.notified.clear()  # it went with the transaction
            async with self.conn.transaction():
                values = {**self._values(), "step_failed": True, "keep_state": False}
                ended = await runs.succeed(self.conn, self.run_row, values)
                await self._notify("EXPIRY_STEP_FAILED", {"error": str(error)})
                return await self._finish(ended)

    async def _handle_identity_changes(self) -> None:
        """Alert about changed identities (F-130), and pause a feed whose identities change back and forth (F-137)."""
        counted = msgspec.structs.asdict(self.changes)
        if self.changes.identity_upgrade_count:
            await self._notify("IDENTITY_UPGRADE_DETECTED", counted)
        if self.changes.path_case_collision_count:
            await self._notify("PATH_CASE_COLLISION", counted)
        if self.changes.identity_flap_count:
            await self._notify("IDENTITY_FLAP_DETECTED", counted)
            if identity_changes.flapping(self.changes, self.totals.products_upserted):
                await admin.pause(self.conn, "feeds", self.feed.id, reason="the ids of its products go back and forth")

    def _values(self) -> dict[str, Any]:
        counted = msgspec.structs.asdict(self.totals) | msgspec.structs.asdict(self.changes)
        for name in ("products_created", "products_updated"):
            counted.pop(name)
        got = self.got
        assert got is not None
        file = {"mtime": got.stat.mtime, "size": got.stat.size, "sha256": got.sha256}
        fingerprint = got.stat.host_key_fingerprint
        return {**counted, **file, "download_bytes": got.size, "fingerprint": fingerprint, "keep_state": True}

    async def _failed(self, error: Exception) -> AttemptResult:
        """FN-01: the run stays RUNNING while there is another attempt."""
        kind = Retry.TRANSIENT if isinstance(error, psycopg.Error) else classify(error)  # its words may be a product's
        code, message = str(getattr(error, "code", "INTERNAL_ERROR")), str(error) or type(error).__name__
        if isinstance(error, FeedFailure):
            message = error.describe(self.feed.id, self.run_row.id)
        if self.stage == "download":
            again = kind is Retry.TRANSIENT and self.number < MAX_ATTEMPTS
            log.error("DOWNLOAD_FAILED", stage="download", error=message, attempts=self.number, will_retry=again)
        if kind is not Retry.TRANSIENT:
            message = f"[{kind.upper()}] {message}"
            log.info("RETRY_SKIPPED", classification=str(kind), code=code, hint=getattr(error, "hint", None))
        elif self.number < MAX_ATTEMPTS:
            wait = BACKOFF[self.number - 1]
            log.warning("DOWNLOAD_RETRY", attempt=self.number, max_attempts=MAX_ATTEMPTS, error=message,
                        retry_in_ms=int(wait * 1000), stage=self.stage)  # fmt: skip
            return AttemptResult(word="retry", run_id=self.run_row.id, retry_in=wait, error=message)
        elif self.stage == "download":
            message += f"; tried {MAX_ATTEMPTS} times, the next run tries again: if this goes on, ask the shop"
        return await self._fail_run(error, code, message)

    async def _fail_run(self, error: Exception, code: str, message: str) -> AttemptResult:
        spool.forget(self._spooled)
        async with self.conn.transaction():
            values = msgspec.structs.asdict(self.totals) | {"download_bytes": self.got and self.got.size}
            for name in ("products_created", "products_updated"):
                values.pop(name)
            ended = await runs.fail(self.conn, self.run_row, {"code": code, "message": message}, values)
            limit = isinstance(error, LimitExceeded)
            await self._notify(code if limit else "RUN_FAILED", {"error": message, "code": code})
            if ended.disabled:
                await self._notify("FEED_AUTO_DISABLED", {"error": message})
            await self._finish(ended)
        log.error("RUN_FAILED", error=message, stage=self.stage, is_partial=self.totals.products_upserted > 0,
                  duration_ms=self._took())  # fmt: skip
        return AttemptResult(word="failed", ended=ended, run_id=self.run_row.id, error=message)

    async def _notify(self, code: str, details: dict[str, Any]) -> None:
        self.notified.add(code)
        await self.means.notify(self.conn, Notice(code=code, feed=self.feed, run_id=self.run_row.id, details=details))

    async def _finish(self, ended: EndedRun) -> EndedRun:
        ending = FinishedFeedRun(feed=self.feed, run_id=self.run_row.id, ended=ended, notified=frozenset(self.notified))
        await self.means.on_finished(self.conn, ending)
        return ended

    def _log_complete(self, ended: EndedRun) -> None:
        t = self.totals
        summary = {"rows": t.rows_read, "products": t.products_upserted, "prices": t.prices_written,
                   "rejected": t.products_rejected}  # fmt: skip
        log.info("RUN_COMPLETE", status=ended.status, duration_ms=self._took(), summary=summary)
        log.debug("MANUAL_RUN_PENDING_CHECK", pending=ended.follow_up)

    def _took(self) -> int:
        return round((time.monotonic() - self.began) * 1000)


def _stat_fields(found: FileStat | None) -> dict[str, str] | None:
    return None if found is None else {"mtime": str(found.mtime), "size": str(found.size)}
