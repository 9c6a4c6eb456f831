"""The scraping service: endpoints over ASGI, the ordinary worker, a real site on loopback (S-011 … S-043)."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.run.company_site import KEY, SCRAPE, Rows, asked, company, data, submitted
from tests.run.scripted_site import Site
from tests.waiting import LIMIT, until
from winnow.api.app import create_app
from winnow.db import bell
from winnow.db.bell import Ring, wake_listeners
from winnow.db.engine import Database
from winnow.fetch.ways import Ways
from winnow.run.admission.proxy_choice import Exits
from winnow.run.commit import committer
from winnow.run.worker import Worker, assembled
from winnow.schedule.queue import queue
from winnow.settings import Settings
from winnow.store import enrichment


def noted(steps: list[str], monkeypatch: pytest.MonkeyPatch, owner: Any, name: str) -> None:
    """Each call of a step is written down when it begins."""
    step = getattr(owner, name)

    async def told(*given: Any, **more: Any) -> Any:
        steps.append(name)
        return await step(*given, **more)

    monkeypatch.setattr(owner, name, told)


async def test_s011_s013_s032_a_submitted_task_is_queued_then_completed_with_its_result(
    backend, quick: Site, work, monkeypatch: pytest.MonkeyPatch
):
    steps: list[str] = []
    for owner, name in (
        (queue, "claim"),
        (Exits, "choose"),
        (Ways, "fetch"),
        (Exits, "report"),
        (committer, "persist"),
    ):
        noted(steps, monkeypatch, owner, name)
    task_id = await submitted(backend, quick.says("/about", company()))
    before = await data(await backend.get(f"{SCRAPE}/{task_id}"), 200)
    assert (before["status"], before["result"], before["completed_at"]) == ("queued", None, None)
    await work()
    after = await data(await backend.get(f"{SCRAPE}/{task_id}"), 200)
    assert (after["status"], after["error"]) == ("completed", None)
    assert after["result"]["company_name"] == "Northwind Traders"
    assert after["result"]["contact_email"] == "hello@northwind-traders.com"
    assert after["result"]["contact_phone"] == "+31207941000"
    assert after["result"]["employee_count_range"] is None, "S-105: what the page does not say is null"
    assert steps[0] == "claim"  # the domain's token and its circuit come with it; then robots.txt, then the page
    assert [s for s in steps if s != "claim"][-4:] == ["choose", "fetch", "report", "persist"]


async def test_s030_only_requested_fields_come_back(backend, quick: Site, work):
    url = quick.says("/about", company())
    task_id = await submitted(backend, url, requested_fields=["contact_email"])
    await work()
    done = await data(await backend.get(f"{SCRAPE}/{task_id}"), 200)
    assert done["result"] == {"contact_email": "hello@northwind-traders.com"}


async def test_s012_sync_waits_for_the_result(backend, quick: Site, working):
    url = quick.says("/about", company())
    done = await data(await backend.post(f"{SCRAPE}/sync", json=asked(url, timeout_seconds=60)), 200)
    assert (done["status"], done["result"]["company_name"]) == ("completed", "Northwind Traders")
    assert done["priority"] == 0


async def test_s012_whoever_waits_rings_and_is_rung_back(
    backend, database: Database, settings: Settings, quick: Site, monkeypatch: pytest.MonkeyPatch
):
    rings, cut_short, resting = [], [], asyncio.Event()

    async def recorded(to: Database, which: Ring) -> None:
        rings.append(which)
        await wake_listeners(to, which)

    async def long_rest(self: Worker, seconds: float) -> bool:
        resting.set()
        cut_short.append(await rest(self, LIMIT))
        return cut_short[-1]

    rest, url = Worker._wait_for_work, quick.says("/about", company())
    monkeypatch.setattr(bell, "wake_listeners", recorded)
    async with assembled(database, settings) as worker:
        task = asyncio.create_task(worker.run())
        await submitted(backend, url)
        await until(lambda: worker.settled_count)
        assert rings == []  # nobody waits
        monkeypatch.setattr(Worker, "_wait_for_work", long_rest)
        await resting.wait()
        await data(await backend.post(f"{SCRAPE}/sync", json=asked(url, timeout_seconds=120)), 200)
        assert set(rings) == {Ring.SUBMITTED, Ring.ENDED}
        assert any(cut_short)
        worker.stop()
        await task


async def test_s012_a_ring_that_is_lost_changes_nothing(backend, quick: Site, working, monkeypatch: pytest.MonkeyPatch):
    async def lost(to: Database, which: Ring) -> None: ...

    monkeypatch.setattr(bell, "wake_listeners", lost)
    url = quick.says("/about", company())
    await data(await backend.post(f"{SCRAPE}/sync", json=asked(url, timeout_seconds=120)), 200)


async def test_s012_s083_sync_answers_504_and_what_was_not_begun_never_runs(backend, quick: Site, work, rows: Rows):
    answer = await backend.post(f"{SCRAPE}/sync", json=asked(quick.says("/about", company()), timeout_seconds=5))
    assert answer.status_code == 504
    assert await rows("SELECT status FROM tasks") == ["cancelled"]
    await work()
    assert quick.log == []


async def test_s026_a_page_without_what_was_asked_for_fails_with_its_reason(backend, quick: Site, work):
    gone = await submitted(backend, quick.url + "/nothing-here")
    empty = await submitted(backend, quick.says("/empty", "<!doctype html><title></title><p>Lorem ipsum dolor.</p>"))
    await work()
    for task_id in (gone, empty):
        found = await data(await backend.get(f"{SCRAPE}/{task_id}"), 200)
        assert (found["status"], found["result"]) == ("failed", None)
        assert found["error"]


async def test_s014_s015_s016_a_job_counts_its_tasks_and_lists_results_of_completed_ones(backend, quick: Site, work):
    urls = [quick.says(f"/c/{n}", company(f"Firm {n}")) for n in range(3)] + [quick.url + "/missing"]
    job = await data(await backend.post(f"{SCRAPE}/batch", json={"targets": [asked(u) for u in urls]}), 202)
    assert job["total_tasks"] == 4
    place = f"{SCRAPE}/jobs/{job['job_id']}"
    assert (await data(await backend.get(place), 200))["status"] == "queued"
    await work()
    found = await data(await backend.get(place), 200)
    assert found["status"] == "partially_completed"
    assert (found["completed_tasks"], found["failed_tasks"]) == (3, 1)
    results = await data(await backend.get(f"{place}/results"), 200)
    assert [r["result"]["company_name"] for r in results] == ["Firm 0", "Firm 1", "Firm 2"], "in the order given"
    assert (await backend.post(f"{place}/cancel")).status_code == 409


async def test_s017_s103_cancel_leaves_running_tasks_alone(backend, database: Database, quick: Site, rows: Rows, work):
    urls = [quick.says(f"/c/{n}", company(f"Firm {n}")) for n in range(3)]
    job = await data(await backend.post(f"{SCRAPE}/batch", json={"targets": [asked(u) for u in urls]}), 202)
    async with database.connection() as conn:
        (running,) = await queue.claim(conn, "another worker", 1, -1.0)
    place = f"{SCRAPE}/jobs/{job['job_id']}"
    assert (await data(await backend.get(place), 200))["status"] == "running"
    assert (await data(await backend.post(f"{place}/cancel"), 200))["cancelled"] == 2
    again = await data(await backend.post(f"{place}/cancel"), 200)
    assert again["cancelled"] == 2, "who lost the answer may ask again"
    assert await rows("SELECT count(*) FROM audit_log WHERE action = 'job.cancelled'") == [1]
    assert await rows("SELECT count(*) FROM tasks WHERE status = 'running'") == [1]
    assert (await data(await backend.get(place), 200))["finished_at"] is None, "one is still running"
    await work_after_rescue(database, work)
    over = await data(await backend.get(place), 200)
    assert (over["status"], over["completed_tasks"], over["cancelled_tasks"]) == ("cancelled", 1, 2)
    assert over["finished_at"] is not None
    assert running.url in {quick.url + seen.path for seen in quick.log}


async def work_after_rescue(database: Database, work: Any) -> None:
    async with database.transaction() as conn:
        await queue.free_lost(conn, await queue.rescue(conn))
    await work()


async def test_s038_s128_smaller_jobs_leave_the_queue_first(backend, database: Database, quick: Site):
    sizes = {}
    for size in (7, 2, 5):
        targets = [asked(f"{quick.url}/{size}/{n}") for n in range(size)]
        sizes[(await data(await backend.post(f"{SCRAPE}/batch", json={"targets": targets}), 202))["job_id"]] = size
    alone = await submitted(backend, quick.url + "/alone")
    async with database.connection() as conn:
        taken = await queue.claim(conn, "w", 100, 60)
    assert [sizes.get(str(t.job_id), 0) for t in taken] == [0] + [2] * 2 + [5] * 5 + [7] * 7
    assert taken[0].id == alone


async def test_s082_what_is_unknown_is_404(backend):
    for place in (f"{SCRAPE}/{uuid4()}", f"{SCRAPE}/jobs/{uuid4()}", f"{SCRAPE}/jobs/{uuid4()}/results"):
        assert (await backend.get(place)).status_code == 404
    assert (await backend.post(f"{SCRAPE}/jobs/{uuid4()}/cancel")).status_code == 404
    for place in (f"{SCRAPE}/not-a-uuid", f"{SCRAPE}/jobs/not-a-uuid", f"{SCRAPE}/jobs/not-a-uuid/results"):
        assert (await backend.get(place)).status_code == 404  # nothing can have that name
    assert (await backend.post(f"{SCRAPE}/jobs/not-a-uuid/cancel")).status_code == 404


async def test_s085_a_process_that_stops_takes_no_new_work(database: Database, settings: Settings):
    app = create_app(database, replace(settings, api=settings.api.model_copy(update={"service_key": KEY})))
    app.state.stopping = True
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://w", headers={"X-Service-Key": KEY}) as backend:
        for place, body in (("", asked("https://example.com/")), ("/sync", asked("https://example.com/"))):
            assert (await backend.post(SCRAPE + place, json=body)).status_code == 503


async def test_expired_results_lose_their_content_and_stay_listed(backend, database: Database, quick: Site, work, rows):
    task_id = await submitted(backend, quick.says("/about", company()))
    await work()
    await rows("UPDATE enrichment_results SET expires_at = now()")
    async with database.connection() as conn:
        assert await enrichment.expire(conn) == 1
    after = await data(await backend.get(f"{SCRAPE}/{task_id}"), 200)
    assert (after["status"], after["result"]) == ("completed", None)


async def test_s130_what_ended_is_logged_with_the_request_that_asked(backend, quick: Site, work, logged: list[Any]):
    good = await backend.post(SCRAPE, json=asked(quick.says("/about", company())))
    bad = await backend.post(SCRAPE, json=asked(quick.url + "/missing?token=hidden"))
    await work()
    ended = {line["event"]: line for line in logged if line["event"] in ("task_completed", "task_failed")}
    done, failed = ended["task_completed"], ended["task_failed"]
    assert done["request_id"] == good.headers["x-request-id"]
    assert failed["request_id"] == bad.headers["x-request-id"]
    assert done["target_domain"] == quick.domain
    assert done["duration_ms"] >= 0
    assert set(done["fields_extracted"]) >= {"company_name", "contact_email", "contact_phone"}
    assert (failed["target_url"], failed["proxy_used"]) == (quick.url + "/missing?token=hidden", None)
    assert failed["error_reason"] == "http_404"
