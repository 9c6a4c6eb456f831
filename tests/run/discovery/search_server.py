"""A Serper-compatible search API on loopback, that can be away, slow, rate-limited, or lie.

`hits` are the addresses a query brings, by words in it; `faults` are met once each, in order.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any

import orjson
from aiohttp import web


@dataclass
class SearchServer:
    hits: list[str] = field(default_factory=list)
    asked: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    faults: deque[Any] = field(default_factory=deque)
    always: Any = None
    url: str = ""

    async def start(self) -> SearchServer:
        app = web.Application()
        app.router.add_post("/search", self._answer)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        host, port = self._runner.addresses[0][:2]
        self.url = f"http://{host}:{port}"
        return self

    async def stop(self) -> None:
        await self._runner.cleanup()

    @property
    def lane(self) -> str:
        return self.url.removeprefix("http://")

    @property
    def queries(self) -> list[str]:
        return [one["q"] for one in self.asked]

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(orjson.loads(await request.read()))
        self.keys.append(request.headers.get("X-API-KEY"))
        fault = self.faults.popleft() if self.faults else self.always
        if fault is not None:
            answer: web.StreamResponse = await fault(request)
            return answer
        organic = [
            {"title": f"Result {n}", "link": url, "snippet": "…", "position": n} for n, url in enumerate(self.hits)
        ]
        return web.json_response({"searchParameters": {}, "organic": organic})
