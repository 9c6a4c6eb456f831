"""What is called back when a job or a standalone task ends, once and however it ends (S-134, S-135)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from uuid import UUID, uuid4

import httpx
import pytest

from tests.run.company_site import SCRAPE, Rows, asked, company, data, submitted
from tests.run.scripted_site import Site
from winnow.actions import runs as run_actions
from winnow.db.engine import Database
from winnow.run.upkeep import Upkeep
from winnow.run.worker import assembled
from winnow.schedule.queue import queue
from winnow.settings import Settings


async def test_s134_s135_every_end_of_a_job_makes_one_callback(backend, quick: Site, work, rows: Rows, settings):
    there = quick.url + "/callback"
    good, bad = quick.says("/good", company()), quick.url + "/missing"
    for urls in ([good], [bad], [good, bad]):
        body = {"targets": [asked(u) for u in urls], "callback_url": there}
        await data(await backend.post(f"{SCRAPE}/batch", json=body), 202)
    cancelled = await data(
        await backend.post(f"{SCRAPE}/batch", json={"targets": [asked(good)], "callback_url": there}), 202
    )
    await data(await backend.post(f"{SCRAPE}/jobs/{cancelled['job_id']}/cancel"), 200)
    await work()
    told = await rows("SELECT payload FROM deliveries ORDER BY id")
    assert sorted(t["status"] for t in told) == ["cancelled", "completed", "failed", "partially_completed"]
    assert all(set(t) == {"job_id", "status", "summary", "results"} for t in told)
    assert await rows("SELECT count(*), count(DISTINCT job_id) FROM deliveries WHERE url = %s", there) == [(4, 4)]


async def test_a_standalone_task_calls_back_where_it_was_told_to(backend, quick: Site, work, rows: Rows):
    await submitted(backend, quick.says("/about", company()), callback_url=quick.url + "/told")
    await submitted(backend, quick.says("/other", company()))
    await work()
    ((url, told),) = await rows("SELECT url, payload FROM deliveries")
    assert url == quick.url + "/told"
    assert told["status"] == "completed"
    assert told["results"][0]["result"]["company_name"] == "Northwind Traders"
    assert set(told["results"][0]) == {"task_id", "target_type", "target_url", "result", "problems"}


Gone = Callable[[httpx.AsyncClient, Database, Settings, UUID, Rows], Awaitable[None]]


async def _cancelled(backend, database, settings, task_id: UUID, rows: Rows) -> None:
    async with database.transaction() as conn:
        await run_actions.cancel_task(conn, "tester", task_id)


async def _stale(backend, database, settings, task_id: UUID, rows: Rows) -> None:
    await rows("UPDATE tasks SET created_at = now() - interval '25 hours'")
    assert await Upkeep(database, settings).make_stale() == 1


async def _lost(backend, database, settings, task_id: UUID, rows: Rows) -> None:
    await rows("UPDATE tasks SET losses = %s", queue.MAX_LOSSES - 1)
    async with database.connection() as conn:
        assert len(await queue.claim(conn, "dies", 1, 0.001)) == 1
    await rows("UPDATE tasks SET lease_until = now() - interval '1 second'")
    assert await Upkeep(database, settings).rescue() == 1


async def _refused(backend, database, settings, task_id: UUID, rows: Rows) -> None:
    await rows(
        "INSERT INTO domain_circuits (domain, state, open_until) "
        "SELECT lane, 'open', now() + interval '1 hour' FROM tasks"
    )
    await rows("UPDATE lanes SET held_until = now() + interval '1 hour'")
    async with assembled(database, settings) as worker:
        await worker.run(until_empty=True)


@pytest.mark.parametrize(
    ("gone", "status"),
    [(_cancelled, "cancelled"), (_stale, "failed"), (_lost, "failed"), (_refused, "failed")],
    ids=["cancelled", "stale", "lost", "circuit"],
)
async def test_s135_a_standalone_task_calls_back_once_however_it_ends(
    backend, database: Database, settings: Settings, quick: Site, rows: Rows, gone: Gone, status: str
):
    task_id = await submitted(backend, quick.says("/about", company()), callback_url=quick.url + "/told")
    await gone(backend, database, settings, task_id, rows)
    shown = await data(await backend.get(f"{SCRAPE}/{task_id}"), 200)
    assert shown["status"] == status
    ((url, about, told),) = await rows("SELECT url, key, payload FROM deliveries")
    assert (url, told["task_id"], told["status"]) == (quick.url + "/told", str(task_id), status)
    assert about == str(task_id), "what `winnow deliveries list` shows"
    assert told["error"]
    assert told["results"] == []
    assert told["summary"] == {"total": 1, "completed": 0, "failed": int(status == "failed")}


async def test_a_task_of_a_job_may_have_a_callback_of_its_own(backend, quick: Site, work, rows: Rows):
    body = {
        "targets": [asked(quick.says("/a", company()), callback_url=quick.url + "/one"), asked(quick.url + "/missing")],
        "callback_url": quick.url + "/all",
    }
    job = await data(await backend.post(f"{SCRAPE}/batch", json=body), 202)
    await work()
    told = dict(await rows("SELECT url, payload FROM deliveries"))
    assert set(told) == {quick.url + "/one", quick.url + "/all"}
    assert {said["job_id"] for said in told.values()} == {job["job_id"]}


async def test_a_dead_letter_that_is_retried_is_neither_counted_nor_told_twice(
    backend, database: Database, settings: Settings, quick: Site, work, rows: Rows
):
    target = asked(quick.says("/about", company()), callback_url=quick.url + "/told")
    job = await data(
        await backend.post(f"{SCRAPE}/batch", json={"targets": [target], "callback_url": quick.url + "/all"}), 202
    )
    await _lost(backend, database, settings, uuid4(), rows)
    await rows("UPDATE dead_letters SET next_retry_at = now()")
    assert await Upkeep(database, settings).retry_letters() == 1
    await work()
    assert await rows("SELECT outcome FROM tasks ORDER BY created_at DESC LIMIT 1") == ["accepted"]
    found = await data(await backend.get(f"{SCRAPE}/jobs/{job['job_id']}"), 200)
    assert (found["status"], found["completed_tasks"], found["failed_tasks"]) == ("failed", 0, 1)
    assert await data(await backend.get(f"{SCRAPE}/jobs/{job['job_id']}/results"), 200) == []
    assert sorted(await rows("SELECT url FROM deliveries")) == [quick.url + "/all", quick.url + "/told"]
