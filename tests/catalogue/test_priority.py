"""Whose turn it is: passes, order, joining a running run, and what is due early (C-006, C-007, C-016, C-020, C-021)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from tests.catalogue.conftest import ACTOR
from tests.run.scripted_site import Site, product
from tests.schedule.watching import add_source, add_targets
from winnow.actions import targets as target_actions
from winnow.actions.intake import Cadence
from winnow.actions.parts import Parts
from winnow.db.engine import Database
from winnow.run.crawl.revisits import Revisits
from winnow.run.scheduler import Scheduler
from winnow.schedule import scheduler as schedule

ORDER = "SELECT target_id FROM tasks ORDER BY rank, id"


async def test_c006_a_priority_1_url_does_not_wait_for_the_sources_running_run(
    site: Site, submit_urls: Any, scheduler: Scheduler, rows: Any
) -> None:
    """250 URLs are under way; the urgent one that comes next joins their run and is the next of its lane."""
    await submit_urls(*(site.url + f"/p/{n}" for n in range(250)))
    assert (await scheduler.tick()).accepted == 250
    [urgent] = await submit_urls(site.url + "/urgent", priority=1)
    assert (await scheduler.tick()).accepted == 1
    assert (await rows(ORDER))[0] == urgent.id
    assert await rows("SELECT status, urls_planned FROM scrape_runs") == [("RUNNING", 251)]


async def test_c006_an_urgent_url_does_not_wait_for_a_crawl_of_its_site(
    site: Site, submit_urls: Any, scheduler: Scheduler, parts: Parts, database: Database, settings: Any, rows: Any
) -> None:
    from winnow.actions.catalogue import crawls
    from winnow.actions.catalogue.crawls import CrawlOrder

    async with database.transaction() as conn:
        await crawls.start(conn, ACTOR, parts.intake, settings.schedule, CrawlOrder(url=site.url + "/"))
    [urgent] = await submit_urls(site.url + "/urgent", priority=1)
    assert (await scheduler.tick()).accepted == 1
    assert (await rows(ORDER))[0] == urgent.id
    assert await rows("SELECT is_crawl, status FROM scrape_runs ORDER BY 1") == [(False, "RUNNING"), (True, "RUNNING")]


async def test_c006_a_run_ends_although_its_urls_are_always_due(
    site: Site, submit_urls: Any, scheduler: Scheduler, rows: Any
) -> None:
    """What the run has visited waits for the next one, unless a person asks for it."""
    [one, _] = await submit_urls(site.url + "/1", site.url + "/2")
    await scheduler.tick()
    await rows("UPDATE tasks SET status = 'done', finished_at = now() WHERE target_id = %s", one.id)
    await rows("UPDATE scrape_targets SET next_crawl_at = now(), last_scraped_at = now() WHERE id = %s", one.id)
    assert (await scheduler.tick()).accepted == 0
    await submit_urls(site.url + "/1")
    assert (await scheduler.tick()).accepted == 1


async def test_c016_passes_of_a_hundred_until_nothing_is_due(
    site: Site, submit_urls: Any, scheduler: Scheduler, database: Database, settings: Any, rows: Any
) -> None:
    await submit_urls(*(site.url + f"/p/{n}" for n in range(230)))
    taken = []
    cycle = schedule.Tick(more=True)
    while cycle.more:
        before = cycle.accepted
        async with database.transaction() as conn:
            cycle = await schedule.tick(conn, settings.schedule, cycle=cycle)
        taken.append(cycle.accepted - before)
    assert (taken, len(cycle.runs)) == ([100, 100, 30], 1)


async def test_c016_c017_c021_priority_then_staleness_then_failure_then_popularity(
    database: Database, settings: Any
) -> None:
    async with database.transaction() as conn:
        source = await add_source(conn, kind="product")
        ids = await add_targets(conn, source, 6, kind="product")
        for n, change in enumerate(
            [
                "next_crawl_at = now() - interval '2 minutes'",
                "popularity = 7",
                "consecutive_failures = 1",
                "next_crawl_at = now() - interval '3 days'",
                "priority = 4",
                "next_crawl_at = now() - interval '1 second'",
            ]
        ):
            await conn.execute(f"UPDATE scrape_targets SET {change} WHERE id = %s", (ids[n],))
        await schedule.tick(conn, settings.schedule)
        found = [row[0] for row in await (await conn.execute(ORDER)).fetchall()]
    urgent, stale, failed, popular, waited, newest = (ids[n] for n in (4, 3, 2, 1, 0, 5))
    assert found == [urgent, stale, failed, popular, waited, newest]


async def test_c021_popularity_counts_clicks_watches_and_reads_of_thirty_days(
    site: Site, submit_urls: Any, visit: Any, database: Database, rows: Any
) -> None:
    urls = [site.says(f"/{n}", product(f"Shoe {n}", sku=f"S{n}")) for n in range(3)]
    one, two, three = await submit_urls(*urls)
    await visit()
    offer_of = dict(await rows("SELECT crawl_task_id, id FROM catalog_products"))
    click = "INSERT INTO offer_clicks (source_product_id, clicked_at) VALUES (%s, now() - %s::interval)"
    await rows(click, offer_of[one.id], timedelta(days=1))
    await rows(click, offer_of[one.id], timedelta(days=40))
    await rows(
        "INSERT INTO offer_reads VALUES (%s, current_date, 5), (%s, current_date - 31, 90)", *[offer_of[two.id]] * 2
    )
    await rows("INSERT INTO watches (target_id, condition) VALUES (%s, 'any_change')", three.id)
    await Revisits(database).count_popularity()
    assert dict(await rows("SELECT id, popularity FROM scrape_targets")) == {one.id: 1, two.id: 5, three.id: 10}


async def test_c007_a_domain_has_an_interval_for_urls_that_name_none(
    site: Site, submit_urls: Any, parts: Parts, database: Database, rows: Any
) -> None:
    from winnow.schedule import domains

    [first] = await submit_urls(site.url + "/1")
    async with database.transaction() as conn:
        await domains.change(conn, site.domain, {"crawl_frequency": timedelta(hours=6)})
    [second] = await submit_urls(site.url + "/2")
    [third] = await submit_urls(site.url + "/3", every=timedelta(hours=2))
    every = dict(await rows("SELECT id, crawl_frequency FROM crawl_tasks"))
    hours = {first.id: 24, second.id: 6, third.id: 2}
    assert every == {target: timedelta(hours=n) for target, n in hours.items()}


async def test_c020_a_change_in_one_shop_makes_the_product_due_in_the_others(
    site: Site, other_site: Site, submit_urls: Any, visit: Any, due_again: Any, database: Database, rows: Any
) -> None:
    from winnow.store import resolver

    gtin = {"gtin13": "4006381333931"}
    urls = [shop.says("/p", product("Shoe", "20.00", sku="A", **gtin)) for shop in (site, other_site)]
    one, two = await submit_urls(*urls)
    await visit()
    async with database.transaction() as conn:
        await resolver.run_once(conn, 100)
    revisits = Revisits(database)
    await rows("UPDATE scrape_targets SET last_scraped_at = now() - interval '2 hours'")
    assert await revisits.follow_changes() == 0, "nothing has changed yet"
    site.says("/p", product("Shoe", "15.00", sku="A", **gtin))
    await rows("UPDATE scrape_targets SET next_crawl_at = now() WHERE id = %s", one.id)
    await visit()
    assert await revisits.follow_changes() == 1
    due = "SELECT due_because FROM scrape_targets WHERE next_crawl_at <= now()"
    assert await rows(due) == ["change"]
    assert await rows(f"{due} AND id = %s", two.id) == ["change"]


async def test_c020_a_person_asks_for_a_visit_now(
    site: Site, submit_urls: Any, visit: Any, database: Database, rows: Any
) -> None:
    [job] = await submit_urls(site.says("/p", product("Shoe", sku="A")))
    await visit()
    async with database.transaction() as conn:
        assert await target_actions.recrawl(conn, ACTOR, [job.id]) == [job.id]
    assert await rows("SELECT due_because, status FROM crawl_tasks") == [("hand", "pending")]
    await visit()
    assert (site.asked("/p"), await rows("SELECT due_because FROM crawl_tasks")) == (2, ["time"])


async def test_c020_an_adaptive_interval_follows_what_really_changes(
    site: Site, submit_urls: Any, visit: Any, due_again: Any, rows: Any
) -> None:
    """Halved by a change of the product, half as long again without one; a page that only looks new changes nothing."""
    hours = "SELECT extract(epoch FROM crawl_frequency)::int / 3600.0 FROM crawl_tasks"
    every = {"every": timedelta(hours=8), "least": timedelta(hours=3), "most": timedelta(hours=16)}
    await submit_urls(site.says("/p", product("Shoe", "20.00", sku="A")), **every)
    found = []
    for price, nonce in (
        ("20.00", 0),
        ("20.00", 1),
        ("20.00", 2),
        ("19.00", 3),
        ("18.00", 4),
        ("17.00", 5),
        ("16.00", 6),
    ):
        site.says("/p", product("Shoe", price, sku="A") + f"<!-- {nonce} -->")
        await due_again()
        await visit()
        found += await rows(hours)
    assert list(map(float, found)) == [8, 12, 16, 8, 4, 3, 3]
    await rows("UPDATE scrape_targets SET last_scraped_at = now()")
    expected = (
        "SELECT expected_every = crawl_frequency, next_crawl_at - last_scraped_at > interval '2 h' FROM scrape_targets"
    )
    assert await rows(expected) == [(True, True)]


async def test_c020_a_fixed_interval_stays_what_it_was(
    site: Site, submit_urls: Any, visit: Any, due_again: Any, rows: Any, parts: Parts, database: Database
) -> None:
    [job] = await submit_urls(site.says("/p", product("Shoe", "20.00", sku="A")), every=timedelta(hours=8))
    await visit()
    site.says("/p", product("Shoe", "19.00", sku="A"))
    await due_again()
    await visit()
    assert await rows("SELECT crawl_frequency FROM crawl_tasks") == [timedelta(hours=8)]
    async with database.transaction() as conn:
        when = Cadence(least=timedelta(hours=1), most=timedelta(hours=2))
        await target_actions.update(conn, ACTOR, parts.intake, job.id, {}, when)
    assert await rows("SELECT crawl_frequency FROM crawl_tasks") == [timedelta(hours=2)]
