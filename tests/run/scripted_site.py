"""A site that does what the test says, and remembers what arrived and when. One per origin.

site.says("/p/1", product())            a page
site.says("/p/2", status=500)           an answer without one
site.says("/robots.txt", "User-agent: …")
site.does("*", answer)                  every other path
site.times("/p/1")                      when it was asked for, by this process's clock
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]
OPEN = "User-agent: *\nDisallow:\n"


@dataclass
class Seen:
    path: str
    at: float
    headers: dict[str, str]


@dataclass(eq=False)
class Site:
    url: str = ""
    log: list[Seen] = field(default_factory=list)
    _answers: dict[str, Answer] = field(default_factory=dict)
    _runner: web.AppRunner | None = None

    async def start(self) -> Site:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._serve)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        self.says("/robots.txt", OPEN)
        return self

    async def stop(self) -> None:
        assert self._runner is not None
        await self._runner.cleanup()

    @property
    def domain(self) -> str:
        return self.url.removeprefix("http://")

    def says(self, path: str, body: str | bytes = "", *, status: int = 200, wait: float = 0.0, **headers: str) -> str:
        """The answer from now on; returns the URL. Header names are written with _ for -."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        sent.setdefault("Content-Type", "text/plain" if path == "/robots.txt" else "text/html; charset=utf-8")

        async def answer(request: web.Request) -> web.StreamResponse:
            await asyncio.sleep(wait)
            if "ETag" in sent and request.headers.get("If-None-Match") == sent["ETag"]:
                return web.Response(status=304, headers=sent)
            return web.Response(body=body.encode() if isinstance(body, str) else body, status=status, headers=sent)

        return self.does(path, answer)

    def does(self, path: str, answer: Answer) -> str:
        self._answers[path] = answer
        return self.url + path

    def times(self, path: str | None = None) -> list[float]:
        """When `path` was asked for; without one, everything."""
        return [seen.at for seen in self.log if path in (None, seen.path)]

    def asked(self, path: str) -> int:
        return len(self.times(path))

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        self.log.append(Seen(request.path, time.monotonic(), dict(request.headers)))
        answer = self._answers.get(request.path) or self._answers.get("*")
        return web.Response(status=404) if answer is None else await answer(request)


def product(name: str = "Red Shoe", price: Any = "19.99", stock: str | None = "InStock", **more: Any) -> str:
    """A page with its product as JSON-LD, read without a DOM. `price` or `stock` None leaves it out."""
    offer = {"@type": "Offer", "price": price, "priceCurrency": "USD"}
    if stock is not None:
        offer["availability"] = f"https://schema.org/{stock}"
    if price is None:
        del offer["price"]
    thing = {"@context": "https://schema.org", "@type": "Product", "name": name, "offers": offer, **more}
    return (
        f'<!doctype html><html lang="en"><head><title>{name}</title>'
        f'<script type="application/ld+json">{json.dumps(thing)}</script></head><body><h1>{name}</h1></body></html>'
    )


def microdata(name: str = "Blue Hat", price: str = "7.50", padding: int = 0) -> str:
    """A page that only a DOM can read, so that it goes to a parser process; `padding` makes it take longer."""
    filler = "<p class='x'>lorem <b>ipsum</b></p>" * padding
    return (
        f'<!doctype html><html lang="en"><head><title>{name}</title></head><body>{filler}'
        f'<div itemscope itemtype="https://schema.org/Product" itemref="elsewhere"><h1 itemprop="name">{name}</h1>'
        '<div itemprop="offers" itemscope itemtype="https://schema.org/Offer">'
        f'<meta itemprop="price" content="{price}">'
        '<meta itemprop="priceCurrency" content="USD"><link itemprop="availability" href="https://schema.org/InStock">'
        "</div></div></body></html>"
    )
