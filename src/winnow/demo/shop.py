"""A small outdoor shop on loopback whose prices move while you watch.

    python -m winnow.demo.shop --port 0 --products 48 --seed 7

prints its address and serves until it is stopped. What changes is decided by the seed and the time
step alone (`catalogue.price_at`); a step lasts `step_seconds`, and 0 leaves stepping to
`POST /_demo/step`. `POST /_demo/break-template` plays a redesign that loses the structured data.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import signal
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

from aiohttp import web

from winnow.clock import Clock, now
from winnow.demo import pages
from winnow.demo.catalogue import DemoProduct, make_catalogue, price_at, related_to
from winnow.demo.pages import Shelf, Template

# Unmoved pages say they were last changed a day before the shop opened: they have a Last-Modified at once.
_UNCHANGED_FOR = timedelta(days=1)
_OPEN_ROBOTS = "User-agent: *\nDisallow: /checkout/\n\nSitemap: {url}/sitemap.xml\n"
_CLOSED_ROBOTS = "User-agent: *\nDisallow: /\n"


@dataclass
class ShopWindow:
    """Everything the shop shows depends on this; `clock` is the only way time comes in."""

    products: tuple[DemoProduct, ...]
    clock: Clock
    opened_at: datetime
    step_seconds: float
    robots: str
    url: str = ""
    stepped: int = 0
    template: Template = Template.CLASSIC
    seen: dict[str, tuple[str, datetime]] = field(default_factory=dict)

    @property
    def step(self) -> int:
        if not self.step_seconds:
            return self.stepped
        return self.stepped + int((self.clock() - self.opened_at).total_seconds() / self.step_seconds)

    def shelf(self, product: DemoProduct) -> Shelf:
        return Shelf(product, price_at(product, self.step))

    def changed_at(self, path: str, etag: str) -> datetime | None:
        """When this version was first shown; None within its first second, which Last-Modified cannot
        tell from a version shown earlier in the same second (RFC 9110 §8.8.2.2)."""
        known = self.seen.get(path)
        if known is None:
            self.seen[path] = known = (etag, self.opened_at - _UNCHANGED_FOR)
        elif known[0] != etag:
            self.seen[path] = known = (etag, self.clock())
        return known[1] if self.clock() - known[1] >= timedelta(seconds=1) else None


WINDOW = web.AppKey("window", ShopWindow)


class DemoShop:
    """A running shop. `url` has no trailing slash."""

    def __init__(self, window: ShopWindow, runner: web.AppRunner) -> None:
        self.window = window
        self.url = window.url
        self._runner = runner

    @property
    def products(self) -> tuple[DemoProduct, ...]:
        return self.window.products

    async def stop(self) -> None:
        await self._runner.cleanup()


async def start_shop(
    port: int = 0,
    products: int = 48,
    seed: int = 7,
    step_seconds: float = 4.0,
    closed: bool = False,
    clock: Clock = now,
) -> DemoShop:
    """`closed` serves the robots.txt of a shop that wants no visits at all."""
    window = ShopWindow(
        products=make_catalogue(products, seed),
        clock=clock,
        opened_at=clock(),
        step_seconds=step_seconds,
        robots=_CLOSED_ROBOTS if closed else _OPEN_ROBOTS,
    )
    runner = web.AppRunner(_application(window), access_log=None, shutdown_timeout=0.5)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", port)
    await site.start()
    window.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    return DemoShop(window, runner)


def _application(window: ShopWindow) -> web.Application:
    app = web.Application()
    app[WINDOW] = window
    app.add_routes(
        [
            web.get("/", _home),
            web.get("/c/{category}", _category),
            web.get("/products/{slug}", _product),
            web.get("/app/{slug}", _app),
            web.get("/app/data/{slug}.json", _app_data),
            web.get("/images/{slug}.svg", _image),
            web.get("/robots.txt", _robots),
            web.get("/sitemap.xml", _sitemap),
            web.get("/checkout/cart", _cart),
            web.post("/_demo/step", _step),
            web.post("/_demo/break-template", _break_template),
            web.post("/_demo/mend-template", _mend_template),
        ]
    )
    return app


async def _product(request: web.Request) -> web.StreamResponse:
    window = request.app[WINDOW]
    product = _find(window, request.match_info["slug"])
    related = [window.shelf(other) for other in related_to(product, window.products)]
    return _page(request, pages.product_page(window.shelf(product), related, window.url, window.template))


async def _app(request: web.Request) -> web.StreamResponse:
    """The same product in the shop's other half, where only scripts put the page together."""
    _find(request.app[WINDOW], request.match_info["slug"])
    return _page(request, pages.app_shell())


async def _app_data(request: web.Request) -> web.Response:
    window = request.app[WINDOW]
    return web.json_response(pages.app_data(window.shelf(_find(window, request.match_info["slug"])), window.url))


async def _home(request: web.Request) -> web.StreamResponse:
    window = request.app[WINDOW]
    return _page(request, pages.listing_page(pages.SHOP, map(window.shelf, window.products), _categories(window)))


async def _category(request: web.Request) -> web.StreamResponse:
    window, category = request.app[WINDOW], request.match_info["category"]
    shelves = [window.shelf(product) for product in window.products if product.category == category]
    if not shelves:
        raise web.HTTPNotFound
    return _page(request, pages.listing_page(category.title(), shelves, _categories(window)))


async def _image(request: web.Request) -> web.Response:
    product = _find(request.app[WINDOW], request.match_info["slug"])
    return web.Response(text=pages.picture(product), content_type="image/svg+xml")


async def _robots(request: web.Request) -> web.Response:
    window = request.app[WINDOW]
    return web.Response(text=window.robots.format(url=window.url))


async def _sitemap(request: web.Request) -> web.Response:
    window = request.app[WINDOW]
    return web.Response(text=pages.sitemap(window.products, window.url), content_type="application/xml")


async def _cart(request: web.Request) -> web.StreamResponse:
    return _page(request, pages.listing_page("Your cart is empty", (), _categories(request.app[WINDOW])))


async def _step(request: web.Request) -> web.Response:
    window = request.app[WINDOW]
    window.stepped += 1
    return web.json_response({"step": window.step})


async def _break_template(request: web.Request) -> web.Response:
    return _use_template(request, Template.BROKEN)


async def _mend_template(request: web.Request) -> web.Response:
    return _use_template(request, Template.CLASSIC)


def _use_template(request: web.Request, template: Template) -> web.Response:
    request.app[WINDOW].template = template
    return web.json_response({"template": template})


def _page(request: web.Request, html: str) -> web.StreamResponse:
    """The page with validators, or 304 where the reader has it already."""
    body = html.encode()
    # Weak: the same page goes out both as it is and gzipped (RFC 9110 §8.8.1).
    etag = hashlib.sha256(body).hexdigest()[:32]
    changed_at = request.app[WINDOW].changed_at(request.path, etag)
    headers = {"ETag": f'W/"{etag}"', "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
    if changed_at:
        headers["Last-Modified"] = format_datetime(changed_at.astimezone(UTC), usegmt=True)
    if _has_it(request, etag, changed_at):
        return web.Response(status=304, headers=headers)
    response = web.Response(body=body, content_type="text/html", charset="utf-8", headers=headers)
    if "gzip" in request.headers.get("Accept-Encoding", ""):
        response.enable_compression(web.ContentCoding.gzip)
    return response


def _has_it(request: web.Request, etag: str, changed_at: datetime | None) -> bool:
    """If-None-Match decides alone when it is there (RFC 9110 §13.1.3)."""
    if request.if_none_match is not None:
        return any(known.value in (etag, "*") for known in request.if_none_match)
    since = request.if_modified_since
    return since is not None and changed_at is not None and changed_at.replace(microsecond=0) <= since


def _find(window: ShopWindow, slug: str) -> DemoProduct:
    for product in window.products:
        if product.slug == slug:
            return product
    raise web.HTTPNotFound


def _categories(window: ShopWindow) -> list[str]:
    return sorted({product.category for product in window.products})


async def _serve(arguments: argparse.Namespace) -> None:
    shop = await start_shop(
        arguments.port, arguments.products, arguments.seed, arguments.step_seconds, arguments.closed
    )
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    print(shop.url, flush=True)
    await stopped.wait()
    await shop.stop()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m winnow.demo.shop", description="The local demo shop.")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--products", type=int, default=48)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--step-seconds", type=float, default=4.0, help="0: only POST /_demo/step moves prices")
    parser.add_argument("--closed", action="store_true", help="robots.txt forbids everything")
    asyncio.run(_serve(parser.parse_args()))


if __name__ == "__main__":
    main()
