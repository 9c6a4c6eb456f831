"""Target → price, through everything, against the demo shop (P-107)."""

from __future__ import annotations

import asyncio

from tests.waiting import LIMIT
from winnow.db.engine import Database
from winnow.run.scheduler import Scheduler
from winnow.run.worker import assembled
from winnow.settings import Settings


async def drain(database: Database, settings: Settings) -> int:
    async with assembled(database, settings) as worker:
        async with asyncio.timeout(LIMIT):
            await worker.run(until_empty=True)
        return worker.settled_count


async def rows(database: Database, query: str, *given: object) -> list[tuple]:
    async with database.connection() as conn:
        return await (await conn.execute(query, given)).fetchall()


def product_urls(shop) -> list[str]:
    return [shop.url + p.path for p in shop.products]


async def test_p107_targets_become_offers_and_prices(database, settings, shop, watch):
    urls = product_urls(shop)
    source_id = await watch(urls)
    tick = await Scheduler(database, settings).tick()
    assert (tick.accepted, tick.rejected) == (len(urls), 0)
    await drain(database, settings)
    (run,) = await rows(
        database,
        "SELECT status, urls_planned, urls_attempted, urls_failed, offers_valid, offers_quarantined, "
        "oos_no_price_count, source_id FROM scrape_runs",
    )
    assert run[0] == "SUCCESS"
    assert run[1] == run[2] == len(urls)
    assert run[3] == 0
    assert run[4] + run[5] + run[6] == len(urls)
    assert run[7] == source_id
    prices = await rows(database, "SELECT count(*), count(DISTINCT source_product_id) FROM prices")
    assert prices == [(run[4], run[4])]
    assert run[4] >= 20
