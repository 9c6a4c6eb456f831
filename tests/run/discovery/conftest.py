from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.run.conftest import *  # noqa: F403 - a worker, sites and a database to run against
from tests.run.conftest import limit
from tests.run.discovery.search_server import SearchServer
from tests.run.scripted_site import Site
from winnow.actions.agendas import discovery as actions
from winnow.actions.agendas import regions
from winnow.actions.parts import Parts
from winnow.db.engine import Database
from winnow.run.discovery.discovery import Discovery
from winnow.services.settings import ServiceSettings
from winnow.settings import Settings

Seed = Callable[..., Awaitable[None]]


@pytest.fixture
async def sites(database: Database) -> AsyncIterator[list[Site]]:
    """Four sites at a pace that does not matter: a town and three others."""
    made = [await Site().start() for _ in range(4)]
    async with database.transaction() as conn:
        for one in made:
            await limit(conn, one.domain, one.url, 10_000, 64)
    yield made
    for one in made:
        await one.stop()


@pytest.fixture
def parts(database: Database, settings: Settings) -> Parts:
    return Parts(database, settings)


@pytest.fixture
def seed(parts: Parts) -> Seed:
    async def look_at(*urls: str) -> None:
        async with parts.database.transaction() as conn:
            await actions.add_seeds(conn, "test", parts.intake, urls)
        await Discovery(parts.database, parts.settings).run_until_empty()

    return look_at


@pytest.fixture
async def api(database: Database) -> AsyncIterator[SearchServer]:
    made = await SearchServer().start()
    async with database.transaction() as conn:
        await limit(conn, made.lane, made.url, 10_000, 64)
    yield made
    await made.stop()


@pytest.fixture
def searching(settings: Settings, api: SearchServer) -> Settings:
    """The settings with a search API."""
    services = ServiceSettings(
        _env_file=None, web_search_url=f"{api.url}/search", web_search_key="a-key", web_search_timeout_seconds=0.5
    )
    return replace(settings, services=services)


@pytest.fixture
def search(database: Database, searching: Settings) -> Callable[..., Awaitable[list[int]]]:
    """Municipalities are ordered; their jobs."""

    async def order(*names: str, **more: Any) -> list[int]:
        async with database.transaction() as conn:
            return await regions.search(conn, "test", searching.services, names, **more)

    return order


@pytest.fixture
def discover(database: Database, searching: Settings) -> Discovery:
    return Discovery(database, searching)
