"""Feeds over the API."""

from __future__ import annotations

from typing import Any

import pytest

from winnow.db.engine import Database

FEED = {"name": "shop", "url": "https://shop.example.com", "retailer": "Shop", "host": "sftp.example.com",
        "path": "/feeds/catalogue.csv.gz", "username": "ada", "password": "a secret", "expiry_hours": 24,
        "schedule_frequency_hours": 24}  # fmt: skip


async def test_f100_f127_a_feed_is_added_changed_and_never_shows_its_password(admin: Any, database: Database) -> None:
    made = await admin.post("/api/v1/feeds", json=FEED)
    assert made.status_code == 201, made.text
    feed = made.json()["data"]
    assert (feed["status"], feed["has_password"]) == ("DRAFT", True)
    assert feed["warning"]  # FN-07: it runs no oftener than its offers expire
    assert "secret" not in made.text
    url = f"/api/v1/feeds/{feed['id']}"
    changed = await admin.patch(url, json={"expiry_hours": 48, "password": ""})
    assert changed.json()["data"]["expiry_hours"] == 48
    enabled = await admin.post(f"{url}/enable", json={})
    assert enabled.json()["data"]["status"] == "ENABLED"
    assert (await admin.post(f"{url}/run")).json()["data"]["message"] == "Run queued"
    assert (await admin.post(f"{url}/pause")).json()["data"]["status_text"] == "Paused by admin"
    assert (await admin.post(f"{url}/run")).status_code == 409
    async with database.connection() as conn:
        version = await (await conn.execute("SELECT secret_version FROM affiliate_feeds")).fetchone()
        told = await (await conn.execute("SELECT string_agg(audit_log::text, ' ') FROM audit_log")).fetchone()
    assert version == (2,)  # F-102: the empty one changed nothing
    assert told is not None
    assert "a secret" not in told[0]


@pytest.mark.parametrize(
    "wrong", [{"expiry_hours": 169}, {"schedule_frequency_hours": 3}, {"transport": "FTP"}, {"path": ""}, {"port": 0}]
)
async def test_f035_f037_f093_wrong_feeds_are_refused(admin: Any, wrong: dict[str, Any]) -> None:
    assert (await admin.post("/api/v1/feeds", json=FEED | wrong)).status_code == 422


async def test_f090_approving_what_is_not_there_is_told(admin: Any) -> None:
    answer = await admin.post("/api/v1/feed-runs/77/approve")
    assert answer.status_code in (404, 409)
    assert answer.json()["meta"]["code"]
