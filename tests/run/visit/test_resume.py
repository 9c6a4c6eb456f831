"""What was done is never done again: no page is fetched, no result written twice (DESIGN §11.18, R-02, R-03)."""

from __future__ import annotations

import asyncio
from functools import partial

from aiohttp import web

from tests.chaos.crowd import running
from tests.chaos.crowd import start as start_process
from tests.run.scripted_site import Site, microdata, product
from tests.waiting import until
from winnow.actions import sources as source_actions
from winnow.db.engine import Database
from winnow.errors import DatabaseUnavailable
from winnow.run import closing
from winnow.run.archived_pages import ArchivedPages
from winnow.schedule import upkeep
from winnow.schedule.queue import queue
from winnow.schedule.queue.task import RESUME_LANE, new_id

# Put before everything else by Python itself: parser processes read no page until the file is there.
WAITING_PARSER = """
import sys, time
from pathlib import Path

if "winnow.run.parser_child" in sys.orig_argv:
    import winnow.kinds.assess as module

    read = module.assess

    def wait(*given):
        while not Path(__file__).with_name("go").exists():
            time.sleep(0.05)
        return read(*given)

    module.assess = wait
"""


async def test_c015_a_worker_killed_while_it_reads_a_page_does_not_fetch_it_again(
    site: Site, watch, start, rows, database_url, settings, tmp_path
):
    (tmp_path / "sitecustomize.py").write_text(WAITING_PARSER)
    await start(await watch([site.says("/dom", microdata())]))
    folder = settings.db.folder
    worker = await start_process("worker", database_url, folder, PYTHONPATH=str(tmp_path))
    await until(partial(rows, "SELECT 1 FROM tasks WHERE stage = 'extract' AND status = 'running'"))
    await worker.kill()
    assert await rows("SELECT count(*)::int FROM prices") == [0]
    (tmp_path / "go").touch()
    async with running("upkeep", database_url, folder), running("worker", database_url, folder):
        await until(partial(rows, "SELECT 1 FROM tasks WHERE status = 'done'"))
    assert await rows("SELECT outcome, losses, attempts FROM tasks") == [("accepted", 1, 1)]
    assert site.asked("/dom") == 1
    assert await rows(
        "SELECT p.amount_minor, p.page_id = g.id FROM prices p JOIN pages g ON g.task_id = p.task_id"
    ) == [(750, True)]


async def left_at_extract(database: Database, page_id: object) -> None:
    """A worker that died after it had archived the page."""
    async with database.connection() as conn:
        (task,) = await queue.claim(conn, "dead", 1, -1.0)
        await queue.checkpoint(conn, [(task, page_id)])
        await closing.fail_lost(conn, await upkeep.rescue(conn))


async def test_a_page_that_got_lost_is_fetched_again_in_its_own_lane(site: Site, watch, start, work, rows, database):
    await start(await watch([site.says("/p", product())]))
    await left_at_extract(database, new_id())
    assert await rows("SELECT lane FROM tasks") == [RESUME_LANE]
    await work()
    assert await rows("SELECT outcome, lane, attempts FROM tasks") == [("accepted", site.domain, 1)]
    assert site.asked("/p") == 1
    assert await rows("SELECT lane FROM lanes WHERE queued <> 0 OR in_flight <> 0") == []


async def test_a_database_that_goes_away_while_a_page_is_read_back_costs_no_fetch(
    site: Site, watch, start, work, rows, database, monkeypatch
):
    source = await watch([site.says("/p", product())])
    await start(source)
    await work()
    (page,) = await rows("SELECT id FROM pages")
    await rows("UPDATE scrape_targets SET last_verdict = NULL")
    await start(source)
    await left_at_extract(database, page)
    load, away = ArchivedPages.load, [1]

    async def sometimes(self, page_id):
        if away:
            away.pop()
            raise DatabaseUnavailable("the database went away")
        return await load(self, page_id)

    monkeypatch.setattr(ArchivedPages, "load", sometimes)
    working = asyncio.create_task(work())
    await until(partial(rows, "SELECT 1 FROM tasks WHERE outcome = 'database_unavailable'"))
    assert await rows("SELECT stage, lane FROM tasks WHERE status = 'queued'") == [("extract", RESUME_LANE)]
    await rows("UPDATE tasks SET due_at = now() WHERE due_at IS NOT NULL")
    await working
    assert await rows("SELECT outcome FROM tasks") == ["accepted", "accepted"]
    assert site.asked("/p") == 1


async def test_r02_a_commit_whose_answer_was_lost_is_repeated_and_adds_nothing(
    site: Site, watch, start, work, rows, monkeypatch
):
    """Everything is committed, then the connection breaks before anybody is told."""
    retry = Database.retry

    async def deaf(self, work):
        await retry(self, work)
        return await retry(self, work)

    monkeypatch.setattr(Database, "retry", deaf)
    run = await start(await watch([site.says(f"/p/{n}", product(sku=str(n))) for n in range(5)]))
    await work()
    for table in ("prices", "records", "drafts", "pages"):
        assert await rows(f"SELECT count(*)::int FROM {table}") == [5], table
    assert await rows("SELECT status, urls_attempted, offers_valid FROM scrape_runs") == [("SUCCESS", 5, 5)]
    assert await rows("SELECT count(*)::int FROM outbox WHERE key = %s", f"run:{run}") == [1]
    assert await rows("SELECT count(*)::int FROM outbox") == [6]
    assert await rows("SELECT lane FROM lanes WHERE queued <> 0 OR in_flight <> 0") == []


async def test_c003_pausing_a_source_stops_what_comes_back_to_the_queue_too(
    site: Site, watch, start, work, rows, database
):
    """Both come back: the one that waits for robots.txt, and the one that fetched it."""
    asked = asyncio.Event()

    async def robots(request: web.Request) -> web.Response:
        asked.set()
        await until(partial(rows, "SELECT 1 FROM tasks WHERE status = 'queued' AND due_at = 'infinity'"))
        return web.Response(text="")

    site.does("/robots.txt", robots)
    source = await watch([site.says("/p", product()), site.says("/q", product(sku="q"))])
    await start(source)
    working = asyncio.create_task(work())
    await asked.wait()
    async with database.transaction() as conn:
        await source_actions.pause(conn, "test", source, True)
    await working  # what is paused waits for a person: nothing is left for the worker, and it ends
    assert await rows("SELECT status, due_at = 'infinity' FROM tasks") == [("queued", True)] * 2
    assert [seen.path for seen in site.log] == ["/robots.txt"]
    async with database.transaction() as conn:
        await source_actions.pause(conn, "test", source, False)
    await work()
    assert await rows("SELECT outcome FROM tasks") == ["accepted", "accepted"]
