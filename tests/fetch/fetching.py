"""What the tests of fetching share: deadlines, a name server, a canary."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from winnow.fetch.http.client import HttpFetcher
from winnow.fetch.outcome import FetchResult
from winnow.fetch.settings import FetchSettings

Open = Callable[..., Awaitable[HttpFetcher]]  # the fixture open_fetcher
Fetch = Callable[..., Awaitable[FetchResult]]  # the fixture fetch

# A deadline that is not what a test is about never runs out, however slow the machine; the one it is about is short.
LONG_MS, SHORT_MS = 120_000, 250


def settings(**values: object) -> FetchSettings:
    shown = {"fetch_connect_timeout_ms": LONG_MS, "fetch_idle_timeout_ms": LONG_MS, **values}
    return FetchSettings(_env_file=None, **shown)  # type: ignore[arg-type, call-arg]


async def loopback(host: str, port: int) -> list[str]:
    """The test's name server: every name is this machine."""
    return ["127.0.0.1"]


@dataclass
class Canary:
    """Listens where nothing may connect, and counts."""

    port: int = 0
    connections: int = 0
    _server: asyncio.Server | None = field(default=None, repr=False)

    async def start(self) -> Canary:
        self._server = await asyncio.start_server(self._met, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def _met(self, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        writer.close()

    def stop(self) -> None:
        assert self._server is not None
        self._server.close()
