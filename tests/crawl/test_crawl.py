"""A shop is given, its products come back: every one once, and hardly a page more than needed."""

from __future__ import annotations

from typing import Any

import pytest

from tests.crawl.shop import Shop
from tests.run.scripted_site import Site
from winnow.db.engine import Database

STORED = "SELECT url FROM source_products ORDER BY url"


async def finished(rows: Any, crawl_id: int) -> dict[str, Any]:
    query = """
        SELECT c.state, r.links_waiting, r.links_cut_by, r.urls_attempted, r.urls_failed, r.offers_valid
        FROM crawls AS c JOIN scrape_runs AS r ON r.id = c.run_id WHERE c.id = %s"""
    names = ("state", "waiting", "cut", "attempted", "failed", "valid")
    (row,) = await rows(query, crawl_id)
    return dict(zip(names, row, strict=True))


@pytest.mark.parametrize(
    "kind",
    [
        {"listings": "numbers", "sitemap": False},
        {"listings": "load_more", "sitemap": False},
        {"listings": "none", "sitemap": True, "stale": 15},
        {"listings": "numbers", "sitemap": False, "parameters": True},
        {"listings": "numbers", "sitemap": True, "traps": True},
        {"listings": "numbers", "sitemap": False, "traps": True},
        {"listings": "none", "sitemap": True, "slugs": True},
        {"listings": "numbers", "sitemap": False, "plain": True},
        {"listings": "none", "sitemap": False, "platform": "shopify"},
        {"listings": "none", "sitemap": False, "platform": "woocommerce"},
    ],
    ids=[
        "numbers",
        "load-more",
        "sitemap-only",
        "parameters",
        "sitemap-and-traps",
        "traps",
        "slugs",
        "plain",
        "shopify",
        "woocommerce",
    ],
)
async def test_every_product_of_a_shop_is_found_once(
    site: Site, crawl: Any, work: Any, rows: Any, database: Database, kind: dict[str, Any]
):
    shop = Shop(site, products=120, categories=4, **kind)
    crawl_id = await crawl(site.url + "/")
    await work()
    stored = await rows(STORED)
    assert len(stored) == len(set(stored))
    found = set(stored) & shop.product_urls
    assert set(stored) <= shop.product_urls
    assert len(found) >= 0.99 * shop.products
    state = await finished(rows, crawl_id)
    assert (state["state"], state["waiting"]) == ("done", 0)
    targets = await rows("SELECT t.url FROM scrape_targets AS t JOIN tasks AS k ON k.target_id = t.id")
    assert set(targets) == found, "what has a product is a target, and nothing else"
    assert len(site.log) <= 1.3 * (shop.needed + shop.stale), state
    assert len(shop.fetched) == len(set(shop.fetched)), "no page twice"


async def test_endless_pages_and_filters_cost_a_few_requests(site: Site, crawl: Any, work: Any, rows: Any):
    """Any page number is answered, and every page offers every filter: of one list, three of each are tried."""
    shop = Shop(site, products=20, categories=1, sitemap=False, traps=True)
    await crawl(site.url + "/")
    await work()
    assert max(int(path.partition("page=")[2].split("&")[0] or 0) for path in shop.fetched if "page=" in path) <= 3
    assert len(shop.fetched) <= shop.needed + 20, shop.fetched
