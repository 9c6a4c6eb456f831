"""A generated shop whose truth is known: which products it has, and which pages are needed to find them.

`Shop(site, products=300, …)` writes its pages into a scripted site. What a shop of its kind has besides can be added:
numbered lists, a "load more" button, a sitemap only, filters × sorting × sessions, an endless calendar, soft 404s.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from html import escape
from urllib.parse import parse_qs, urlencode

from aiohttp import web

from tests.run.scripted_site import Site

PER_PAGE = 20
MARKS = {
    "shopify": '<link rel="preconnect" href="https://cdn.shopify.com/">',
    "woocommerce": '<link rel="stylesheet" href="/wp-content/plugins/woocommerce/assets/css/woocommerce.css">',
}


@dataclass
class Shop:
    site: Site
    products: int = 300
    categories: int = 6
    listings: str = "numbers"  # or "load_more", or "none"
    sitemap: bool = True
    stale: int = 0  # entries of the sitemap that are gone
    parameters: bool = False  # products at /product.php?id=7
    traps: bool = False
    plain: bool = False  # products in words only: no data, no button, no class that says price
    slugs: bool = False  # products at /thing-7, which says nothing
    platform: str = ""  # "shopify" or "woocommerce": the catalogue as data
    fetched: list[str] = field(default_factory=list)
    gone: set[int] = field(default_factory=set)  # products that were taken out
    unlisted: set[int] = field(default_factory=set)  # products that the sitemap leaves out

    def __post_init__(self) -> None:
        site = self.site
        site.does("*", self._serve)
        lines = "User-agent: *\nDisallow: /private/\n"
        site.says("/robots.txt", lines + (f"Sitemap: {site.url}/sitemap.xml\n" if self.sitemap else ""))

    # The truth.

    @property
    def product_urls(self) -> set[str]:
        return {self.site.url + self.product_path(n) for n in range(self.products)}

    def product_path(self, n: int) -> str:
        if self.slugs:
            return f"/thing-{n}-of-ours"
        return f"/product.php?id={n}" if self.parameters else f"/products/thing-{n}"

    @property
    def needed(self) -> int:
        """Pages that have to be read: robots.txt, the sitemap, the home page, every list and every product."""
        lists = 0 if self.listings == "none" else sum(self._pages_of(c) for c in range(self.categories))
        return 3 + lists + self.products

    def _pages_of(self, category: int) -> int:
        return -(-len(self._of(category)) // PER_PAGE)

    def _of(self, category: int) -> list[int]:
        return [n for n in range(self.products) if n % self.categories == category]

    # The pages.

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        self.fetched.append(request.path_qs)
        answer = self._answer(request)
        if answer is None:
            return web.Response(status=404, text="<h1>Page not found</h1>", content_type="text/html")
        body, kind = answer
        return web.Response(text=body, content_type=kind)

    def _answer(self, request: web.Request) -> tuple[str, str] | None:
        path, query = request.path, {name: values[0] for name, values in parse_qs(request.query_string).items()}
        if path == "/":
            return self._page("Shop", "<p>Welcome</p>", MARKS.get(self.platform, "")), "text/html"
        if path == "/sitemap.xml" and self.sitemap:
            return self._sitemap(), "application/xml"
        if path == "/product.php" and self.parameters:
            return self._product(int(query.get("id", "-1")))
        if path.startswith("/thing-") and self.slugs:
            return self._product(int(path.split("-")[1]))
        if path in ("/products.json", "/wp-json/wc/store/v1/products") and self.platform:
            return self._catalogue(int(query.get("page", "1"))), "application/json"
        if path.startswith("/products/thing-") and not self.parameters:
            return self._product(int(path.rpartition("-")[2]))
        if path.startswith("/category/"):
            return self._category(path, query)
        if path.startswith("/api/list/"):
            return self._more(int(path.rpartition("/")[2]), int(query.get("page", "1")))
        if path.startswith("/calendar/") and self.traps:
            return self._calendar(*map(int, path.split("/")[2:4])), "text/html"
        if path.startswith("/gone/") and self.traps:
            return self._page("Not found", "<h1>Sorry, this product was not found</h1>"), "text/html"
        if path == "/about":
            return self._page("About", "<p>We sell things.</p>"), "text/html"
        return None

    def _page(self, title: str, body: str, head: str = "") -> str:
        menu = "".join(f'<a href="/category/c{c}">Category {c}</a>' for c in range(self.categories))
        shown = menu if self.listings != "none" else ""
        calendar = '<a href="/calendar/2026/5">Events</a>' if self.traps else ""
        return (
            f'<!doctype html><html lang="en"><head><title>{escape(title)}</title>{head}</head><body>'
            f"<header><nav>{shown}</nav><a href='/cart'>Cart</a><a href='/login'>Login</a></header>"
            f"<main><h1>{escape(title)}</h1>{body}</main>"
            f'<footer><a href="/about">About</a>{calendar}<a href="https://elsewhere.example/">Partner</a></footer>'
            "</body></html>"
        )

    def _product(self, n: int) -> tuple[str, str] | None:
        if not 0 <= n < self.products or n in self.gone:
            return None
        thing = {
            "@context": "https://schema.org", "@type": "Product", "name": f"Thing {n}", "sku": f"T-{n}",
            "offers": {"@type": "Offer", "price": f"{10 + n}.50", "priceCurrency": "EUR",
                       "availability": "https://schema.org/InStock"},
        }  # fmt: skip
        data = f'<script type="application/ld+json">{json.dumps(thing)}</script>'
        related = "".join(self._card((n + step) % self.products) for step in (1, 2)) if self.listings != "none" else ""
        link = '<a href="/gone/old">An older model</a>' if self.traps else ""
        body = f"<p>{10 + n}.50 €</p><p>In stock</p><button>Add to cart</button>{link}<ul>{related}</ul>"
        if self.plain:
            return self._page(f"Thing {n}", f"<p>Price: {10 + n}.50 €</p><p>In stock</p><p>A thing.</p>"), "text/html"
        return self._page(f"Thing {n}", body, data), "text/html"

    def _card(self, n: int) -> str:
        session = "?PHPSESSID=abc123" if self.traps and not self.parameters else ""
        link = f'<a href="{self.product_path(n)}{session}"><b>Thing {n}</b></a>'
        return f'<li class="card">{link} <span>{10 + n}.50 €</span></li>'

    def _category(self, path: str, query: dict[str, str]) -> tuple[str, str] | None:
        category = int(path.rpartition("/c")[2])
        if not 0 <= category < self.categories or self.listings == "none":
            return None
        number = int(query.get("page", "1"))
        if self.traps:
            number = min(number, self._pages_of(category))  # any number is answered, with the last page
        own = self._of(category)[(number - 1) * PER_PAGE : number * PER_PAGE]
        cards = "".join(self._card(n) for n in own)
        after = self._after(category, path, number, query) if number < self._pages_of(category) else ""
        if self.traps:
            after += f'<a rel="next" href="{path}?page={int(query.get("page", "1")) + 1}">Next</a>'
        traps = self._filters(path, query) if self.traps else ""
        return self._page(f"Category {category}", f"{traps}<ul>{cards}</ul>{after}"), "text/html"

    def _after(self, category: int, path: str, number: int, query: dict[str, str]) -> str:
        if self.listings == "load_more":
            return f'<button data-next-url="/api/list/{category}?page=2">Load more</button>'
        kept = {name: value for name, value in query.items() if name != "page"}
        pages = range(1, self._pages_of(category) + 1)
        links = "".join(f'<a href="{path}?{urlencode({**kept, "page": n})}">{n}</a>' for n in pages)
        return f'<div class="pagination">{links}</div>'

    def _filters(self, path: str, query: dict[str, str]) -> str:
        """Filters × sorting × sessions: every combination is a link on every one of its pages."""
        links = []
        for name, values in {"color": "red blue green", "size": "s m l", "sort": "price name", "sid": "a1 b2"}.items():
            for value in values.split():
                links.append(f'<a href="{path}?{escape(urlencode({**query, name: value}))}">{name} {value}</a>')
        return "".join(links)

    def _more(self, category: int, number: int) -> tuple[str, str]:
        own = self._of(category)[(number - 1) * PER_PAGE : number * PER_PAGE]
        items = [{"name": f"Thing {n}", "url": self.product_path(n), "price": 10 + n} for n in own]
        return json.dumps({"page": number, "items": items}), "application/json"

    def _catalogue(self, number: int) -> str:
        own = range(self.products)[(number - 1) * PER_PAGE : number * PER_PAGE]
        if self.platform == "shopify":
            return json.dumps({"products": [{"title": f"Thing {n}", "handle": f"thing-{n}"} for n in own]})
        url = self.site.url
        return json.dumps([{"id": n, "permalink": url + self.product_path(n), "add_to_cart": {"url": "?add-to-cart=1"},
                            "images": [{"src": f"{url}/i/{n}.jpg"}]} for n in own])  # fmt: skip

    def _calendar(self, year: int, month: int) -> str:
        following = (year + month // 12, month % 12 + 1)
        return self._page("Calendar", f'<a href="/calendar/{following[0]}/{following[1]}">Next month</a>')

    def _sitemap(self) -> str:
        named = [n for n in range(self.products) if n not in self.gone | self.unlisted]
        paths = [self.product_path(n) for n in named] + [f"/products/old-{n}" for n in range(self.stale)]
        entries = "".join(f"<url><loc>{escape(self.site.url + path)}</loc></url>" for path in paths)
        return f'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'
