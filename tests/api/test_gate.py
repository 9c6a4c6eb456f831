"""Deny by default, proved by walking every route (R-25, S-096)."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from tests.api.conftest import MakeKey
from tests.api.routes import PLACES, all_routes
from winnow.api import auth
from winnow.db.engine import Database
from winnow.observe import keys
from winnow.observe.keys import Scope


def test_the_list_of_routes_is_complete(api: FastAPI) -> None:
    """OpenAPI hides nothing but its own address: whatever is routable is walked by the tests below."""
    flat: set[str] = set()

    def walk(route: Any) -> None:
        if hasattr(route, "original_router"):
            for candidate in route.effective_candidates():
                walk(candidate)
        else:
            flat.add(route.path.replace(":uuid}", "}"))  # OpenAPI names a parameter, not its form

    for route in api.router.routes:
        walk(route)
    assert flat == {path for _, path in all_routes(api)}
    assert len(flat) > 30


async def test_r25_no_route_answers_without_a_key_except_the_public_five(
    api: FastAPI, anyone: httpx.AsyncClient
) -> None:
    public = set()
    for method, path in all_routes(api):
        answer = await anyone.request(method, path.format_map(PLACES), content=b"{not json")
        if answer.status_code == 401:
            continue
        assert path in auth.PUBLIC, (method, path, answer.status_code)
        public.add(path)
    assert public == {"/health", "/readiness", "/metrics", "/go/{offer_id}", "/calendar/{token}.{form}"}


async def test_r25_a_key_that_may_read_changes_nothing_but_counts_of_reactions(
    api: FastAPI, consumer: httpx.AsyncClient
) -> None:
    for method, path in all_routes(api):
        answer = await consumer.request(method, path.format_map(PLACES))
        if method == "GET":
            shown = path in auth.PUBLIC or auth.CONSUMED.fullmatch(path) is not None
            assert (answer.status_code == 403) is not shown, path
        elif auth.REPORTED.fullmatch(path):  # E-114: apps report clicks and saves
            assert answer.status_code in (404, 422), (method, path, answer.status_code)
        else:
            assert answer.status_code == 403, (method, path, answer.status_code)


WRONG_KEYS: list[dict[str, Any]] = [
    {},
    {"X-Service-Key": ""},
    {"X-Service-Key": "wrong"},
    {"X-Service-Key": "wk_00000000_" + "0" * 64},
    {"X-Service-Key": "ключ".encode()},
    {"X-Service-Key": b"\xff\xfe\xfd"},
    {"Authorization": "Bearer"},
    {"Authorization": "Bearer "},
    {"Authorization": "Basic YTpi"},
    {"Authorization": "Bearer ключ".encode()},
    {"Cookie": "X-Service-Key=a-service-key"},
]


async def test_a_wrong_key_is_401_and_never_500(anyone: httpx.AsyncClient) -> None:
    for headers in WRONG_KEYS:
        answer = await anyone.get("/api/v1/sources", headers=headers)
        assert answer.status_code == 401, headers
        assert "www-authenticate" in answer.headers


async def test_s022_s078_s096_exactly_the_configured_service_key_is_accepted(anyone: httpx.AsyncClient) -> None:
    for given, status in (("a-service-key", 200), ("a-service-keY", 401), ("a-service-key2", 401)):
        assert (await anyone.get("/api/v1/prices", headers={"X-Service-Key": given})).status_code == status
    answer = await anyone.post("/api/v1/sources", json={}, headers={"X-Service-Key": "a-service-key"})
    assert answer.status_code == 403  # it is scoped to scraping


async def test_two_different_keys_in_one_request_are_none(anyone: httpx.AsyncClient, make_key: MakeKey) -> None:
    good = await make_key(Scope.ADMIN)
    both = [("X-Service-Key", good), ("X-Service-Key", "other")]
    assert (await anyone.get("/api/v1/sources", headers=both)).status_code == 401
    mixed = {"X-Service-Key": "other", "Authorization": f"Bearer {good}"}
    assert (await anyone.get("/api/v1/sources", headers=mixed)).status_code == 401
    same = {"X-Service-Key": good, "Authorization": f"Bearer {good}"}
    assert (await anyone.get("/api/v1/sources", headers=same)).status_code == 200


async def test_a_revoked_key_is_refused_at_the_next_request(
    anyone: httpx.AsyncClient, make_key: MakeKey, database: Database
) -> None:
    headers = {"X-Service-Key": await make_key(Scope.READ)}
    assert (await anyone.get("/api/v1/prices", headers=headers)).status_code == 200
    async with database.connection() as conn:
        await keys.revoke(conn, headers["X-Service-Key"], "tester")
    assert (await anyone.get("/api/v1/prices", headers=headers)).status_code == 401


async def test_s021_the_key_is_checked_before_the_body_is_read(anyone: httpx.AsyncClient) -> None:
    answer = await anyone.post("/api/v1/targets", content=b"{broken", headers={"content-type": "application/json"})
    assert answer.status_code == 401


async def test_the_use_of_a_key_is_noted(admin: httpx.AsyncClient, database: Database) -> None:
    await admin.get("/api/v1/sources")
    async with database.connection() as conn:
        row = await (await conn.execute("SELECT count(last_used_at) FROM api_keys")).fetchone()
    assert row == (1,)


@pytest.mark.parametrize(
    ("method", "path", "scope"),
    [
        ("GET", "/api/v1/prices", Scope.READ),
        ("GET", "/api/v1/prices/1/history", Scope.READ),
        ("GET", "/api/v1/targets/1/prices", Scope.READ),
        ("POST", "/api/v1/products/1/offers", Scope.ADMIN),
        ("GET", "/api/v1/pricesx", Scope.ADMIN),
        ("GET", "/api/v1/targets/1", Scope.ADMIN),
        ("GET", "/api/v1/feeds", Scope.ADMIN),
        ("GET", "/api/v1/webhooks", Scope.ADMIN),
        ("GET", "/api/v1/deliveries/1", Scope.ADMIN),
        ("POST", "/api/v1/runs", Scope.ADMIN),
        ("DELETE", "/api/v1/targets/1", Scope.ADMIN),
        ("POST", "/api/v1/scrape", Scope.SCRAPE),
        ("GET", "/api/v1/scrape/jobs/1", Scope.SCRAPE),
        ("POST", "/api/v1/scraper", Scope.ADMIN),
        ("BREW", "/api/v1/anything", Scope.ADMIN),
    ],
)
def test_the_scope_follows_from_method_and_place(method: str, path: str, scope: Scope) -> None:
    assert auth.needed(method, path) is scope
