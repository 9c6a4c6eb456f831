"""Tasks that end without a result, each with its reason at once (S-033 … S-040, S-067, S-080)."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from tests.run.company_site import SCRAPE, Rows, asked, company, data, submitted
from tests.run.scripted_site import Site
from winnow.db.engine import Database
from winnow.fetch.settings import FetchSettings
from winnow.run.upkeep import Upkeep
from winnow.run.worker import assembled
from winnow.schedule.queue import queue
from winnow.schedule.settings import ScheduleSettings
from winnow.settings import Settings


async def test_s035_an_open_circuit_fails_a_job_at_once(backend, quick: Site, work, rows: Rows):
    await rows(
        "INSERT INTO domain_circuits (domain, state, open_until) VALUES (%s, 'open', now() + interval '1 hour')",
        quick.domain,
    )
    await rows("UPDATE lanes SET held_until = now() + interval '1 hour' WHERE lane = %s", quick.domain)
    body = {"targets": [asked(quick.url + "/1")], "callback_url": quick.url + "/told"}
    job = await data(await backend.post(f"{SCRAPE}/batch", json=body), 202)
    await work()
    found = await data(await backend.get(f"{SCRAPE}/jobs/{job['job_id']}"), 200)
    assert (found["status"], found["failed_tasks"]) == ("failed", 1)
    assert await rows("SELECT payload ->> 'status' FROM deliveries") == ["failed"]
    assert quick.log == []


async def test_s080_whoever_waits_behind_an_open_circuit_is_told_so(backend, quick: Site, rows: Rows, working):
    await rows(
        "INSERT INTO domain_circuits (domain, state, open_until) VALUES (%s, 'open', now() + interval '1 hour')",
        quick.domain,
    )
    await rows("UPDATE lanes SET held_until = now() + interval '1 hour' WHERE lane = %s", quick.domain)
    answer = await backend.post(f"{SCRAPE}/sync", json=asked(quick.url + "/1", timeout_seconds=60))
    assert (answer.status_code, answer.json()["meta"]["code"]) == (503, "circuit_open")
    assert int(answer.headers["retry-after"]) > 0


async def test_a_login_wall_ends_blocked_for_whoever_asked(backend, quick: Site, work, rows: Rows):
    wall = "<!doctype html><title>Sign in</title><h1>Sign in to continue</h1><form method=post><input name=user>"
    url = quick.says("/in", wall + "<input type=password name=password><button>Sign in</button></form>")
    task_id = await submitted(backend, url, callback_url=quick.url + "/told")
    await work()
    shown = await data(await backend.get(f"{SCRAPE}/{task_id}"), 200)
    assert shown["status"] == "failed"
    assert shown["error"].startswith("blocked: login_wall: ")
    assert await rows("SELECT payload ->> 'error' FROM deliveries") == [shown["error"]], "the same words"


async def test_s067_s080_without_a_healthy_proxy_a_task_fails_at_once(
    backend, database: Database, settings: Settings, quick: Site, rows: Rows
):
    """DESIGN §11.14: whoever waits is told, and does not wait for the next health check."""
    given = {"SCRAPER_PROXY_ENDPOINTS": "http://127.0.0.1:9", "SCRAPER_PROXY_DOMAIN_COOLDOWN_SECONDS": 0}
    proxied = FetchSettings(egress_allow=("127.0.0.0/8",), SCRAPER_PROXY_DOMAIN_RATE=5, **given)
    async with assembled(database, replace(settings, fetch=proxied)) as worker:
        task = asyncio.create_task(worker.run())
        answer = await backend.post(f"{SCRAPE}/sync", json=asked(quick.says("/", company()), timeout_seconds=60))
        worker.stop()
        await task
    assert (answer.status_code, answer.json()["meta"]["code"]) == (503, "no_healthy_proxies"), answer.text
    assert quick.log == []
    assert await rows("SELECT count(*) FROM dead_letters") == [0], "who asked knows"


async def test_s040_a_task_that_keeps_killing_workers_fails_its_job(
    backend, database: Database, settings: Settings, quick: Site, rows: Rows
):
    body = {"targets": [asked(quick.url + "/1")]}
    job = await data(await backend.post(f"{SCRAPE}/batch", json=body), 202)
    for _ in range(queue.MAX_LOSSES):
        await rows("UPDATE lanes SET slot_at = '-infinity', turn_at = '-infinity'")
        async with database.connection() as conn:
            assert len(await queue.claim(conn, "dies", 1, -1.0)) == 1
        await Upkeep(database, settings).rescue()
    found = await data(await backend.get(f"{SCRAPE}/jobs/{job['job_id']}"), 200)
    assert (found["status"], found["failed_tasks"]) == ("failed", 1)


async def test_s033_s034_a_task_over_its_limit_fails_and_lets_go(
    backend, quick: Site, work, settings: Settings, rows: Rows
):
    task_id = await submitted(backend, quick.says("/slow", company(), wait=20.0))
    await work(schedule=ScheduleSettings(_env_file=None, task_timeout_seconds=0.5))
    found = await data(await backend.get(f"{SCRAPE}/{task_id}"), 200)
    assert (found["status"], found["result"]) == ("failed", None)
    assert "task_timeout" in found["error"]
    assert await rows("SELECT in_flight FROM lanes WHERE lane = %s", quick.domain) == [0]
