"""Runs of event sources on real parts: each stage in its order, sources apart from each other, nothing done twice."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

from aiohttp import web

from tests.chaos.crowd import running
from tests.chaos.crowd import start as start_process
from tests.extract.event.feeds import calendar
from tests.run.conftest import *  # noqa: F403 - a worker, a site and a database to run against
from tests.run.feeds.test_agenda_feeds import PLAIN, agenda
from tests.run.scripted_site import Site
from tests.run.test_daily_run import MORNING, Add, chore, event, finish, source
from tests.waiting import LIMIT, until
from winnow.db.engine import Database
from winnow.errors import DatabaseUnavailable
from winnow.run.daily.daily_events import DailyEvents
from winnow.run.upkeep import Upkeep
from winnow.schedule.queue import queue
from winnow.settings import Settings

__all__ = ["agenda", "chore", "source"]

ENDED = "SELECT outcome, attempts FROM tasks ORDER BY url"


def agendas(site: Site, number: int, name: str = "band") -> list[str]:
    """Pages with one event each."""
    return [site.says(f"/{n}.ics", calendar(event(f"{name}{n}"))) for n in range(number)]


async def targets(rows: Any, source_id: int, urls: list[str]) -> None:
    """Further pages of a source that was made with its first."""
    for url in urls:
        await rows(
            "INSERT INTO scrape_targets (url, canonical_url, url_hash, domain, kind, source_id, adapter_id) "
            "SELECT %s, %s, encode(sha256(%s::bytea), 'hex'), domain, 'event', id, 'event' FROM sources WHERE id = %s",
            url, url, url, source_id,
        )  # fmt: skip


async def test_e001_e032_e038_e059_a_page_goes_through_every_stage_in_its_order(
    site: Site, source: Add, chore: DailyEvents, work: Any, rows: Any, database: Database
) -> None:
    """Orchestrated, fetched, parsed, normalised, stored and told: each row names the one before it."""
    await source(site.says("/agenda.ics", calendar(event("Ella"))), name="De Kroon")
    await chore.begin_when_due(MORNING)
    await chore.advance()
    waiting = "SELECT current_stage, stage_status ->> 'fetch', stage_status ->> 'persist' FROM pipeline_jobs"
    assert await rows(waiting) == [("fetch", "pending", "pending")]
    assert (await finish(chore, work, rows))["events_inserted"] == 1
    assert await rows(waiting) == [("completed", "completed", "completed")]
    chain = """
        SELECT p.status_code, p.outcome, p.final_url = p.url, p.fetcher_used, p.is_failover, p.content_hash IS NOT NULL,
               d.status, d.strategy, r.verdict, r.status, e.title,
               p.created_at <= d.created_at AND d.created_at <= r.created_at AND r.created_at <= e.created_at
        FROM tasks t JOIN pages p ON p.task_id = t.id JOIN drafts d ON d.page_id = p.id
        JOIN records r ON r.task_id = d.task_id AND r.page_id = p.id JOIN events e ON e.task_id = r.task_id
    """
    assert await rows(chain) == [
        (200, "ok", True, "static", False, True, "normalized", "feed", "accept", "persisted", "Avond met Ella", True)
    ]
    told = await rows("SELECT topic FROM outbox WHERE topic IN ('event.created', 'events.day_completed') ORDER BY id")
    assert told == ["event.created", "events.day_completed"]
    assert await rows("SELECT title FROM shown_events") == ["Avond met Ella"]


async def test_e099_a_job_that_is_over_is_never_claimed_again(
    site: Site, agenda: Any, start: Any, work: Any, rows: Any, database: Database
) -> None:
    source_id = await agenda(agendas(site, 1)[0])
    await targets(rows, source_id, [site.says("/empty", PLAIN.format(""))])
    await start(source_id)
    await work()
    stages = await rows("SELECT current_stage FROM pipeline_jobs ORDER BY 1")
    assert stages == ["completed", "dead_letter"]
    async with database.transaction() as conn:
        assert await queue.claim(conn, "another", 10, 60.0) == []


async def test_e002_e005_e007_a_source_that_refuses_everything_neither_slows_nor_stops_the_others(
    site: Site, other_site: Site, source: Add, start: Any, rows: Any, working: None, chore: DailyEvents
) -> None:
    """Its domain is left alone after five answers, with pages still waiting; the others are read meanwhile."""
    site.does("*", partial(answer, 403))
    refusing = await source(site.url + "/0", name="Refuses")
    await targets(rows, refusing, [f"{site.url}/{n}" for n in range(1, 12)])
    pages = agendas(other_site, 12)
    healthy = await source(pages[0], name="Answers")
    await targets(rows, healthy, pages[1:])
    await rows("UPDATE domains SET max_concurrent_requests = 1 WHERE domain_name = %s", site.domain)
    await rows("UPDATE lanes SET max_concurrent = 1 WHERE lane = %s", site.domain)
    await start(refusing)
    run = await start(healthy)
    await until(partial(rows, "SELECT 1 FROM scrape_runs WHERE id = %s AND status = 'SUCCESS'", run))
    await until(partial(rows, "SELECT 1 FROM domain_circuits WHERE state = 'open'"))
    assert await rows("SELECT urls_succeeded, offers_valid FROM scrape_runs WHERE id = %s", run) == [(12, 12)]
    assert await rows("SELECT count(*)::int FROM events") == [12]
    waiting = "SELECT count(*)::int > 0 FROM tasks WHERE source_id = %s AND status = 'queued'"
    assert await rows(waiting, refusing) == [True], "the one source waits, and no worker waits with it"
    asked = len([path for path in site.log if path.path != "/robots.txt"])
    assert asked < 12
    assert {other_site.asked(f"/{n}.ics") for n in range(12)} == {1}


async def answer(status: int, _: web.Request) -> web.Response:
    return web.Response(status=status)


async def test_e005_a_source_whose_circuit_is_open_is_left_out_while_healthy_ones_run_on(
    site: Site, other_site: Site, source: Add, start: Any, chore: DailyEvents, work: Any, rows: Any
) -> None:
    gone = await source(site.url + "/0", name="Gone")
    await targets(rows, gone, [f"{site.url}/{n}" for n in range(1, 6)])
    await source(agendas(other_site, 1)[0], name="There")
    await start(gone)
    await work()
    assert await rows("SELECT state, failure_count FROM source_circuits WHERE source_id = %s", gone) == [("OPEN", 5)]
    await chore.begin_when_due(MORNING)
    told = await finish(chore, work, rows)
    assert (told["left_out"], told["sources_succeeded"], told["events_inserted"]) == ({"circuit_open": 1}, 1, 1)


async def test_e044_a_page_with_the_same_content_is_not_parsed_again(
    site: Site, agenda: Any, start: Any, work: Any, rows: Any
) -> None:
    """Of a source that follows no links: a page that leads on is read in every run (DESIGN §11.17, §11.28)."""
    text = calendar(event("Ella"))
    source_id = await agenda(site.says("/agenda.ics", text), scrape_config=json.dumps({"follow": {}}))
    for _ in range(2):
        await start(source_id)
        await work()
    assert site.asked("/agenda.ics") == 2, "it was fetched again, without a validator to ask with"
    assert await rows("SELECT outcome FROM tasks ORDER BY created_at") == ["accepted", "unchanged"]
    assert await rows("SELECT count(*)::int, count(DISTINCT content_hash)::int FROM pages") == [(2, 1)]
    assert await rows("SELECT count(*)::int FROM insights") == [1], "each parse leaves one"
    site.says("/agenda.ics", text.replace("Avond", "Middag"))
    await start(source_id)
    await work()
    assert await rows("SELECT count(*)::int FROM insights") == [2]
    assert await rows("SELECT title FROM events") == ["Middag met Ella"]


async def test_e045_every_request_of_a_source_is_asked_for_and_counted(
    site: Site, agenda: Any, start: Any, work: Any, rows: Any
) -> None:
    """Two a second, robots.txt included: at no moment did a window hold a third."""
    pages = agendas(site, 5)
    source_id = await agenda(pages[0])
    await targets(rows, source_id, pages[1:])
    for table, pace in (("domains", "tokens_per_interval = 2, interval_seconds = 1"), ("lanes", "tokens = 2")):
        await rows(f"UPDATE {table} SET {pace} WHERE true")
    await start(source_id)
    await work()
    at = site.times()
    assert len(at) == 6
    assert min(later - earlier for earlier, later in zip(at, at[2:], strict=False)) >= 0.95
    assert await rows(
        "SELECT coalesce(sum(n), 0)::int FROM lanes, unnest(grant_n) AS n WHERE lane = %s", site.domain
    ) >= [1]


async def test_e009_a_lost_connection_is_retried_and_fails_no_job(
    site: Site, agenda: Any, start: Any, rows: Any, database: Database, settings: Settings, working: None
) -> None:
    """Every connection of the worker is cut, again and again, while it reads twenty agendas. A claim whose answer was
    cut off is nobody's until its lease runs out, so upkeep stands beside the worker. Its connections are cut too."""
    pages = agendas(site, 20)
    source_id = await agenda(pages[0])
    await targets(rows, source_id, pages[1:])
    await rows("UPDATE domains SET tokens_per_interval = 40, interval_seconds = 1")
    await rows("UPDATE lanes SET tokens = 40, interval_seconds = 1 WHERE lane = %s", site.domain)
    run = await start(source_id)
    cuts, upkeep = 0, Upkeep(database, settings)
    async with asyncio.timeout(LIMIT):
        while await rows("SELECT status FROM scrape_runs WHERE id = %s", run) == ["RUNNING"]:
            cuts += len(await rows(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
                "AND pid <> pg_backend_pid() AND backend_type = 'client backend' AND %s", cuts < 40,
            ))  # fmt: skip
            with suppress(DatabaseUnavailable):
                await upkeep.rescue()
            await asyncio.sleep(0.1)
    assert cuts
    assert await rows("SELECT DISTINCT outcome FROM tasks") == ["accepted"]
    assert await rows("SELECT count(*)::int, count(DISTINCT title)::int FROM events") == [(20, 20)]
    assert await rows("SELECT count(*)::int FROM dead_letters") == [0]


async def test_e003_e010_what_a_worker_finished_before_its_time_ran_out_is_kept(
    site: Site, agenda: Any, start: Any, rows: Any, database_url: str, settings: Settings
) -> None:
    """One page never answers; the worker is killed with it in its hands, and its lease runs out."""
    stuck = asyncio.Event()

    async def hang(_: web.Request) -> web.Response:
        await stuck.wait()
        return web.Response(text=calendar(event("band9")), content_type="text/html")

    pages = agendas(site, 5)
    source_id = await agenda(pages[0])
    await targets(rows, source_id, [*pages[1:], site.does("/9.ics", hang)])
    run = await start(source_id)
    folder = settings.db.folder
    worker = await start_process("worker", database_url, folder)
    try:
        await until(partial(rows, "SELECT 1 FROM tasks WHERE status = 'done' HAVING count(*) = 5"))
        await until(lambda: site.asked("/9.ics"))
    finally:
        await worker.kill()
    assert await rows("SELECT count(*)::int FROM events") == [5]
    assert await rows("SELECT status, urls_succeeded FROM scrape_runs WHERE id = %s", run) == [("RUNNING", 5)]
    stuck.set()
    async with running("upkeep", database_url, folder), running("worker", database_url, folder):
        await until(partial(rows, "SELECT 1 FROM scrape_runs WHERE id = %s AND status = 'SUCCESS'", run))
    assert await rows("SELECT count(*)::int, count(DISTINCT title)::int FROM events") == [(6, 6)]
    assert {path: site.asked(path) for path in ("/0.ics", "/4.ics", "/9.ics")} == {
        "/0.ics": 1,
        "/4.ics": 1,
        "/9.ics": 2,
    }
    assert await rows("SELECT lane FROM lanes WHERE queued <> 0 OR in_flight <> 0") == []


async def test_e118_a_schedule_that_is_changed_during_the_day_runs_nothing_twice(
    site: Site, source: Add, database: Database, settings: Settings, work: Any, rows: Any, chore: DailyEvents
) -> None:
    await source(site.says("/agenda.ics", calendar(event("Ella"))))
    assert await chore.begin_when_due(MORNING) is not None
    await finish(chore, work, rows)
    later = replace(settings, schedule=settings.schedule.model_copy(update={"events_schedule": "0 9 * * *"}))
    assert await DailyEvents(database, later).begin_when_due(MORNING + timedelta(hours=4)) is None
    assert await rows("SELECT count(*)::int FROM daily_runs") == [1]
    assert site.asked("/agenda.ics") == 1
