"""The work of the benchmarks is what it says: heavy pages with known facts, queues with closed domains."""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from types import ModuleType

import psycopg
import pytest
from aiohttp import ClientSession

from bench import plan, queue, site
from bench.crawl import Crawl
from bench.extract import with_json_ld, with_microdata
from bench.harness import CONTENDERS, BenchFailed
from bench.site import Facts
from winnow.extract.page import Page
from winnow.extract.waterfall import fast

SITE = "http://127.0.0.1:8000"
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def contender(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, CONTENDERS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_pages_weigh_60_to_100_kb_and_are_all_different() -> None:
    pages = [site.render(number, SITE) for number in range(0, 2_000, 25)]
    assert all(site.SMALLEST <= len(page) <= site.LARGEST for page in pages)
    assert len(set(pages)) == len(pages)
    assert len(set(site.paths(2_000))) == 2_000


def test_a_page_is_the_same_every_time() -> None:
    assert site.render(17, SITE) == site.render(17, SITE)


def test_the_facts_stand_on_the_pages() -> None:
    fields = contender("limit_crawl").fields
    for number in range(40):
        assert Facts(**fields(site.render(number, SITE))) == site.facts_of(number)


def test_structured_data_stands_in_the_head_and_in_the_body() -> None:
    places = {b"ld+json" in site.render(number, SITE).partition(b"<body>")[0] for number in range(4)}
    assert places == {True, False}


@pytest.mark.parametrize("render", [with_json_ld, with_microdata])
def test_plain_pages_are_read_without_a_dom(render: Callable[[int], str]) -> None:
    """In stock and sold out: a page that takes the DOM costs fifty times as much."""
    pages = [Page(url=SITE + path, body=render(n).encode(), fetched_at=NOW) for n, path in enumerate(site.paths(16))]
    assert {facts.availability for facts in map(site.facts_of, range(16))} >= {"InStock", "OutOfStock"}
    assert [page.url for page in pages if fast(page, "offer") is None] == []


@pytest.fixture
async def shop() -> AsyncIterator[str]:
    answers: dict[bytes, bytes] = {}
    server = await asyncio.get_running_loop().create_server(lambda: site.Server(answers), "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    answers.update(site.answers_of(3, url))
    yield url
    server.close()


async def test_the_shop_serves_its_pages_over_one_connection(shop: str) -> None:
    async with ClientSession() as visitor:
        for number, path in enumerate(site.paths(3)):
            assert await (await visitor.get(shop + path)).read() == site.render(number, shop)
        assert (await visitor.get(shop + "/elsewhere")).status == 404
        assert "Disallow: /checkout/" in await (await visitor.get(shop + "/robots.txt")).text()


async def test_requests_that_arrive_in_pieces_or_together_are_answered(shop: str) -> None:
    host, port = shop.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(b"GET /robots.txt HTTP/1.1\r\nHost: a\r\n")
    await writer.drain()
    writer.write(b"\r\nGET /elsewhere HTTP/1.1\r\n\r\n")
    assert (await reader.readline()) == b"HTTP/1.1 200 OK\r\n"
    said = await reader.readuntil(b"not here")
    assert b"HTTP/1.1 404 Not Found" in said
    writer.close()


async def test_nine_of_ten_domains_are_not_ready_and_the_ledger_agrees(database_url: str) -> None:
    async with await psycopg.AsyncConnection.connect(database_url, autocommit=True) as conn:
        await queue.fill(conn, 2_500)
        count = "SELECT count(*) FROM lanes WHERE queued > 0"
        assert await scalar(conn, count) == 2_500
        assert await scalar(conn, "SELECT sum(queued) FROM lanes") == 2_500
        ready = " AND slot_at <= now() AND in_flight < max_concurrent AND NOT paused"
        assert await scalar(conn, count + ready) == 250
        assert await queue.timed_claim(conn) > 0
        assert await scalar(conn, "SELECT count(*) FROM tasks WHERE status = 'queued'") == 2_500


async def test_a_crawl_is_planned_as_a_run_over_all_pages(database_url: str) -> None:
    urls = [SITE + path for path in site.paths(30)]
    await plan.plan(database_url, SITE, urls)
    async with await psycopg.AsyncConnection.connect(database_url) as conn:
        assert await scalar(conn, "SELECT count(*) FROM tasks WHERE status = 'queued'") == 30
        assert await scalar(conn, "SELECT tokens_per_interval FROM domains") == 100_000
    assert (await plan.read_back(database_url)).found == {}


def test_a_wrong_or_missing_value_fails_the_benchmark() -> None:
    expected = {f"{SITE}{path}": site.facts_of(n) for n, path in enumerate(site.paths(3))}
    crawl = Crawl.__new__(Crawl)
    crawl.expected = expected
    crawl.check("peer", expected, 3)
    first = next(iter(expected))
    with pytest.raises(BenchFailed, match="found None"):
        crawl.check("peer", {url: facts for url, facts in expected.items() if url != first}, 3)
    with pytest.raises(BenchFailed, match="where"):
        crawl.check("peer", {**expected, first: site.facts_of(2)}, 3)
    with pytest.raises(BenchFailed, match="4 products"):
        crawl.check("peer", {**expected, "http://elsewhere": site.facts_of(2)}, 3)


async def scalar(conn: psycopg.AsyncConnection, statement: str) -> int:
    row = await (await conn.execute(statement)).fetchone()
    assert row is not None
    return int(row[0])
