"""A key serves its workspace and sees no other tasks; a credential goes to hosts of its provider (DESIGN §11.35)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import httpx
import pytest

from tests.run.company_site import KEY, SCRAPE, Rows, asked, data
from winnow.api.app import create_app
from winnow.db.engine import Database
from winnow.fetch.settings import CredentialSettings
from winnow.observe import keys
from winnow.observe.keys import Scope
from winnow.settings import Settings

PAGE = "https://example.com/about"


@pytest.fixture
async def service(database: Database, settings: Settings) -> AsyncIterator[httpx.AsyncClient]:
    known = CredentialSettings(
        _env_file=None,
        backend_api_url="https://backend.example.com",
        backend_service_key="ours",
        credential_hosts="portal=example.com",
    )
    served = replace(settings, credentials=known, api=settings.api.model_copy(update={"service_key": KEY}))
    transport = httpx.ASGITransport(create_app(database, served))
    async with httpx.AsyncClient(transport=transport, base_url="http://w") as client:
        yield client


@pytest.fixture
async def workspace_keys(database: Database) -> dict[str, dict[str, str]]:
    """Headers with a key for each of two workspaces."""
    headers = {}
    async with database.connection() as conn:
        for workspace in ("ws_1", "ws_2"):
            _, secret = await keys.create(conn, workspace, [Scope.SCRAPE], "tester", workspace_id=workspace)
            headers[workspace] = {"X-Service-Key": secret}
    return headers


async def test_a_key_submits_for_its_own_workspace_only(
    service: httpx.AsyncClient, workspace_keys: dict[str, dict[str, str]], rows: Rows
):
    mine, foreign = asked(PAGE), asked(PAGE, workspace_id="ws_2")
    for path, body in (("", foreign), ("/sync", foreign), ("/batch", {"targets": [mine, foreign]})):
        answer = await service.post(SCRAPE + path, json=body, headers=workspace_keys["ws_1"])
        assert (answer.status_code, answer.json()["meta"]["code"]) == (403, "forbidden"), answer.text
    assert await rows("SELECT count(*) FROM tasks") == [0]
    await data(await service.post(SCRAPE, json=mine, headers=workspace_keys["ws_1"]), 202)


async def test_a_key_neither_sees_nor_cancels_what_another_workspace_submitted(
    service: httpx.AsyncClient, workspace_keys: dict[str, dict[str, str]], rows: Rows
):
    own, other = workspace_keys["ws_1"], workspace_keys["ws_2"]
    task = await data(await service.post(SCRAPE, json=asked(PAGE), headers=own), 202)
    job = await data(await service.post(f"{SCRAPE}/batch", json={"targets": [asked(PAGE)]}, headers=own), 202)
    task_path, job_path = f"{SCRAPE}/{task['task_id']}", f"{SCRAPE}/jobs/{job['job_id']}"
    for path in (task_path, job_path, f"{job_path}/results"):
        assert (await service.get(path, headers=other)).status_code == 404
        assert (await service.get(path, headers=own)).status_code == 200
    assert (await service.post(f"{job_path}/cancel", headers=other)).status_code == 404
    assert await rows("SELECT count(*) FROM tasks WHERE status = 'queued'") == [2]
    assert (await service.post(f"{job_path}/cancel", headers=own)).status_code == 200


async def test_s022_the_key_of_the_settings_serves_all_workspaces(
    service: httpx.AsyncClient, workspace_keys: dict[str, dict[str, str]]
):
    everyone = {"X-Service-Key": KEY}
    body = {"targets": [asked(PAGE), asked(PAGE, workspace_id="ws_2")]}
    job = await data(await service.post(f"{SCRAPE}/batch", json=body, headers=everyone), 202)
    assert (await service.get(f"{SCRAPE}/jobs/{job['job_id']}", headers=everyone)).status_code == 200
    for headers in workspace_keys.values():  # a job of two workspaces belongs to neither
        assert (await service.get(f"{SCRAPE}/jobs/{job['job_id']}", headers=headers)).status_code == 404


@pytest.mark.parametrize(
    ("url", "provider"),
    [("http://example.com/", "portal"), ("https://evil.example.net/", "portal"), (PAGE, "unlisted")],
)
async def test_a_credential_is_not_asked_for_a_host_that_is_not_listed(
    service: httpx.AsyncClient, workspace_keys: dict[str, dict[str, str]], rows: Rows, url: str, provider: str
):
    body = asked(url, credential_provider=provider)
    answer = await service.post(SCRAPE, json=body, headers=workspace_keys["ws_1"])
    assert answer.status_code == 422
    assert "credential_provider" in answer.text
    assert await rows("SELECT count(*) FROM tasks") == [0]


async def test_the_audit_trail_names_whose_credential_was_asked_for_and_for_which_host(
    service: httpx.AsyncClient, workspace_keys: dict[str, dict[str, str]], rows: Rows
):
    body = asked(PAGE, credential_provider="portal", workspace_id="ws_2")
    await data(await service.post(SCRAPE, json=body, headers={"X-Service-Key": KEY}), 202)
    assert await rows(
        "SELECT actor || ' ' || object_id || ' ' || (after ->> 'provider') || ' ' || (after ->> 'origin') "
        "FROM audit_log WHERE action = 'credential.requested'"
    ) == ["SCRAPER_SERVICE_KEY ws_2 portal https://example.com:443"]
