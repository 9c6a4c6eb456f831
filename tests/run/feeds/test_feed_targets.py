"""Offers of feeds as targets: pages are visited, watches fire, consumers see what the feed says (P-002, FN-18)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.feeds.shop import Shop
from tests.run.conftest import limit
from tests.run.scripted_site import Site
from winnow.actions import feeds
from winnow.actions.intake import Cadence, Intake
from winnow.db.engine import Database
from winnow.errors import InvalidInput, NotFound
from winnow.fetch.egress.allow import AllowList
from winnow.kinds.adapters import registry
from winnow.publish import watches
from winnow.run import feed_changes
from winnow.sources.domain import domain_of

HEADER = "SKU,Name,Url,Price,Currency,StockAvailability"
EVERY = Cadence(every=timedelta(hours=4))
PAGE = """<html><body><h1>Another name</h1><script type="application/ld+json">
{"@type": "Product", "name": "Another name", "sku": "page-sku", "url": "https://other.test/x",
 "offers": {"@type": "Offer", "price": "%s", "priceCurrency": "USD", "availability": "https://schema.org/%s"}}
</script></body></html>"""


@pytest.fixture
def intake() -> Intake:
    return Intake(AllowList(["127.0.0.0/8"]), registry)


@pytest.fixture
async def shop(database: Database, tmp_path: Path) -> Shop:
    made = Shop(database, tmp_path / "feeds")
    await made.open()
    return made


class Linking:
    """A feed with offers at a site, one of which is a target."""

    def __init__(self, shop: Shop, intake: Intake, site: Site) -> None:
        self.shop, self.intake, self.site = shop, intake, site
        self.paths: dict[int, str] = {}

    def line(self, n: int, price: str = "10.00") -> str:
        url = self.paths.setdefault(n, self.site.says(f"/p/{n}", PAGE % ("10.00", "InStock")))
        return f"sku-{n},Thing {n},{url},{price},USD,Y"

    async def load(self, *rows: str) -> dict[str, Any]:
        self.shop.write(rows, header=HEADER)
        outcome = await self.shop.run()
        assert outcome.run_id is not None, outcome
        return await self.shop.run_row(outcome.run_id)

    async def link(self, **which: Any) -> feeds.LinkedOffers:
        async with self.shop.database.transaction() as conn:
            return await feeds.add_targets(conn, "ada", self.intake, self.shop.feed_id, EVERY, **which)

    async def outside(self) -> list[tuple[Any, ...]]:
        """What consumers see of the offers, prices of their history included."""
        shown = "SELECT source_product_id, title, url, sku, amount_minor, in_stock FROM consumer_offers ORDER BY 1"
        history = "SELECT source_product_id, amount_minor, in_stock FROM consumer_prices ORDER BY 1, 2, 3"
        return [*await self.shop.rows(shown), *await self.shop.rows(history)]


@pytest.fixture
async def linking(shop: Shop, intake: Intake, site: Site) -> Linking:
    url = site.says("/", "")
    async with shop.database.transaction() as conn:
        await limit(conn, domain_of(url), url, 10_000, 64)
    return Linking(shop, intake, site)


async def test_p002_shown_offers_become_targets_of_the_feeds_source(linking: Linking) -> None:
    await linking.load(*(linking.line(n) for n in range(1, 6)))
    done = await linking.link(offer_ids=[1], skus=["sku-2"], priority=3)
    assert [(one.offer_id, one.created) for one in done.linked] == [(1, True), (2, True)]
    query = "SELECT source_product_id, source_id, url, priority, crawl_frequency FROM scrape_targets ORDER BY id"
    source = linking.shop.source_id
    assert await linking.shop.rows(query) == [
        (n, source, linking.paths[n], 3, timedelta(hours=4)) for n in (1, 2)
    ]  # fmt: skip
    again = await linking.link(offer_ids=[1])
    assert [(one.target_id, one.created) for one in again.linked] == [(1, False)]
    assert await linking.shop.value("SELECT count(*) FROM audit_log WHERE action = 'target.added'") == 2


async def test_p002_only_what_consumers_see_can_be_a_target(linking: Linking) -> None:
    await linking.load(*(linking.line(n) for n in range(1, 41)))
    held = await linking.load(*(linking.line(n, "1000.00") for n in range(1, 42)))
    assert held["expiry_blocked"]
    with pytest.raises(NotFound, match="no offer 41"):
        await linking.link(offer_ids=[41])
    with pytest.raises(NotFound, match="SKU sku-41"):
        await linking.link(skus=["sku-41"])
    with pytest.raises(InvalidInput):
        await linking.link()
    assert await linking.shop.value("SELECT count(*) FROM scrape_targets") == 0


async def test_p002_an_offer_whose_page_may_not_be_visited_is_refused_alone(linking: Linking) -> None:
    await linking.load(linking.line(1), "sku-2,Thing 2,http://10.0.0.1/p,10.00,USD,Y")
    done = await linking.link(offer_ids=[1, 2])
    assert [one.offer_id for one in done.linked] == [1]
    assert [one.offer_id for one in done.refused] == [2]


async def test_fn18_a_visit_prices_the_linked_offer_and_changes_nothing_that_consumers_see(
    linking: Linking, start: Callable[..., Awaitable[Any]], work: Callable[..., Awaitable[Any]]
) -> None:
    await linking.load(linking.line(1), linking.line(2))
    await linking.link(offer_ids=[1])
    before = await linking.outside()
    linking.site.says("/p/1", PAGE % ("7.50", "OutOfStock"))
    await start(linking.shop.source_id)
    await work()
    scraped = "SELECT source_product_id, amount_minor, in_stock FROM prices WHERE ingestion_run_type = 'SCRAPE'"
    assert await linking.shop.rows(scraped) == [(1, 750, False)]
    assert await linking.shop.value("SELECT count(*) FROM source_products") == 2
    assert await linking.outside() == before
    again = await linking.load(linking.line(1), linking.line(2), "")
    assert again["prices_written"] == 0  # F-108: the feed compares with its own prices
    assert await linking.outside() == before


async def test_fn18_visits_keep_no_offer_alive_that_its_feed_dropped(
    linking: Linking, start: Callable[..., Awaitable[Any]], work: Callable[..., Awaitable[Any]]
) -> None:
    await linking.load(*(linking.line(n) for n in range(1, 6)))
    await linking.link(offer_ids=[1])
    await linking.load(*(linking.line(n) for n in range(2, 6)))
    await linking.shop.later(30)
    await linking.load(*(linking.line(n) for n in range(2, 6)), "")
    await linking.shop.later(30)
    await start(linking.shop.source_id)
    await work()
    await linking.load(*(linking.line(n) for n in range(2, 6)), "", "")
    assert await linking.shop.active() == [f"Thing {n}" for n in range(2, 6)]


async def test_p002_a_watch_fires_on_the_price_of_a_promoted_run_and_not_of_a_held_one(linking: Linking) -> None:
    shop = linking.shop
    await linking.load(*(linking.line(n) for n in range(1, 41)))
    done = await linking.link(offer_ids=[1])
    async with shop.database.transaction() as conn:
        wanted = watches.Wanted(target_id=done.linked[0].target_id, condition="price_below", threshold=Decimal(9))
        await watches.add(conn, wanted, "ada")
    await linking.load(*(linking.line(n, "0.10") for n in range(1, 41)))
    await feed_changes.publish(shop.database)
    assert await shop.rows("SELECT topic FROM outbox WHERE topic = 'watch.fired'") == []
    await linking.load(*(linking.line(n, "8.00" if n == 1 else "10.00") for n in range(1, 41)))
    await feed_changes.publish(shop.database)
    [(payload,)] = await shop.rows("SELECT payload FROM outbox WHERE topic = 'watch.fired'")
    assert payload["price"]["minor"] == 800
