"""The weekly discovery (E-012, E-013), the import of what a lost database left in files (E-023), and the alert that
asks for it. Chores of upkeep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import structlog

from winnow.db.engine import Connection, Database
from winnow.publish import alerts
from winnow.publish.alerts import SLACK, Alert
from winnow.run.discovery import spool
from winnow.run.discovery.discovery import store
from winnow.run.discovery.searching import queries_for
from winnow.run.discovery.spool import SpooledHits
from winnow.schedule.local_time import last_firing, wall_clock
from winnow.schedule.settings import OFF
from winnow.settings import Settings
from winnow.sources import discovery

log = structlog.get_logger(__name__)

LATE = timedelta(days=3)  # a week that nobody was there to begin is begun this much later at most
IMPORT = "discovery_import"


class WeeklyDiscovery:
    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._settings = settings

    async def run_once(self) -> None:
        await self.begin_when_due()
        await self.report_files()

    async def begin_when_due(self, now: datetime | None = None) -> list[int]:
        """The jobs of this week; a second process, or a second look, makes none. `now` is the database's."""
        schedule, services = self._settings.schedule, self._settings.services
        if schedule.discovery_schedule == OFF:
            return []
        async with self._database.transaction() as conn:
            now = now or await _database_now(conn)
            fired = last_firing(schedule.discovery_schedule, schedule.timezone, now)
            if wall_clock(schedule.timezone, now) - fired > LATE or not await discovery.begin_week(conn, fired.date()):
                return []
            made = [] if services.web_search_url is None else await add_searches(conn, None)
            if schedule.discovery_known_sources:
                made += await add_known(conn)
        if made:
            log.info("discovery_started", day=fired.date().isoformat(), jobs=len(made))
        return made

    async def report_files(self) -> int:
        """How many files wait to be imported."""
        files = spool.waiting(self._settings.db.folder)
        async with self._database.transaction() as conn:
            if not files:
                await alerts.resolve(conn, "upkeep", keys=[IMPORT])
                return 0
            names = [str(file) for file in files]
            title = f"results of discovery wait in a file: `winnow discover import {names[0]}`"
            details = {"files": names}
            await alerts.open_alert(
                conn, Alert(severity=SLACK, code=IMPORT, key=IMPORT, title=title, details=details, lasting=True)
            )
        return len(files)


async def add_searches(conn: Connection, ids: Sequence[int] | None, by: str | None = None) -> list[int]:
    """Jobs for the municipalities not searched recently, or for these; the largest come first."""
    found: Sequence[Mapping[str, Any]] = await discovery.due_municipalities(conn, ids)
    made = [await discovery.add_search(conn, one, queries_for(one["name"]), by) for one in found]
    return [job for job in made if job is not None]


async def add_known(conn: Connection, by: str | None = None) -> list[int]:
    """A job for one page of each event source that is visited."""
    made = [await discovery.add_seed(conn, url, by) for url in await discovery.known_pages(conn)]
    return [job for job in made if job is not None]


async def import_file(conn: Connection, file: Path) -> int:
    """How many results of the file were new."""
    stored = 0
    for one in spool.read(file):
        if isinstance(one, SpooledHits):
            hits = {one.query: msgspec.to_builtins(one.hits)}
            stored += await discovery.import_hits(conn, one.job_id, hits, one.checkpoint)
        else:
            stored += await store(conn, one.found, None) is not None
    return stored


async def _database_now(conn: Connection) -> datetime:
    row = await (await conn.execute("SELECT now()")).fetchone()
    assert row is not None
    moment: datetime = row[0]
    return moment
