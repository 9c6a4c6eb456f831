"""A site that misbehaves on purpose, for showing what the ledger and the circuits do about it.

`/down/…` answers 500, `/busy/…` 429 with Retry-After, `/slow/…` starts a page and does not finish it in
time, `/flaky/…` fails every second visit, `/moody/…` answers 503, 429 or with a cut connection, `/shop/…` works.
`visits` counts what was asked for.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field

from aiohttp import web

from winnow.demo import pages
from winnow.demo.catalogue import make_product
from winnow.demo.pages import Shelf


@dataclass
class Mood:
    retry_after_s: int
    slow_s: float
    visits: Counter[str] = field(default_factory=Counter)


MOOD = web.AppKey("mood", Mood)


class DemoTrouble:
    def __init__(self, url: str, mood: Mood, runner: web.AppRunner) -> None:
        self.url = url
        self.visits = mood.visits
        self._runner = runner

    async def stop(self) -> None:
        await self._runner.cleanup()


async def start_trouble(port: int = 0, retry_after_s: int = 30, slow_s: float = 60.0) -> DemoTrouble:
    app = web.Application()
    app[MOOD] = mood = Mood(retry_after_s, slow_s)
    app.add_routes(
        [
            web.get("/robots.txt", _robots),
            web.get("/down/{name}", _down),
            web.get("/busy/{name}", _busy),
            web.get("/slow/{name}", _slow),
            web.get("/flaky/{name}", _flaky),
            web.get("/moody/{name}", _moody),
            web.get("/shop/{name}", _shop),
        ]
    )
    # A slow page must not hold up stopping: half a second for requests under way.
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.5)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    return DemoTrouble(f"http://127.0.0.1:{runner.addresses[0][1]}", mood, runner)


async def _robots(request: web.Request) -> web.Response:
    _count(request)
    return web.Response(text="User-agent: *\nAllow: /\n")


async def _down(request: web.Request) -> web.Response:
    _count(request)
    return web.Response(status=500, text="internal error")


async def _busy(request: web.Request) -> web.Response:
    return _too_many(_count(request))


def _too_many(mood: Mood) -> web.Response:
    return web.Response(status=429, text="slow down", headers={"Retry-After": str(mood.retry_after_s)})


async def _slow(request: web.Request) -> web.StreamResponse:
    mood = _count(request)
    response = web.StreamResponse(headers={"Content-Type": "text/html"})
    await response.prepare(request)
    await response.write(b"<!doctype html><title>Wait")
    await asyncio.sleep(mood.slow_s)
    return response


async def _flaky(request: web.Request) -> web.Response:
    mood = _count(request)
    return _goods(request) if mood.visits[request.path] % 2 == 0 else web.Response(status=503)


async def _moody(request: web.Request) -> web.Response:
    mood = _count(request)
    turn = sum(mood.visits.values()) % 3
    if turn == 0:
        return web.Response(status=503, text="come back later")
    if turn == 1:
        return _too_many(mood)
    if request.transport is not None:
        request.transport.abort()
    raise asyncio.CancelledError  # the client has disconnected


async def _shop(request: web.Request) -> web.Response:
    _count(request)
    return _goods(request)


def _goods(request: web.Request) -> web.Response:
    """A product of this address alone: the same one at every visit."""
    product = make_product(sum(request.path.encode()) * 16, seed=0)
    html = pages.product_page(Shelf(product, product.base_cents), (), f"{request.scheme}://{request.host}")
    return web.Response(text=html, content_type="text/html")


def _count(request: web.Request) -> Mood:
    mood = request.app[MOOD]
    mood.visits[request.path] += 1
    return mood
