"""Shops of habits that the finder was not written for: every product is found once, hardly a page is wasted."""

from __future__ import annotations

from typing import Any

import pytest

from tests.crawl.outlet import Outlet
from tests.run.scripted_site import Site

STYLES = ("paths", "cursor", "offsets", "index")


@pytest.mark.parametrize("style", STYLES)
async def test_every_product_of_an_unfamiliar_shop_is_found_once(
    site: Site, crawl: Any, work: Any, rows: Any, style: str
):
    shop = Outlet(site, products=150, style=style)
    await crawl(site.url + ("/en/" if style == "index" else "/"))
    await work()
    stored = [url.rstrip("/") + "/" for url in await rows("SELECT url FROM source_products")]
    assert len(stored) == len(set(stored))
    assert set(stored) <= shop.product_urls
    assert len(stored) >= 0.99 * shop.products
    assert len(site.log) <= 1.3 * shop.needed, len(site.log)
    assert len(shop.fetched) == len(set(shop.fetched)), "no page twice"
    assert not [path for path in shop.fetched if path.startswith(("/intern", "/basket"))]
