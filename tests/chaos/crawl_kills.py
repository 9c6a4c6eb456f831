"""kill -9 the worker of a crawl again and again, pause and resume it: the same catalogue, nothing twice, nothing lost.

python -m tests.chaos.crawl_kills [--products 1900] [--kills 20]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.chaos.crowd import rows, running, start
from tests.crawl.shop import Shop
from tests.run.scripted_site import Site
from tests.waiting import LIMIT
from winnow.actions.catalogue import crawls as crawl_actions
from winnow.actions.catalogue.crawls import CrawlOrder
from winnow.actions.parts import Parts
from winnow.db import migrate
from winnow.db.engine import Database
from winnow.db.settings import DatabaseSettings
from winnow.settings import Settings, load
from winnow.sources.domain import domain_of

CONCURRENCY = "16"
PAUSE = 3.0  # seconds in which nothing may be asked for
_DOMAIN = """
INSERT INTO domains (domain_name, base_url, tokens_per_interval, interval_seconds, max_concurrent_requests)
VALUES (%s, %s, 100000, 1, 64)
"""
_STATE = "SELECT c.state, r.urls_attempted FROM crawls AS c LEFT JOIN scrape_runs AS r ON r.id = c.run_id"
_ENDED = """
SELECT count(*), count(DISTINCT url) FROM (
    SELECT url FROM tasks WHERE run_id IS NOT NULL UNION ALL SELECT url FROM task_archive
) AS t
"""


async def crawl_kills(database: Database, url: str, folder: Path, products: int, kills: int) -> dict[str, object]:
    """Crawls a shop whose truth is known; raises when a promise is broken."""
    site = await Site().start()
    shop = Shop(site, products=products, categories=max(2, products // 200), sitemap=False, traps=True)
    chance, began = random.Random(11), time.monotonic()
    try:
        crawl_id = await _begin(database, site)
        async with running("upkeep", url, folder):
            done = 0
            while done < kills and (state := await _state(database))[0] == "running":
                worker = await start("worker", url, folder, WINNOW_WORKER_CONCURRENCY=CONCURRENCY)
                await _until(database, state[1] + chance.randint(5, max(6, shop.needed // (kills + 1))))
                await worker.kill()
                done += 1
                if done == kills // 2:
                    await _paused(database, url, folder, site, crawl_id)
            async with running("worker", url, folder, WINNOW_WORKER_CONCURRENCY=CONCURRENCY):
                await _until(database, None)
        await _check(database, shop)
    finally:
        await site.stop()
    again = len(shop.fetched) - len(set(shop.fetched))
    return {
        "products": products,
        "requests": len(site.log),
        "needed": shop.needed,
        "fetched_again": again,
        "kills": done,
        "seconds": round(time.monotonic() - began, 1),
    }


async def _begin(database: Database, site: Site) -> int:
    settings = _settings(database)
    async with database.transaction() as conn:
        await conn.execute(_DOMAIN, (domain_of(site.url), site.url))
        order, parts = CrawlOrder(url=site.url + "/"), Parts(database, settings)
        crawl_id, began = await crawl_actions.start(conn, "chaos", parts.intake, settings.schedule, order)
    assert began
    return crawl_id


def _settings(database: Database) -> Settings:
    found = load()
    fetch = found.fetch.model_copy(update={"egress_allow": ("127.0.0.0/8",)})
    return Settings(
        db=found.db, schedule=found.schedule, fetch=fetch, browser=found.browser, observe=found.observe,
        run=found.run, api=found.api,
    )  # fmt: skip


async def _state(database: Database) -> tuple[Any, ...]:
    ((state, attempted),) = await rows(database, _STATE)
    return state, attempted or 0


async def _until(database: Database, attempted: int | None) -> None:
    """Until so many pages were visited, or the crawl has ended."""
    async with asyncio.timeout(LIMIT):
        while (state := await _state(database))[0] == "running":
            if attempted is not None and state[1] >= attempted:
                return
            await asyncio.sleep(0.02)


async def _paused(database: Database, url: str, folder: Path, site: Site, crawl_id: int) -> None:
    """A worker that finds a paused crawl asks for nothing, what was under way when the last one was killed apart."""
    async with database.transaction() as conn:
        await crawl_actions.pause(conn, "chaos", crawl_id)
    async with running("worker", url, folder, WINNOW_WORKER_CONCURRENCY=CONCURRENCY):
        async with asyncio.timeout(LIMIT):
            while (await rows(database, "SELECT count(*) FROM tasks WHERE status = 'running'"))[0][0]:
                await asyncio.sleep(0.05)
        before = len(site.log)
        await asyncio.sleep(PAUSE)
        assert len(site.log) == before, f"{len(site.log) - before} requests of a paused crawl"
    async with database.transaction() as conn:
        await crawl_actions.resume(conn, "chaos", crawl_id)


async def _check(database: Database, shop: Shop) -> None:
    assert (await _state(database))[0] == "done"
    stored = [url for (url,) in await rows(database, "SELECT url FROM source_products")]
    assert len(stored) == len(set(stored)) == shop.products, f"{len(stored)} products stored"
    assert set(stored) == shop.product_urls
    ((tasks, urls),) = await rows(database, _ENDED)
    assert tasks == urls, f"{tasks} tasks for {urls} pages"
    ((pages, of_tasks),) = await rows(
        database, "SELECT count(*), count(DISTINCT task_id) FROM pages WHERE content_hash IS NOT NULL"
    )
    assert pages == of_tasks, f"{pages} pages stored of {of_tasks} tasks"
    ((prices, offers),) = await rows(database, "SELECT count(*), count(DISTINCT source_product_id) FROM prices")
    assert prices == offers == shop.products, f"{prices} prices of {offers} products"
    busy = await rows(database, "SELECT lane, queued, in_flight FROM lanes WHERE queued <> 0 OR in_flight <> 0")
    assert busy == [], f"lanes that think they are busy: {busy}"


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--products", type=int, default=1_900)
    parser.add_argument("--kills", type=int, default=20)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="winnow-chaos-") as folder:
        Path(folder).chmod(0o711)
        async with await Database.open(DatabaseSettings(data_dir=Path(folder), database_url=None)) as database:
            await migrate.upgrade(database.url)
            result = await crawl_kills(database, database.url, Path(folder), arguments.products, arguments.kills)
    print(json.dumps(result))


if __name__ == "__main__":
    asyncio.run(main())
