"""What an admin controls and sees: batches, domains, everything; each attempt and its page (C-001 … C-008)."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.catalogue.conftest import ACTOR
from tests.run.scripted_site import Site, product
from winnow.actions.catalogue import control
from winnow.actions.parts import Parts
from winnow.db.engine import Database
from winnow.errors import Conflict
from winnow.queries.catalogue import crawl_jobs as queries
from winnow.queries.catalogue.revisit import describe_revisit
from winnow.queries.reading import reader
from winnow.run.scheduler import Scheduler
from winnow.schedule.queue import queue

STATUS = "SELECT replace(url, %s, ''), status, paused FROM crawl_tasks ORDER BY id"


async def test_c003_a_batch_is_paused_resumed_and_stopped(
    site: Site, submit_urls: Any, scheduler: Scheduler, work: Any, visit: Any, database: Database, rows: Any
) -> None:
    """Queued visits of a paused batch are not made; resumed, they are; another batch does not notice."""
    mine = await submit_urls(*(site.says(f"/m/{n}", product(f"M{n}", sku=f"M{n}")) for n in range(3)))
    await submit_urls(site.says("/o", product("Other", sku="O")))
    await scheduler.tick()
    batch = mine[0].batch_id
    async with database.transaction() as conn:
        assert await control.pause_batch(conn, ACTOR, batch) == 3
    await work()
    assert [site.asked(path) for path in ("/m/0", "/m/1", "/m/2", "/o")] == [0, 0, 0, 1]
    async with reader(database) as conn:
        found = await queries.batch(conn, batch)
    assert found is not None
    assert (found["state"], found["urls"], found["created"]) == ("paused", 3, 3)
    assert await rows("SELECT count(*)::int FROM crawl_tasks WHERE paused") == [3]
    async with database.transaction() as conn:
        await control.resume_batch(conn, ACTOR, batch)
    await visit()
    assert [site.asked(f"/m/{n}") for n in range(3)] == [1, 1, 1], "resumed work goes on at once"
    async with database.transaction() as conn:
        await control.stop_batch(conn, ACTOR, batch)
    await rows("UPDATE scrape_targets SET last_scraped_at = now() - interval '9 days'")
    assert (await scheduler.tick()).accepted == 0
    with pytest.raises(Conflict, match="stopped"):
        async with database.transaction() as conn:
            await control.resume_batch(conn, ACTOR, batch)
    await submit_urls(site.url + "/m/0")
    assert (await scheduler.tick()).accepted == 1, "submitted again it is visited again"


async def test_c003_everything_is_paused_and_goes_on(
    site: Site, submit_urls: Any, scheduler: Scheduler, work: Any, visit: Any, database: Database, rows: Any
) -> None:
    await submit_urls(site.says("/1", product("One", sku="1")))
    await scheduler.tick()
    await submit_urls(site.says("/2", product("Two", sku="2")))
    async with database.transaction() as conn:
        assert await control.pause_all(conn, ACTOR)
        assert not await control.pause_all(conn, "bob"), "once is enough"
    assert (await scheduler.tick()).accepted == 0
    async with database.connection() as conn:
        assert await queue.claim(conn, "w", 10, 60) == [], "no worker is given anything"
    assert await rows("SELECT bool_and(paused) FROM crawl_tasks") == [True]
    async with database.transaction() as conn:
        assert await control.resume_all(conn, ACTOR)
    await visit()
    assert (site.asked("/1"), site.asked("/2")) == (1, 1)


async def test_c003_everything_and_a_domain_are_stopped(
    site: Site, submit_urls: Any, scheduler: Scheduler, work: Any, database: Database, parts: Parts, rows: Any
) -> None:
    await submit_urls(site.url + "/1", site.url + "/2")
    await scheduler.tick()
    assert await control.stop_domain(database, ACTOR, parts.politeness.ledger, site.domain) == 2
    assert await rows("SELECT DISTINCT status FROM tasks") == ["cancelled"]
    assert await rows("SELECT is_active FROM domains") == [False]
    await rows("UPDATE domains SET is_active = true")
    await rows("UPDATE lanes SET paused = false")
    await submit_urls(site.url + "/1")
    await scheduler.tick()
    async with database.transaction() as conn:
        assert await control.stop_all(conn, ACTOR) == 1
    await work()
    assert site.asked("/1") == 0


async def test_c001_c002_only_what_has_a_row_is_visited_and_every_outcome_is_written_back(
    site: Site, submit_urls: Any, visit: Any, rows: Any
) -> None:
    site.says("/robots.txt", "User-agent: *\nDisallow: /no")
    paths = ("/ok", "/no", "/gone", "/empty")
    site.says("/ok", product("Shoe", sku="A") + '<a href="/elsewhere">more</a>')
    site.says("/empty", "<p>nothing to see</p>")
    await submit_urls(*(site.url + path for path in paths))
    await visit()
    found = "SELECT replace(url, %s, ''), status, outcome FROM crawl_tasks ORDER BY id"
    assert await rows(found, site.url) == [
        ("/ok", "completed", "accepted"),
        ("/no", "failed", "robots_blocked"),
        ("/gone", "failed", "error"),
        ("/empty", "failed", "extract_failed"),
    ]
    assert site.asked("/elsewhere") == site.asked("/no") == 0
    assert await rows("SELECT count(*)::int FROM error_logs") >= [2], "C-066: failures are kept"


async def test_c003_c011_a_paused_url_says_so_and_keeps_its_last_outcome(
    site: Site, submit_urls: Any, visit: Any, database: Database, rows: Any
) -> None:
    [job] = await submit_urls(site.says("/p", product("Shoe", sku="A")))
    await visit()
    async with database.transaction() as conn:
        await control.pause_batch(conn, ACTOR, job.batch_id)
    assert await rows(STATUS, site.url) == [("/p", "completed", True)]


async def test_c013_c029_retries_are_set_for_each_url(site: Site, submit_urls: Any, visit: Any, rows: Any) -> None:
    """`max_retries` counts attempts, the first one included."""
    await submit_urls(site.says("/once", status=503), max_attempts=1)
    await submit_urls(site.says("/twice", status=503), max_attempts=2)
    await visit()
    assert (site.asked("/once"), site.asked("/twice")) == (1, 2)
    found = "SELECT replace(url, %s, ''), status, retry_count, max_retries FROM crawl_tasks ORDER BY id"
    assert await rows(found, site.url) == [("/once", "failed", 0, 1), ("/twice", "failed", 1, 2)]


async def test_c004_c008_jobs_are_filtered_and_every_attempt_is_there(
    site: Site, submit_urls: Any, visit: Any, due_again: Any, database: Database, rows: Any
) -> None:
    [job] = await submit_urls(site.says("/p", status=503), max_attempts=2)
    other = await submit_urls(site.says("/q", product("Q", sku="Q")))
    await visit()
    site.says("/p", product("P", sku="P"))
    await due_again()
    await visit()
    async with reader(database) as conn:
        found, _ = await queries.attempts(conn, job.id)
        assert [(v["status"], v["attempts"], len(v["fetches"]), len(v["errors"])) for v in found] == [
            ("done", 1, 1, 0),
            ("failed", 2, 2, 2),
        ]
        assert [page["status_code"] for page in found[1]["fetches"]] == [503, 503]

        async def ids(**wanted: Any) -> list[int]:
            return [row["id"] for row in (await queries.listed(conn, **wanted))[0]]

        [moment] = await rows("SELECT now()")
        assert await ids(batch_id=job.batch_id) == [job.id]
        assert await ids(domain=site.domain, status="completed") == [job.id, other[0].id]
        assert await ids(since=moment) == await ids(status="crawling") == await ids(crawl_id=9) == []
        assert await ids(until=moment, paused=False) == [job.id, other[0].id]


async def test_c004_the_list_has_catalogue_work_only(
    site: Site, watch: Any, submit_urls: Any, database: Database, rows: Any
) -> None:
    await watch(["https://prices.example.com/1"])
    [job] = await submit_urls(site.url + "/p")
    assert await rows("SELECT id FROM crawl_tasks") == [job.id]


async def test_c029_c048_bodies_and_pictures_can_be_opened_and_never_run(
    site: Site, submit_urls: Any, visit: Any, work: Any, database: Database, settings: Any, rows: Any
) -> None:
    from winnow.api.app import create_app
    from winnow.observe import keys

    evil = product("Shoe", sku="A") + "<script>alert(1)</script>"
    await submit_urls(site.says("/p", evil))
    await visit()
    async with database.connection() as conn:
        _, key = await keys.create(conn, "admin", [keys.Scope.ADMIN], ACTOR)
    transport = httpx.ASGITransport(create_app(database, settings))
    headers = {"X-Service-Key": key}
    async with httpx.AsyncClient(transport=transport, base_url="http://t", headers=headers) as client:
        [job] = (await client.get("/api/v1/crawl-jobs")).json()["data"]
        assert job["html_path"]
        body = await client.get(f"/api/v1/pages/{job['page_id']}/body")
        assert (body.status_code, body.text) == (200, evil)
        assert body.headers["content-type"] == "text/plain; charset=utf-8"
        assert body.headers["x-content-type-options"] == "nosniff"
        assert "sandbox" in body.headers["content-security-policy"]
        shown = (await client.get(f"/api/v1/pages/{job['page_id']}")).json()["data"]
        assert (shown["kept"], shown["content_hash"], shown["status_code"]) == (True, job["html_path"], 200)
        assert (await client.get("/api/v1/images/1/body")).status_code == 404


def test_why_a_url_is_visited_when_it_is() -> None:
    from datetime import timedelta

    day = {"next_crawl_at": 1, "crawl_frequency": timedelta(days=1), "revisit_least": None}
    assert describe_revisit({"schedule": "0 6 * * *"}) == "by its cron 0 6 * * *"
    assert describe_revisit({"next_crawl_at": None, "crawl_frequency": None}) == "only when asked for"
    found = {**day, "next_crawl_at": None, "found_by_run_id": 7}
    assert describe_revisit(found) == "by the next crawl that finds it, or when asked for"
    assert describe_revisit({**day, "due_because": "hand"}) == "every 1 d, fixed; due because a person asked for it"
    adaptive = {
        **day, "crawl_frequency": timedelta(hours=36), "revisit_least": timedelta(hours=1),
        "revisit_most": timedelta(days=7), "visits_changed": 1, "visits_same": 2, "due_because": "time",
    }  # fmt: skip
    assert describe_revisit(adaptive) == (
        "every 1.5 d (2 visits without a change, 1 change in all; "
        "halved by a change, half as long again without one, 1 h to 7 d)"
    )
