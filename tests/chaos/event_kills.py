"""kill -9 the worker again and again while it reads agendas, twice over: the same events as when nobody disturbs it.

python -m tests.chaos.event_kills [--agendas 50] [--kills 20]

Each agenda is a source; the second time an evening is renamed, one is moved, and one no longer listed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from tests.chaos.agendas import Agendas, has_details
from tests.chaos.crowd import left, rows, running, settled, start
from tests.chaos.kill_workers import some_progress
from tests.waiting import LIMIT
from winnow.db import migrate
from winnow.db.engine import Database
from winnow.db.settings import DatabaseSettings
from winnow.normalise.urls import canonical_url, url_hash
from winnow.schedule import runs
from winnow.schedule.queue.task import Trigger
from winnow.schedule.settings import ScheduleSettings
from winnow.sources.domain import domain_of

# Everything but ids, moments, and what names a task or a run.
EVENTS = """
SELECT s.name, e.source_key, e.occurrence, e.event_fingerprint, e.digest, e.title, e.description, e.event_date::text,
       e.event_time, e.starts_at::text, e.ends_at::text, e.category, e.event_status, e.venue_name, e.venue_key,
       e.latitude, e.longitude, e.precision, e.location_flagged, e.cell, e.url, e.confidence, e.normalization_method,
       e.provenance, e.search_text, e.status, e.sequence, e.misses, e.missing_since IS NOT NULL
FROM events AS e JOIN sources AS s ON s.id = e.source_id ORDER BY 1, 2, 3
"""
CHANGES = """
SELECT s.name, e.source_key, e.occurrence, c.cause, c.changes
FROM event_changes AS c JOIN events AS e ON e.id = c.event_id JOIN sources AS s ON s.id = e.source_id
ORDER BY 1, 2, 3, 4, c.changes::text
"""
# Which one of a group is shown, and by which pairs it came about, depends on who was first: compared are the groups.
MERGES = """
SELECT array_agg(s.name || ' ' || e.source_key || '@' || e.occurrence ORDER BY s.name, e.source_key, e.occurrence)
FROM events AS e JOIN sources AS s ON s.id = e.source_id
GROUP BY coalesce(e.merged_into, e.id) HAVING count(*) > 1 ORDER BY 1
"""
MESSAGES = "SELECT topic, count(*) FROM outbox WHERE topic LIKE 'event.%%' GROUP BY topic ORDER BY topic"
VENUES = "SELECT name, name_key, town_key, count(*) FROM venues GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"
LISTINGS = """
SELECT s.name, l.events, l.expected, l.complete, l.why, l.missing, l.gone
FROM event_listings AS l JOIN sources AS s ON s.id = l.source_id ORDER BY s.name, l.run_id
"""
COMPARED = {"events": EVENTS, "changes": CHANGES, "merges": MERGES, "messages": MESSAGES, "venues": VENUES,
            "listings": LISTINGS}  # fmt: skip

State = dict[str, list[tuple[Any, ...]]]


@dataclass
class Undertaking:
    """One installation that reads all agendas twice. `kills`: how often its worker dies of it."""

    database: Database
    folder: Path
    agendas: Agendas
    kills: int = 0
    done: int = 0

    async def read_twice(self) -> State:
        sources = [await self._add(venue) for venue in range(1, self.agendas.count + 1)]
        async with running("upkeep", self.database.url, self.folder):
            for again in (False, True):
                self.agendas.again = again
                await self._read(sources)
        return {name: await rows(self.database, query) for name, query in COMPARED.items()}

    async def _read(self, sources: list[int]) -> None:
        roomy = ScheduleSettings(queue_per_adapter=100_000, queue_total=100_000)
        async with self.database.transaction() as conn:
            started = [(await runs.start(conn, source, Trigger.MANUAL, roomy)).run_id for source in sources]
        assert None not in started
        await self._disturb(self.kills // 2)
        async with running("worker", self.database.url, self.folder):
            await settled(self.database, LIMIT)
            await self._until("SELECT count(*) FROM scrape_runs WHERE status = 'RUNNING'")
        await self._until("SELECT count(*) FROM scrape_runs AS r WHERE NOT EXISTS "
                          "(SELECT FROM event_listings AS l WHERE l.run_id = r.id)")  # fmt: skip
        await self._until("SELECT count(*) FROM events WHERE match_requested_at IS NOT NULL")

    async def _disturb(self, kills: int) -> None:
        chance = random.Random(self.done + 11)
        for _ in range(kills):
            if not await left(self.database):
                return
            worker = await start("worker", self.database.url, self.folder, WINNOW_WORKER_CONCURRENCY="8")
            try:
                await some_progress(self.database, chance.randint(1, max(2, 2 * self.agendas.count // (kills + 1))))
            finally:
                await worker.kill()
            self.done += 1

    async def _until(self, counting: str) -> None:
        """Until it counts none."""
        async with asyncio.timeout(LIMIT):
            while (await rows(self.database, counting))[0][0]:
                await asyncio.sleep(0.1)

    async def _add(self, venue: int) -> int:
        url = self.agendas.agenda(venue)
        domain = domain_of(url)
        async with self.database.transaction() as conn:
            found = await conn.execute(
                "INSERT INTO sources (name, url, domain, kind, adapter_id, timezone, default_latitude, "
                "default_longitude, deep_scrape_enabled) "
                "VALUES (%s, %s, %s, 'event', 'event', 'Europe/Amsterdam', 52.0, 4.4, %s) RETURNING id",
                (f"Agenda {venue:02}", url, domain, has_details(venue)),
            )
            (source,) = await found.fetchone()
            await conn.execute(
                "INSERT INTO scrape_targets (url, canonical_url, url_hash, domain, source_id, adapter_id, kind) "
                "VALUES (%s, %s, %s, %s, %s, 'event', 'event')",
                (url, canonical_url(url), url_hash(url), domain, source),
            )
            await conn.execute(
                "INSERT INTO domains (domain_name, base_url, tokens_per_interval, interval_seconds, "
                "max_concurrent_requests) VALUES (%s, %s, 100000, 1, 32) ON CONFLICT DO NOTHING",
                (domain, url),
            )
        return int(source)


def compare(undisturbed: State, disturbed: State) -> None:
    for name, wanted in undisturbed.items():
        found = disturbed[name]
        differing = [pair for pair in zip(wanted, found, strict=False) if pair[0] != pair[1]]
        assert found == wanted, f"{name}: {len(wanted)} undisturbed, {len(found)} disturbed, first: {differing[:1]}"


async def event_kills(first: Database, second: Database, folder: Path, agendas: int, kills: int) -> dict[str, object]:
    """Into two empty databases; raises when they differ."""
    began = time.monotonic()
    site = await Agendas(agendas).start()
    for name in ("calm", "killed"):
        (folder / name).mkdir(mode=0o711, exist_ok=True)
    try:
        calm = await Undertaking(first, folder / "calm", site).read_twice()
        killed = Undertaking(second, folder / "killed", site, kills)
        compare(calm, await killed.read_twice())
    finally:
        await site.stop()
    (losses,) = await rows(second, "SELECT sum(losses) FROM tasks")
    assert calm["merges"], "no event was listed twice"
    return {
        "agendas": agendas, "kills": killed.done, "leases_lost": losses[0], "events": len(calm["events"]),
        "changes": len(calm["changes"]), "merges": len(calm["merges"]), "seconds": round(time.monotonic() - began, 1),
    }  # fmt: skip


async def beside(url: str, name: str) -> str:
    """Another database on the same server."""
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as conn:
        await conn.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    made = psycopg.conninfo.make_conninfo(url, dbname=name)
    await migrate.upgrade(made)
    return made


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agendas", type=int, default=50)
    parser.add_argument("--kills", type=int, default=20)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="winnow-chaos-") as folder:
        Path(folder).chmod(0o711)
        async with await Database.open(DatabaseSettings(data_dir=Path(folder))) as first:
            await migrate.upgrade(first.url)
            async with await Database.open(DatabaseSettings(database_url=await beside(first.url, "killed"))) as second:
                print(json.dumps(await event_kills(first, second, Path(folder), given.agendas, given.kills)))


if __name__ == "__main__":
    asyncio.run(main())
