"""The daily run of event sources over the API."""

from __future__ import annotations

import httpx


async def test_e024_e081_a_daily_run_is_begun_and_read_over_the_api(admin: httpx.AsyncClient) -> None:
    assert (await admin.get("/api/v1/daily-runs")).json()["data"] == []
    made = await admin.post("/api/v1/daily-runs")
    assert made.status_code == 202, made.text
    begun = made.json()["data"]["id"]
    again = await admin.post("/api/v1/daily-runs")
    assert again.status_code == 409
    assert str(begun) in again.text
    [listed] = (await admin.get("/api/v1/daily-runs")).json()["data"]
    one = await admin.get(f"/api/v1/daily-runs/{begun}")
    assert one.json()["data"] == listed
    assert (listed["status"], listed["trigger"], listed["summary"]) == ("RUNNING", "MANUAL", None)
    assert (await admin.get(f"/api/v1/daily-runs/{begun}/sources")).json()["data"] == []
    for path in ("99", "99/sources"):
        assert (await admin.get(f"/api/v1/daily-runs/{path}")).status_code == 404
