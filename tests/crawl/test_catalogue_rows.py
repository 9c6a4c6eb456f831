"""The catalogue's list of requirements, where a crawl or a crawl job makes them true."""

from __future__ import annotations

from typing import Any

from tests.crawl.shop import Shop
from tests.run.scripted_site import Site
from winnow.actions import targets as target_actions
from winnow.actions.catalogue.crawl_jobs import CrawlJob, submit
from winnow.actions.parts import Parts
from winnow.db.engine import Database


async def test_c022_resubmitting_revives_a_paused_or_broken_url_and_takes_what_is_new(
    parts: Parts, database: Database, rows: Any
):
    urls = ["https://shop.example.com/1", "https://shop.example.com/2", "https://shop.example.com/3"]
    async with database.transaction() as conn:
        made = await submit(conn, "ann", parts.intake, [CrawlJob(url=url, priority=3) for url in urls])
        await target_actions.pause(conn, "ann", [made[0].id])
        await conn.execute("UPDATE scrape_targets SET status = 'BROKEN' WHERE id = %s", (made[1].id,))
        await conn.execute("UPDATE scrape_targets SET next_crawl_at = now() + interval '1 day'")
    async with database.transaction() as conn:
        again = await submit(
            conn, "ann", parts.intake, [CrawlJob(url=urls[0], priority=1), CrawlJob(url=urls[1]), CrawlJob(url=urls[2])]
        )
    assert [job.id for job in again] == [job.id for job in made]
    state = "SELECT status, priority, next_crawl_at <= now() FROM scrape_targets ORDER BY id"
    assert await rows(state) == [("ACTIVE", 4, True), ("ACTIVE", 2, True), ("ACTIVE", 2, True)]


async def test_c028_c031_products_and_tasks_of_a_crawl_name_their_domain_and_task(
    site: Site, crawl: Any, work: Any, rows: Any
):
    Shop(site, products=3, listings="none")
    await crawl(site.url + "/")
    await work()
    missing = "SELECT count(*)::int FROM {} WHERE domain_id IS NULL"
    assert await rows(missing.format("crawl_tasks")) == [0]
    assert await rows(missing.format("catalog_products")) == [0]
    linked = "SELECT count(*)::int FROM catalog_products AS p JOIN crawl_tasks AS t ON t.id = p.crawl_task_id"
    assert await rows(f"{linked} WHERE t.url_hash = p.url_hash") == [3]
