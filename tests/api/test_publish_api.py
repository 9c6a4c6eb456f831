"""Webhook subscriptions and deliveries over the API."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from winnow.db.engine import Database
from winnow.publish import deliveries

HOOK = {"name": "backend", "url": "https://backend.example.com/hook", "topics": ["price.*"]}


async def test_a_webhook_is_added_shown_changed_and_removed(admin: httpx.AsyncClient) -> None:
    made = await admin.post("/api/v1/webhooks", json=HOOK)
    assert made.status_code == 201
    data = made.json()["data"]
    assert data["secret"].startswith("whsec_")
    path = f"/api/v1/webhooks/{data['id']}"
    assert "secret" not in (await admin.get(path)).json()["data"]
    changed = await admin.patch(path, json={"enabled": False, "topics": ["run.completed"]})
    assert (changed.json()["data"]["enabled"], changed.json()["data"]["disabled_reason"]) == (False, "by hand")
    assert (await admin.patch(path, json={"enabled": True})).json()["data"]["disabled_reason"] is None
    assert (await admin.delete(path)).status_code == 200
    assert (await admin.get(path)).status_code == 404


async def test_a_name_is_taken_once(admin: httpx.AsyncClient) -> None:
    first = await admin.post("/api/v1/webhooks", json=HOOK)
    again = await admin.post("/api/v1/webhooks", json=HOOK)
    assert again.status_code == 409
    assert again.json()["meta"]["existing"] == str(first.json()["data"]["id"])


@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1/x", "http://10.1.2.3/", "http://[::1]/", "http://169.254.169.254/", "ftp://a.example/x",
     "http://localhost/", "http://user:pw@a.example/", "http://a.example:22/", "http://2130706433/", "nonsense"],
)  # fmt: skip
async def test_r12_an_address_inside_is_refused_at_the_door(
    admin: httpx.AsyncClient, database: Database, url: str
) -> None:
    assert (await admin.post("/api/v1/webhooks", json={**HOOK, "url": url})).status_code == 422
    async with database.connection() as conn:
        assert await (await conn.execute("SELECT count(*) FROM webhook_endpoints")).fetchone() == (0,)


@pytest.mark.parametrize(
    "wrong", [{"topics": ["Price Changed"]}, {"topics": ["**"]}, {"secret": "short"}, {"name": ""}, {"channel": "mail"}]
)
async def test_wrong_values_are_422(admin: httpx.AsyncClient, wrong: dict[str, Any]) -> None:
    assert (await admin.post("/api/v1/webhooks", json={**HOOK, **wrong})).status_code == 422


async def test_r26_the_address_of_a_slack_channel_is_not_shown(admin: httpx.AsyncClient, database: Database) -> None:
    secret = "T0SECRET/B0SECRET/XXSECRETXX"
    given = {"name": "ops", "channel": "slack", "url": f"https://hooks.slack.com/services/{secret}", "topics": ["*"]}
    made = await admin.post("/api/v1/webhooks", json=given)
    shown = made.text + (await admin.get("/api/v1/webhooks")).text
    assert "SECRET" not in shown
    assert "https://hooks.slack.com/" in shown
    async with database.connection() as conn:
        row = await (await conn.execute("SELECT w::text FROM webhook_endpoints AS w")).fetchone()
        log = await (await conn.execute("SELECT string_agg(a::text, '') FROM audit_log AS a")).fetchone()
    assert "SECRET" not in row[0] + log[0]


async def test_deliveries_are_listed_shown_and_redelivered(admin: httpx.AsyncClient, database: Database) -> None:
    async with database.transaction() as conn:
        for n in range(3):
            await deliveries.create_direct(conn, url="https://a.example/x", topic="job.completed", payload={"n": n})
        await conn.execute("UPDATE deliveries SET status = 'dead', attempts = 4 WHERE payload ->> 'n' = '1'")
    listed = (await admin.get("/api/v1/deliveries", params={"limit": 2})).json()
    assert len(listed["data"]) == 2
    assert listed["meta"]["next"]
    (dead,) = (await admin.get("/api/v1/deliveries", params={"status": "dead"})).json()["data"]
    assert (await admin.get(f"/api/v1/deliveries/{dead['id']}")).json()["data"]["payload"] == {"n": 1}
    again = await admin.post(
        "/api/v1/deliveries/redeliver", json={"ids": [d["id"] for d in listed["data"]] + [dead["id"]]}
    )
    assert again.json()["data"]["ids"] == [dead["id"]]
    shown = (await admin.get(f"/api/v1/deliveries/{dead['id']}")).json()["data"]
    assert (shown["status"], shown["attempts"]) == ("pending", 0)
    assert (await admin.get("/api/v1/deliveries/999")).status_code == 404


async def test_alerts_are_listed_acknowledged_and_resolved(admin: httpx.AsyncClient, database: Database) -> None:
    async with database.transaction() as conn:
        for severity in ("P1", "P3"):
            await conn.execute(
                "INSERT INTO alerts (severity, code, dedupe_key, title) VALUES (%s, 'x', %s, 'look')",
                (severity, severity),
            )
    (first,) = (await admin.get("/api/v1/alerts", params={"severity": "P1"})).json()["data"]
    done = await admin.post("/api/v1/alerts/acknowledge", json={"ids": [first["id"]]})
    assert done.json()["data"]["ids"] == [first["id"]]
    assert (await admin.post("/api/v1/alerts/resolve", json={"ids": [first["id"]]})).status_code == 200
    assert len((await admin.get("/api/v1/alerts")).json()["data"]) == 1
    assert len((await admin.get("/api/v1/alerts", params={"status": "all"})).json()["data"]) == 2
    assert (await admin.post("/api/v1/alerts/acknowledge", json={"ids": [first["id"]]})).status_code == 404


async def test_a_watch_is_added_listed_and_removed(admin: httpx.AsyncClient) -> None:
    given = {"url": "https://shop.example.com/p/1", "below": "19.99", "currency": "EUR", "webhook_url": HOOK["url"]}
    made = await admin.post("/api/v1/watches", json=given)
    assert made.status_code == 201, made.text
    assert made.json()["data"]["fired"] == 0
    assert (await admin.post("/api/v1/watches", json=given)).status_code == 409
    (shown,) = (await admin.get("/api/v1/watches")).json()["data"]
    assert (shown["threshold"], shown["currency"], shown["url"]) == ("19.99", "EUR", given["url"])
    path = f"/api/v1/watches/{shown['id']}"
    assert (await admin.delete(path)).status_code == 200
    assert (await admin.delete(path)).status_code == 404


@pytest.mark.parametrize(
    ("wrong", "status"),
    [({}, 422), ({"below": "cheap"}, 422), ({"below": "5", "currency": "XXX"}, 422), ({"drop": "100%"}, 422),
     ({"below": "5", "webhook_url": "http://10.0.0.1/"}, 422), ({"below": "5", "webhook_id": 999}, 404),
     ({"below": "5", "webhook_id": 1, "webhook_url": "https://a.example/"}, 422),
     ({"below": "5", "url": "https://shop.example.com/p/1", "target_id": 1}, 422),
     ({"below": "5", "target_id": 999}, 404)],
)  # fmt: skip
async def test_a_watch_that_cannot_be_leaves_nothing(
    admin: httpx.AsyncClient, database: Database, wrong: dict[str, Any], status: int
) -> None:
    given = {**({} if "target_id" in wrong else {"url": "https://shop.example.com/p/1"}), **wrong}
    assert (await admin.post("/api/v1/watches", json=given)).status_code == status
    async with database.connection() as conn:
        assert await (await conn.execute("SELECT count(*) FROM scrape_targets")).fetchone() == (0,)
