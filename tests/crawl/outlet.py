"""A second generated shop, of other habits than tests/crawl/shop.py: it was written after the finder and not for it.

Products stand at the root of the site and are described by microdata or by their page only; some have two addresses.
`Outlet(site, style=…)`:

    paths      pages of lists in the path (/coats/page/3/), windows of page numbers, filters as segments of the path
    cursor     a button whose data name no page: JSON with HTML inside and a cursor for the next part
    offsets    a button with the number beside its address; JSON with an offset and nested products
    index      an index of gzipped sitemaps by language with alternates, pictures and dates; lists show a part only
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass, field

from aiohttp import web

from tests.run.scripted_site import Site

SECTIONS = ("coats", "shirts", "boots", "hats", "scarves")
COLOURS = ("red", "navy", "sand", "olive")
PER_PAGE = 16
MONTHS = range(1, 13)


@dataclass
class Outlet:
    site: Site
    products: int = 200
    style: str = "paths"
    fetched: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.site.does("*", self._serve)
        named = f"Sitemap: {self.site.url}/maps/index.xml\n" if self.style == "index" else ""
        self.site.says("/robots.txt", f"User-agent: *\nDisallow: /intern/\n{named}")

    # The truth.

    @property
    def product_urls(self) -> set[str]:
        return {self.site.url + self.path_of(n) for n in range(self.products)}

    def path_of(self, n: int) -> str:
        prefix = "/en" if self.style == "index" else ""
        letters = chr(97 + n % 26) + chr(97 + n // 26 % 26) + "x" * (n // 676)
        return f"{prefix}/{COLOURS[n % 4]}-{SECTIONS[n % 5][:-1]}-{letters}/"

    @property
    def needed(self) -> int:
        lists = sum(-(-len(self._of(section)) // PER_PAGE) for section in SECTIONS)
        return self.products + {"index": 5 + len(SECTIONS)}.get(self.style, 2 + lists)

    def _of(self, section: str) -> list[int]:
        return [n for n in range(self.products) if SECTIONS[n % 5] == section]

    # The pages.

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        self.fetched.append(request.path_qs)
        found = self._found(request)
        if isinstance(found, web.Response):
            return found
        if found is None:  # what is not there is answered with 200 and an apology
            found = _page("Oops", "<h1>Oops! This page does not exist</h1><p>Perhaps you like our hats?</p>")
        return web.Response(text=found, content_type="text/html")

    def _found(self, request: web.Request) -> str | web.Response | None:
        path, query = request.path, request.query
        if path == "/":
            return self._layout("Outlet", '<img src="/i/hero.jpg"><p>New every week.</p>')
        if path.startswith("/maps/"):
            return self._map(path)
        if path.startswith("/feed/"):
            return self._part(path.split("/")[2], query)
        if path.startswith("/diary"):
            year, month = int(query.get("y", "2026")), int(query.get("m", "1"))
            after = f"/diary?y={year + month // 12}&m={month % 12 + 1}"
            return self._layout("Diary", f'<a href="{after}">Later</a><a href="/diary?y={year - 1}&m=1">Before</a>')
        segments = [segment for segment in path.split("/") if segment]
        if self.style == "index" and segments[0] in ("en", "fr"):
            segments = segments[1:]
        for n in range(self.products):
            if segments and self.path_of(n).endswith(f"/{segments[-1]}/"):
                return self._product(n)
        return self._list(segments[0], segments[1:], query) if segments and segments[0] in SECTIONS else None

    def _layout(self, title: str, body: str, head: str = "") -> str:
        prefix = "/en" if self.style == "index" else ""
        menu = "".join(f"<li><a href='{prefix}/{section}/'>{section.title()}</a></li>" for section in SECTIONS)
        head += '<base href="/">' if self.style == "paths" else ""
        return _page(
            title,
            f"<header><nav><ul>{menu}</ul></nav><a href='basket'>Basket</a></header><main><h1>{title}</h1>{body}</main>"
            "<footer><a href='/diary'>Diary</a><a href='/intern/'>Staff</a><a href='/our-story/'>Our story</a>"
            "</footer>",
            head,
        )

    def _list(self, section: str, rest: list[str], query: dict[str, str]) -> str:
        number = int(rest[-1]) if "page" in rest else int(query.get("page", "1"))
        filters = [segment for segment in rest if "-" in segment]
        own = [n for n in self._of(section) if all(f == f"colour-{COLOURS[n % 4]}" or "size" in f for f in filters)]
        last = max(1, -(-len(own) // PER_PAGE))
        number = min(number, last)
        shown = own[(number - 1) * PER_PAGE : number * PER_PAGE]
        body = "".join(self._tile(n, section) for n in shown)
        base = "/".join(["", section, *filters])
        if self.style == "paths":
            window = sorted({1, number - 1, number, number + 1, last} & set(range(1, last + 1)))
            pages = "".join(f"<li><a href='{base}/page/{n}/'>{n}</a></li>" for n in window)
            body += f"<ul class='page-numbers'>{pages}</ul>"
        elif self.style == "cursor" and number < last:
            body += f"<button class='btn' data-endpoint='/feed/{section}/'>Show more products</button>"
        elif self.style == "offsets" and number < last:
            body += f"<a class='js-load-more' href='#' data-url='/feed/{section}/' data-page='2'>Mehr anzeigen</a>"
        if self.style != "index":
            body += "<aside class='refine'>" + "".join(_filter(base, filters)) + "</aside>"
        return self._layout(section.title(), body)

    def _tile(self, n: int, section: str) -> str:
        """Every other product is linked below its list; its page names the canonical address."""
        link = self.path_of(n) if n % 2 else f"{self.path_of(n).rpartition('/')[0]}/?ref=tile"
        if n % 10 == 4 and self.style == "paths":
            link = f"/{section}{self.path_of(n)}"
        return (
            f"<article class='tile'><a href='{link}'><img src='/i/{n}.webp' alt=''></a>"
            f"<h3><a href='{link}'>{_name(n)}</a></h3><span class='cost'>£{20 + n}.00</span></article>"
        )

    def _product(self, n: int) -> str:
        cost = f"{20 + n}.00"
        if n % 3:
            thing = (
                f"<div itemscope itemtype='https://schema.org/Product'><h2 itemprop='name'>{_name(n)}</h2>"
                f"<meta itemprop='sku' content='O-{n}'>"
                "<div itemprop='offers' itemscope itemtype='https://schema.org/Offer'>"
                "<span itemprop='priceCurrency' content='GBP'>£</span>"
                f"<span itemprop='price' content='{cost}'>{cost}</span>"
                "<link itemprop='availability' href='https://schema.org/InStock'></div></div>"
            )
        else:
            thing = f"<div class='product-info'><p class='price'>£{cost}</p><p class='stock'>In stock</p></div>"
        sizes = "".join(f"<a href='{self.path_of(n)}?size={size}'>{size}</a>" for size in ("s", "m", "l"))
        body = f"{thing}<form action='/basket/add'><button>Add to basket</button></form>{sizes}<p>A fine thing.</p>"
        head = f'<link rel="canonical" href="{self.site.url}{self.path_of(n)}">'
        return self._layout(_name(n), body, head)

    def _part(self, section: str, query: dict[str, str]) -> web.Response:
        own = self._of(section)
        start = (
            int(query.get("cursor", "c16")[1:])
            if self.style == "cursor"
            else (int(query.get("page", "2")) - 1) * PER_PAGE
        )
        shown = own[start : start + PER_PAGE]
        after = start + PER_PAGE if start + PER_PAGE < len(own) else None
        if self.style == "cursor":
            data = {"fragments": {"grid": "".join(self._tile(n, section) for n in shown)}}
            data["paging"] = {"next": f"/feed/{section}/?cursor=c{after}" if after else None}
        else:
            hits = [
                {"product": {"title": _name(n), "slug": self.path_of(n).strip("/"), "href": self.path_of(n)}}
                for n in shown
            ]
            data = {"result": {"hits": hits, "page": start // PER_PAGE + 1, "hasMore": after is not None}}
        return web.json_response(data)

    def _map(self, path: str) -> web.Response | None:
        url, name = self.site.url, path.rpartition("/")[2]
        if name == "index.xml":
            maps = "".join(
                f"<sitemap><loc>{url}/maps/{n}.xml.gz</loc><lastmod>2026-05-01</lastmod></sitemap>" for n in (1, 2, 3)
            )
            loop = f"<sitemap><loc>{url}/maps/index.xml</loc></sitemap>"
            return _xml(
                f"<sitemapindex xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{maps}{loop}</sitemapindex>".encode()
            )
        if name.removesuffix(".xml.gz") not in ("1", "2", "3"):
            return None
        part = int(name[0]) - 1
        entries = []
        for n in range(part, self.products, 3):
            en = url + self.path_of(n)
            fr = en.replace("/en/", "/fr/")
            entries.append(
                f"<url><loc>{en}</loc><lastmod>2026-04-0{n % 9 + 1}</lastmod>"
                f"<image:image><image:loc>{url}/i/{n}.webp</image:loc></image:image>"
                f"<xhtml:link rel='alternate' hreflang='en' href='{en}'/>"
                f"<xhtml:link rel='alternate' hreflang='fr' href='{fr}'/></url>"
            )
        entries += [f"<url><loc>{url}/en/old-thing-{n}/</loc></url>" for n in range(5)]
        body = f"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{''.join(entries)}</urlset>"
        return _xml(gzip.compress(body.encode()))


def _name(n: int) -> str:
    return f"{COLOURS[n % 4].title()} {SECTIONS[n % 5][:-1]} number {n}"


def _filter(base: str, chosen: list[str]) -> list[str]:
    """Filters are segments of the path, in any combination and order."""
    offered = [f"colour-{name}" for name in COLOURS] + [f"size-{name}" for name in "sml"] + ["sort-price", "sort-name"]
    return [f"<a href='{base}/{name}/'>{name}</a>" for name in offered if name not in chosen]


def _page(title: str, body: str, head: str = "") -> str:
    return f"<!doctype html><html lang='en'><head><title>{title}</title>{head}</head><body>{body}</body></html>"


def _xml(body: bytes) -> web.Response:
    return web.Response(body=body, content_type="application/xml")
