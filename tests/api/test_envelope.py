"""Every answer is an envelope, whatever went wrong (S-093, S-095, S-097)."""

from __future__ import annotations

import re
from typing import Any

import httpx
import psycopg
import pytest
from fastapi import FastAPI

from tests.api.conftest import MakeKey, check_answer, watch
from tests.api.routes import PLACES, all_routes
from winnow.api.transport import MAX_BODY
from winnow.errors import DatabaseUnavailable

CANARY = "c4n4ry5ecret"


FRAMEWORK_ERRORS = [
    ("GET", "/", 404, "not_found"),
    ("GET", "/nope", 404, "not_found"),
    ("GET", "/api/v1/targets/", 404, "not_found"),
    ("GET", "/api/v1/targets/999999", 404, "not_found"),
    ("GET", "/docs", 404, "not_found"),
    ("PUT", "/api/v1/targets", 405, "method_not_allowed"),
    ("DELETE", "/health", 405, "method_not_allowed"),
    ("OPTIONS", "/api/v1/targets", 405, "method_not_allowed"),
    ("BREW", "/api/v1/targets", 405, "method_not_allowed"),
    ("GET", "/api/v1/targets/abc", 422, "invalid"),
    ("GET", "/api/v1/targets/0", 422, "invalid"),
    ("GET", "/api/v1/targets/99999999999999999999999", 422, "invalid"),
    ("GET", "/api/v1/targets?limit=0", 422, "invalid"),
    ("GET", "/api/v1/targets?limit=501", 422, "invalid"),
    ("GET", "/api/v1/targets?after=x", 422, "invalid"),
    ("GET", "/api/v1/targets?status=GONE", 422, "invalid"),
    ("GET", "/api/v1/targets?q=%00", 422, "invalid"),
    ("GET", "/api/v1/tasks/not-a-uuid", 422, "invalid"),
]


async def test_s023_s093_framework_errors_are_envelopes_too(admin: httpx.AsyncClient) -> None:
    for method, path, status, code in FRAMEWORK_ERRORS:
        answer = await admin.request(method, path)
        assert (answer.status_code, answer.json()["meta"]["code"]) == (status, code), (method, path)


ALLOW = [
    ("PUT", "/api/v1/targets", "GET, HEAD, POST"),
    ("HEAD", "/api/v1/scrape", "POST"),
    ("BREW", "/api/v1/scrape", "POST"),
    ("DELETE", "/health", "GET, HEAD"),
    ("OPTIONS", "/metrics", "GET, HEAD"),
    ("POST", "/go/1", "GET, HEAD"),
]


@pytest.mark.parametrize(("method", "path", "allow"), ALLOW)
async def test_a_method_that_a_path_does_not_have_is_405_and_allow_names_all_it_has(
    admin: httpx.AsyncClient, method: str, path: str, allow: str
) -> None:
    answer = await admin.request(method, path)
    assert (answer.status_code, answer.headers["allow"]) == (405, allow)


async def test_head_answers_like_get_without_a_body(api: FastAPI, admin: httpx.AsyncClient) -> None:
    for method, path in all_routes(api):
        if method == "GET" and path not in (
            "/metrics",
            "/health",
        ):  # whose numbers, and so lengths, change by themselves
            url = path.format_map(PLACES)
            shown, asked = await admin.get(url), await admin.head(url)
            assert (asked.status_code, _stable(asked)) == (shown.status_code, _stable(shown)), path


def _stable(answer: httpx.Response) -> dict[str, str]:
    """Without what differs from one answer to the next: a number, a moment."""
    return {name: value for name, value in answer.headers.items() if name not in ("x-request-id", "x-export-cursor")}


INVALID: list[tuple[Any, str]] = [
    ({}, "body.source_id"),
    ({"source_id": 1}, "body.url"),
    ({"source_id": "x", "url": "https://a.example"}, "body.source_id"),
    ({"source_id": 2**63, "url": "https://a.example"}, "body.source_id"),
    ({"source_id": 1, "url": 5}, "body.url"),
    ({"source_id": 1, "url": "https://a.example.com", "priority": 1.5}, "body.priority"),
    ({"source_id": 1, "url": "https://a.example.com", "prioriti": 1}, "body.prioriti"),
    ({"source_id": 1, "url": "https://a.example.com", "notes": "a\x00b"}, "body.notes"),
    ({"source_id": 1, "url": "https://a.example.com", "first_at": "2024-01-01T00:00:00"}, "body.first_at"),
    ([], "body"),
    ("text", "body"),
]
NO_JSON = [b"", b"{", b"\xff\xfe", b"nul", b"[" * 100_000, b'{"url": "\\ud800"}', b'{"source_id": NaN}']


async def test_s077_s097_an_invalid_payload_is_422_with_the_field(admin: httpx.AsyncClient) -> None:
    for body, field in INVALID:
        answer = await admin.post("/api/v1/targets", json=body)
        assert answer.status_code == 422, body
        details = answer.json()["meta"]["details"]
        assert field in {d["field"] for d in details}, body
        assert all(d["message"] and d["type"] for d in details)


async def test_a_body_that_is_no_json_is_422(admin: httpx.AsyncClient) -> None:
    for content in NO_JSON:
        answer = await admin.post("/api/v1/targets", content=content, headers={"content-type": "application/json"})
        assert answer.status_code == 422, content[:20]


async def test_r26_what_was_sent_is_never_repeated(admin: httpx.AsyncClient) -> None:
    await watch(admin, "https://a.example.com/1")
    bodies: list[Any] = [
        {"source_id": CANARY, "url": "https://a.example.com"},
        {"source_id": 1, "url": f"https://user:{CANARY}@a.example.com/"},
        {"source_id": 1, "url": "https://a.example.com", "every_seconds": CANARY},
    ]
    for body in bodies:
        answer = await admin.post("/api/v1/targets", json=body)
        assert answer.status_code == 422
        assert CANARY not in answer.text


async def test_a_megabyte_fits_and_a_byte_more_does_not(admin: httpx.AsyncClient) -> None:
    head = b"url\n"
    fits = head + b"x" * (MAX_BODY - len(head))
    assert (await admin.post("/api/v1/targets/import", content=fits)).status_code == 200
    too_much = await admin.post("/api/v1/targets/import", content=fits + b"x")
    assert too_much.status_code == 413
    assert too_much.json()["meta"]["code"] == "body_too_large"


async def test_a_body_without_a_length_is_counted_while_it_is_read(admin: httpx.AsyncClient) -> None:
    async def endless() -> Any:
        for _ in range(20):
            yield b"x" * 100_000

    for path in ("/api/v1/targets/import", "/api/v1/targets"):
        answer = await admin.post(path, content=endless(), headers={"content-type": "application/json"})
        assert answer.status_code == 413


async def test_s076_s084_an_error_of_ours_is_500_without_a_word_about_it(api: FastAPI, make_key: MakeKey) -> None:
    async def crash() -> None:
        raise RuntimeError(CANARY)

    api.add_api_route("/api/v1/crash", crash)
    headers = {"X-Service-Key": await make_key()}
    async with httpx.AsyncClient(transport=httpx.ASGITransport(api), base_url="http://x", headers=headers) as client:
        answer = await client.get("/api/v1/crash")
    assert answer.status_code == 500
    check_answer(answer, "/api/v1/crash")
    assert CANARY not in answer.text


async def test_a_database_that_is_away_is_503_with_a_time_to_come_back(api: FastAPI, make_key: MakeKey) -> None:
    async def away() -> None:
        raise DatabaseUnavailable(f"password={CANARY}")

    api.add_api_route("/api/v1/away", away)
    headers = {"X-Service-Key": await make_key()}
    async with httpx.AsyncClient(transport=httpx.ASGITransport(api), base_url="http://x", headers=headers) as client:
        answer = await client.get("/api/v1/away")
    assert answer.status_code == 503
    assert answer.headers["retry-after"]
    assert CANARY not in answer.text


NASTY = ["0", "-1", "9" * 25, "%00", "%ff", "..", "a b", "'; DROP TABLE tasks; --", "𝟙", "%F0%9F%92%A9", "x" * 9_000]


async def test_no_value_anywhere_makes_a_500(api: FastAPI, admin: httpx.AsyncClient) -> None:
    for method, path in all_routes(api):
        for nasty in NASTY:
            url = re.sub(r"{\w+}", nasty, path)
            answer = await admin.request(
                method, url, content=b'{"ids": [1]}', headers={"content-type": "application/json"}
            )
            assert answer.status_code < 500, (method, url, answer.text)


async def test_no_query_value_makes_a_500(api: FastAPI, admin: httpx.AsyncClient) -> None:
    for path, operations in api.openapi()["paths"].items():
        for parameter in operations.get("get", {}).get("parameters", []):
            if parameter["in"] != "query":
                continue
            for nasty in NASTY:
                answer = await admin.get(f"{path.format_map(PLACES)}?{parameter['name']}={nasty}")
                assert answer.status_code < 500, (path, parameter["name"], nasty, answer.text)


async def test_openapi_documents_keys_and_failures(api: FastAPI, admin: httpx.AsyncClient) -> None:
    shown = (await admin.get("/openapi.json")).json()
    assert shown == api.openapi()
    for path, operations in shown["paths"].items():
        for method, operation in operations.items():
            if path.startswith("/api/v1"):
                assert {"401", "403", "422", "503"} <= set(operation["responses"]), path
                assert operation["security"]
                if method != "get" and "requestBody" in operation:
                    assert "413" in operation["responses"], path
                if "{" in path and "/domains/" not in path:
                    assert "404" in operation["responses"], path


async def test_s018_s019_health_readiness_and_metrics_need_no_key(anyone: httpx.AsyncClient) -> None:
    health = (await anyone.get("/health")).json()["data"]
    assert (health["status"], health["checks"]["database"]) == ("ok", "ok")
    assert (await anyone.get("/readiness")).json()["data"]["ready"] is True
    shown = await anyone.get("/metrics")
    assert "scrape_urls_attempted_total" in shown.json()["data"]
    text = await anyone.get("/metrics", headers={"Accept": "text/plain;version=0.0.4;q=0.5,*/*;q=0.1"})
    assert text.text.startswith("# HELP scrape_")


async def test_null_in_any_field_is_taken_or_told_and_never_a_500(api: FastAPI, admin: httpx.AsyncClient) -> None:
    await watch(admin, "https://shop.example.com/1")
    schemas = api.openapi()["components"]["schemas"]
    for path, operations in api.openapi()["paths"].items():
        for method, operation in operations.items():
            reference = (
                operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
            )
            for field in schemas.get(reference.get("$ref", "/").rsplit("/", 1)[1], {}).get("properties", {}):
                answer = await admin.request(method.upper(), path.format_map(PLACES), json={field: None})
                assert answer.status_code < 500, (method, path, field, answer.text)


async def test_a_database_that_refuses_everybody_makes_health_degraded_and_readiness_503(
    api: FastAPI, anyone: httpx.AsyncClient, server_url: str, database_url: str
) -> None:
    name = psycopg.conninfo.conninfo_to_dict(database_url)["dbname"]
    with psycopg.connect(server_url, autocommit=True) as superuser:
        superuser.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false')
        superuser.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name,))
        health = (await anyone.get("/health")).json()["data"]
        readiness = await anyone.get("/readiness")
        superuser.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS true')
    assert (health["status"], health["checks"]) == ("degraded", {"database": "away"})
    assert (readiness.status_code, readiness.json()["meta"]["code"]) == (503, "not_ready")
