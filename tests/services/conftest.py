from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from tests.services.model_server import ModelServer
from winnow import settings
from winnow.db.engine import Database
from winnow.db.settings import DatabaseSettings
from winnow.run.services import Services, open_services
from winnow.schedule.ledger.ledger import PostgresLedger
from winnow.schedule.ledger.policy import Limits
from winnow.services.settings import ServiceSettings

Opened = Callable[..., Any]
FAST = Limits(tokens=1_000, interval_seconds=1, spacing_seconds=0, max_concurrent=100)


@pytest.fixture
async def server() -> AsyncIterator[ModelServer]:
    made = await ModelServer().start()
    yield made
    await made.stop()


@pytest.fixture
def opened(
    database: Database, database_settings: DatabaseSettings, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> Opened:
    """`open_services` on the server of this test, at a pace that does not matter."""
    monkeypatch.setenv("WINNOW_EGRESS_ALLOW", server.lane)

    def open_with(**given: Any) -> Any:
        from dataclasses import replace

        wanted: dict[str, Any] = {
            "llm_url": server.url + "/v1", "llm_model": "small", "llm_timeout_seconds": 0.3,
            "geocoder_url": server.url + "/search", "geocoder_timeout_seconds": 0.3,
            "embeddings_url": server.url + "/v1", "embeddings_model": "vec-1", "embeddings_timeout_seconds": 0.3,
            "web_search_url": server.url + "/websearch", "web_search_timeout_seconds": 0.3,
        } | given  # fmt: skip
        made = replace(settings.load(), db=database_settings, services=ServiceSettings(_env_file=None, **wanted))
        return open_services(database, made)

    return open_with


@pytest.fixture
async def pace(database: Database, server: ModelServer) -> Callable[[Limits], Awaitable[None]]:
    async def set_pace(limits: Limits) -> None:
        await PostgresLedger(database).set_limits(server.lane, limits)

    await set_pace(FAST)
    return set_pace


@pytest.fixture
async def services(opened: Opened, pace: Any) -> AsyncIterator[Services]:
    async with opened() as made:
        yield made
