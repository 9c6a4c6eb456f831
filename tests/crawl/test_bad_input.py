"""What a site may do to a crawl by mistake or on purpose: it ends, within its limits, and finds what can be found."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from typing import Any

from aiohttp import web

from tests.crawl.shop import Shop
from tests.run.scripted_site import Site
from tests.waiting import LIMIT
from winnow.extract.links.sitemap import MAX_BYTES, MAX_URLS, inflate, read_sitemap

STATE = "SELECT state FROM crawls WHERE id = %s"
STORED = "SELECT url FROM source_products"


def bomb(megabytes: int) -> bytes:
    packer = zlib.compressobj(9, wbits=31)
    packed = packer.compress(b"<urlset>")
    for _ in range(megabytes):
        packed += packer.compress(b" " * (1 << 20))
    return packed + packer.flush()


def test_a_sitemap_that_unpacks_to_much_more_is_read_as_far_as_its_limit():
    packed = bomb(300)
    assert len(packed) < 1 << 20
    assert len(inflate(packed)) == MAX_BYTES
    assert read_sitemap(packed).entries == []


def test_of_a_million_entries_the_limit_is_read_and_the_rest_counted():
    entries = b"".join(b"<url><loc>https://a.example/%d</loc></url>" % n for n in range(1_000_000))
    found = read_sitemap(b"<urlset>" + entries + b"</urlset>")
    assert (len(found.entries), found.known) == (MAX_URLS, True)
    assert found.cut >= 900_000


def test_a_list_of_ten_megabytes_of_urls_is_read():
    body = b"\n".join(b"https://a.example/%d/%s" % (n, b"x" * 180) for n in range(50_500))
    assert len(body) > 10_000_000
    found = read_sitemap(body)
    assert (len(found.entries), found.cut) == (MAX_URLS, 500)


async def test_a_crawl_survives_bombs_and_endless_indexes(site: Site, crawl: Any, work: Any, rows: Any):
    shop = Shop(site, products=5, listings="numbers", categories=1, sitemap=False)
    named = ["bomb.xml.gz", "loop/a.xml", "loop/b.xml", "deep/0.xml"]
    lines = "".join(f"Sitemap: {site.url}/{name}\n" for name in named)
    site.says("/robots.txt", f"User-agent: *\nDisallow:\n{lines}")
    site.says("/bomb.xml.gz", bomb(200), Content_Type="application/gzip")

    def index(*paths: str) -> str:
        entries = "".join(f"<sitemap><loc>{site.url}/{path}</loc></sitemap>" for path in paths)
        return f"<sitemapindex>{entries}</sitemapindex>"

    site.says("/loop/a.xml", index("loop/b.xml", "loop/a.xml"), Content_Type="application/xml")
    site.says("/loop/b.xml", index("loop/a.xml"), Content_Type="application/xml")
    for n in range(12):  # each names the next one
        site.says(f"/deep/{n}.xml", index(f"deep/{n + 1}.xml"), Content_Type="application/xml")
    crawl_id = await crawl(site.url + "/")
    await work()
    assert await rows(STATE, crawl_id) == ["done"]
    assert set(await rows(STORED)) == shop.product_urls
    assert [site.asked(f"/{name}") for name in named] == [1, 1, 1, 1]
    assert [site.asked(f"/deep/{n}.xml") for n in range(6)] == [1, 1, 1, 1, 0, 0]


async def test_circular_redirects_and_monstrous_links_cost_themselves_only(
    site: Site, crawl: Any, work: Any, rows: Any
):
    async def away(request: web.Request) -> web.Response:
        return web.Response(status=302, headers={"Location": "/round/b" if request.path.endswith("a") else "/round/a"})

    shop = Shop(site, products=5, listings="none")
    site.does("/round/a", away)
    site.does("/round/b", away)
    long = "x" * 65_536
    links = f'<a href="/{long}">1</a><a href="?q={long}">2</a><a href="/round/a">3</a><a href="http://[">4</a>'
    site.says("/", f"<html><body><h1>Shop</h1>{links * 20}</body></html>")
    crawl_id = await crawl(site.url + "/")
    await work()
    assert await rows(STATE, crawl_id) == ["done"]
    assert set(await rows(STORED)) == shop.product_urls
    assert await rows("SELECT reason FROM tasks WHERE url LIKE '%%/round/a'") == ["redirect_loop"]
    assert max(len(seen.path) for seen in site.log) < 2_048


async def test_robots_that_forbid_in_mid_crawl_are_obeyed_from_then_on(site: Site, crawl: Any, work: Any, rows: Any):
    shop = Shop(site, products=60, categories=2)
    crawl_id = await crawl(site.url + "/", concurrent=2)
    working = asyncio.create_task(work())
    async with asyncio.timeout(LIMIT):
        while len(shop.fetched) < 25:
            await asyncio.sleep(0.01)
    site.says("/robots.txt", "User-agent: *\nDisallow: /products/\n")
    await rows("UPDATE robots SET expires_at = now()")
    asked = site.asked("/robots.txt")
    await working
    assert await rows(STATE, crawl_id) == ["done"]
    assert site.asked("/robots.txt") > asked
    order = [seen.path for seen in site.log]
    late = order[len(order) - 1 - order[::-1].index("/robots.txt") :]
    assert [path for path in late if path.startswith("/products/")] == []
    (blocked,) = await rows("SELECT urls_robots_blocked FROM scrape_runs")
    stored = await rows(STORED)
    assert blocked > 0
    assert len(stored) + blocked == shop.products


async def test_a_sitemap_sent_as_gzip_by_the_server_and_one_packed_twice_are_read(
    site: Site, crawl: Any, work: Any, rows: Any
):
    shop = Shop(site, products=4, listings="none")
    body = gzip.compress(
        f"<urlset>{''.join(f'<url><loc>{u}</loc></url>' for u in shop.product_urls)}</urlset>".encode()
    )
    site.says("/sitemap.xml", gzip.compress(body), Content_Type="application/xml", Content_Encoding="gzip")
    await crawl(site.url + "/")
    await work()
    assert set(await rows(STORED)) == shop.product_urls
