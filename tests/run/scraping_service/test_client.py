"""The client against the real API over a socket: what it sends, what it makes of answers, when it tries again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import httpx
import pytest
import uvicorn

from tests.run.company_site import KEY, company
from tests.run.conftest import limit
from tests.run.scripted_site import Site
from tests.waiting import LIMIT
from winnow.api.app import create_app
from winnow.client import AsyncClient, Client, ScrapeFailed, Target
from winnow.db.engine import Database
from winnow.run.worker import assembled
from winnow.settings import Settings


@pytest.fixture
async def service(database: Database, settings: Settings) -> AsyncIterator[str]:
    app = create_app(database, replace(settings, api=settings.api.model_copy(update={"service_key": KEY})))
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None, lifespan="off"))
    running = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    await running


@pytest.fixture
async def working(database: Database, settings: Settings, site: Site) -> AsyncIterator[Site]:
    async with database.transaction() as conn:
        await limit(conn, site.domain, site.url, 10_000, 64)
    async with assembled(database, settings) as worker:
        task = asyncio.create_task(worker.run())
        yield site
        worker.stop()
        await task


async def test_a_backend_gets_its_result_at_once_or_by_job(service: str, working: Site):
    url = working.says("/about", company())
    async with AsyncClient(service, KEY, timeout=LIMIT) as winnow:
        found = await winnow.scrape("company_website", url, "ws", fields=["company_name"])
        assert (found.status, found.result) == ("completed", {"company_name": "Northwind Traders"})
        job = await winnow.submit_batch([Target("company_website", url, "ws")] * 2)
        over = await winnow.wait(job.id, seconds=LIMIT, every=0.05)
        assert (over.status, over.completed_tasks) == ("completed", 2)
        found_of_job = await winnow.results(job.id)
        assert [one.result["company_name"] for one in found_of_job] == ["Northwind Traders"] * 2
        task = await winnow.submit(Target("company_website", url, "ws"), key="k")
        assert task == await winnow.submit(Target("company_website", url, "ws"), key="k")
        done = await winnow.wait_task(task, seconds=LIMIT, every=0.05)
        assert (done.status, done.target_url, done.workspace_id) == ("completed", url, "ws")
        assert done.created_at < done.completed_at


async def test_the_client_without_async_does_the_same(service: str, working: Site):
    url = working.says("/about", company())

    def use() -> Any:
        with Client(service, KEY, timeout=LIMIT) as winnow:
            job = winnow.submit_batch([Target("company_website", url, "ws")])
            task = winnow.wait_task(winnow.submit(Target("company_website", url, "ws")), seconds=LIMIT, every=0.05)
            return winnow.wait(job.id, seconds=LIMIT, every=0.05), winnow.results(job.id), task

    job, results, task = await asyncio.to_thread(use)
    assert (job.status, len(results), task.status) == ("completed", 1, "completed")


async def test_what_is_wrong_is_raised_with_the_fields(service: str):
    async with AsyncClient(service, KEY, timeout=LIMIT) as winnow:
        with pytest.raises(ScrapeFailed) as wrong:
            await winnow.submit(Target("nonsense", "https://example.com/", "ws"))
    assert wrong.value.status == 422
    assert wrong.value.details[0]["field"] == "body.target_type"
    async with AsyncClient(service, "wrong", timeout=LIMIT) as winnow:
        with pytest.raises(ScrapeFailed) as refused:
            await winnow.job("00000000-0000-7000-8000-000000000000")
    assert refused.value.status == 401
    with pytest.raises(ValueError, match="https://"):
        Client("winnow.internal:8001", KEY)


async def test_a_service_that_is_away_for_a_moment_is_asked_again_with_the_same_key():
    keys = []

    def answer(request: httpx.Request) -> httpx.Response:
        keys.append(request.headers["idempotency-key"])
        if len(keys) == 1:
            raise httpx.ConnectError("refused")
        if len(keys) == 2:
            return httpx.Response(503, headers={"Retry-After": "0"}, json={"success": False, "error": "full"})
        return httpx.Response(202, json={"success": True, "data": {"task_id": "t"}, "error": None, "meta": {}})

    async with AsyncClient("http://x", KEY, transport=httpx.MockTransport(answer)) as winnow:
        assert await winnow.submit(Target("company_website", "https://example.com/", "ws")) == "t"
    assert len(keys) == 3
    assert len(set(keys)) == 1


async def test_waiting_has_an_end_and_says_what_it_waited_for():
    def answer(request: httpx.Request) -> httpx.Response:
        said = {"id": "j", "status": "running", "total_tasks": 1, "target_type": "t", "target_url": "u"}
        return httpx.Response(200, json={"success": True, "data": said, "error": None, "meta": {}})

    async with AsyncClient("http://x", KEY, transport=httpx.MockTransport(answer)) as winnow:
        with pytest.raises(TimeoutError, match="job j is still running"):
            await winnow.wait("j", seconds=0)
        with pytest.raises(TimeoutError, match="task j is still running"):
            await winnow.wait_task("j", seconds=0)


async def test_a_sync_scrape_whose_answer_was_lost_is_asked_for_again_with_the_same_key():
    keys = []

    def answer(request: httpx.Request) -> httpx.Response:
        keys.append(request.headers["idempotency-key"])
        if len(keys) == 1:
            raise httpx.ReadError("the connection broke")
        if len(keys) == 2:
            stopping = {"success": False, "error": "stopping", "meta": {"code": "stopping"}}
            return httpx.Response(503, headers={"Retry-After": "0"}, json=stopping)
        said = {"id": "t", "status": "completed", "target_type": "t", "target_url": "u", "result": {"a": 1}}
        return httpx.Response(200, json={"success": True, "data": said, "error": None, "meta": {}})

    async with AsyncClient("http://x", KEY, transport=httpx.MockTransport(answer)) as winnow:
        found = await winnow.scrape("company_website", "https://example.com/", "ws", key="mine")
    assert found.result == {"a": 1}
    assert keys == ["mine"] * 3


@pytest.mark.parametrize(("status", "code"), [(504, "timeout"), (503, "circuit_open"), (502, "credential_not_found")])
async def test_what_is_said_about_the_page_of_a_sync_scrape_is_its_answer(status: int, code: str):
    asked = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return httpx.Response(status, json={"success": False, "error": "?", "meta": {"request_id": "r", "code": code}})

    async with AsyncClient("http://x", KEY, transport=httpx.MockTransport(answer)) as winnow:
        with pytest.raises(ScrapeFailed) as failed:
            await winnow.scrape("company_website", "https://example.com/", "ws")
    assert (failed.value.status, failed.value.request_id, len(asked)) == (status, "r", 1)
