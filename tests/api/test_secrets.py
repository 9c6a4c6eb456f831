"""R-26: canaries in every input of the API, none in its logs or answers."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator

import httpx
import pytest
import structlog

from tests.api.conftest import watch
from winnow.db.engine import Database
from winnow.observe import logs
from winnow.observe.settings import ObserveSettings

CANARY = "c4n4ry5ecret"


@pytest.fixture
def written() -> Iterator[io.StringIO]:
    out = io.StringIO()
    configured, root = structlog.get_config(), logging.getLogger()
    handlers, level = root.handlers, root.level
    logs.configure(ObserveSettings(log_level="DEBUG"), out)
    yield out
    structlog.configure(**configured)
    root.handlers, root.level = handlers, level


async def test_no_canary_reaches_the_logs(
    admin: httpx.AsyncClient, anyone: httpx.AsyncClient, written: io.StringIO
) -> None:
    answers = [
        await anyone.get("/api/v1/sources", headers={"X-Service-Key": CANARY}),
        await anyone.get("/api/v1/sources", headers={"Authorization": f"Bearer {CANARY}", "Cookie": f"s={CANARY}"}),
        await admin.get("/api/v1/targets", params={"q": CANARY}),
        await admin.post("/api/v1/targets/watch", json={"url": f"https://u:{CANARY}@shop.example.com/"}),
        await admin.post("/api/v1/targets/watch", json={"url": f"https://shop.example.com/?k={CANARY}"}),
        await admin.post("/api/v1/targets/watch", content=f'{{"{CANARY}'.encode()),
        await admin.post("/api/v1/targets/import", content=f"url\nhttps://{CANARY}\n".encode()),
    ]
    assert {a.status_code for a in answers} >= {200, 201, 401, 422}
    assert '"event":"request"' in written.getvalue()
    assert CANARY not in written.getvalue()


async def test_headers_of_a_source_are_named_and_never_shown(admin: httpx.AsyncClient, database: Database) -> None:
    source_id = (await watch(admin, "https://shop.example.com/1"))["source_id"]
    config = {"customHeaders": {"X-Partner": CANARY}}
    await admin.patch(f"/api/v1/sources/{source_id}", json={"scrape_config": config})
    for path in ("/api/v1/sources", f"/api/v1/sources/{source_id}", "/metrics"):
        assert CANARY not in (await admin.get(path)).text
    async with database.connection() as conn:
        entries = await (await conn.execute("SELECT before, after FROM audit_log")).fetchall()
    assert CANARY not in repr(entries)
    assert "***" in repr(entries)
