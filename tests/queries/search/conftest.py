"""Offers that can be searched, and both places that answer: PostgreSQL, and a real OpenSearch."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

import pytest

from tests.servers.opensearch import OpenSearch
from tests.store.offer_rows import offer, source, write
from winnow.db.engine import Database
from winnow.queries.reading import reader
from winnow.queries.search.offers import search
from winnow.queries.search.request import SearchPage, SearchRequest
from winnow.queries.search.server import backend_of
from winnow.store import resolver
from winnow.store.search import changes
from winnow.store.search.server import push
from winnow.store.search.server.client import SearchServer
from winnow.store.settings import SearchSettings

GTIN = "4006381333931"
Rows = Callable[..., Awaitable[list[Any]]]


@pytest.fixture
def rows(database: Database) -> Rows:
    async def fetch(query: str, *given: object) -> list[Any]:
        async with database.connection() as conn:
            found = await conn.execute(query, given)
            return [row[0] if len(row) == 1 else row for row in await found.fetchall()] if found.description else []

    return fetch


@pytest.fixture(scope="session")
def opensearch(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenSearch]:
    server = OpenSearch(tmp_path_factory.mktemp("opensearch"))
    server.start()
    yield server
    server.stop()


def search_settings(url: str) -> SearchSettings:
    """An index of its own for each test."""
    return SearchSettings(
        _env_file=None, search_url=url, search_index=f"t-{secrets.token_hex(4)}", search_timeout_seconds=30
    )


@pytest.fixture
async def server(opensearch: OpenSearch) -> AsyncIterator[SearchServer]:
    opened = SearchServer(search_settings(opensearch.url))
    yield opened
    await opened.close()


class Shop:
    """Offers in the database, and what a search finds of them, by SKU."""

    def __init__(self, database: Database, server: SearchServer | None) -> None:
        self.database, self.server = database, server

    async def write(self, source_id: int, *offers: Any) -> None:
        await write(self.database, source_id, *offers)
        await self.settle()

    async def settle(self) -> None:
        """What upkeep does until nothing is left to do."""
        async with self.database.transaction() as conn:
            await resolver.run_once(conn)
        while True:
            async with self.database.transaction() as conn:
                if not await changes.run_once(conn):
                    break
        if self.server is not None:
            await self.send()

    async def send(self) -> None:
        assert self.server is not None
        async with self.database.connection() as conn:
            while await push.run_once(conn, self.server):
                pass

    async def page(self, q: str, *, everything: bool = True, **more: Any) -> SearchPage:
        async with reader(self.database) as conn:
            found = await search(conn, SearchRequest(q=q, everything=everything, **more), backend_of(self.server))
        assert found.note is None
        assert found.backend == ("postgresql" if self.server is None else "search_server")
        return found

    async def found(self, q: str, *, everything: bool = True, **more: Any) -> list[str]:
        return [row["sku"] for row in (await self.page(q, everything=everything, **more)).offers]


@pytest.fixture(params=["postgresql", pytest.param("opensearch", marks=pytest.mark.servers)])
def shop(request: pytest.FixtureRequest, database: Database) -> Shop:
    return Shop(database, request.getfixturevalue("server") if request.param == "opensearch" else None)


@pytest.fixture
async def stocked(shop: Shop, database: Database) -> int:
    one = await source(database)
    await shop.write(
        one,
        offer("t1", 30000, title="Alpine dome tent, two persons", brand="Hilleberg", category="Camping",
              description="Waterproof and light"),
        offer("t2", 4500, title="Camping stove", category="Camping", description="Boils water in the alpine cold"),
        offer("t3", 12900, title="Cordless drill 18V", brand="Bosch", mpn="GSR18V-55", gtin=GTIN, category="Tools"),
        offer("t4", 990, "EUR", title="It", category="Books", brand="Viking"),
    )  # fmt: skip
    return one
