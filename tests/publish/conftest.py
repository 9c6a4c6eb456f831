from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

import pytest
import structlog

from tests.publish.receiver import PLATFORM_SECRET, Receiver
from winnow.db.engine import Database
from winnow.db.settings import DatabaseSettings
from winnow.fetch.egress.allow import AllowList
from winnow.fetch.egress.guard import EgressGuard
from winnow.publish import endpoints, outbox
from winnow.publish.keys import Secrets
from winnow.publish.publisher import Publisher
from winnow.publish.sender import Sender
from winnow.publish.settings import PublishSettings

Rows = Callable[..., Awaitable[list[Any]]]


@pytest.fixture(autouse=True)
def logged() -> Iterator[list[Any]]:
    with structlog.testing.capture_logs() as events:
        yield events


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    opened = await Receiver().start()
    yield opened
    await opened.stop()


@pytest.fixture
async def other_receiver() -> AsyncIterator[Receiver]:
    opened = await Receiver().start()
    yield opened
    await opened.stop()


@pytest.fixture
def publish_settings() -> PublishSettings:
    return PublishSettings(SCRAPER_WEBHOOK_SECRET=PLATFORM_SECRET)


@pytest.fixture
async def sender() -> AsyncIterator[Sender]:
    made = Sender(EgressGuard(AllowList(["127.0.0.0/8"])), "Winnow/1.0")
    yield made
    await made.close()


@pytest.fixture
def secrets(database: Database, database_settings: DatabaseSettings, publish_settings: PublishSettings) -> Secrets:
    return Secrets(database, database_settings, publish_settings)


@pytest.fixture
def publisher(database: Database, publish_settings: PublishSettings, sender: Sender, secrets: Secrets) -> Publisher:
    return Publisher(database, publish_settings, sender, secrets)


@pytest.fixture
def rows(database: Database) -> Rows:
    async def fetch(query: str, *given: object) -> list[Any]:
        async with database.connection() as conn:
            found = await conn.execute(query, given)
            return [row[0] if len(row) == 1 else row for row in await found.fetchall()] if found.description else []

    return fetch


@pytest.fixture
def subscribe(database: Database, secrets: Secrets) -> Callable[..., Awaitable[tuple[int, str]]]:
    """A receiver's subscription: its id and the secret it was given."""

    async def add(url: str, *topics: str, name: str = "", **more: Any) -> tuple[int, str]:
        ring = await secrets.key_ring()
        async with database.transaction() as conn:
            made, secret = await endpoints.add(conn, ring, name=name or url, url=url, topics=topics or ("*",), **more)
        return made.id, secret or ""

    return add


@pytest.fixture
def tell(database: Database) -> Callable[..., Awaitable[None]]:
    async def put(topic: str = "price.changed", key: str = "offer:1", **payload: Any) -> None:
        async with database.transaction() as conn:
            await outbox.put(conn, [outbox.Message(topic, key, payload)])

    return put


@pytest.fixture
def hurry(rows: Rows) -> Callable[[], Awaitable[None]]:
    """What waits for its next attempt is due now."""

    async def now() -> None:
        await rows("UPDATE deliveries SET next_attempt_at = now() WHERE status = 'pending'")

    return now
