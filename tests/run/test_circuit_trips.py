"""A site that fails is left alone, through the whole pipeline (S-063, E-085)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from tests.waiting import LIMIT
from winnow.db.engine import Database
from winnow.demo.trouble import DemoTrouble, start_trouble
from winnow.run.scheduler import Scheduler
from winnow.run.worker import assembled
from winnow.settings import Settings


@pytest.fixture
async def trouble() -> AsyncIterator[DemoTrouble]:
    opened = await start_trouble()
    yield opened
    await opened.stop()


async def one(database: Database, query: str) -> tuple:
    async with database.connection() as conn:
        (row,) = await (await conn.execute(query)).fetchall()
    return row


async def run_until(database: Database, settings: Settings, query: str) -> None:
    """A worker at work until the database says so."""
    async with assembled(database, settings) as worker:
        working = asyncio.create_task(worker.run())
        async with asyncio.timeout(LIMIT):
            while not (await one(database, query))[0]:
                await asyncio.sleep(0.05)
        worker.stop()
        await working


async def test_s063_five_failures_open_the_circuit_and_one_probe_closes_it(database, settings, trouble, watch):
    await watch([f"{trouble.url}/down/{n}" for n in range(12)], concurrent=1)
    await Scheduler(database, settings).tick()
    await run_until(database, settings, "SELECT EXISTS (SELECT 1 FROM domain_circuits WHERE state = 'open')")
    visits = sum(n for path, n in trouble.visits.items() if path.startswith("/down"))
    assert visits == 5
    assert await one(database, "SELECT half_open, held_until > now() + interval '100 seconds' FROM lanes") == (
        True,
        True,
    )
    alert = "SELECT severity, code, occurrences, resolved_by FROM alerts WHERE dedupe_key LIKE 'circuit:domain:%'"
    assert await one(database, alert) == ("P3", "circuit_opened", 1, None), "E-083"
    async with database.transaction() as conn:
        await conn.execute("UPDATE lanes SET held_until = now()")
        await conn.execute("UPDATE domain_circuits SET open_until = now()")
        await conn.execute("UPDATE tasks SET url = replace(url, '/down/', '/shop/'), due_at = due_at - interval '1 h'")
    async with assembled(database, settings) as worker, asyncio.timeout(LIMIT):
        await worker.run(until_empty=True)
    assert await one(database, "SELECT count(*) FROM domain_circuits") == (0,)
    assert await one(database, "SELECT half_open, held_until FROM lanes WHERE lane NOT LIKE '@%'") == (False, None)
    assert await one(database, alert) == ("P3", "circuit_opened", 1, "circuit")
    assert await one(database, "SELECT urls_attempted, urls_succeeded FROM scrape_runs") == (12, 12)


async def test_e085_a_source_whose_pages_are_gone_is_not_scheduled_for_half_an_hour(database, settings, trouble, watch):
    await watch([f"{trouble.url}/gone/{n}" for n in range(6)])
    await Scheduler(database, settings).tick()
    async with assembled(database, settings) as worker, asyncio.timeout(LIMIT):
        await worker.run(until_empty=True)
    state = await one(
        database, "SELECT state, failure_count, cooldown_until > now() + interval '29 minutes' FROM source_circuits"
    )
    assert state == ("OPEN", 5, True)
    assert await one(database, "SELECT severity, code FROM alerts") == ("P2", "circuit_opened"), "E-083"
    assert await one(database, "SELECT topic FROM outbox WHERE topic LIKE 'alert.%'") == ("alert.opened",)
    assert await one(database, "SELECT count(*) FROM domain_circuits") == (0,), "a 404 is an answer"
