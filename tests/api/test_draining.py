"""SIGTERM, to a real process: new work is refused with 503 while somebody still waits, then it ends (S-085)."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx

from tests.ports import free_port
from tests.waiting import LIMIT, until
from winnow.actions import runs as run_actions
from winnow.db.engine import Database

KEY = "a-service-key"
SCRAPE = "/api/v1/scrape"
ONE: dict[str, Any] = {"target_type": "company_website", "target_url": "https://example.com/", "workspace_id": "w"}


@asynccontextmanager
async def served(
    url: str, folder: Path, **more: str
) -> AsyncIterator[tuple[asyncio.subprocess.Process, httpx.AsyncClient]]:
    port = free_port()
    environment = {
        **os.environ,
        "WINNOW_DATABASE_URL": url,
        "WINNOW_DATA_DIR": str(folder),
        "WINNOW_API_PORT": str(port),
        "SCRAPER_SERVICE_KEY": KEY,
        "SCRAPER_BROWSER_FALLBACK": "false",
        **more,
    }
    process = await asyncio.create_subprocess_exec(sys.executable, "-m", "winnow", "api", env=environment)
    try:
        async with httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{port}", headers={"X-Service-Key": KEY}, timeout=LIMIT
        ) as client:
            await until(lambda: _answers(client))
            yield process, client
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def _answers(client: httpx.AsyncClient) -> bool:
    try:
        return (await client.get("/readiness")).status_code == 200
    except httpx.TransportError:
        return False


async def test_s085_while_somebody_waits_new_work_is_refused_and_tasks_can_be_asked_for(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    async def queued() -> list[Any]:
        async with database.connection() as conn:
            return [row[0] for row in await (await conn.execute("SELECT id FROM tasks")).fetchall()]

    async with served(database_url, tmp_path) as (process, client):
        waiting = asyncio.create_task(client.post(f"{SCRAPE}/sync", json=ONE | {"timeout_seconds": 120}))
        await until(queued)
        (task_id,) = await queued()
        process.send_signal(signal.SIGTERM)
        await until(lambda: _stopping(client))
        for place, body in (("", ONE), ("/sync", ONE), ("/batch", {"targets": [ONE]})):
            refused = await client.post(SCRAPE + place, json=body)
            assert (refused.status_code, refused.json()["meta"]["code"]) == (503, "stopping")
            assert int(refused.headers["retry-after"]) > 0
        assert (await client.get(f"{SCRAPE}/{task_id}")).json()["data"]["status"] == "queued"
        async with database.transaction() as conn:
            await run_actions.cancel_task(conn, "tester", task_id)
        answered = await waiting
        assert (answered.status_code, "cancelled" in answered.json()["error"]) == (502, True)
        assert await asyncio.wait_for(process.wait(), LIMIT) == 0
    assert await queued() == [task_id], "nothing was added"


async def _stopping(client: httpx.AsyncClient) -> bool:
    return (await client.get("/readiness")).status_code == 503


async def test_s085_a_second_signal_does_not_wait(database: Database, database_url: str, tmp_path: Path) -> None:
    async with served(database_url, tmp_path, SCRAPER_GRACEFUL_SHUTDOWN_SECONDS="3600") as (process, client):
        async with database.connection() as conn:
            await conn.execute(
                "INSERT INTO tasks (id, producer, kind, lane, origin, url, status, fence, lease_until) "
                "SELECT gen_random_uuid(), 'enrichment', 'company', 'example.com', 'https://example.com', "
                "'https://example.com/', 'running', 1, now() + interval '1 hour'"
            )
        process.send_signal(signal.SIGTERM)
        await until(lambda: _stopping(client))
        process.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(process.wait(), LIMIT) == 0
