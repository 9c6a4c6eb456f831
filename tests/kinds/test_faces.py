"""A kind of a plugin passes through commands, API, quarantine, replay and counters with no change in Winnow."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.cli.conftest import Result, run_apart
from tests.kinds.test_one_path import board
from tests.run.conftest import *  # noqa: F403 - a worker, a site and a database to run against
from tests.run.scripted_site import Site
from winnow import settings as all_settings
from winnow.api.app import create_app
from winnow.db.engine import Database
from winnow.observe import keys
from winnow.observe.keys import Scope

pytestmark = pytest.mark.usefixtures("notice_kind", "notices_table")


@pytest.fixture
def environment(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What commands and workers in processes of their own need to know."""
    monkeypatch.setenv("WINNOW_DATABASE_URL", database_url)
    monkeypatch.setenv("WINNOW_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("WINNOW_EGRESS_ALLOW", "127.0.0.0/8")


async def winnow(*arguments: str) -> Result:
    done: Result = await asyncio.to_thread(partial(run_apart, *arguments))
    assert done.code == 0, done.err
    return done


@pytest.mark.usefixtures("environment")
async def test_a_toy_kind_through_commands_and_api(site: Site, rows: Any, database: Database):
    url = site.says("/board", board(["one", "two?", ""]))
    await winnow("sources", "add", "Board", url, "--kind", "notice", "--json")
    assert await rows("SELECT kind FROM sources") == ["notice"]
    await winnow("targets", "add", url, "--source", "Board", "--by-hand", "--json")
    assert await rows("SELECT kind, adapter_id FROM scrape_targets") == [("notice", "notice")]
    await winnow("runs", "start", "Board", "--json")
    await winnow("worker", "--until-empty")
    shown = (await winnow("runs", "list", "--json")).data
    run = shown[0] if isinstance(shown, list) else shown["items"][0]
    assert (run["offers_valid"], run["offers_quarantined"], run["offers_dropped"]) == (1, 1, 1)
    scraped = (await winnow("scrape", url, "--type", "notice", "--json")).data
    assert [result["verdict"] for result in scraped["results"]] == ["accept", "hold", "reject"]
    replayed = (await winnow("replay", "--adapter", "notice", "--json")).data
    assert (replayed["pages"], replayed["same"], replayed["changed"]) == (1, 3, 0)
    held = await _quarantine(database)
    assert [(entry["kind"], entry["record_key"]) for entry in held] == [("notice", "n1")]
    await winnow("quarantine", "accept", str(held[0]["id"]), "--json")
    assert await rows("SELECT key, text FROM notices ORDER BY key") == [("n0", "one"), ("n1", "two?")]


async def _quarantine(database: Database) -> list[dict[str, Any]]:
    """The open entries, as the API lists them."""
    async with database.transaction() as conn:
        _, secret = await keys.create(conn, "faces", [Scope.ADMIN], "tester")
    transport = httpx.ASGITransport(app=create_app(database, all_settings.load()))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        answer = await client.get("/api/v1/quarantine", headers={"X-Service-Key": secret})
    found: list[dict[str, Any]] = answer.json()["data"]
    return found
