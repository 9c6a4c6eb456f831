"""What a backend may send by mistake, or somebody else on purpose: the right code, an envelope, and nothing stored."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from tests.api.conftest import Checked
from winnow.db.engine import Database

KEY = {"X-Service-Key": "a-service-key"}
ONE: dict[str, Any] = {"target_type": "company_website", "target_url": "https://example.com/", "workspace_id": "w"}
LARGE = {**ONE, "workspace_id": "w" * (1024 * 1024)}

# name -> (method, place, headers, body, status)
TABLE: dict[str, tuple[str, str, dict[str, Any], Any, int]] = {
    "wrong key": ("POST", "", {"X-Service-Key": "another"}, ONE, 401),
    "no key": ("POST", "", {}, ONE, 401),
    "empty key": ("POST", "", {"X-Service-Key": ""}, ONE, 401),
    "non-ASCII key": ("POST", "", {"X-Service-Key": "ключ-сервиса".encode()}, ONE, 401),
    "key of bytes": ("POST", "/batch", {"X-Service-Key": b"\xff\xfe"}, {"targets": [ONE]}, 401),
    "no key, sync": ("POST", "/sync", {}, ONE, 401),
    "101 targets": ("POST", "/batch", KEY, {"targets": [ONE] * 101}, 422),
    "no targets": ("POST", "/batch", KEY, {"targets": []}, 422),
    "unknown type": ("POST", "", KEY, ONE | {"target_type": "nonsense"}, 422),
    "unknown type in a batch": ("POST", "/batch", KEY, {"targets": [ONE, ONE | {"target_type": "x"}]}, 422),
    "private address": ("POST", "", KEY, ONE | {"target_url": "http://192.168.1.1/"}, 422),
    "private address, IPv6": ("POST", "/sync", KEY, ONE | {"target_url": "http://[fd00::1]/"}, 422),
    "address as a number": ("POST", "", KEY, ONE | {"target_url": "http://2130706433/"}, 422),
    "metadata service": ("POST", "", KEY, ONE | {"target_url": "http://169.254.169.254/latest/"}, 422),
    "callback to a private address": ("POST", "", KEY, ONE | {"callback_url": "http://10.0.0.8/hook"}, 422),
    "callback of a job to this machine": (
        "POST", "/batch", KEY, {"targets": [ONE], "callback_url": "http://127.0.0.1:9/"}, 422,
    ),
    "more than 1 MB": ("POST", "", KEY, LARGE, 413),
    "more than 1 MB, sync": ("POST", "/sync", KEY, LARGE, 413),
    "more than 1 MB, batch": ("POST", "/batch", KEY, {"targets": [LARGE]}, 413),
    "wrong method": ("PUT", "", KEY, ONE, 405),
    "wrong method, sync": ("GET", "/sync", KEY, None, 405),
    "wrong method, batch": ("GET", "/batch", KEY, None, 405),
    "no such place": ("GET", "/batch/nothing", KEY, None, 404),
    "no id": ("GET", "/nothing", KEY, None, 404),
    "wrong method, cancel": ("GET", "/jobs/00000000-0000-7000-8000-000000000000/cancel", KEY, None, 405),
    "no such job": ("POST", "/jobs/00000000-0000-7000-8000-000000000000/cancel", KEY, None, 404),
    "no JSON": ("POST", "", KEY, b"{broken", 422),
    "a name twice": ("POST", "", KEY, b'{"target_url": "http://10.0.0.1/", ' + json.dumps(ONE).encode()[1:], 422),
    "half a character": ("POST", "", KEY, json.dumps(ONE | {"workspace_id": "\ud800"}).encode(), 422),
    "half a character, sync": ("POST", "/sync", KEY, json.dumps(ONE | {"workspace_id": "a\udfff"}).encode(), 422),
    "half a character, as bytes": ("POST", "", KEY, json.dumps(ONE).encode().replace(b'"w"', b'"\xed\xa0\x80"'), 422),
    "half a character, as bytes, sync": (
        "POST", "/sync", KEY, json.dumps(ONE).encode().replace(b'"w"', b'"\xed\xbf\xbf"'), 422,
    ),
    "half a character in a batch": (
        "POST", "/batch", KEY, json.dumps({"targets": [ONE]}).encode().replace(b'"w"', b'"\xed\xa0\x80"'), 422,
    ),
    "UTF-16": ("POST", "", KEY, json.dumps(ONE).encode("utf-16"), 422),
    "UTF-16, half a character": ("POST", "", KEY, json.dumps(ONE | {"workspace_id": "\ud800"}).encode("utf-16"), 422),
    "no text": ("POST", "", KEY, b'{"target_type": "\xff"}', 422),
    "another type of body": ("POST", "", KEY | {"Content-Type": "text/plain"}, ONE, 415),
    "a form": ("POST", "/sync", KEY | {"Content-Type": "application/x-www-form-urlencoded"}, ONE, 415),
    "a type that is none": ("POST", "/batch", KEY | {"Content-Type": "json"}, {"targets": [ONE]}, 415),
    "a packed body": ("POST", "", KEY | {"Content-Encoding": "gzip"}, ONE, 415),
    "no body": ("POST", "", KEY, None, 422),
    "no number": ("POST", "/sync", KEY, json.dumps(ONE | {"timeout_seconds": float("nan")}).encode(), 422),
    "a number as text": ("POST", "/sync", KEY, ONE | {"timeout_seconds": "10"}, 422),
    "time to wait": ("POST", "/sync", KEY, ONE | {"timeout_seconds": 121}, 422),
}  # fmt: skip


@pytest.mark.parametrize("case", TABLE.values(), ids=TABLE.keys())
async def test_bad_input_is_refused_and_leaves_nothing(
    api: FastAPI, database: Database, case: tuple[str, str, dict[str, Any], Any, int]
) -> None:
    method, place, headers, body, status = case
    if isinstance(body, bytes):
        headers = {**headers, "Content-Type": "application/json"}
    content: dict[str, Any] = (
        {"content": body} if isinstance(body, bytes) else {"json": body} if body is not None else {}
    )
    async with httpx.AsyncClient(transport=Checked(api), base_url="http://w") as client:  # checks the envelope
        answer = await client.request(method, f"/api/v1/scrape{place}", headers=headers, **content)
    assert answer.status_code == status, answer.text
    assert answer.json()["data"] is None
    async with database.connection() as conn:
        kept = await conn.execute(
            "SELECT (SELECT count(*) FROM tasks), (SELECT count(*) FROM jobs), (SELECT count(*) FROM lanes), "
            "(SELECT count(*) FROM submissions), (SELECT count(*) FROM deliveries)"
        )
        assert await kept.fetchone() == (0, 0, 0, 0, 0)


async def test_a_body_sent_in_pieces_is_counted_while_it_is_read(api: FastAPI, database: Database) -> None:
    async def pieces() -> Any:
        yield b'{"target_type": "'
        for _ in range(20):
            yield b"x" * 65_536

    async with httpx.AsyncClient(transport=Checked(api), base_url="http://w", headers=KEY) as client:
        answer = await client.post("/api/v1/scrape", content=pieces(), headers={"content-type": "application/json"})
    assert answer.status_code == 413


@pytest.mark.parametrize(
    "kind", ["application/json", "Application/JSON; charset=utf-8", "application/vnd.backend+json"]
)
async def test_json_by_any_of_its_names_is_taken_and_a_mark_at_its_beginning_ignored(api: FastAPI, kind: str) -> None:
    async with httpx.AsyncClient(transport=Checked(api), base_url="http://w", headers=KEY) as client:
        for body in (json.dumps(ONE).encode(), json.dumps(ONE).encode("utf-8-sig")):
            answer = await client.post("/api/v1/scrape", content=body, headers={"content-type": kind})
            assert answer.status_code == 202, answer.text


@pytest.mark.parametrize("place", ["/nothing", "/jobs/nothing", "/jobs/nothing/cancel", "/batch/nothing"])
async def test_s096_whoever_has_no_key_is_not_told_what_there_is(api: FastAPI, place: str) -> None:
    async with httpx.AsyncClient(transport=Checked(api), base_url="http://winnow.test") as client:
        without = await client.get(f"/api/v1/scrape{place}")
        wrong = await client.get(f"/api/v1/scrape{place}", headers={"X-Service-Key": "another"})
        right = await client.get(f"/api/v1/scrape{place}", headers=KEY)
    assert (without.status_code, wrong.status_code) == (401, 401)
    assert right.status_code in (404, 405)
    assert without.json()["error"].startswith("Invalid or missing service key")  # S-078


async def _refused(api: FastAPI, place: str, body: Any) -> list[str]:
    async with httpx.AsyncClient(transport=Checked(api), base_url="http://winnow.test") as client:
        sent = {"content": body} if isinstance(body, bytes) else {"json": body}
        headers = KEY | {"Content-Type": "application/json"}
        answer = await client.post(f"/api/v1/scrape{place}", headers=headers, **sent)
    assert answer.status_code == 422
    return [detail["field"] for detail in answer.json()["meta"]["details"]]


async def test_s097_everything_that_is_wrong_is_named_at_once(api: FastAPI) -> None:
    one = ONE | {"target_type": "nonsense", "target_url": "http://10.0.0.1/", "callback_url": "nowhere"}
    assert await _refused(api, "", one) == ["body.target_type", "body.target_url", "body.callback_url"]
    several = {"targets": [ONE | {"requested_fields": ["shoe_size"]}, ONE, one], "callback_url": "http://[::1]/"}
    assert await _refused(api, "/batch", several) == [
        "body.targets.0.requested_fields",
        "body.targets.2.target_type",
        "body.targets.2.target_url",
        "body.targets.2.callback_url",
        "body.callback_url",
    ]


@pytest.mark.parametrize("body", [b"\xff", b'{"a": 1, "a": 2}', b'{"a": NaN}', b'"\\ud800"', b"[" * 100_000])
async def test_s097_a_body_that_cannot_be_read_is_the_field(api: FastAPI, body: bytes) -> None:
    assert await _refused(api, "", body) == ["body"]
