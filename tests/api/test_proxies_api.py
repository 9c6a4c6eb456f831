"""Proxies over the API (C-037, C-038): a password goes in and never comes out."""

from __future__ import annotations

import httpx

from winnow.db.engine import Database

GIVEN = {"protocol": "socks5", "host": "Proxy.Example.com", "port": 1080, "username": "u", "password": "hunter2"}


async def test_a_proxy_is_added_listed_switched_and_removed(admin: httpx.AsyncClient, database: Database) -> None:
    made = await admin.post("/api/v1/proxies", json={**GIVEN, "region": "US"})
    assert made.status_code == 201
    proxy = made.json()["data"]
    assert (proxy["host"], proxy["region"], proxy["has_password"], proxy["is_active"]) == (
        "proxy.example.com", "us", True, True,
    )  # fmt: skip
    off = await admin.post(f"/api/v1/proxies/{proxy['id']}/disable")
    assert off.json()["data"]["is_active"] is False
    on = await admin.post(f"/api/v1/proxies/{proxy['id']}/enable")
    assert on.json()["data"]["is_active"] is True
    listed = await admin.get("/api/v1/proxies")
    assert [p["id"] for p in listed.json()["data"]] == [proxy["id"]]
    assert "hunter2" not in made.text + off.text + listed.text
    async with database.connection() as conn:
        actions = await (await conn.execute("SELECT action FROM audit_log ORDER BY id")).fetchall()
    assert [a[0] for a in actions][-3:] == ["proxy.created", "proxy.disabled", "proxy.enabled"]
    assert (await admin.delete(f"/api/v1/proxies/{proxy['id']}")).status_code == 200
    assert (await admin.get(f"/api/v1/proxies/{proxy['id']}")).status_code == 404


async def test_what_cannot_be_a_proxy_is_refused(admin: httpx.AsyncClient) -> None:
    cases = [
        {**GIVEN, "host": "127.0.0.1"},
        {**GIVEN, "host": "localhost"},
        {**GIVEN, "host": "169.254.169.254"},
        {**GIVEN, "host": "a b"},
        {**GIVEN, "port": 0},
        {**GIVEN, "protocol": "gopher"},
        {**GIVEN, "username": None},
        {**GIVEN, "password": "x" * 300},
        {**GIVEN, "region": "u s"},
        {**GIVEN, "extra": 1},
    ]
    for body in cases:
        answer = await admin.post("/api/v1/proxies", json=body)
        assert answer.status_code == 422, body
        assert "hunter2" not in answer.text
    await admin.post("/api/v1/proxies", json=GIVEN)
    assert (await admin.post("/api/v1/proxies", json=GIVEN)).status_code == 409


async def test_a_proxy_that_cannot_be_used_is_told(admin: httpx.AsyncClient) -> None:
    made = await admin.post("/api/v1/proxies", json={**GIVEN, "host": "no-such-host.example.com"})
    answer = await admin.post(f"/api/v1/proxies/{made.json()['data']['id']}/test")
    assert answer.status_code == 200
    assert answer.json()["data"]["trouble"]
    assert (await admin.get("/api/v1/proxies")).json()["data"][0]["is_healthy"] is False


async def test_s018_s094_health_tells_counts_and_readiness_needs_a_way_out(
    admin: httpx.AsyncClient, database: Database
) -> None:
    assert (await admin.get("/readiness")).json()["data"]["checks"]["proxies"] == "ok", "direct counts"
    await admin.post("/api/v1/proxies", json=GIVEN)
    assert (await admin.get("/readiness")).status_code == 200
    async with database.connection() as conn:
        await conn.execute("UPDATE proxies SET is_healthy = false, success_count = 7, total_failure_count = 3")
    assert (await admin.get("/readiness")).status_code == 503
    health = await admin.get("/health")
    assert health.json()["data"]["proxies"] == [{"id": 1, "is_healthy": False, "success_count": 7, "failure_count": 3}]
    assert "proxy.example.com" not in health.text
    metrics = (await admin.get("/metrics")).json()["data"]
    assert {"labels": {"state": "unhealthy"}, "value": 1.0} in metrics["winnow_proxies"]
    assert len(metrics["winnow_proxy_requests"]) == 2
