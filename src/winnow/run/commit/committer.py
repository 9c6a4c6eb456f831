"""Many results, one commit. A worker's finished visits gather here for a few milliseconds, their pages
are archived with one wait for the disk, and everything about them is written in one transaction. While one
batch is written the next one is archived: the disk and the database need not wait for each other."""

from __future__ import annotations

import asyncio
import contextlib
import traceback
from collections.abc import Callable, Mapping, Sequence
from uuid import UUID

import psycopg
import structlog

from winnow.db import bell
from winnow.db.bell import Ring
from winnow.db.engine import Connection, Database
from winnow.errors import ArchiveError, ArchiveFull, DatabaseUnavailable
from winnow.fetch.archive.archive import Archive
from winnow.publish import alerts
from winnow.publish.alerts import PAGE, Alert
from winnow.run import endings
from winnow.run.commit.persist import PersistedVisits, checkpoint, persist
from winnow.run.settings import RunSettings
from winnow.run.visit import Visit
from winnow.schedule.circuit import CircuitRules
from winnow.schedule.queue.task import waited_for

log = structlog.get_logger(__name__)

UNDER_WAY = 2  # batches between gathering and committed: one at the archive, one at the database
MAX_BYTES = 256 << 20  # of bodies that wait: results are counted by the hundred, and a page may have 10 MB

MAX_RECORDS = 2_000  # of one batch: a list of thousands may not hold up a synchronous scrape

Settled = Callable[[Sequence[Visit], PersistedVisits], None]


class Committer:
    """`settled` is called after each commit with what was in it."""

    def __init__(
        self, database: Database, archive: Archive, settings: RunSettings, circuit: CircuitRules, settled: Settled
    ) -> None:
        self._database = database
        self._archive = archive
        self._settings = settings
        self._circuit = circuit
        self._settled = settled
        self._waiting: list[Visit] = []
        self._weights: dict[UUID, int] = {}
        self._more = asyncio.Event()
        self._hurry = asyncio.Event()
        self._closing = False
        self._places = asyncio.Semaphore(UNDER_WAY)
        self._archived: asyncio.Queue[tuple[list[Visit], dict[object, int]] | None] = asyncio.Queue()

    @property
    def is_full(self) -> bool:
        """Whether as much waits to be committed as memory allows."""
        return sum(self._weights.values()) >= MAX_BYTES

    def add(self, visit: Visit) -> None:
        self._waiting.append(visit)
        self._weights[visit.task.id] = len((visit.fetch and visit.fetch.body) or b"") + weight_of_records(visit)
        self._more.set()
        if waited_for(visit.task):
            self._hurry.set()

    async def checkpoint(self, visit: Visit) -> None:
        """Commits a fetched page whose extraction takes long: from here on it is never fetched again. An archive
        that fails ends the visit instead."""
        stored = await self._store([visit])
        if visit.fetch is None:
            return

        async def work(conn: Connection) -> None:
            async with conn.transaction():
                await checkpoint(conn, visit, stored.get(visit.task.id))

        await self._database.retry(work)
        visit.checkpointed = True

    async def run(self) -> None:
        """Until closed and empty."""
        archiving = asyncio.create_task(self._archive_all())
        try:
            while (batch := await self._archived.get()) is not None:
                await self._write(*batch)
                self._places.release()
            await archiving
        finally:
            archiving.cancel()

    async def _archive_all(self) -> None:
        try:
            while await self._places.acquire() and (batch := await self._gather()):
                self._archived.put_nowait((batch, await self._store(batch)))
        finally:
            self._archived.put_nowait(None)

    async def _gather(self) -> list[Visit]:
        """Return the next batch, or none when closed and empty. The first result waits a moment for others, unless a
        caller waits for one of them."""
        while not self._waiting and not self._closing:
            self._more.clear()
            await self._more.wait()
            if len(self._waiting) < self._settings.commit_batch and not self._closing:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._hurry.wait(), self._settings.commit_interval_ms / 1000)
        self._hurry.clear()
        batch = self._waiting[: batch_size(self._waiting, self._settings.commit_batch)]
        del self._waiting[: len(batch)]
        return batch

    def close(self) -> None:
        self._closing = True
        self._more.set()

    async def _write(self, batch: list[Visit], stored: Mapping[object, int], *, careful: bool = False) -> None:
        """Write a batch. One result that cannot be written must not take the others with it: it is looked for by
        halves, and of its page only the record that cannot be stored is left out."""
        try:
            written = await self._written(batch, stored, careful)
        except psycopg.ProgrammingError:
            raise  # a statement or table of ours is wrong: no page is to blame
        except Exception as defect:
            if len(batch) > 1:
                await self._write(batch[: len(batch) // 2], stored)
                await self._write(batch[len(batch) // 2 :], stored)
                return
            log.exception("result_unwritable", task_id=str(batch[0].task.id), url=batch[0].task.url)
            if not careful and has_records(batch[0]):
                await self._write(batch, stored, careful=True)
                return
            if batch[0].drop_result():
                stack = traceback.format_exc(limit=20)
                batch[0].ending = endings.of_defect(batch[0].task, defect, stack, batch[0].resume_stage)
                await self._write(batch, stored)
                return
            written = PersistedVisits()  # its lease runs out, and upkeep settles it
        for visit in batch:
            self._weights.pop(visit.task.id, None)
        self._settled(batch, written)
        if any(waited_for(visit.task) for visit in batch):
            await bell.wake_listeners(self._database, Ring.ENDED)

    async def _written(self, batch: list[Visit], stored: Mapping[object, int], careful: bool) -> PersistedVisits:
        """Write a batch, waiting as long as the database is away. Leases may run out meanwhile; then the fences
        prevent that anything is written twice."""

        async def work(conn: Connection) -> PersistedVisits:
            async with conn.transaction():
                return await persist(conn, batch, stored, self._circuit, careful=careful)

        while True:
            try:
                return await self._database.retry(work)
            except DatabaseUnavailable as away:
                log.warning("commit_waits", tasks=len(batch), reason=str(away))

    async def _store(self, batch: Sequence[Visit]) -> dict[object, int]:
        """Archives the bodies worth keeping; bytes stored per task. An archive that fails sends its tasks
        back to be fetched later: nothing is stored about a page that is not there."""
        await self._store_screenshots(batch)
        fresh = [v for v in batch if v.fetch and v.fetch.body is not None and not v.checkpointed and not v.unchanged]
        bodies = [v.fetch.body for v in fresh if v.fetch and v.fetch.body is not None]
        if not bodies:
            return {}
        try:
            stored = await self._archive.put_many(bodies, [v.fetch.hashed for v in fresh if v.fetch])
        except ArchiveError as failed:
            log.error("archive_failed", reason=str(failed), tasks=len(fresh))
            await self._alert(failed)
            for visit in fresh:
                visit.fetch, visit.page_id, visit.assessment = None, None, None
                visit.ending = endings.archive_failed(visit.task, failed)
            return {}
        for visit, body in zip(fresh, stored, strict=True):
            if visit.fetch is not None:
                visit.fetch.hashed_as(body.hash)  # reckoned beside the event loop
        return {v.task.id: s.stored_bytes for v, s in zip(fresh, stored, strict=True)}

    async def _alert(self, failed: ArchiveError) -> None:
        """Alert at once that the archive fails (E-078); the tasks go back in any case."""
        title = "page bodies cannot be stored: " + (
            "the archive is full" if isinstance(failed, ArchiveFull) else "it failed"
        )
        alert = Alert(severity=PAGE, code=failed.code, key="archive", title=title, details={"reason": str(failed)})

        async def work(conn: Connection) -> None:
            async with conn.transaction():
                await alerts.open_alert(conn, alert)

        try:
            await self._database.retry(work)
        except DatabaseUnavailable as away:
            log.warning("commit_waits", tasks=0, reason=str(away))

    async def _store_screenshots(self, batch: Sequence[Visit]) -> None:
        """Keep the screenshot of a failed page; a screenshot that cannot be kept is no reason to fetch the page
        again."""
        new = [v for v in batch if v.fetch is not None and v.fetch.screenshot is not None and not v.screenshot_hash]
        pictures = [v.fetch.screenshot for v in new if v.fetch is not None and v.fetch.screenshot is not None]
        if not pictures:
            return
        try:
            stored = await self._archive.put_many(pictures)
        except ArchiveError as failed:
            log.error("archive_failed", reason=str(failed), tasks=len(new))
            return
        for visit, picture in zip(new, stored, strict=True):
            visit.screenshot_hash = picture.hash


def has_records(visit: Visit) -> bool:
    return visit.assessment is not None and bool(visit.assessment.records)


def weight_of_records(visit: Visit) -> int:
    """Bytes of the records that wait with a visit."""
    records = [] if visit.assessment is None else visit.assessment.records
    return sum(len(judged.content.payload) for judged in records)


def batch_size(waiting: Sequence[Visit], limit: int) -> int:
    """How many of the waiting visits go into one batch: at most `limit`, at most MAX_RECORDS records, at least one."""
    records = 0
    for n, visit in enumerate(waiting[:limit]):
        records += 0 if visit.assessment is None else len(visit.assessment.records)
        if records > MAX_RECORDS and n:
            return n
    return min(len(waiting), limit)
