"""A second shop on loopback, which the demo crawls in front of your eyes: 300 products that nobody has listed.

What there is to find stands in the sitemap and in lists of several pages; what must not cost anything stands beside it:
filters in any combination, a calendar without an end, old addresses that answer 200 with an apology.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from html import escape
from urllib.parse import urlencode

from aiohttp import web

from winnow.demo import pages
from winnow.demo.catalogue import DemoProduct, make_catalogue, price_at
from winnow.demo.pages import Shelf

PRODUCTS = 300
STALE = 12  # entries of the sitemap that are gone
PER_PAGE = 24
SEED = 11
_ROBOTS = "User-agent: *\nDisallow: /checkout/\n\nSitemap: {url}/sitemap.xml\n"
_FILTERS = {"color": ("red", "blue", "green"), "size": ("s", "m", "l"), "view": ("grid", "rows")}


@dataclass
class Outlet:
    """`asked` counts requests, robots.txt included."""

    products: tuple[DemoProduct, ...]
    url: str = ""
    asked: int = 0
    runner: web.AppRunner | None = None

    @property
    def categories(self) -> list[str]:
        return sorted({product.category for product in self.products})

    @property
    def needed(self) -> int:
        """Requests that miss nothing and waste nothing: robots.txt, sitemap, home page, lists and products."""
        return 3 + len(self.products) + STALE + sum(self.pages_of(name) for name in self.categories)

    def pages_of(self, category: str) -> int:
        return -(-len(self.in_category(category)) // PER_PAGE)

    def in_category(self, category: str) -> list[DemoProduct]:
        return [product for product in self.products if product.category == category]

    async def stop(self) -> None:
        assert self.runner is not None
        await self.runner.cleanup()


Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
OUTLET = web.AppKey("outlet", Outlet)


async def start_outlet(products: int = PRODUCTS) -> Outlet:
    catalogue = (replace(product, price_hidden=False) for product in make_catalogue(products, SEED))
    outlet = Outlet(tuple(catalogue))
    app = web.Application(middlewares=[_counted])
    app[OUTLET] = outlet
    app.add_routes(
        [
            web.get("/", _home),
            web.get("/robots.txt", _robots),
            web.get("/sitemap.xml", _sitemap),
            web.get("/c/{category}", _category),
            web.get("/products/{slug}", _product),
            web.get("/calendar/{year}/{month}", _calendar),
            web.get("/images/{slug}.svg", _image),
        ]
    )
    outlet.runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.5)
    await outlet.runner.setup()
    await web.TCPSite(outlet.runner, "127.0.0.1", 0).start()
    outlet.url = f"http://127.0.0.1:{outlet.runner.addresses[0][1]}"
    return outlet


@web.middleware
async def _counted(request: web.Request, handler: Handler) -> web.StreamResponse:
    request.app[OUTLET].asked += 1
    return await handler(request)


async def _home(request: web.Request) -> web.Response:
    outlet = request.app[OUTLET]
    return _list(outlet, "Outlet", outlet.products[:PER_PAGE], '<a href="/calendar/2026/1">Walks and talks</a>')


async def _robots(request: web.Request) -> web.Response:
    return web.Response(text=_ROBOTS.format(url=request.app[OUTLET].url))


async def _sitemap(request: web.Request) -> web.Response:
    """Every third product is missing in it: the lists have them all."""
    outlet = request.app[OUTLET]
    named = [product for n, product in enumerate(outlet.products) if n % 3]
    stale = "".join(f"<url><loc>{outlet.url}/products/last-season-{n}</loc></url>" for n in range(STALE))
    text = pages.sitemap(named, outlet.url).replace("</urlset>", f"{stale}</urlset>")
    return web.Response(text=text, content_type="application/xml")


async def _category(request: web.Request) -> web.Response:
    outlet, name = request.app[OUTLET], request.match_info["category"]
    own = outlet.in_category(name)
    if not own:
        return _apology(outlet)
    last = outlet.pages_of(name)
    number = min(max(1, int(request.query.get("page", "1"))), last)
    query = {key: value for key, value in request.query.items() if key != "page"}
    path = f"/c/{name}"
    links = [_link(path, {**query, "page": str(n)}, str(n)) for n in range(1, last + 1)]
    filters = [
        _link(path, {**query, key: value}, f"{key} {value}") for key, values in _FILTERS.items() for value in values
    ]
    below = f'<div class="pagination">{"".join(links)}</div><p>{" ".join(filters)}</p>'
    return _list(outlet, name.title(), own[(number - 1) * PER_PAGE : number * PER_PAGE], below)


async def _product(request: web.Request) -> web.Response:
    outlet, slug = request.app[OUTLET], request.match_info["slug"]
    found = next((n for n, product in enumerate(outlet.products) if product.slug == slug), None)
    if found is None:
        return _apology(outlet)
    beside = [_shelf(outlet.products[(found + step) % len(outlet.products)]) for step in (1, 2)]
    return _html(pages.product_page(_shelf(outlet.products[found]), beside, outlet.url))


async def _calendar(request: web.Request) -> web.Response:
    year, month = int(request.match_info["year"]), int(request.match_info["month"])
    after = f"/calendar/{year + month // 12}/{month % 12 + 1}"
    return _list(request.app[OUTLET], f"{month}/{year}", (), f'<a href="{after}">Next month</a>')


async def _image(request: web.Request) -> web.Response:
    product = next(p for p in request.app[OUTLET].products if p.slug == request.match_info["slug"])
    return web.Response(text=pages.picture(product), content_type="image/svg+xml")


def _apology(outlet: Outlet) -> web.Response:
    """Not 404, as in many shops: what is gone is told by what the page says."""
    return _list(outlet, "Sorry, this page was not found", (), "")


def _list(
    outlet: Outlet, title: str, products: tuple[DemoProduct, ...] | list[DemoProduct], below: str
) -> web.Response:
    page = pages.listing_page(title, map(_shelf, products), outlet.categories)
    return _html(page.replace("</main>", f"{below}</main>"))


def _shelf(product: DemoProduct) -> Shelf:
    return Shelf(product, price_at(product, 0))


def _link(path: str, query: dict[str, str], text: str) -> str:
    return f'<a href="{path}?{escape(urlencode(query))}">{escape(text)}</a>'


def _html(text: str) -> web.Response:
    return web.Response(text=text, content_type="text/html")
