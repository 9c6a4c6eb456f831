"""The database goes away and comes back while workers work: nothing is lost, nothing doubled (R-28)."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from tests.chaos.kill_workers import check, kill_workers
from tests.waiting import LIMIT
from winnow.db.engine import Database
from winnow.run.upkeep import Upkeep
from winnow.run.worker import assembled


class Cable:
    """The way to the database, which can be pulled out: connections break, new ones are refused."""

    def __init__(self, host: str, port: int) -> None:
        self._to = (host, port)
        self._ends: set[asyncio.StreamWriter] = set()
        self._server: asyncio.Server | None = None
        self.port = 0

    async def plug_in(self) -> Cable:
        self._server = await asyncio.start_server(self._join, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    def pull_out(self) -> None:
        assert self._server is not None
        self._server.close()
        for end in list(self._ends):
            end.transport.abort()

    async def _join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection(*self._to)
        self._ends |= {writer, far_writer}
        await asyncio.gather(_pump(reader, far_writer), _pump(far_reader, writer))
        self._ends -= {writer, far_writer}


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError, OSError):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    writer.close()


async def test_r28_e009_a_run_goes_on_when_the_database_is_back(
    shop, watch, start, rows, database, database_url, settings
):
    """Twice: in the middle of everything, whatever each task is at."""
    known = conninfo_to_dict(database_url)
    cable = await Cable(known["host"], int(known["port"])).plug_in()
    far = settings.db.model_copy(
        update={"database_url": make_conninfo(database_url, port=str(cable.port)), "database_wait_seconds": 1.0}
    )
    urls = [shop.url + product.path for product in shop.products]
    run = await start(await watch(urls, rate=40))
    quick = replace(settings, db=far, schedule=settings.schedule.model_copy(update={"lease_seconds": 2.0}))
    async with await Database.open(far) as own, assembled(own, quick) as worker, asyncio.timeout(LIMIT):
        working = asyncio.create_task(worker.run())
        for done in (len(urls) // 4, len(urls) // 2):
            while len(await rows("SELECT 1 FROM tasks WHERE finished_at IS NOT NULL")) < done:
                await asyncio.sleep(0.02)
            cable.pull_out()
            await asyncio.sleep(1.5)  # longer than a worker waits for a connection, shorter than a lease
            await cable.plug_in()
        upkeep = Upkeep(database, quick)
        while await rows("SELECT 1 FROM tasks WHERE status IN ('queued', 'running') LIMIT 1"):
            await upkeep.rescue()
            await asyncio.sleep(0.1)
        worker.stop()
        await working
    cable.pull_out()
    await check(database, run, len(urls))
    assert await rows("SELECT count(*)::int FROM outbox WHERE key = %s", f"run:{run}") == [1]


async def test_r27_e010_a_worker_killed_again_and_again_loses_and_doubles_nothing(database, database_url, tmp_path):
    """A small one of tests/chaos/kill_workers.py."""
    done = await kill_workers(database, database_url, tmp_path, tasks=120, kills=3)
    assert done["kills"] == 3
