"""The scraping service: endpoints over ASGI, the ordinary worker, a real site on loopback (S-011 … S-043)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import httpx
import psycopg
import pytest

from tests.run.company_site import KEY, SCRAPE, asked, company, data, submitted
from tests.run.scripted_site import Site
from tests.waiting import LIMIT, until
from winnow.actions import runs as run_actions
from winnow.actions.submits import Submits
from winnow.api.app import create_app
from winnow.db import bell
from winnow.db.bell import Ring, ring
from winnow.db.engine import Database
from winnow.errors import QueueFull
from winnow.fetch.settings import CredentialSettings, FetchSettings
from winnow.fetch.ways import Ways
from winnow.observe import metrics
from winnow.run.admission.proxy_choice import Exits
from winnow.run.commit import committer
from winnow.run.upkeep import Upkeep
from winnow.run.worker import Worker, assembled
from winnow.schedule.queue import queue
from winnow.schedule.queue.task import NewTask, Producer, new_id
from winnow.schedule.settings import ScheduleSettings
from winnow.settings import Settings
from winnow.store import enrichment

Rows = Callable[..., Awaitable[list[Any]]]


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
        await ring(to, which)

    async def long_rest(self: Worker, seconds: float) -> bool:
        resting.set()
        cut_short.append(await rest(self, LIMIT))
        return cut_short[-1]

    rest, url = Worker._wait_for_work, quick.says("/about", company())
    monkeypatch.setattr(bell, "ring", recorded)
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

    monkeypatch.setattr(bell, "ring", lost)
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


def rejected() -> float:
    shown = metrics.as_data(metrics.families([]))["scrape_queue_rejected_total"]
    return sum(one["value"] for one in shown if one["labels"] == {"reason": "queue_full"})


async def test_s039_a_full_queue_refuses_a_whole_batch(database: Database, settings: Settings, quick: Site, rows: Rows):
    known = replace(
        settings,
        api=settings.api.model_copy(update={"service_key": KEY}),
        schedule=ScheduleSettings(queue_enrichment=3),
    )
    transport = httpx.ASGITransport(create_app(database, known))
    async with httpx.AsyncClient(transport=transport, base_url="http://w", headers={"X-Service-Key": KEY}) as backend:
        await submitted(backend, quick.url + "/1")
        before = rejected()
        refused = await backend.post(f"{SCRAPE}/batch", json={"targets": [asked(quick.url + "/2")] * 3})
        assert refused.status_code == 503
        assert int(refused.headers["retry-after"]) > 0
        assert rejected() == before + 3
        assert await rows("SELECT count(*) FROM tasks") == [1]
        assert await rows("SELECT count(*) FROM jobs") == [0]
        await data(await backend.post(f"{SCRAPE}/batch", json={"targets": [asked(quick.url + "/2")] * 2}), 202)


async def test_a_repeated_submit_finds_the_first_one(backend, quick: Site, rows: Rows):
    headers = {"Idempotency-Key": "order-7"}
    body = asked(quick.url + "/1")
    first, second = [await data(await backend.post(SCRAPE, json=body, headers=headers), 202) for _ in range(2)]
    assert first == second
    other = await backend.post(SCRAPE, json=asked(quick.url + "/2"), headers=headers)
    assert other.status_code == 409
    batch = {"targets": [body] * 2}
    jobs = [await data(await backend.post(f"{SCRAPE}/batch", json=batch, headers={"Idempotency-Key": "b"}), 202)
            for _ in range(2)]  # fmt: skip
    assert jobs[0] == jobs[1]
    assert await rows("SELECT count(*) FROM tasks") == [3]


async def test_two_equal_submits_at_once_make_one_task(backend, quick: Site, rows: Rows):
    body, headers = asked(quick.url + "/1"), {"Idempotency-Key": "same"}
    answers = await asyncio.gather(*(backend.post(SCRAPE, json=body, headers=headers) for _ in range(8)))
    assert {a.status_code for a in answers} == {202}
    assert len({a.json()["data"]["task_id"] for a in answers}) == 1
    assert await rows("SELECT count(*) FROM tasks") == [1]


async def test_a_sync_scrape_that_is_sent_again_is_made_once(backend, quick: Site, working, rows: Rows):
    body = asked(quick.says("/about", company()), timeout_seconds=60)
    again = {"Idempotency-Key": "sync-1"}
    answers = await asyncio.gather(*(backend.post(f"{SCRAPE}/sync", json=body, headers=again) for _ in range(4)))
    answers.append(await backend.post(f"{SCRAPE}/sync", json=body, headers=again))
    told = [await data(answer, 200) for answer in answers]
    assert {one["id"] for one in told} == {told[0]["id"]}
    assert all(one["result"]["company_name"] == "Northwind Traders" for one in told)
    assert [seen.path for seen in quick.log].count("/about") == 1
    other = await backend.post(f"{SCRAPE}/sync", json=body | {"timeout_seconds": 61}, headers=again)
    assert other.status_code == 409


async def test_s083_a_sync_scrape_that_was_given_up_stays_so(backend, quick: Site, rows: Rows):
    body, again = asked(quick.url + "/never", timeout_seconds=5), {"Idempotency-Key": "sync-2"}
    for _ in range(2):
        answer = await backend.post(f"{SCRAPE}/sync", json=body, headers=again)
        assert answer.status_code == 504, answer.text
        assert "cancelled" in answer.json()["error"]
    assert await rows("SELECT status FROM tasks") == ["cancelled"]


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


BAD = {
    "no such type": asked("https://example.com/") | {"target_type": "nonsense"},
    "no such field": asked("https://example.com/", requested_fields=["shoe_size"]),
    "private address": asked("http://10.0.0.1/"),
    "loopback": asked("http://127.0.0.1:1/"),
    "no URL": asked("not a url"),
    "another scheme": asked("file:///etc/passwd"),
    "callback to a private address": asked("https://example.com/", callback_url="http://169.254.169.254/"),
    "missing workspace": {"target_type": "company_website", "target_url": "https://example.com/"},
    "unknown key": asked("https://example.com/", surprise=1),
    "a zero character": asked("https://example.com/\x00"),
    "not an object": [1, 2],
}


@pytest.mark.parametrize("body", BAD.values(), ids=BAD.keys())
async def test_s097_what_is_wrong_is_refused_at_the_door_and_names_the_field(backend, rows: Rows, body):
    for place, sent in (("", body), ("/sync", body), ("/batch", {"targets": [body]})):
        answer = await backend.post(SCRAPE + place, json=sent)
        assert answer.status_code == 422, answer.text
        envelope = answer.json()
        assert (envelope["success"], envelope["data"]) == (False, None)
        assert envelope["error"]
        assert "details" in answer.text
    assert await rows("SELECT count(*) FROM tasks") == [0]


async def test_s014_a_hundred_targets_fit_and_one_more_does_not(backend, rows: Rows):
    hundred = {"targets": [asked(f"https://example.com/{n}") for n in range(100)]}
    assert (await data(await backend.post(f"{SCRAPE}/batch", json=hundred), 202))["total_tasks"] == 100
    assert await rows("SELECT count(*), count(DISTINCT job_id) FROM tasks") == [(100, 1)]
    for wrong in ([asked("https://example.com/")] * 101, []):
        assert (await backend.post(f"{SCRAPE}/batch", json={"targets": wrong})).status_code == 422


@pytest.mark.parametrize("seconds", [4, 121, "soon", None])
async def test_s012_the_time_to_wait_has_bounds(backend, seconds):
    body = asked("https://example.com/", timeout_seconds=seconds)
    assert (await backend.post(f"{SCRAPE}/sync", json=body)).status_code == 422


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


@pytest.fixture
def with_backend(settings: Settings, other_site: Site) -> Settings:
    """Credentials are asked for at the other site."""
    known = CredentialSettings(
        _env_file=None, backend_api_url=other_site.url, backend_service_key="ours", credential_max_retries=0
    )
    return replace(settings, credentials=known, api=settings.api.model_copy(update={"service_key": KEY}))


@pytest.fixture
async def knowing(database: Database, with_backend: Settings) -> AsyncIterator[httpx.AsyncClient]:
    """A client of a service that knows its backend, with a worker beside."""
    transport = httpx.ASGITransport(create_app(database, with_backend))
    async with (
        assembled(database, with_backend) as worker,
        httpx.AsyncClient(transport=transport, base_url="http://w", headers={"X-Service-Key": KEY}) as client,
    ):
        running = asyncio.create_task(worker.run())
        yield client
        worker.stop()
        await running


async def test_s068_a_page_is_fetched_with_its_workspaces_credential(
    knowing: httpx.AsyncClient, quick: Site, other_site: Site, rows: Rows, logged: list[Any]
):
    other_site.says("/api/v1/workspaces/ws_1/credentials/portal", '{"token": "hidden-token"}')
    url = quick.says("/about", company())
    for _ in range(2):
        body = asked(url, credential_provider="portal", timeout_seconds=60)
        done = await data(await knowing.post(f"{SCRAPE}/sync", json=body), 200)
        assert done["result"]["company_name"] == "Northwind Traders"
    assert [s.headers.get("Authorization") for s in quick.log if s.path == "/about"] == ["Bearer hidden-token"] * 2
    assert [s.headers.get("Authorization") for s in quick.log if s.path == "/robots.txt"] == [None]
    assert other_site.asked("/api/v1/workspaces/ws_1/credentials/portal") == 1
    stored = await rows(
        "SELECT row_to_json(t)::text FROM tasks AS t UNION ALL SELECT row_to_json(p)::text FROM pages AS p"
    )
    assert "hidden" not in "".join(stored) + repr(logged)


async def test_s081_without_a_credential_the_answer_is_502(knowing: httpx.AsyncClient, quick: Site, other_site: Site):
    for status, code in ((404, "credential_not_found"), (500, "credentials_unavailable")):
        other_site.says("/api/v1/workspaces/ws_1/credentials/portal", status=status)
        body = asked(quick.url + "/about", credential_provider="portal", timeout_seconds=60)
        answer = await knowing.post(f"{SCRAPE}/sync", json=body)
        assert (answer.status_code, answer.json()["meta"]["code"]) == (502, code), answer.text
    assert quick.log == [], "nothing was sent"


async def test_a_credential_needs_a_backend(backend, rows: Rows):
    answer = await backend.post(SCRAPE, json=asked("https://example.com/", credential_provider="portal"))
    assert answer.status_code == 422
    assert await rows("SELECT count(*) FROM tasks") == [0]


async def test_s033_s034_a_task_over_its_limit_fails_and_lets_go(
    backend, quick: Site, work, settings: Settings, rows: Rows
):
    task_id = await submitted(backend, quick.says("/slow", company(), wait=20.0))
    await work(schedule=ScheduleSettings(_env_file=None, task_timeout_seconds=0.5))
    found = await data(await backend.get(f"{SCRAPE}/{task_id}"), 200)
    assert (found["status"], found["result"]) == ("failed", None)
    assert "task_timeout" in found["error"]
    assert await rows("SELECT in_flight FROM lanes WHERE lane = %s", quick.domain) == [0]


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


async def test_submits_that_arrive_together_are_queued_together(database: Database, quick: Site, rows: Rows):
    """Each is told its own end: there was room for the first, a value of another cannot be stored."""
    submits = Submits(database, ScheduleSettings(_env_file=None, queue_enrichment=5))
    await submits.enqueue(new_task(quick.url))  # the first is written alone, what comes meanwhile together
    wrong = new_task(quick.url + "/\x00")
    told = await asyncio.gather(
        *(submits.enqueue(task) for task in (wrong, *(new_task(f"{quick.url}/{n}") for n in range(6)))),
        return_exceptions=True,
    )
    assert isinstance(told[0], psycopg.DataError)
    assert told[1:5] == [None] * 4
    assert all(isinstance(full, QueueFull) for full in told[5:])
    assert await rows("SELECT count(*) FROM tasks") == [5]
    assert await rows("SELECT queued FROM lanes WHERE lane = %s", quick.domain) == [5]


def new_task(url: str) -> NewTask:
    return NewTask(id=new_id(), producer=Producer.ENRICHMENT, lane=url.split("/")[2], url=url, kind="company")


async def test_who_leaves_before_it_is_queued_is_not_queued(database: Database, quick: Site, rows: Rows):
    submits = Submits(database, ScheduleSettings(_env_file=None))
    waiting = [asyncio.create_task(submits.enqueue(new_task(f"{quick.url}/{n}"))) for n in range(3)]
    await asyncio.sleep(0)
    waiting[1].cancel()
    told = await asyncio.gather(*waiting, return_exceptions=True)
    assert [type(t) for t in told] == [type(None), asyncio.CancelledError, type(None)]
    assert sorted(await rows("SELECT url FROM tasks")) == [f"{quick.url}/0", f"{quick.url}/2"]
