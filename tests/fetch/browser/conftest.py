"""A small site on loopback, a canary beside it, and browsers that may reach the site alone."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from aiohttp import web

from winnow.fetch.browser.fetcher import BrowserFetcher, FetchResult
from winnow.fetch.browser.pool import BrowserPool
from winnow.fetch.egress.allow import AllowList
from winnow.fetch.egress.guard import EgressGuard
from winnow.fetch.outcome import FetchRequest
from winnow.fetch.settings import BrowserSettings

SECONDS = 60  # for what takes a second on an idle machine

Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


def page(body: str, **more: object) -> Answer:
    async def answer(_: web.Request) -> web.Response:
        return web.Response(text=f"<!doctype html><html><body>{body}</body></html>", content_type="text/html", **more)  # type: ignore[arg-type]

    return answer


@dataclass
class Site:
    """Answers by path; `heard` are the requests that arrived."""

    answers: dict[str, Answer] = field(default_factory=dict)
    heard: list[web.BaseRequest] = field(default_factory=list)
    port: int = 0
    _arrived: asyncio.Condition = field(default_factory=asyncio.Condition)
    _stack: AsyncExitStack = field(default_factory=AsyncExitStack)

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"

    def paths(self) -> list[str]:
        return [request.path for request in self.heard]

    async def until(self, path: str) -> None:
        async with asyncio.timeout(SECONDS), self._arrived:
            await self._arrived.wait_for(lambda: path in self.paths())

    async def start(self) -> Site:
        runner = web.ServerRunner(web.Server(self._answer), shutdown_timeout=0.1)
        await runner.setup()
        self._stack.push_async_callback(runner.cleanup)
        listening = socket.create_server(("127.0.0.1", 0))
        self.port = listening.getsockname()[1]
        await web.SockSite(runner, listening).start()
        return self

    async def stop(self) -> None:
        await self._stack.aclose()

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        self.heard.append(request)
        async with self._arrived:
            self._arrived.notify_all()
        found = self.answers.get(request.path)
        return web.Response(status=404, text="nothing here") if found is None else await found(request)  # type: ignore[arg-type]


@dataclass
class Canary:
    """Listens, on TCP and UDP, where nothing may come."""

    port: int = 0
    met: list[str] = field(default_factory=list)
    _server: asyncio.Server | None = None
    _udp: asyncio.DatagramTransport | None = None

    async def start(self) -> Canary:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        loop, canary = asyncio.get_running_loop(), self

        class Datagrams(asyncio.DatagramProtocol):
            def datagram_received(self, data: bytes, addr: object) -> None:
                canary.met.append("udp")

        self._udp, _ = await loop.create_datagram_endpoint(Datagrams, ("127.0.0.1", self.port))
        return self

    async def _connected(self, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.met.append("tcp")
        writer.close()

    def stop(self) -> None:
        assert self._server is not None
        assert self._udp is not None
        self._server.close()
        self._udp.close()


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    running = await Site().start()
    yield running
    await running.stop()


@pytest.fixture
async def canary() -> AsyncIterator[Canary]:
    listening = await Canary().start()
    yield listening
    listening.stop()


@pytest.fixture
def guard(site: Site) -> EgressGuard:
    return EgressGuard(AllowList([f"127.0.0.1:{site.port}", f"localhost:{site.port}"]))


def settings(**values: object) -> BrowserSettings:
    shown = {
        "browser_pool_size": 1,
        "browser_block_resources": False,
        "browser_idle_timeout_ms": SECONDS * 1000,
        "graceful_shutdown_seconds": 1,
        **values,
    }
    return BrowserSettings(_env_file=None, **shown)  # type: ignore[arg-type, call-arg]


Pool = Callable[..., Awaitable[BrowserPool]]


@pytest.fixture
async def open_pool(guard: EgressGuard, tmp_path: Path) -> AsyncIterator[Pool]:
    """Starts pools with given settings and stops them after the test."""
    async with AsyncExitStack() as stack:

        async def opened(**values: object) -> BrowserPool:
            pool = BrowserPool(settings(**values), guard, tmp_path / "browsers")
            stack.push_async_callback(pool.stop)
            await pool.start()
            return pool

        yield opened


Fetch = Callable[..., Awaitable[FetchResult]]


@pytest.fixture
async def fetch(site: Site, guard: EgressGuard, tmp_path: Path) -> AsyncIterator[Fetch]:
    """Fetches a path of the site, or a whole URL, in a browser."""
    fetcher = BrowserFetcher(settings(), guard, records=tmp_path / "browsers")
    await fetcher.open()

    async def fetched(path: str, on_hop: object = None, **request: object) -> FetchResult:
        url = site.url(path) if path.startswith("/") else path
        return await fetcher.fetch(FetchRequest(url=url, **request), on_hop=on_hop)  # type: ignore[arg-type]

    yield fetched
    await fetcher.close()
