"""Partial results: each requested field has a value or a reason; a task fails only if nothing of it was found
(S-030, S-105, DESIGN §11.34). The same through every way out of the service."""

from __future__ import annotations

import asyncio
import json

import httpx
import pytest

from tests.run.company_site import KEY, SCRAPE, Rows, asked, company, data, submitted
from tests.run.scripted_site import Site
from tests.waiting import until
from winnow.client import AsyncClient, ScrapeFailed
from winnow.db.engine import Database
from winnow.schedule.queue import queue

NAMELESS = """<!doctype html><html><head><title>Welcome</title></head><body><h1>Welcome</h1>
<p>Write to <a href="mailto:office@nameless-works.com">office@nameless-works.com</a> or call
<a href="tel:+31207941000">+31 20 794 1000</a>.</p></body></html>"""
UNTITLED_JOB = """<!doctype html><html><head><title></title><script type="application/ld+json">{"@context":
"https://schema.org", "@type": "JobPosting",
"description": "Bind books and repair spines in our workshop, four days a week, with tools that we provide."}</script>
</head><body><p>Bind books and repair spines in our workshop.</p></body></html>"""
NOTHING = "<!doctype html><title></title><p>Lorem ipsum dolor.</p>"
PRODUCT = """<!doctype html><html><head><title>Brass lamp</title><script type="application/ld+json">{"@context":
"https://schema.org", "@type": "Product", "name": "Brass lamp", "sku": "BL-7", "brand": "Lumen", "offers":
{"@type": "Offer", "price": "49.00", "priceCurrency": "EUR"}}</script></head><body><h1>Brass lamp</h1><p>EUR 49.00</p>
</body></html>"""


async def test_s105_a_page_without_the_name_of_the_company_gives_what_it_has(backend, quick: Site, work):
    task_id = await submitted(backend, quick.says("/", NAMELESS))
    await work()
    done = await data(await backend.get(f"{SCRAPE}/{task_id}"), 200)
    assert (done["status"], done["error"]) == ("completed", None)
    assert done["result"]["contact_phone"] == "+31207941000"
    empty = {name for name, value in done["result"].items() if value is None}
    assert "company_name" in empty
    assert set(done["problems"]) == empty, "every field has a value or a reason"
    assert done["problems"]["company_name"] == "not_stated"


async def test_s030_each_requested_field_comes_with_a_value_or_a_reason(backend, quick: Site, work):
    fields = ["job_title", "description", "salary_range"]
    body = asked(quick.says("/", UNTITLED_JOB), requested_fields=fields) | {"target_type": "job_posting"}
    task_id = (await data(await backend.post(SCRAPE, json=body), 202))["task_id"]
    await work()
    done = await data(await backend.get(f"{SCRAPE}/{task_id}"), 200)
    assert done["status"] == "completed"
    assert done["result"]["description"].startswith("Bind books")
    assert list(done["result"]) == fields
    assert done["problems"] == {"job_title": "not_stated", "salary_range": "not_stated"}


async def test_s105_a_task_fails_when_nothing_asked_for_was_found(backend, quick: Site, work):
    url = quick.says("/", NAMELESS)
    missing = await submitted(backend, url, requested_fields=["company_name", "website_url"])
    nothing = await submitted(backend, quick.says("/empty", NOTHING))
    await work()
    for task_id in (missing, nothing):
        found = await data(await backend.get(f"{SCRAPE}/{task_id}"), 200)
        assert (found["status"], found["result"], found["problems"]) == ("failed", None, {})
        assert "MISSING_REQUIRED_FIELD" in found["error"]


async def test_s016_s072_jobs_and_callbacks_carry_the_reasons(backend, quick: Site, work, rows: Rows):
    own = asked(quick.says("/", NAMELESS), requested_fields=["company_name", "contact_phone"])
    told = {"callback_url": quick.url + "/told"}
    job = await data(await backend.post(f"{SCRAPE}/batch", json={"targets": [own | told], **told}), 202)
    await work()
    expected = {"company_name": "not_stated"}
    (result,) = await data(await backend.get(f"{SCRAPE}/jobs/{job['job_id']}/results"), 200)
    assert (result["result"]["contact_phone"], result["problems"]) == ("+31207941000", expected)
    sent = [json.loads(body) for body in await rows("SELECT payload::text FROM deliveries ORDER BY topic")]
    assert [one["results"][0]["problems"] for one in sent] == [expected, expected], "of the job and of the task"


async def test_p090_a_product_without_a_believable_price_comes_without_it(backend, quick: Site, work):
    body = asked(quick.says("/", PRODUCT), requested_fields=["title", "sku", "price"]) | {"target_type": "product"}
    task_id = (await data(await backend.post(SCRAPE, json=body), 202))["task_id"]
    await work()
    done = await data(await backend.get(f"{SCRAPE}/{task_id}"), 200)
    assert done["result"] == {"title": "Brass lamp", "sku": "BL-7", "price": None}
    assert done["problems"]["price"].startswith("withheld: UNKNOWN_AVAILABILITY")


async def test_s093_a_failed_sync_scrape_is_a_failure(backend: httpx.AsyncClient, quick: Site, working):
    answer = await backend.post(f"{SCRAPE}/sync", json=asked(quick.says("/", NOTHING), timeout_seconds=60))
    failed = answer.json()
    assert (answer.status_code, failed["success"], failed["data"]) == (502, False, None)
    assert failed["meta"]["code"] == "task_failed"
    shown = await data(await backend.get(f"{SCRAPE}/{failed['meta']['task_id']}"), 200)
    assert (shown["status"], shown["error"]) == ("failed", failed["error"])


async def test_s012_a_late_answer_names_the_task_and_what_became_of_it(
    backend: httpx.AsyncClient, database: Database, quick: Site, rows: Rows
):
    """Nothing works here: the task is queued until the time is over, and then it is cancelled."""
    answer = await backend.post(f"{SCRAPE}/sync", json=asked(quick.says("/", company()), timeout_seconds=5))
    late = answer.json()
    assert (answer.status_code, late["meta"]["code"]) == (504, "timeout")
    assert "was cancelled before its turn came, and nothing was sent" in late["error"]
    shown = await data(await backend.get(f"{SCRAPE}/{late['meta']['task_id']}"), 200)
    assert shown["status"] == "cancelled"


async def test_s012_a_page_that_is_late_is_answered_with_how_its_task_ended(backend, quick: Site, working):
    """The worker gives the task up when the caller's time is over: neither says that it is still running."""
    slow = quick.says("/slow", company(), wait=120.0)
    answer = await backend.post(f"{SCRAPE}/sync", json=asked(slow, timeout_seconds=5))
    late = answer.json()
    assert (answer.status_code, late["meta"]["code"]) == (504, "timeout")
    assert "failed and will not be tried again" in late["error"]
    shown = await data(await backend.get(f"{SCRAPE}/{late['meta']['task_id']}"), 200)
    assert (shown["status"], shown["error"]) == ("failed", "task_timeout: not done within 5 s")


async def test_s012_a_task_that_runs_on_can_be_read_later(
    backend: httpx.AsyncClient, database: Database, quick: Site, rows: Rows
):
    """Another worker has it and is not done when the caller's time is over."""
    body = asked(quick.says("/", company()), timeout_seconds=5)
    waiting = asyncio.create_task(backend.post(f"{SCRAPE}/sync", json=body))

    async def claimed() -> bool:
        async with database.connection() as conn:
            return bool(await queue.claim(conn, "another worker", 1, 60.0))

    await until(claimed)
    answer = await waiting
    late = answer.json()
    assert answer.status_code == 504
    assert "is still running: how it ends can be read later" in late["error"]
    shown = await data(await backend.get(f"{SCRAPE}/{late['meta']['task_id']}"), 200)
    assert shown["status"] == "running"


async def test_the_client_raises_a_failed_scrape_with_its_task():
    meta = {"request_id": "r", "code": "task_failed", "task_id": "t"}

    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(502, json={"success": False, "error": "no", "meta": meta})

    async with AsyncClient("http://x", KEY, transport=httpx.MockTransport(answer)) as winnow:
        with pytest.raises(ScrapeFailed) as failed:
            await winnow.scrape("company_website", "https://example.com/", "ws")
    assert (failed.value.status, failed.value.code, failed.value.task_id) == (502, "task_failed", "t")


async def test_s097_one_answer_names_every_wrong_field_of_a_request_and_of_each_target(backend):
    wrong = {"target_type": "nope", "target_url": "ftp:/x", "timeout_seconds": 3, "extra": 1}
    answer = (await backend.post(f"{SCRAPE}/sync", json=wrong)).json()
    fields = {detail["field"] for detail in answer["meta"]["details"]}
    assert fields == {
        f"body.{name}" for name in ("workspace_id", "timeout_seconds", "extra", "target_type", "target_url")
    }
    assert all(name in answer["error"] for name in fields)

    targets = [
        {"target_type": "job_posting"},
        asked("https://www.example.com/") | {"target_type": "nope", "requested_fields": ["x"]},
    ]
    answer = (await backend.post(f"{SCRAPE}/batch", json={"targets": targets, "callback_url": "no"})).json()
    assert {detail["field"] for detail in answer["meta"]["details"]} == {
        "body.targets.0.target_url", "body.targets.0.workspace_id", "body.targets.1.target_type", "body.callback_url",
    }  # fmt: skip


async def test_s097_a_value_of_the_wrong_type_is_named_once(backend):
    answer = (
        await backend.post(
            SCRAPE, json={"target_type": 7, "target_url": "https://www.example.com/", "workspace_id": "w"}
        )
    ).json()
    assert [detail["field"] for detail in answer["meta"]["details"]] == ["body.target_type"]
