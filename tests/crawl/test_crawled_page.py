"""One page as a crawl reads it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from winnow.extract.adapter import Context
from winnow.extract.draft import Extracted
from winnow.extract.links.crawled_page import MAX_NESTED, read_crawled
from winnow.extract.page import Page
from winnow.kinds import adapters
from winnow.kinds.registry import all_kinds

NOW = datetime(2026, 1, 1, tzinfo=UTC)
URL = "https://shop.example.com/p/red"
PRODUCT = """<html><head><title>Red</title><link rel="canonical" href="{}"><script type="application/ld+json">
{{"@context": "https://schema.org", "@type": "Product", "name": "Red", "offers": {{"@type": "Offer", "price": "9.50",
"priceCurrency": "EUR", "availability": "https://schema.org/InStock"}}}}</script></head><body><h1>Red</h1><p>9.50 €</p>
<button>Add to cart</button></body></html>"""


def read(body: str, role: str = "item", listed: str | None = None, url: str = URL) -> Extracted:
    page = Page(url=url, body=body.encode(), fetched_at=NOW)
    adapter = adapters.registry(None).get(all_kinds().get("product").generic_adapter)
    assert adapter is not None
    context = Context(source_id="1", retailer_id="", run_id="1", target_id="", url=url, now=NOW, crawl=role)
    found = read_crawled(page, role, listed, lambda: adapter.extract(page, context))
    assert isinstance(found, Extracted)
    return found


@pytest.mark.parametrize(
    ("canonical", "read_here"),
    [
        ("https://shop.example.com/p/red", True),
        ("https://www.shop.example.com/p/red/", True),
        ("https://shop.example.com/", True),
        ("https://brand.example.net/p/red", True),
        ("https://m.example.com/p/red", True),
        ("https://shop.example.com/p/the-red-one", False),
        ("/p/the-red-one", False),
    ],
)
def test_a_product_is_read_at_the_address_its_page_calls_its_own_on_this_host(canonical: str, read_here: bool):
    found = read(PRODUCT.format(canonical))
    assert bool(found.drafts) is read_here
    assert ("https://shop.example.com/p/the-red-one" in [link.url for link in found.links]) is not read_here


def test_indexes_of_sitemaps_are_followed_as_deep_as_allowed():
    body = "<sitemapindex><sitemap><loc>https://shop.example.com/a.xml</loc></sitemap></sitemapindex>"
    assert [link.listed for link in read(body, "sitemap").links] == ["1"]
    assert read(body, "sitemap", str(MAX_NESTED)).links == []


def test_of_a_sitemap_what_changed_last_is_visited_first():
    entries = "".join(
        f"<url><loc>https://shop.example.com/p/{n}</loc><lastmod>{day}</lastmod></url>"
        for n, day in enumerate(["2026-01-02", "2026-03-01", "2025-12-31T08:00:00Z"])
    )
    assert [link.url[-1] for link in read(f"<urlset>{entries}</urlset>", "sitemap").links] == ["1", "0", "2"]
