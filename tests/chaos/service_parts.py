"""kill -9 one part of the scraping service after the other, when it hurts most (S-012, S-040, R-27, R-28).

    python -m tests.chaos.service_parts [--tasks 300] [--jobs 12]

The API while jobs are being submitted, the worker while callers wait for their answer, the publisher while it calls
back, the database, and the API and the database at once. Meanwhile callers scrape and wait, each with a key of its own:
every one gets its own page, by one task. The jobs end as in service_kills.py: right, each with one callback.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil

from tests.chaos.crowd import rows
from tests.chaos.restart_database import PRIVATE, Server
from tests.chaos.service_kills import (
    KEY,
    SECONDS,
    SECRET,
    Service,
    Site,
    _allow,
    _company,
    _ended,
    _trouble,
    check,
    plan,
)
from winnow.client import AsyncClient
from winnow.db import migrate
from winnow.db.engine import Database
from winnow.db.settings import DatabaseSettings

CALLERS = 4
POINTS = (("api",), ("worker",), ("upkeep",), ("database",), ("api", "database"), ("worker", "api"))


class Parts(Service):
    """`winnow up` on the private server of its folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__(PRIVATE, folder)
        self._folder = folder

    def kill_parts(self, names: tuple[str, ...]) -> None:
        for process in psutil.Process(self._process.pid).children():
            with contextlib.suppress(psutil.NoSuchProcess):
                if process.cmdline()[-1] in names:
                    process.kill()
        if "database" in names:
            Server(self._folder).kill()


class Callers:
    """Who waits for answers while parts die."""

    def __init__(self, port: int, site: str) -> None:
        self._port, self._site = port, site
        self._over = asyncio.Event()
        self.answered = 0

    async def run(self) -> None:
        async with AsyncClient(f"http://127.0.0.1:{self._port}", KEY, attempts=400) as winnow:
            await asyncio.gather(*(self._call(winnow, number) for number in range(CALLERS)))

    def stop(self) -> None:
        self._over.set()

    async def _call(self, winnow: AsyncClient, number: int) -> None:
        asked = 0
        while not self._over.is_set():
            asked += 1
            name = f"{number}x{asked}"
            found = await winnow.scrape(
                "company_website", f"{self._site}/firm/{name}", "ws_1", seconds=120, key=f"sync-{name}"
            )
            assert found.status == "completed", (found.status, found.error)
            assert found.result is not None
            assert found.result["company_name"] == f"Firm {name} Ltd", found.result
            self.answered += 1


async def service_parts(database: Database, folder: Path, tasks: int, jobs: int) -> dict[str, Any]:
    began = time.monotonic()
    fine, failing, waited = Site(_company), Site(_trouble), Site(_company)
    good, bad, own = await fine.start(), await failing.start(), await waited.start()
    await _allow(database, good, bad, own)
    planned = plan(tasks, jobs, good, bad, random.Random(7))
    (folder / "plan.json").write_text(json.dumps(planned))
    service = Parts(folder)
    await service.start()
    callers = Callers(service.port, own)
    calling = asyncio.create_task(callers.run())
    backend = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.chaos.backend", str(service.port), KEY, SECRET, str(folder)
    )
    try:
        await _submitted(database)
        for number, names in enumerate(POINTS):
            service.kill_parts(names)
            await _ended(database, tasks * (number + 1) // (len(POINTS) + 1))
        assert await asyncio.wait_for(backend.wait(), SECONDS) == 0
        callers.stop()
        await asyncio.wait_for(calling, SECONDS)
    finally:
        calling.cancel()
        if backend.returncode is None:
            backend.kill()
            await backend.wait()
        await service.stop()
        for site in (fine, failing, waited):
            await site.stop()
    await check(database, planned, json.loads((folder / "told.json").read_text()))
    (alone,) = await rows(database, "SELECT count(*), count(DISTINCT url) FROM tasks WHERE job_id IS NULL")
    assert alone == (callers.answered, callers.answered), f"{alone} tasks for {callers.answered} sync scrapes"
    seconds = round(time.monotonic() - began, 1)
    kills = ["+".join(names) for names in POINTS]
    return {"tasks": tasks, "jobs": jobs, "kills": kills, "sync_scrapes": callers.answered, "seconds": seconds}


async def _submitted(database: Database) -> None:
    """Until the first job is there: the others are on their way."""
    async with asyncio.timeout(SECONDS):
        while not await rows(database, "SELECT 1 FROM jobs LIMIT 1"):
            await asyncio.sleep(0.01)


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=12)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="winnow-chaos-") as name:
        folder = Path(name)
        folder.chmod(0o711)
        async with await Database.open(DatabaseSettings(data_dir=folder)) as database:
            await migrate.upgrade(database.url)
            print(json.dumps(await service_parts(database, folder, given.tasks, given.jobs)))


if __name__ == "__main__":
    asyncio.run(main())
