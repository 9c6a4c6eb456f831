"""Stored pages through a candidate: what would it change (C-069)? Reads the archive in small batches and stores no
price. `start` replays in the background, one replay at a time in a process: reading pages takes a processor."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from datetime import datetime
from typing import Any

import msgspec
import structlog

from winnow.db.engine import Database
from winnow.errors import ArchiveError, Conflict, NotFound
from winnow.extract.adapter import ANY_DOMAIN, Adapter, Context, Registry
from winnow.extract.page import Page
from winnow.fetch.archive.archive import Archive
from winnow.judge import replays
from winnow.judge.compare import PageFacts
from winnow.judge.difference_report import DifferenceReport
from winnow.judge.replays import ReplayedPage, ReplayScope, StoredReading
from winnow.kinds.adapters import choose
from winnow.kinds.facts import facts_of, facts_of_stored
from winnow.kinds.kind import Kind
from winnow.kinds.registry import all_kinds
from winnow.observe import audit
from winnow.run.parsers import ParserPool
from winnow.settings import Settings

log = structlog.get_logger(__name__)

BATCH = 50  # pages in memory at once: a page may have 10 MB


Background = set[asyncio.Task[None]]  # the replays under way in this process


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be replayed. `version` or `file` name the candidate for the parser processes; `live` is the version
    that runs now, None when the adapter is new."""

    candidate: Adapter
    live: str | None = None
    file: str = ""
    source_id: int | None = None
    since: datetime | None = None
    limit: int = 1_000

    @property
    def scope(self) -> ReplayScope:
        domain = None if self.candidate.domain == ANY_DOMAIN else self.candidate.domain
        return ReplayScope(adapter_id=self.candidate.id, domain=domain, source_id=self.source_id, since=self.since)


async def start(
    database: Database,
    actor: str,
    settings: Settings,
    registry: Registry,
    background: Background,
    adapter_id: str,
    version: str | None = None,
    *,
    source_id: int | None = None,
    since: datetime | None = None,
    limit: int = 1_000,
) -> int:
    """Starts a replay in the background and returns its id. Conflict: another one is under way."""
    check_registered(registry, adapter_id)
    candidate = choose(registry, adapter_id, version)
    if background:
        raise Conflict("another replay is under way: ask again when it is done")
    live = choose(registry, adapter_id).version
    order = Order(candidate=candidate, live=live, source_id=source_id, since=since, limit=limit)
    replay_id = await begin(database, actor, order)
    task = asyncio.create_task(_run_logged(database, settings, replay_id, order))
    background.add(task)
    task.add_done_callback(background.discard)
    return replay_id


def check_registered(registry: Registry, adapter_id: str) -> None:
    """Check that the version is registered: adapter files are accepted from the command line only, not over the
    network."""
    if adapter_id not in registry.list():
        raise NotFound(f"there is no adapter {adapter_id!r} (known: {', '.join(registry.list())})")


async def _run_logged(database: Database, settings: Settings, replay_id: int, order: Order) -> None:
    try:
        await run(database, settings, replay_id, order)
    except Exception:
        log.exception("replay_failed", replay_id=replay_id)


async def begin(database: Database, actor: str, order: Order) -> int:
    scope = {"source_id": order.source_id, "since": order.since.isoformat() if order.since else None,
             "limit": order.limit, "file": order.file or None}  # fmt: skip
    async with database.transaction() as conn:
        candidate = order.candidate
        replay_id = await replays.start(conn, "stored", candidate.id, order.live, candidate.version, scope, actor)
        await audit.record(conn, actor, "replay.started", "replay", replay_id,
                           after={"adapter_id": candidate.id, "version": candidate.version, **scope})  # fmt: skip
    return replay_id


async def run(
    database: Database,
    settings: Settings,
    replay_id: int,
    order: Order,
    seen: Callable[[DifferenceReport], None] | None = None,
) -> DifferenceReport:
    """`seen` is called after each batch. An error is stored with the replay and raised."""
    archive = Archive(settings.fetch.archive_url, settings.db.folder / "pages")
    parsers = ParserPool(settings.run)
    report = DifferenceReport()
    try:
        async with aclosing(_batches(database, order)) as batches:
            async for batch in batches:
                compared = [c for reading in batch if (c := await _compare(reading, order, archive, parsers, report))]
                found = [ReplayedPage(replay_id=replay_id, page_id=page, before=b, after=a) for page, b, a in compared]
                async with database.transaction() as conn:
                    await replays.add(conn, found)
                if seen is not None:
                    seen(report)
    except BaseException as failed:
        await _finish(database, replay_id, "failed", f"{type(failed).__name__}: {failed}"[:500])
        raise
    finally:
        await parsers.close()
        archive.close()
    await _finish(
        database, replay_id, "done", f"{report.missing} pages were not in the archive" if report.missing else None
    )
    return report


async def _batches(database: Database, order: Order) -> AsyncGenerator[list[StoredReading], None]:
    last: StoredReading | None = None
    left = order.limit
    while left > 0:
        async with database.connection() as conn:
            batch = await replays.readings(conn, order.scope, last, min(BATCH, left))
        if not batch:
            return
        yield batch
        last, left = batch[-1], left - len(batch)


async def _compare(
    reading: StoredReading, order: Order, archive: Archive, parsers: ParserPool, report: DifferenceReport
) -> tuple[Any, PageFacts, PageFacts] | None:
    """None: its bytes are gone, which is counted."""
    page = await _page(reading, archive)
    if page is None:
        report.missing += 1
        return None
    context = Context(
        source_id="",
        retailer_id="",
        run_id="",
        target_id="",
        url=reading.url,
        now=reading.created_at,
        currency=reading.currency,
        assume_in_stock=reading.assume_in_stock,
        locale=reading.locale,
        timezone=reading.timezone,
    )
    candidate = order.candidate
    version = "" if order.file or candidate.version == order.live else candidate.version
    kind = _kind_of(reading, candidate)
    found = await parsers.assess(page, candidate.id, context, kind.name, version=version, file=order.file)
    after = facts_of(found, kind)
    before = facts_of_stored(reading.records, reading.reason, kind, reading.currency)
    if not reading.known and order.live is not None:
        before = facts_of(await parsers.assess(page, candidate.id, context, kind.name), kind)
    report.add(reading.url, before, after)
    return reading.id, before, after


def _kind_of(reading: StoredReading, candidate: Adapter) -> Kind:
    """What the page was read as; what its adapter reads, where its task is forgotten."""
    kinds = all_kinds()
    return kinds.of_task(reading.kind or candidate.kind, candidate.id) or kinds.get(candidate.kind)


async def _page(reading: StoredReading, archive: Archive) -> Page | None:
    if reading.deleted:
        return None
    try:
        body = await archive.get(reading.content_hash)
    except (ArchiveError, NotFound):
        return None
    return Page(reading.final_url, body, reading.created_at, reading.charset or "utf-8",
                reading.content_type or "text/html", reading.status_code or 200)  # fmt: skip


async def _finish(database: Database, replay_id: int, status: str, error: str | None) -> None:
    async with database.transaction() as conn:
        await replays.finish(conn, replay_id, status, error)
