from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
import structlog

from tests.run.company_site import KEY
from tests.run.scripted_site import Site
from tests.waiting import LIMIT
from winnow.api.app import create_app
from winnow.db.engine import Database
from winnow.db.settings import DatabaseSettings
from winnow.demo.shop import DemoShop, start_shop
from winnow.fetch.settings import BrowserSettings, FetchSettings
from winnow.normalise.urls import canonical_url, url_hash
from winnow.run.worker import Worker, assembled
from winnow.schedule import runs
from winnow.schedule.queue.task import Trigger
from winnow.settings import Settings, load
from winnow.sources.domain import domain_of


@pytest.fixture(autouse=True)
def logged() -> Iterator[list[Any]]:
    """What was logged, as events."""
    with structlog.testing.capture_logs() as events:
        yield events


@pytest.fixture
def settings(database_settings: DatabaseSettings, tmp_path: Path) -> Settings:
    """The real settings on the test database, allowed to reach loopback."""
    everything = load()
    return Settings(
        db=database_settings,
        schedule=everything.schedule,
        fetch=FetchSettings(egress_allow=("127.0.0.0/8",), fetch_timeout_ms=60_000),
        browser=BrowserSettings(browser_fallback=False, browser_pool_size=1),
        observe=everything.observe,
        run=everything.run,
        api=everything.api,
    )


@pytest.fixture
async def shop() -> AsyncIterator[DemoShop]:
    opened = await start_shop(port=0)
    yield opened
    await opened.stop()


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    opened = await Site().start()
    yield opened
    await opened.stop()


@pytest.fixture
async def other_site() -> AsyncIterator[Site]:
    opened = await Site().start()
    yield opened
    await opened.stop()


@pytest.fixture
def rows(database: Database) -> Callable[..., Awaitable[list[Any]]]:
    async def fetch(query: str, *given: object) -> list[Any]:
        async with database.connection() as conn:
            found = await conn.execute(query, given)
            return [row[0] if len(row) == 1 else row for row in await found.fetchall()] if found.description else []

    return fetch


@pytest.fixture
def watch(database: Database) -> Callable[..., Awaitable[int]]:
    """A source with these URLs as targets, its domain at a high explicit rate; returns the source."""

    async def add(
        urls: list[str], *, rate: int | None = 10_000, concurrent: int | None = 64, adapter: str = "generic"
    ) -> int:
        domain = domain_of(urls[0])
        async with database.transaction() as conn:
            await conn.execute("INSERT INTO retailers (name) VALUES (%s) ON CONFLICT DO NOTHING", (domain,))
            found = await conn.execute(
                "INSERT INTO sources (name, url, domain, retailer_id, adapter_id) "
                "SELECT %s, %s, %s, id, %s FROM retailers WHERE name = %s RETURNING id",
                (domain, urls[0], domain, adapter, domain),
            )
            (source_id,) = await found.fetchone()
            await conn.execute(
                "INSERT INTO scrape_targets "
                "(url, canonical_url, url_hash, domain, source_id, adapter_id, next_crawl_at) "
                "SELECT u, c, h, %s, %s, %s, now() FROM unnest(%s::text[], %s::text[], %s::text[]) AS t (u, c, h)",
                (domain, source_id, adapter, urls, [canonical_url(u) for u in urls], [url_hash(u) for u in urls]),
            )
            await limit(conn, domain, urls[0], rate, concurrent)
        return source_id

    return add


async def limit(conn: Any, domain: str, url: str, rate: int | None, concurrent: int | None) -> None:
    """What a person decides about the domain, and its lane as the scheduler leaves it. None: nothing."""
    if rate is None:
        return
    await conn.execute(
        "INSERT INTO domains (domain_name, base_url, tokens_per_interval, interval_seconds, "
        "max_concurrent_requests) VALUES (%s, %s, %s, 1, %s) ON CONFLICT DO NOTHING",
        (domain, url, rate, concurrent),
    )
    await conn.execute(
        "INSERT INTO lanes (lane, tokens, interval_seconds, spacing_seconds, max_concurrent, limits_from) "
        'VALUES (%s, %s, 1, 0, %s, \'{"rate": "domain"}\') ON CONFLICT DO NOTHING',
        (domain, rate, concurrent),
    )


Work = Callable[..., Awaitable[Worker]]


@pytest.fixture
def work(database: Database, settings: Settings) -> Work:
    """A worker works until nothing is left to do; `run`, `fetch`, … replace the settings of a stage."""

    async def until_empty(**stages: Any) -> Worker:
        async with assembled(database, replace(settings, **stages)) as worker:
            async with asyncio.timeout(LIMIT):
                await worker.run(until_empty=True)
            return worker

    return until_empty


@pytest.fixture
def start(database: Database, settings: Settings) -> Callable[..., Awaitable[int]]:
    """A run over the source's targets, by hand; returns its id."""

    async def begin(source_id: int, **more: Any) -> int:
        async with database.transaction() as conn:
            started = await runs.start(conn, source_id, Trigger.MANUAL, settings.schedule, **more)
        assert started.run_id is not None
        return started.run_id

    return begin


@pytest.fixture
async def backend(database: Database, settings: Settings) -> AsyncIterator[httpx.AsyncClient]:
    """A client with the backend's key."""
    known = replace(settings, api=settings.api.model_copy(update={"service_key": KEY}))
    transport = httpx.ASGITransport(create_app(database, known))
    headers = {"X-Service-Key": KEY}
    async with httpx.AsyncClient(transport=transport, base_url="http://winnow.test", headers=headers) as client:
        yield client


@pytest.fixture
async def quick(database: Database, site: Site) -> Site:
    """The site at a high explicit rate."""
    async with database.transaction() as conn:
        await limit(conn, site.domain, site.url, 10_000, 64)
    return site


@pytest.fixture
async def working(database: Database, settings: Settings) -> AsyncIterator[None]:
    """A worker beside the test."""
    async with assembled(database, settings) as worker:
        task = asyncio.create_task(worker.run())
        yield
        worker.stop()
        await task
