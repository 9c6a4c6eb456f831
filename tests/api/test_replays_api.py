"""Replay and shadow over the API."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from tests.waiting import LIMIT
from winnow.settings import Settings

FILE = """
id = "shop"
version = "1.0.0"
domain = "shop.example"
[fields]
title = "h1"
price = ".price"
availability = ".stock"
"""


@pytest.fixture
def app_settings(app_settings: Settings, tmp_path: Path) -> Settings:
    folder = tmp_path / "adapters/shop"
    folder.mkdir(parents=True)
    (folder / "live.toml").write_text(FILE)
    (folder / "next.toml").write_text(FILE.replace("1.0.0", "1.1.0"))
    return replace(app_settings, run=app_settings.run.model_copy(update={"adapters_dir": folder.parent}))


async def finished(client: httpx.AsyncClient, replay_id: int) -> dict:
    async with asyncio.timeout(LIMIT):
        while True:
            found = (await client.get(f"/api/v1/replays/{replay_id}")).json()["data"]
            if found["status"] != "running":
                return found
            await asyncio.sleep(0.1)


async def test_c069_a_replay_is_started_and_asked_for(admin: httpx.AsyncClient) -> None:
    answer = await admin.post("/api/v1/replays", json={"adapter_id": "shop", "version": "new"})
    assert answer.status_code == 202, answer.text
    started = answer.json()["data"]
    assert (started["candidate_version"], started["live_version"]) == ("1.1.0", "1.0.0")
    done = await finished(admin, started["id"])
    assert (done["status"], done["pages"], done["fields"], done["examples"]) == ("done", 0, [], [])
    assert [r["id"] for r in (await admin.get("/api/v1/replays?mode=stored")).json()["data"]] == [started["id"]]


async def test_what_is_not_registered_cannot_be_named(admin: httpx.AsyncClient, tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(FILE)
    for name in (str(tmp_path / "x.toml"), "../x.toml", "nobody"):
        assert (await admin.post("/api/v1/replays", json={"adapter_id": name})).status_code == 404
        assert (await admin.post("/api/v1/shadows", json={"adapter_id": name})).status_code == 404
    wrong = await admin.post("/api/v1/replays", json={"adapter_id": "shop", "version": "9.9.9"})
    assert wrong.status_code == 422
    assert (await admin.get("/api/v1/replays/999")).status_code == 404


async def test_c069_a_shadow_is_started_once_and_stopped(admin: httpx.AsyncClient, consumer: httpx.AsyncClient) -> None:
    started = await admin.post("/api/v1/shadows", json={"adapter_id": "shop"})
    assert (started.status_code, started.json()["data"]["mode"]) == (201, "shadow")
    assert (await admin.post("/api/v1/shadows", json={"adapter_id": "shop"})).status_code == 409
    stopped = await admin.post("/api/v1/shadows/stop", json={"adapter_id": "shop"})
    assert stopped.json()["data"]["status"] == "done"
    assert (await admin.post("/api/v1/shadows/stop", json={"adapter_id": "shop"})).status_code == 404
    assert (await consumer.get("/api/v1/replays")).status_code == 403
