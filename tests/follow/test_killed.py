from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Any

from tests.chaos.crowd import running, start
from tests.chaos.kill_workers import some_progress
from tests.follow.agenda import long_list
from tests.run.scripted_site import Site
from tests.waiting import LIMIT
from winnow.db.engine import Database
from winnow.schedule import runs
from winnow.schedule.queue.task import Trigger
from winnow.schedule.settings import ScheduleSettings

PAGES, PER_PAGE, KILLS = 5, 8, 3


async def test_r27_a_crawl_whose_worker_is_killed_ends_as_an_undisturbed_one(
    site: Site, agenda: Any, rows: Any, counters: Any, database: Database, database_url: str, tmp_path: Path
):
    """kill -9 anywhere between a page that leads on, its rows in the frontier and their tasks."""
    source = await agenda([long_list(site, PAGES, PER_PAGE)], concurrent=4)
    async with database.transaction() as conn:
        run = (await runs.start(conn, source, Trigger.MANUAL, ScheduleSettings())).run_id
    chance = random.Random(3)
    async with running("upkeep", database_url, tmp_path):
        for _ in range(KILLS):
            worker = await start("worker", database_url, tmp_path)
            try:
                await some_progress(database, chance.randint(1, 8))
            finally:
                await worker.kill()
        async with running("worker", database_url, tmp_path), asyncio.timeout(LIMIT):
            while (await counters(run))["status"] == "RUNNING":
                await asyncio.sleep(0.1)
    pages = PAGES * (PER_PAGE + 1)
    assert await counters(run) == {
        "status": "SUCCESS", "planned": pages, "attempted": pages, "failed": 0,
        "found": pages - 1, "waiting": 0, "queued": pages - 1, "cut": 0,
    }  # fmt: skip
    assert await rows("SELECT count(*)::int, count(DISTINCT url)::int, min(status), max(status) FROM tasks") == [
        (pages, pages, "done", "done")
    ]
    accepted = "SELECT count(*)::int, count(DISTINCT record_key)::int, min(verdict), max(verdict) FROM records"
    assert await rows(accepted) == [(PAGES * PER_PAGE, PAGES * PER_PAGE, "accept", "accept")]
    assert await rows("SELECT state, count(*)::int FROM follow_ups GROUP BY 1 ORDER BY 1") == [
        ("own", 1), ("queued", pages - 1)
    ]  # fmt: skip
    assert await rows("SELECT count(*)::int FROM lanes WHERE queued <> 0 OR in_flight <> 0") == [0]
