"""Pages behind a workspace's credential, which the backend that submitted the task hands out (S-068, S-081)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import httpx
import pytest

from tests.run.company_site import KEY, SCRAPE, Rows, asked, company, data
from tests.run.scripted_site import Site
from winnow.api.app import create_app
from winnow.db.engine import Database
from winnow.fetch.settings import CredentialSettings
from winnow.run.worker import assembled
from winnow.settings import Settings


@pytest.fixture
def with_backend(settings: Settings, quick: Site, other_site: Site) -> Settings:
    """Credentials are asked for at the other site."""
    known = CredentialSettings(
        _env_file=None,
        backend_api_url=other_site.url,
        backend_service_key="ours",
        credential_max_retries=0,
        credential_hosts=f"portal={quick.url.removeprefix('http://')}",
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
