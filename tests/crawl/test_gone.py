"""Products that a shop takes out are marked; a sitemap that breaks marks nothing."""

from __future__ import annotations

from typing import Any

from tests.crawl.shop import Shop
from tests.run.scripted_site import Site

MARKED = """
SELECT substring(o.url FROM '[0-9]+$')::int FROM source_product_presence AS p
JOIN source_products AS o ON o.id = p.source_product_id WHERE p.unavailable_reason = 'gone' ORDER BY 1
"""


async def test_a_product_is_gone_when_the_sitemap_and_its_page_say_so(site: Site, crawl: Any, work: Any, rows: Any):
    shop = Shop(site, products=12, listings="none")
    await crawl(site.url + "/")
    await work()
    shop.gone, shop.unlisted = {3, 4}, {5}  # 5 is there, but nothing leads to it any more
    await crawl(site.url + "/")
    await work()
    assert await rows(MARKED) == [3, 4]
    assert await rows("SELECT count(*)::int FROM source_products") == [12]
    assert shop.fetched.count("/products/thing-5") == 2


async def test_nothing_is_marked_when_the_sitemap_shrinks_by_half_until_it_is_missing_twice(
    site: Site, crawl: Any, work: Any, rows: Any
):
    shop = Shop(site, products=12, listings="none")
    await crawl(site.url + "/")
    await work()
    shop.gone = set(range(8))
    await crawl(site.url + "/")
    await work()
    assert await rows(MARKED) == []
    await crawl(site.url + "/")
    await work()
    assert await rows(MARKED) == list(range(8))


async def test_a_product_that_comes_back_is_available_again(site: Site, crawl: Any, work: Any, rows: Any):
    shop = Shop(site, products=6, listings="none")
    await crawl(site.url + "/")
    await work()
    shop.gone = {1}
    await crawl(site.url + "/")
    await work()
    assert await rows(MARKED) == [1]
    shop.gone = set()
    await crawl(site.url + "/")
    await work()
    assert await rows(MARKED) == []


async def test_a_sitemap_of_more_than_ten_megabytes_is_read(site: Site, crawl: Any, work: Any, rows: Any):
    shop = Shop(site, products=3, listings="none")
    padding = "".join(f"<url><loc>{site.url}/category/{'x' * 1_900}{n}</loc></url>" for n in range(6_000))
    named = "".join(f"<url><loc>{url}</loc></url>" for url in sorted(shop.product_urls))
    body = f"<urlset>{named}{padding}</urlset>"
    assert len(body) > 11_000_000
    site.says("/sitemap.xml", body, Content_Type="application/xml")
    await crawl(site.url + "/", exclude=["/category/"])
    await work()
    assert set(await rows("SELECT url FROM source_products")) == shop.product_urls
