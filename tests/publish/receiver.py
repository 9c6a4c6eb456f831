"""A real receiver on loopback: answers as it is told to, and remembers what it got."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import orjson
from aiohttp import web

from tests.waiting import until

PLATFORM_SECRET = "a platform secret of some length"


@dataclass
class Got:
    headers: dict[str, str]
    body: bytes
    path: str

    @property
    def data(self) -> Any:
        return orjson.loads(self.body)

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]


@dataclass
class Receiver:
    """`answers` are given once each, then 200. `hang` keeps every request waiting, `pause` delays the answer."""

    got: list[Got] = field(default_factory=list)
    answers: deque[Any] = field(default_factory=deque)
    hang: bool = False
    pause: float = 0.0
    url: str = ""

    async def start(self, port: int = 0) -> Receiver:
        app = web.Application(client_max_size=50 << 20)
        app.router.add_route("*", "/{path:.*}", self._answer)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", port)
        await site.start()
        host, port = self._runner.addresses[0][:2]
        self.url = f"http://{host}:{port}"
        return self

    async def stop(self) -> None:
        await self._runner.cleanup()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        self.got.append(Got(dict(request.headers), await request.read(), request.path))
        await asyncio.sleep(self.pause)
        if self.hang:
            await asyncio.sleep(3600)
        answer = self.answers.popleft() if self.answers else 200
        if callable(answer):
            return answer(request)
        return web.Response(status=answer, text="noted" if answer < 300 else "no")

    async def wait_for(self, n: int) -> list[Got]:
        await until(lambda: len(self.got) >= n)
        return self.got
