"""The frontier of a run on its own: many feeders, no room, closing, forgetting."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from winnow.db.engine import Database
from winnow.extract.draft import Role
from winnow.run import feeder
from winnow.run.claimer import DirectClaimer
from winnow.run.upkeep import withdraw_stale
from winnow.schedule import follow_ups, runs, upkeep
from winnow.schedule.ledger.ledger import PostgresLedger

PLAN = """
INSERT INTO follow_ups (run_id, url_hash, url, role, depth, rank, position)
SELECT %s, lpad(to_hex(n), 64, '0'), 'https://shop.test/list/' || n, 'next_page', 0, 75, n
FROM generate_series(1, %s) AS n
"""


@pytest.fixture
def waiting_run(agenda: Any, start: Any, rows: Any) -> Any:
    """A run whose only page was read and named so many further pages."""

    async def make(links: int, **budget: int) -> int:
        limits = {"pages": 100_000, **budget}
        run: int = await start(await agenda(["https://shop.test/list"], {"next_page": 100_000}), budget=limits)
        await rows(PLAN, run, links)
        await rows("UPDATE scrape_runs SET links_found = %s, links_waiting = %s, urls_attempted = 1", links, links)
        await rows("DELETE FROM tasks")
        await rows("UPDATE lanes SET queued = 0")
        return run

    return make


async def fed(database: Database) -> int:
    async with database.connection() as conn:
        return await feeder.feed(conn, 3)


async def test_feeders_that_work_at_once_make_each_task_once(waiting_run: Any, database: Database, rows: Any):
    run = await waiting_run(500)
    made = await asyncio.gather(*(fed(database) for _ in range(6)))
    assert sum(made) == 500
    assert await rows("SELECT count(*)::int, count(DISTINCT url)::int FROM tasks") == [(500, 500)]
    assert await rows("SELECT urls_planned, links_waiting, links_queued FROM scrape_runs WHERE id = %s", run) == [
        (501, 0, 500)
    ]
    assert await rows("SELECT count(DISTINCT task_id)::int FROM follow_ups WHERE state = 'queued'") == [500]
    assert await rows("SELECT queued FROM lanes WHERE lane = 'shop.test:443'") == [500]


async def test_no_more_than_a_thousand_of_a_run_are_queued(waiting_run: Any, database: Database, rows: Any):
    await waiting_run(1_500)
    assert [await fed(database), await fed(database)] == [1_000, 0]
    await rows("UPDATE scrape_runs SET urls_attempted = urls_attempted + 100")
    assert await fed(database) == 100
    first = await rows("SELECT url FROM tasks ORDER BY id LIMIT 2")
    assert first == ["https://shop.test/list/1", "https://shop.test/list/2"]  # in the order the page has them


async def test_a_claimer_feeds_beside_what_it_claims(waiting_run: Any, database: Database, rows: Any):
    await waiting_run(5)
    claimer = DirectClaimer(database, PostgresLedger(database), "test", 60.0)
    await rows("UPDATE lanes SET tokens = 1000, interval_seconds = 1, spacing_seconds = 0, max_concurrent = 10")
    visits = await claimer.claim(10)
    assert [(visit.task.role, visit.task.depth, visit.brief.follow) for visit in visits] == [
        ("next_page", 0, (Role.NEXT_PAGE,))
    ] * 5


async def test_a_paused_source_keeps_its_links_and_resumes_with_them(waiting_run: Any, database: Database, rows: Any):
    await waiting_run(3)
    await rows("UPDATE sources SET paused = true")
    assert await fed(database) == 0
    await rows("UPDATE sources SET paused = false")
    assert await fed(database) == 3


async def test_upkeep_does_not_close_a_run_whose_links_wait(waiting_run: Any, database: Database, rows: Any):
    run = await waiting_run(3)
    await rows("UPDATE scrape_runs SET started_at = now() - interval '1 hour'")
    async with database.transaction() as conn:
        assert await upkeep.close_finished_runs(conn) == []
        assert not (await runs.count(conn, {run: runs.Tally()}))[0].complete
    assert await rows("SELECT status FROM scrape_runs") == ["RUNNING"]


async def test_links_that_were_deleted_by_hand_do_not_keep_a_run_open(waiting_run: Any, database: Database, rows: Any):
    await waiting_run(3)
    await rows("DELETE FROM follow_ups")
    assert await fed(database) == 0
    assert await rows("SELECT links_waiting, status FROM scrape_runs") == [(0, "FAILED")]  # no page of it was read


async def test_p071_what_a_page_led_to_is_not_swept_away(waiting_run: Any, database: Database, rows: Any):
    await waiting_run(3)
    await fed(database)
    await rows("UPDATE tasks SET created_at = now() - interval '2 days'")
    async with database.transaction() as conn:
        assert (await withdraw_stale(conn, 24.0)).tasks == []
    assert await rows("SELECT DISTINCT status FROM tasks") == ["queued"]


async def test_p069_the_caps_of_the_prices_job_do_not_count_what_pages_led_to(
    waiting_run: Any, database: Database, rows: Any
):
    await waiting_run(3)
    await rows("UPDATE sources SET kind = 'offer', retailer_id = (SELECT min(id) FROM retailers)")
    await fed(database)
    assert await rows("SELECT DISTINCT producer FROM tasks") == ["catalogue"]


async def test_the_links_of_a_run_are_forgotten_with_it(waiting_run: Any, database: Database, rows: Any):
    run = await waiting_run(3)
    await rows("UPDATE scrape_runs SET status = 'SUCCESS', links_waiting = 0, started_at = now() - interval '10 days'")
    async with database.transaction() as conn:
        assert await follow_ups.forget(conn, 20, 100) == 0
        assert await follow_ups.forget(conn, 5, 3) == 3
        assert await follow_ups.forget(conn, 5, 100) == 1  # the page it began with
    assert await rows("SELECT count(*)::int FROM follow_ups WHERE run_id = %s", run) == [0]
