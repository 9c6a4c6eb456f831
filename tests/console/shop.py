"""A small shop that is really visited: its runs, tasks, pages, prices and held records are the worker's own."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from tests.console.conftest import Served
from tests.run.scripted_site import Site, product
from tests.waiting import LIMIT
from winnow.db.engine import Database
from winnow.db.settings import DatabaseSettings
from winnow.fetch.settings import BrowserSettings, FetchSettings
from winnow.normalise.urls import canonical_url, url_hash
from winnow.run.worker import assembled
from winnow.schedule import runs
from winnow.schedule.queue.task import Trigger
from winnow.settings import Settings, load
from winnow.sources.domain import domain_of

NAMES = ("Kettle", "Lamp", "Rug", "Chair", "Shelf", "Clock")


@dataclass
class Visited:
    source_id: int
    run_ids: list[int]
    urls: list[str]


async def visit_shop(served: Served, *prices: dict[str, str]) -> Visited:
    """One run for each dict of prices (name -> price as written; "gone" answers 404), all by a real worker."""
    settings = _settings(served)
    site = await Site().start()
    try:
        async with served.database() as database:
            urls = [f"{site.url}/{name.lower()}" for name in NAMES]
            source_id = await _add(database, site.url, urls)
            run_ids = []
            for shown in prices:
                for name in NAMES:
                    price = shown.get(name, "100.00")
                    body = product(name=name, price=price, sku=f"SKU-{name}")
                    site.says(f"/{name.lower()}", body, status=404 if price == "gone" else 200)
                run_ids.append(await _run(database, settings, source_id))
        return Visited(source_id, run_ids, urls)
    finally:
        await site.stop()


def _settings(served: Served) -> Settings:
    return replace(
        load(),
        db=DatabaseSettings(database_url=served.database_url, data_dir=served.data_dir),
        fetch=FetchSettings(egress_allow=("127.0.0.0/8",), fetch_timeout_ms=5_000),
        browser=BrowserSettings(browser_fallback=False, browser_pool_size=1),
    )


async def _run(database: Database, settings: Settings, source_id: int) -> int:
    async with database.transaction() as conn:
        started = await runs.start(conn, source_id, Trigger.MANUAL, settings.schedule)
    assert started.run_id is not None
    async with assembled(database, settings) as worker, asyncio.timeout(LIMIT):
        await worker.run(until_empty=True)
    return started.run_id


async def _add(database: Database, url: str, urls: list[str]) -> int:
    domain = domain_of(url)
    async with database.transaction() as conn:
        await conn.execute("INSERT INTO retailers (name) VALUES ('The Corner Shop') ON CONFLICT DO NOTHING")
        found = await conn.execute(
            "INSERT INTO sources (name, url, domain, retailer_id, adapter_id) "
            "SELECT %s, %s, %s, id, 'generic' FROM retailers WHERE name = 'The Corner Shop' RETURNING id",
            (f"Corner Shop {domain}", url, domain),
        )
        row = await found.fetchone()
        assert row is not None
        await conn.execute(
            "INSERT INTO scrape_targets "
            "(url, canonical_url, url_hash, domain, source_id, adapter_id, crawl_frequency, next_crawl_at) "
            "SELECT u, c, h, %s, %s, 'generic', interval '4 hours', now() + interval '4 hours' "
            "FROM unnest(%s::text[], %s::text[], %s::text[]) AS t (u, c, h)",
            (domain, row[0], urls, [canonical_url(u) for u in urls], [url_hash(u) for u in urls]),
        )
        await conn.execute(
            "INSERT INTO domains (domain_name, base_url, tokens_per_interval, interval_seconds, "
            "max_concurrent_requests) VALUES (%s, %s, 10000, 1, 64)",
            (domain, url),
        )
        await conn.execute(
            "INSERT INTO lanes (lane, tokens, interval_seconds, spacing_seconds, max_concurrent, limits_from) "
            'VALUES (%s, 10000, 1, 0, 64, \'{"rate": "domain"}\')',
            (domain,),
        )
    return int(row[0])
