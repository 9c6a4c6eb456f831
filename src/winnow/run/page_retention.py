"""Deletes archived pages that are too old, and what crashes left behind (C-049)."""

from __future__ import annotations

import random

import structlog

from winnow.db.engine import Database
from winnow.fetch.archive import retention
from winnow.fetch.archive.archive import Archive
from winnow.fetch.settings import FetchSettings

log = structlog.get_logger(__name__)

TIDY_SECONDS = 300.0  # 256 prefixes at one per turn: every body is looked at within a day
MAX_BATCHES = 40  # 20 000 bodies a turn


class PageRetention:
    def __init__(self, database: Database, archive: Archive, settings: FetchSettings) -> None:
        self._database = database
        self._archive = archive
        self._rules = retention.RetentionRules(
            settings.keep_pages_days, settings.keep_personal_pages_days, settings.keep_fetches_days
        )
        self._turn = random.randrange(256)  # several processes, and restarts, begin anywhere

    async def expire(self) -> int:
        """Bodies that were let go of."""
        expired = deleted = rows = 0
        for _ in range(MAX_BATCHES):
            async with self._database.connection() as conn:
                done = await retention.expire(conn, self._archive, self._rules)
            expired, deleted, rows = expired + done.expired, deleted + done.deleted, rows + done.rows
            if max(done.expired, done.rows) < retention.BATCH:
                break
        if expired or rows:
            log.info("pages_expired", expired=expired, deleted=deleted, rows=rows)
        return expired

    async def sweep(self) -> int:
        """Bodies without a row, of one prefix in turn, and files a killed process left half-written."""
        prefix, self._turn = f"{self._turn:02x}", (self._turn + 1) % 256
        async with self._database.connection() as conn:
            orphans = await retention.sweep(conn, self._archive, prefix)
        unfinished = await self._archive.sweep_unfinished(retention.UNFINISHED)
        if orphans or unfinished:
            log.info("archive_swept", orphans=orphans, unfinished=unfinished)
        return orphans + unfinished
