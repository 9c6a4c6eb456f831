"""What a visit of an agenda leaves behind, whatever happens to the database and the disk meanwhile (E-028, E-031,
E-077 … E-079)."""

# ruff: noqa: F811 - the fixture `agenda` is used by its name

from __future__ import annotations

import asyncio
import resource
import secrets
from dataclasses import replace
from typing import Any

from aiohttp import web
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from tests.extract.event.feeds import calendar
from tests.run.feeds.test_agenda_feeds import EVENT, agenda  # noqa: F401 - a fixture
from tests.run.scripted_site import Site
from tests.run.test_database_away import Cable
from tests.waiting import LIMIT, until
from winnow.db.engine import Database
from winnow.run.worker import assembled
from winnow.schedule.queue import queue
from winnow.schedule.queue.task import NewTask, Producer, new_id
from winnow.settings import Settings

HEALTH = """
SELECT last_success_at IS NOT NULL AND last_success_at > now() - interval '1 minute', historical_event_count,
       reliability_score, consecutive_failures, circuit_state
FROM source_health_status
"""


async def test_e028_e079_a_good_visit_updates_the_sources_figures_and_closes_its_breaker(
    site: Site,
    agenda: Any,
    start: Any,
    work: Any,
    rows: Any,
) -> None:
    source = await agenda(site.says("/agenda.ics", calendar(EVENT)))
    await rows(
        "INSERT INTO scrape_runs (source_id, adapter_id, status, started_at, completed_at) "
        "SELECT %s, 'event', 'FAILED', now() - interval '1 day', now() - interval '1 day'",
        source,
    )
    await rows(
        "INSERT INTO source_circuits (source_id, state, failure_count, consecutive_opens, cooldown_until) "
        "VALUES (%s, 'HALF_OPEN', 5, 1, now() - interval '1 minute')",
        source,
    )
    assert await rows(HEALTH) == [(False, 0, 0.0, 1, "HALF_OPEN")]
    await start(source)
    await work()
    assert await rows(HEALTH) == [(True, 1, 0.5, 0, "CLOSED")]
    site.says("/agenda.ics", calendar(EVENT, EVENT.replace("jazz@", "soul@").replace("Jazz", "Soul")))
    await start(source)
    await work()
    [(_, events, *_rest)] = await rows(HEALTH)
    assert events == 2, "each event once, though three were read"


async def test_e031_claims_go_by_priority_then_age_and_no_job_has_two_workers(database: Database, rows: Any) -> None:
    await rows(
        "INSERT INTO lanes (lane, tokens, interval_seconds, spacing_seconds, max_concurrent) "
        "VALUES ('kade.test', 1000000, 1, 0, 1000)"
    )
    ranks = (90, 90, 50, 70, 90, 50)
    tasks = [
        NewTask(id=new_id(), producer=Producer.EVENTS, kind="event", lane="kade.test", url=f"https://kade.test/{n}",
                origin="https://kade.test:443", rank=rank)
        for n, rank in enumerate(ranks)
    ]  # fmt: skip
    async with database.connection() as conn:
        await queue.enqueue(conn, tasks)
    order = await rows("SELECT id FROM pipeline_jobs ORDER BY priority DESC, created_at, id")
    assert order == [tasks[n].id for n in (2, 5, 3, 0, 1, 4)]
    taken: list[Any] = []
    for n in range(3):
        async with database.connection() as conn:
            taken += [task.id for task in await queue.claim(conn, f"w{n}", 1, 60)]
    assert taken == order[:3]

    async def claim(n: int) -> list[Any]:
        async with database.connection() as conn:
            return [task.id for task in await queue.claim(conn, f"x{n}", 2, 60)]

    rest = [task for found in await asyncio.gather(*map(claim, range(6))) for task in found]
    assert len(rest) == len(set(rest))
    assert not set(rest) & set(taken)


async def test_e077_e096_a_lost_connection_is_waited_out_with_the_result_in_hand(
    site: Site,
    agenda: Any,
    start: Any,
    rows: Any,
    database_url: str,
    settings: Settings,
) -> None:
    """Nothing becomes a dead letter: those are in the database that is away."""
    known = conninfo_to_dict(database_url)
    cable = await Cable(str(known["host"]), int(known["port"] or 0)).plug_in()
    db = settings.db.model_copy(
        update={"database_url": make_conninfo(database_url, port=str(cable.port)), "database_wait_seconds": 1.0}
    )

    async def pull(_: web.Request) -> web.StreamResponse:
        cable.pull_out()
        return web.Response(text=calendar(EVENT), content_type="text/calendar")

    await start(await agenda(site.does("/agenda.ics", pull)))
    async with await Database.open(db) as own, assembled(own, replace(settings, db=db)) as worker:
        working = asyncio.create_task(worker.run())
        await until(lambda: site.asked("/agenda.ics"))
        await asyncio.sleep(1.5)  # longer than the worker waits for a connection
        await cable.plug_in()
        await until(lambda: rows("SELECT 1 FROM events"))
        worker.stop()
        await asyncio.wait_for(working, LIMIT)
    cable.pull_out()
    assert await rows("SELECT count(*)::int FROM events") == [1]
    assert await rows("SELECT count(*)::int FROM dead_letters") == [0]


async def test_e078_a_full_disk_is_a_critical_alert_at_once_and_the_page_is_read_when_there_is_room(
    site: Site, agenda: Any, start: Any, rows: Any, work: Any, database: Database, settings: Settings
) -> None:
    padded = EVENT + f"\nX-PADDING:{secrets.token_hex(100_000)}"
    await start(await agenda(site.says("/agenda.ics", calendar(padded))))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16_384, hard))  # what stores pages inherits it
    try:
        async with assembled(database, settings) as worker:
            working = asyncio.create_task(worker.run())
            await until(lambda: rows("SELECT 1 FROM alerts"))
            worker.stop()
            await asyncio.wait_for(working, LIMIT)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert await rows("SELECT DISTINCT severity, code FROM alerts") == [("P1", "archive_full")]
    assert await rows("SELECT status FROM tasks") == ["queued"]
    await rows("UPDATE tasks SET due_at = now()")
    await work()
    assert await rows("SELECT count(*)::int FROM events") == [1]


async def test_e079_a_failed_visit_leaves_the_figures_of_the_last_good_one(
    site: Site,
    agenda: Any,
    start: Any,
    work: Any,
    rows: Any,
) -> None:
    source = await agenda(site.says("/agenda", calendar(EVENT)))
    await start(source)
    await work()
    site.says("/agenda", status=404)
    await start(source)
    await work()
    [(recent, events, reliability, failures, _)] = await rows(HEALTH)
    assert (recent, events, reliability, failures) == (True, 1, 0.5, 1)
