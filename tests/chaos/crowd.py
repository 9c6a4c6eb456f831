"""A shop, a database and worker processes that can be killed: what the chaos runs have in common."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.waiting import LIMIT
from winnow.db.engine import Connection, Database
from winnow.demo.shop import DemoShop
from winnow.normalise.urls import canonical_url, url_hash
from winnow.schedule import runs
from winnow.schedule.queue.task import Trigger
from winnow.schedule.settings import ScheduleSettings
from winnow.sources.domain import domain_of

LEASE = "2"  # seconds: a dead worker's tasks come back soon, so that the run stays short


async def add_source(
    database: Database, urls: list[str], tokens: int = 100_000, concurrent: int = 64, interval: float = 1.0
) -> int:
    domain = domain_of(urls[0])
    async with database.transaction() as conn:
        await conn.execute("INSERT INTO retailers (name) VALUES (%s)", (domain,))
        found = await conn.execute(
            "INSERT INTO sources (name, url, domain, retailer_id, adapter_id) "
            "SELECT %s, %s, %s, id, 'generic' FROM retailers WHERE name = %s RETURNING id",
            (domain, urls[0], domain, domain),
        )
        (source_id,) = await found.fetchone()
        await conn.execute(
            "INSERT INTO scrape_targets (url, canonical_url, url_hash, domain, source_id, adapter_id) "
            "SELECT u, c, h, %s, %s, 'generic' FROM unnest(%s::text[], %s::text[], %s::text[]) AS t (u, c, h)",
            (domain, source_id, urls, [canonical_url(u) for u in urls], [url_hash(u) for u in urls]),
        )
        await conn.execute(
            "INSERT INTO domains (domain_name, base_url, tokens_per_interval, interval_seconds, "
            "max_concurrent_requests) VALUES (%s, %s, %s, %s, %s)",
            (domain, urls[0], tokens, interval, concurrent),
        )
    return source_id


async def start_run(database: Database, source_id: int) -> int:
    roomy = ScheduleSettings(queue_per_adapter=100_000, queue_total=100_000)
    async with database.transaction() as conn:
        started = await runs.start(conn, source_id, Trigger.MANUAL, roomy)
    assert started.run_id is not None
    return started.run_id


class Process:
    """One of Winnow's processes, started as a user would."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    async def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        await self.process.wait()

    async def stop(self) -> None:
        if self.process.returncode is None:
            self.process.terminate()
            await asyncio.wait_for(self.process.wait(), LIMIT)


async def start(
    command: str, database_url: str, folder: Path, *, log: Path | None = None, **environment: str
) -> Process:
    """With a `log`, it returns when the process says there that it has started: a busy machine takes its time."""
    given = {
        "WINNOW_DATABASE_URL": database_url,
        "WINNOW_DATA_DIR": str(folder),
        "WINNOW_EGRESS_ALLOW": "127.0.0.0/8",
        "WINNOW_LEASE_SECONDS": LEASE,
        "WINNOW_LOG_LEVEL": "ERROR",
        "WINNOW_UPKEEP_TICK_SECONDS": "0.5",
    }
    code = (
        f"import winnow.settings, winnow.run.{command} as part; from winnow.observe import logs; "
        "settings = winnow.settings.load(); logs.configure(settings.observe); part.main(settings)"
    )
    if log is not None:
        given["WINNOW_LOG_LEVEL"] = "INFO"
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        code,
        env={**os.environ, **given, **environment},
        stderr=None if log is None else log.open("ab"),
    )
    if log is not None:
        await _logged(log, f"{command}_started")
    return Process(process)


async def _logged(log: Path, word: str) -> None:
    async with asyncio.timeout(LIMIT):
        while word not in log.read_text():
            await asyncio.sleep(0.1)


@asynccontextmanager
async def running(command: str, database_url: str, folder: Path, **environment: str) -> AsyncIterator[Process]:
    process = await start(command, database_url, folder, **environment)
    try:
        yield process
    finally:
        await process.stop()


async def settled(database: Database, seconds: float) -> None:
    """Waits until no task is queued or running."""
    async with asyncio.timeout(seconds):
        while await left(database):
            await asyncio.sleep(0.1)


async def left(database: Database) -> int:
    (row,) = await rows(database, "SELECT count(*) FROM tasks WHERE status IN ('queued', 'running')")
    return int(row[0])


async def rows(database: Database, query: str, *given: object) -> list[tuple]:
    """Looks, as often as it takes: the database may be away on purpose."""

    async def look(conn: Connection) -> list[tuple]:
        return await (await conn.execute(query, given)).fetchall()

    return await database.retry(look)


def product_urls(shop: DemoShop) -> list[str]:
    return [shop.url + product.path for product in shop.products]
