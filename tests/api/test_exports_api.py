"""Exports over HTTP: what each key gets, and what a broken connection looks like."""

from __future__ import annotations

import asyncio
import io
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import httpx
import pyarrow.parquet as pq
import pytest
import uvicorn
from fastapi import FastAPI

from tests.api.conftest import Checked, MakeKey
from tests.publish.exports.conftest import parse
from tests.store.offer_rows import offer, source, write
from tests.waiting import LIMIT
from winnow.api import exports
from winnow.db.engine import Database
from winnow.observe.keys import Scope
from winnow.publish.exports.text_files import MEDIA_TYPES, Format

PRICES = "/api/v1/exports/prices"


async def client(api: FastAPI, make_key: MakeKey, scope: Scope) -> httpx.AsyncClient:
    headers = {"X-Service-Key": await make_key(scope)}
    return httpx.AsyncClient(transport=Checked(api), base_url="http://winnow.test", headers=headers)


@pytest.fixture
async def shops(database: Database) -> None:
    await write(database, await source(database, "shown", visibility_status="ELIGIBLE"), offer("a", 100))
    await write(database, await source(database, "hidden"), offer("b", 200))


@pytest.mark.usefixtures("shops")
@pytest.mark.parametrize("format", list(Format))
async def test_p092_a_read_key_gets_what_consumers_may_see(api: FastAPI, make_key: MakeKey, format: Format) -> None:
    for scope, amounts in ((Scope.READ, [100]), (Scope.ADMIN, [100, 200])):
        async with await client(api, make_key, scope) as caller:
            answer = await caller.get(PRICES, params={"format": format.value})
        assert answer.status_code == 200
        assert answer.headers["content-type"] == MEDIA_TYPES[format]
        assert answer.headers["content-disposition"].startswith('attachment; filename="prices-')
        assert [int(row["amount_minor"]) for row in parse(answer.content, format)] == amounts
        assert ("page_id" in parse(answer.content, format)[0]) is (scope is Scope.ADMIN)


@pytest.mark.usefixtures("shops")
async def test_the_cursor_of_one_export_is_the_since_of_the_next(
    api: FastAPI, make_key: MakeKey, database: Database
) -> None:
    async with await client(api, make_key, Scope.ADMIN) as caller:
        first = await caller.get(PRICES)
        await write(database, await source(database, "third"), offer("c", 300))
        second = await caller.get(PRICES, params={"since": first.headers[exports.CURSOR]})
        repeated = await caller.get(PRICES, params={"until": first.headers[exports.CURSOR], "after": 1})
    assert [int(row["amount_minor"]) for row in parse(second.content, Format.CSV)] == [300]
    assert [int(row["amount_minor"]) for row in parse(repeated.content, Format.CSV)] == [200]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/v1/exports/secrets", 422),
        (f"{PRICES}?format=xml", 422),
        (f"{PRICES}?since=yesterday", 422),
        (f"{PRICES}?since=2026-01-01T00:00:00", 422),
        (f"{PRICES}?after=-1", 422),
        (f"{PRICES}?since=0001-01-01T00:00:00%2B23:00", 422),
        (f"{PRICES}?until=9999-12-31T23:59:59-23:00", 200),
    ],
)
async def test_bad_input_is_refused_before_the_answer_begins(
    api: FastAPI, make_key: MakeKey, path: str, status: int
) -> None:
    async with await client(api, make_key, Scope.READ) as caller:
        assert (await caller.get(path)).status_code == status


async def test_head_has_the_headers_without_the_rows(api: FastAPI, make_key: MakeKey) -> None:
    async with await client(api, make_key, Scope.READ) as caller:
        answer = await caller.head(PRICES)
    assert answer.status_code == 200
    assert exports.CURSOR in answer.headers


async def test_too_many_at_once_are_asked_to_come_back(
    api: FastAPI, make_key: MakeKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with await client(api, make_key, Scope.READ) as caller:
        for _ in range(exports.MAX_AT_ONCE + 2):  # each gives its place back
            assert (await caller.get(PRICES)).status_code == 200
        monkeypatch.setattr(exports, "MAX_AT_ONCE", 0)
        answer = await caller.get(PRICES)
    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "30"


@asynccontextmanager
async def served(api: FastAPI) -> AsyncIterator[str]:
    listening = small_buffers(socket.SO_SNDBUF)
    listening.bind(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(api, log_config=None, lifespan="off"))
    task = asyncio.create_task(server.serve([listening]))
    while not server.started:
        await asyncio.sleep(0.01)
    yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    server.should_exit = True
    await task


def small_buffers(which: int) -> socket.socket:
    """With the usual ones a whole export may be on its way before anything of it is read."""
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, which, 1 << 16)
    return made


def connector() -> aiohttp.TCPConnector:
    return aiohttp.TCPConnector(socket_factory=lambda _: small_buffers(socket.SO_RCVBUF))


async def end_the_copy(database: Database) -> None:
    async with asyncio.timeout(LIMIT), database.connection() as conn:
        ended = False
        while not ended:
            found = await conn.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query ~ '^COPY'")
            ended = bool(await found.fetchall())


@pytest.mark.parametrize("format", list(Format))
async def test_an_answer_that_breaks_off_does_not_look_whole(
    api: FastAPI, make_key: MakeKey, database: Database, format: Format
) -> None:
    (written,) = await write(database, await source(database), offer("a"))
    async with database.connection() as conn:
        await conn.execute(
            "INSERT INTO prices (source_product_id, amount_minor, currency, availability, in_stock, "
            "ingestion_run_type) SELECT %s, n, 'USD', 'IN_STOCK', true, 'MANUAL' "
            "FROM generate_series(1, 200000) AS n", (written.product_id,),
        )  # fmt: skip
    headers = {"X-Service-Key": await make_key(Scope.ADMIN)}
    async with served(api) as url, aiohttp.ClientSession(headers=headers, connector=connector()) as session:
        async with session.get(f"{url}{PRICES}?format={format.value}", timeout=aiohttp.ClientTimeout(LIMIT)) as answer:
            begun = await answer.content.readany()
            await end_the_copy(database)
            with pytest.raises(aiohttp.ClientPayloadError):
                begun += await answer.content.read()
    assert not exports._running
    if format is Format.PARQUET:
        with pytest.raises(Exception, match=r"[Pp]arquet"):
            pq.read_table(io.BytesIO(begun))
