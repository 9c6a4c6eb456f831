"""Crawls over the API: start, see, steer; what is refused."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

SHOP = "https://shop.example.com/"


async def post(client: httpx.AsyncClient, **body: Any) -> httpx.Response:
    return await client.post("/api/v1/crawls", json={"url": SHOP, **body})


async def test_c003_a_crawl_is_started_paused_resumed_and_stopped(admin: httpx.AsyncClient):
    made = (await post(admin, budget={"pages": 50})).json()["data"]
    assert made["state"] == "running"
    path = f"/api/v1/crawls/{made['id']}"
    shown = (await admin.get(path)).json()["data"]
    assert (shown["state"], shown["queue"], shown["pages"], shown["budget"]["pages"]) == ("running", 1, 0, 50)
    assert shown["scope"] == {
        "domain": "example.com", "host": "shop.example.com", "path": "", "include": [], "exclude": [],
            "sections": {},
    }  # fmt: skip
    assert (await admin.post(path + "/pause")).json()["data"] == {"tasks": 1}
    assert (await admin.get(path)).json()["data"]["state"] == "paused"
    assert (await admin.post(path + "/pause")).status_code == 409
    assert (await admin.post(path + "/resume")).json()["data"] == {"tasks": 1}
    assert (await admin.post(path + "/stop")).json()["data"] == {"tasks": 1}
    shown = (await admin.get(path)).json()["data"]
    assert (shown["state"], shown["queue"]) == ("stopped", 0)
    assert (await admin.post(path + "/resume")).status_code == 409


async def test_c005_a_second_crawl_of_a_source_waits_and_can_be_stopped(admin: httpx.AsyncClient):
    first = (await post(admin)).json()["data"]
    second = (await post(admin)).json()["data"]
    assert (first["state"], second["state"]) == ("running", "waiting")
    listed = (await admin.get("/api/v1/crawls", params={"state": "waiting"})).json()["data"]
    assert [crawl["id"] for crawl in listed] == [second["id"]]
    stopped = await admin.post(f"/api/v1/crawls/{second['id']}/stop")
    assert stopped.json()["data"] == {"tasks": 0}
    assert (await admin.get(f"/api/v1/crawls/{second['id']}")).json()["data"]["state"] == "stopped"


@pytest.mark.parametrize(
    "body",
    [
        {"url": "ftp://shop.example.com/"},
        {"url": "http://127.0.0.1/"},
        {"scope": {"include": ["products"]}},
        {"scope": {"path": "/en/*"}},
        {"scope": {"path": "/en/"}},
        {"scope": {"exclude": ["/"]}},
        {"scope": {"hosts": []}},
        {"budget": {"pages": 0}},
        {"budget": {"pages": 10_000_000}},
        {"kind": "event"},
    ],
    ids=str,
)
async def test_r12_what_makes_no_sense_is_refused_and_nothing_is_stored(admin: httpx.AsyncClient, body: dict[str, Any]):
    assert (await post(admin, **body)).status_code == 422
    assert (await admin.get("/api/v1/crawls")).json()["data"] == []


async def test_a_crawl_or_a_source_that_is_not_there_is_404(admin: httpx.AsyncClient):
    assert (await admin.get("/api/v1/crawls/77")).status_code == 404
    assert (await admin.post("/api/v1/crawls/77/pause")).status_code == 404
    assert (await post(admin, source_id=77)).status_code == 404
