"""The API on a real database, spoken to over ASGI. Every answer any test gets is checked for its envelope,
its request id and whether the OpenAPI text documents its status."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any
from uuid import UUID

import httpx
import pytest
from fastapi import FastAPI
from starlette.routing import compile_path

from winnow import settings as all_settings
from winnow.api.app import create_app
from winnow.db.engine import Database
from winnow.db.settings import DatabaseSettings
from winnow.observe import keys
from winnow.observe.keys import Scope
from winnow.settings import Settings

BARE = frozenset({"/openapi.json"})  # a document, not an answer
DOCUMENTS = (  # of other formats
    "text/calendar", "application/rss+xml", "application/ld+json", "text/csv", "application/x-ndjson",
    "application/vnd.apache.parquet",
)  # fmt: skip
SEEN: set[str] = set()
DOCUMENTED: list[tuple[str, Any, set[int]]] = []  # the same for every app, and slow to make


@pytest.fixture
def app_settings(database_settings: DatabaseSettings, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("SCRAPER_SERVICE_KEY", "a-service-key")
    loaded = all_settings.load()
    return Settings(
        db=database_settings,
        schedule=loaded.schedule,
        fetch=loaded.fetch,
        browser=loaded.browser.model_copy(update={"browser_fallback": False}),  # ready without a Chromium too
        observe=loaded.observe,
        run=loaded.run,
        api=loaded.api,
    )


@pytest.fixture
def api(database: Database, app_settings: Settings) -> FastAPI:
    return create_app(database, app_settings)


MakeKey = Callable[..., Awaitable[str]]


@pytest.fixture
async def make_key(database: Database) -> MakeKey:
    async def make(*scopes: Scope) -> str:
        async with database.connection() as conn:
            _, secret = await keys.create(
                conn, f"test {len(SEEN)} {scopes}", scopes or [Scope.ADMIN], "tester", workspace_id=keys.ALL_WORKSPACES
            )
        return secret

    return make


class Checked(httpx.AsyncBaseTransport):
    """Passes requests to the app and checks each answer."""

    def __init__(self, api: FastAPI) -> None:
        self._transport = httpx.ASGITransport(api)
        if not DOCUMENTED:
            DOCUMENTED.extend(documented(api))

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await self._transport.handle_async_request(request)
        await response.aread()
        check_answer(response, request.url.path, has_body=request.method != "HEAD")
        for method, pattern, statuses in DOCUMENTED:
            if method == request.method and pattern.fullmatch(request.url.path):
                assert response.status_code in statuses, (request.method, request.url.path, response.status_code)
                break
        return response


def documented(api: FastAPI) -> list[tuple[str, Any, set[int]]]:
    found = []
    for path, operations in api.openapi()["paths"].items():
        for method, operation in operations.items():
            found.append((method.upper(), compile_path(path)[0], {int(s) for s in operation["responses"]}))
    return sorted(found, key=lambda row: "{" in row[1].pattern or "?P" in row[1].pattern)


def check_answer(response: httpx.Response, path: str, *, has_body: bool = True) -> None:
    """S-093, S-095 and the headers that keep scraped text from being run (R-25)."""
    request_id = response.headers["x-request-id"]
    assert str(UUID(request_id)) == request_id
    assert request_id not in SEEN
    SEEN.add(request_id)
    assert response.headers["x-content-type-options"] == "nosniff"
    if response.status_code == 304:
        assert not response.content
        return
    assert "text/html" not in response.headers["content-type"]
    if not has_body:
        assert not response.content
        return
    if path in BARE and response.status_code == 200:
        return
    if response.headers["content-type"].startswith(DOCUMENTS) and response.status_code == 200:
        return
    if response.headers["content-type"].startswith("text/plain"):
        assert path == "/metrics"
        return
    body = response.json()
    assert set(body) == {"success", "data", "error", "meta"}
    assert body["success"] is (response.status_code < 400)
    assert (body["error"] is None) is body["success"]
    assert body["meta"]["request_id"] == request_id


@pytest.fixture
async def anyone(api: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    """Without a key."""
    async with httpx.AsyncClient(transport=Checked(api), base_url="http://winnow.test") as client:
        yield client


@pytest.fixture
async def admin(api: FastAPI, make_key: MakeKey) -> AsyncIterator[httpx.AsyncClient]:
    headers = {"X-Service-Key": await make_key(Scope.ADMIN)}
    async with httpx.AsyncClient(transport=Checked(api), base_url="http://winnow.test", headers=headers) as client:
        yield client


@pytest.fixture
async def consumer(api: FastAPI, make_key: MakeKey) -> AsyncIterator[httpx.AsyncClient]:
    """With a key that may only read."""
    headers = {"Authorization": f"Bearer {await make_key(Scope.READ)}"}
    async with httpx.AsyncClient(transport=Checked(api), base_url="http://winnow.test", headers=headers) as client:
        yield client


async def watch(client: httpx.AsyncClient, url: str, **more: Any) -> dict[str, Any]:
    answer = await client.post("/api/v1/targets/watch", json={"url": url, **more})
    assert answer.status_code == 201, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data
