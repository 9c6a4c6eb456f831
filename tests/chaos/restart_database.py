"""PostgreSQL dies and stays away in the middle of a run: the run finishes by itself, with correct counts (R-28).

    python -m tests.chaos.restart_database [--tasks 1500] [--away 10]

First kill -9 of the postmaster, which its supervisor starts again; then an orderly stop, with the supervisor
frozen for as long as the database is to be away.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import tempfile
import time
from pathlib import Path

from tests.chaos.crowd import add_source, product_urls, rows, running, settled, start_run
from tests.chaos.kill_workers import check
from tests.waiting import LIMIT
from winnow.db import migrate
from winnow.db.engine import Database
from winnow.db.settings import DatabaseSettings
from winnow.demo.shop import start_shop
from winnow.observe import logs
from winnow.observe.settings import ObserveSettings

PRIVATE = ""  # no WINNOW_DATABASE_URL: the processes join the private server of the folder


class Server:
    """The private server of a folder, as the file of its supervisor names it."""

    def __init__(self, folder: Path) -> None:
        home = folder / "postgres"
        location = home / "location"
        self._file = (Path(location.read_text().strip()) if location.exists() else home) / "server.json"

    def kill(self) -> None:
        os.kill(self._process("postmaster"), signal.SIGKILL)

    async def away(self, seconds: float) -> None:
        supervisor = self._process("supervisor")
        os.kill(supervisor, signal.SIGSTOP)
        try:
            os.kill(self._process("postmaster"), signal.SIGINT)  # fast shutdown: sessions are cut, nothing is lost
            await asyncio.sleep(seconds)
        finally:
            os.kill(supervisor, signal.SIGCONT)

    def _process(self, name: str) -> int:
        return int(json.loads(self._file.read_text())[name])


async def restart_database(folder: Path, tasks: int, away: float) -> dict[str, object]:
    """Runs `tasks` pages on a private server that is killed once and stopped once; raises when a promise is broken."""
    began = time.monotonic()
    async with await Database.open(DatabaseSettings(data_dir=folder)) as database:
        await migrate.upgrade(database.url)
        shop = await start_shop(products=tasks, step_seconds=3600)
        try:
            run_id = await start_run(database, await add_source(database, product_urls(shop), concurrent=32))
            async with running("upkeep", PRIVATE, folder), running("worker", PRIVATE, folder):
                await finished(database, tasks // 5)
                Server(folder).kill()
                await finished(database, tasks // 2)
                await Server(folder).away(away)
                at_return = await finished(database, 0)
                await settled(database, LIMIT)
            await check(database, run_id, tasks)
        finally:
            await shop.stop()
    seconds = round(time.monotonic() - began, 1)
    return {"tasks": tasks, "away_seconds": away, "done_before_it_came_back": at_return, "seconds": seconds}


async def finished(database: Database, tasks: int) -> int:
    """Waits until so many tasks have ended; how many have."""
    async with asyncio.timeout(LIMIT):
        while True:
            (done,) = await rows(database, "SELECT count(*) FROM tasks WHERE finished_at IS NOT NULL")
            if done[0] >= tasks:
                return int(done[0])
            await asyncio.sleep(0.05)


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=1_500)
    parser.add_argument("--away", type=float, default=10.0)
    given = parser.parse_args()
    logs.configure(ObserveSettings(log_level="ERROR"))
    with tempfile.TemporaryDirectory(prefix="winnow-chaos-") as folder:
        Path(folder).chmod(0o711)
        print(json.dumps(await restart_database(Path(folder), given.tasks, given.away)))


if __name__ == "__main__":
    asyncio.run(main())
