"""What a submit is refused for, and what happens to equal submits and to many at once (S-014, S-039, S-097)."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import httpx
import psycopg
import pytest

from tests.run.company_site import KEY, SCRAPE, Rows, asked, company, data, submitted
from tests.run.scripted_site import Site
from winnow.actions.submits import Submits
from winnow.api.app import create_app
from winnow.db.engine import Database
from winnow.errors import QueueFull
from winnow.observe import metrics
from winnow.schedule.queue.task import NewTask, Producer, new_id
from winnow.schedule.settings import ScheduleSettings
from winnow.settings import Settings


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
