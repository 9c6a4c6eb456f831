"""What a budget cuts is counted, with the limit that cut it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from aiohttp import web

from tests.follow.agenda import concert, links, long_list, page
from tests.run.scripted_site import Site
from tests.waiting import LIMIT
from winnow.actions import runs as run_actions
from winnow.db.engine import Database
from winnow.run.links import MAX_LINKS
from winnow.run.worker import assembled

CUT = "SELECT status, links_queued, links_cut_by FROM scrape_runs WHERE id = %s"


async def test_pages_and_roles_have_limits(site: Site, agenda: Any, start: Any, work: Any, rows: Any):
    """Of ten details, pages allows three besides the next page; of the second run's, its role allows one."""
    source = await agenda([long_list(site, pages=2, per_page=5)], followBudget={"pages": 4})
    run = await start(source)
    await work()
    assert await rows(CUT, run) == [("SUCCESS", 4, {"pages": 7})]
    await rows("""UPDATE sources SET scrape_config = '{"follow": {"next_page": 5, "detail": 1}}'""")
    run = await start(source)
    await work()
    assert await rows(CUT, run) == [("SUCCESS", 2, {"role": 9})]


async def test_depth_counts_links_and_not_the_pages_of_a_list(
    site: Site, agenda: Any, start: Any, work: Any, rows: Any
):
    site.says("/3", page(concert(3, day="2026-05-01")))
    site.says("/2", page(concert(2, day="2026-05-01"), links("item", "/3")))
    site.says("/list/2", page(links("item", "/2")))
    first = site.says("/list", page(links("next_page", "/list/2")))
    run = await start(await agenda([first]), budget={"depth": 1})
    await work()
    assert await rows(CUT, run) == [("SUCCESS", 2, {"depth": 1})]
    assert (site.asked("/2"), site.asked("/3")) == (1, 0)


async def test_a_detail_that_is_too_deep_leaves_its_entry_to_the_list(
    site: Site, agenda: Any, start: Any, work: Any, rows: Any
):
    """Nothing waits for a page that will not be visited: the entry is judged by what the list says."""
    site.says("/inner", page(concert(1, detail="/c/1")))
    run = await start(await agenda([site.says("/list", page(links("item", "/inner")))]), budget={"depth": 1})
    await work()
    assert await rows("SELECT verdict, reasons[1] FROM records") == [("reject", "MISSING_REQUIRED_FIELD")]
    assert await rows(CUT, run) == [("SUCCESS", 1, {"depth": 1})]


@pytest.mark.parametrize(
    ("change", "why"), [("deadline_at = now()", "time"), ("budget = budget || '{\"bytes\": 1}'", "bytes")]
)
async def test_time_and_bytes_have_limits(
    site: Site, agenda: Any, start: Any, work: Any, rows: Any, change: str, why: str
):
    run = await start(await agenda([long_list(site, pages=2, per_page=2)]))
    await rows(f"UPDATE scrape_runs SET {change}")
    await work()
    assert await rows(CUT, run) == [("SUCCESS", 0, {why: 3})]
    assert await rows("SELECT payload -> 'links_cut_by' FROM outbox WHERE topic = 'run.completed'") == [{why: 3}]


async def test_links_stay_within_their_domain_unless_the_source_says_otherwise(
    site: Site, other_site: Site, agenda: Any, start: Any, work: Any, rows: Any
):
    elsewhere = other_site.says("/x", page(concert(9, day="2026-05-01")))
    refused = ["http://127.0.0.1:22/", "javascript:alert(1)", "ftp://host/x", site.url + "/" + "x" * 3_000]
    body = page(concert(1, day="2026-05-01"), links("item", elsewhere, *refused))
    source = await agenda([site.says("/list", body)])
    run = await start(source)
    await work()
    assert await rows(CUT, run) == [("SUCCESS", 0, {"scope": 1, "invalid": 4})]
    await rows(
        "UPDATE sources SET scrape_config = scrape_config || jsonb_build_object('followDomains', ARRAY[%s])",
        other_site.domain,
    )
    run = await start(source)
    await work()
    assert await rows(CUT, run) == [("SUCCESS", 1, {"invalid": 4})]
    assert other_site.asked("/x") == 1


async def test_one_page_names_so_many_links_and_no_more(site: Site, agenda: Any, start: Any, work: Any, rows: Any):
    urls = [f"/i/{n}" for n in range(MAX_LINKS + 7)]
    body = page(concert(1, day="2026-05-01"), links("item", *urls))
    run = await start(await agenda([site.says("/list", body)], follow={"item": 1}))
    await work()
    assert await rows(CUT, run) == [("SUCCESS", 1, {"per_page": 7, "role": MAX_LINKS - 1})]


async def test_an_entry_whose_detail_link_is_cut_is_judged_by_what_the_list_has(
    site: Site, agenda: Any, start: Any, work: Any, rows: Any
):
    """One detail page is on another domain, one is no URL that may be fetched, one is followed."""
    site.says("/c/3", page('<div class="concert"><time>2026-05-03</time></div>'))
    entries = [
        concert(1, detail="https://elsewhere.example.com/1"),
        concert(2, detail="ftp://no"),
        concert(3, detail="/c/3"),
    ]
    run = await start(await agenda([site.says("/list", page(*entries))]))
    await work()
    assert await rows("SELECT record_key, verdict, reasons[1] FROM records ORDER BY 1") == [
        ("c1", "reject", "MISSING_REQUIRED_FIELD"), ("c2", "reject", "MISSING_REQUIRED_FIELD"), ("c3", "accept", None)
    ]  # fmt: skip
    assert await rows(CUT, run) == [("SUCCESS", 1, {"scope": 1, "invalid": 1})]


async def test_cancelling_cuts_what_waits_and_a_running_page_adds_nothing(
    site: Site, agenda: Any, start: Any, rows: Any, counters: Any, database: Database, settings: Any
):
    asked, go_on = asyncio.Event(), asyncio.Event()

    async def slow(_: web.Request) -> web.Response:
        asked.set()
        await go_on.wait()
        return web.Response(text=page(concert(1, day="2026-05-01"), links("item", "/late")), content_type="text/html")

    site.does("/i/0", slow)
    first = site.says("/list", page(links("item", *[f"/i/{n}" for n in range(5)])))
    run = await start(await agenda([first], concurrent=1, followBudget={"pages": 1_000}))
    async with assembled(database, settings) as worker, asyncio.timeout(LIMIT):
        working = asyncio.create_task(worker.run(until_empty=True))
        await asked.wait()
        async with database.transaction() as conn:
            assert await run_actions.cancel(conn, "test", run) == 4
        go_on.set()
        await working
    assert site.asked("/late") == 0
    assert await counters(run) == {
        "status": "SUCCESS", "planned": 6, "attempted": 2, "failed": 0, "found": 6, "waiting": 0, "queued": 5, "cut": 1
    }  # fmt: skip
    assert await rows("SELECT links_cut_by, stopping FROM scrape_runs") == [({"cancelled": 1}, True)]
