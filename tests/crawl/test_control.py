"""A crawl is paused, resumed, stopped, killed and doubled: nothing is lost, and nothing happens twice."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest

from tests.chaos.crowd import running, start
from tests.chaos.kill_workers import some_progress
from tests.crawl.shop import Shop
from tests.run.scripted_site import Site
from tests.waiting import LIMIT
from winnow.actions.catalogue import crawls as crawl_actions
from winnow.db.engine import Database
from winnow.errors import InvalidInput
from winnow.run.scheduler import Scheduler
from winnow.settings import Settings

STATE = "SELECT state FROM crawls WHERE id = %s"
ATTEMPTED = "SELECT urls_attempted FROM scrape_runs AS r JOIN crawls AS c ON c.run_id = r.id WHERE c.id = %s"


async def after(rows: Any, crawl_id: int, pages: int) -> None:
    async with asyncio.timeout(LIMIT):
        while (await rows(ATTEMPTED, crawl_id))[0] < pages:
            await asyncio.sleep(0.01)


async def test_c003_a_paused_crawl_waits_and_goes_on_where_it_was(
    site: Site, crawl: Any, work: Any, rows: Any, database: Database
):
    shop = Shop(site, products=60, categories=3)
    crawl_id = await crawl(site.url + "/", concurrent=2)
    working = asyncio.create_task(work())
    await after(rows, crawl_id, 10)
    async with database.transaction() as conn:
        await crawl_actions.pause(conn, "test", crawl_id)
    await working  # what is paused waits for a person and not for a worker
    assert await rows(STATE, crawl_id) == ["paused"]
    fetched = len(shop.fetched)
    assert fetched < shop.needed
    await work()
    assert len(shop.fetched) == fetched
    async with database.transaction() as conn:
        await crawl_actions.resume(conn, "test", crawl_id)
    await work()
    assert await rows(STATE, crawl_id) == ["done"]
    assert set(await rows("SELECT url FROM source_products")) == shop.product_urls
    assert len(shop.fetched) == len(set(shop.fetched))


async def test_c003_a_stopped_crawl_ends_and_keeps_what_it_stored(
    site: Site, crawl: Any, work: Any, rows: Any, database: Database
):
    shop = Shop(site, products=60, categories=3)
    crawl_id = await crawl(site.url + "/", concurrent=2)
    working = asyncio.create_task(work())
    await after(rows, crawl_id, 12)
    async with database.transaction() as conn:
        await crawl_actions.stop(conn, "test", crawl_id)
    await working
    assert await rows(STATE, crawl_id) == ["stopped"]
    assert len(shop.fetched) < shop.needed
    assert await rows("SELECT status, links_waiting FROM scrape_runs") == [("SUCCESS", 0)]
    assert await rows("SELECT count(*)::int FROM tasks WHERE status IN ('queued', 'running')") == [0]


async def test_a_second_crawl_of_a_source_starts_when_the_first_has_ended(
    site: Site, crawl: Any, work: Any, rows: Any, database: Database, settings: Settings
):
    Shop(site, products=4, categories=1)
    first, second = await crawl(site.url + "/"), await crawl(site.url + "/")
    assert await rows("SELECT state FROM crawls ORDER BY id") == ["running", "waiting"]
    scheduler = Scheduler(database, settings)
    await scheduler.crawls()
    assert await rows(STATE, second) == ["waiting"]
    await work()
    await scheduler.crawls()
    assert [await rows(STATE, one) for one in (first, second)] == [["done"], ["running"]]
    await work()
    assert await rows(STATE, second) == ["done"]
    assert await rows("SELECT count(*)::int FROM source_products") == [4]


async def test_c025_two_crawls_of_one_domain_share_its_pace(site: Site, crawl: Any, work: Any, rows: Any):
    Shop(site, products=12, categories=1, sitemap=False)
    await crawl(site.url + "/", rate=8, concurrent=8)
    await crawl(site.url + "/", rate=8, concurrent=8, kind="offer")
    assert await rows("SELECT state FROM crawls") == ["running", "running"]
    await work()
    assert await rows("SELECT state FROM crawls") == ["done", "done"]
    times = sorted(site.times())
    assert len(times) > 24
    assert min(later - earlier for earlier, later in zip(times, times[8:], strict=False)) > 0.99


async def test_no_page_outside_the_scope_is_asked_for(site: Site, crawl: Any, work: Any, rows: Any):
    shop = Shop(site, products=60, categories=3, traps=True)
    await crawl(site.url + "/", include=["/$", "/category/c1", "/products/"], exclude=["/products/thing-1$", "*color="])
    await work()
    allowed = ("/category/c1", "/products/")
    assert [path for path in shop.fetched if path not in ("/", "/sitemap.xml") and not path.startswith(allowed)] == []
    assert not any("color=" in path for path in shop.fetched)
    assert "/products/thing-1" not in shop.fetched
    assert len(await rows("SELECT url FROM source_products")) == 59
    assert (await rows("SELECT links_cut_by ->> 'scope' FROM scrape_runs"))[0] is not None


async def test_budgets_end_a_crawl_and_say_so(site: Site, crawl: Any, work: Any, rows: Any):
    shop = Shop(site, products=60, categories=3)
    await crawl(site.url + "/", budget={"pages": 15})
    await work()
    assert len(shop.fetched) == 16  # the first page is none that was followed
    assert await rows(
        "SELECT c.state, r.links_cut_by ? 'pages' FROM crawls c JOIN scrape_runs r ON r.id = c.run_id"
    ) == [("done", True)]


async def test_r27_a_crawl_whose_worker_is_killed_ends_as_an_undisturbed_one(
    site: Site, crawl: Any, rows: Any, database: Database, database_url: str, tmp_path: Path
):
    shop = Shop(site, products=80, categories=2, traps=True)
    crawl_id = await crawl(site.url + "/", concurrent=4)
    chance = random.Random(5)
    async with running("upkeep", database_url, tmp_path):
        for _ in range(3):
            worker = await start("worker", database_url, tmp_path)
            try:
                await some_progress(database, chance.randint(5, 15))
            finally:
                await worker.kill()
        async with running("worker", database_url, tmp_path), asyncio.timeout(LIMIT):
            while await rows(STATE, crawl_id) == ["running"]:
                await asyncio.sleep(0.1)
    assert await rows(STATE, crawl_id) == ["done"]
    stored = await rows("SELECT url FROM source_products")
    assert (len(stored), set(stored)) == (80, shop.product_urls)
    assert await rows(
        "SELECT count(*)::int - count(DISTINCT url)::int, min(status) FROM tasks WHERE kind = 'product'"
    ) == [(0, "done")]
    assert await rows("SELECT count(*)::int FROM lanes WHERE queued <> 0 OR in_flight <> 0") == [0]


async def test_a_section_gives_no_more_pages_than_it_may(site: Site, crawl: Any, work: Any, rows: Any):
    shop = Shop(site, products=60, categories=3)
    await crawl(site.url + "/", sections={"/products/": 20, "/category/": 2})
    await work()
    asked = [path.split("/")[1].partition("?")[0] for path in shop.fetched]
    assert (asked.count("products"), asked.count("category")) == (20, 2)
    ((state, cut),) = await rows(
        "SELECT c.state, r.links_cut_by FROM crawls AS c JOIN scrape_runs AS r ON r.id = c.run_id"
    )
    assert (state, cut["section"] >= 40) == ("done", True)


@pytest.mark.parametrize("sections", [{"blog/": 1}, {"/blog/*": 1}, {"/blog/": 0}])
async def test_a_section_is_a_plain_prefix_and_a_number(crawl: Any, site: Site, sections: dict[str, int]):
    with pytest.raises(InvalidInput):
        await crawl(site.url + "/", sections=sections)
