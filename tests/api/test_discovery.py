"""Discovery over the API: seeds in, candidates out, decisions."""

from __future__ import annotations

from typing import Any

import httpx
import psycopg

PATH = "/api/v1/discovery"


async def test_e018_candidates_are_listed_accepted_and_rejected(admin: httpx.AsyncClient, database_url: str) -> None:
    started = await admin.post(f"{PATH}/jobs", json={"seed_urls": ["https://delft.example.com/"], "known": True})
    assert started.status_code == 202, started.text
    [job] = started.json()["data"]["jobs"]
    again = await admin.post(f"{PATH}/jobs", json={"seed_urls": ["https://delft.example.com/"]})
    assert again.json()["data"]["jobs"] == []
    [listed] = (await admin.get(f"{PATH}/jobs")).json()["data"]
    assert (listed["id"], listed["status"], listed["seed_url"]) == (job, "pending", "https://delft.example.com/")
    refused = await admin.post(f"{PATH}/jobs", json={"seed_urls": ["ftp://delft.example.com/"]})
    assert refused.status_code == 422
    kade, plein = _candidates(database_url)
    found = (await admin.get(f"{PATH}/candidates?status=pending")).json()["data"]
    assert {one["id"] for one in found} == {kade, plein}
    place = {"timezone": "Europe/Amsterdam", "default_latitude": 52.01, "default_longitude": 4.36}
    wrong = await admin.post(f"{PATH}/candidates/{kade}/accept", json={"timezone": "Mars/Olympus"})
    assert wrong.status_code == 422
    assert (await admin.post(f"{PATH}/candidates/{kade}/accept", json={"at_municipality": True})).status_code == 422
    accepted = await admin.post(f"{PATH}/candidates/{kade}/accept", json=place)
    assert accepted.status_code == 200, accepted.text
    source = accepted.json()["data"]["source_id"]
    shown = (await admin.get(f"/api/v1/sources/{source}")).json()["data"]
    assert shown["enabled"] is True
    assert {name: shown[name] for name in place} == place
    assert (await admin.post(f"{PATH}/candidates/{kade}/accept")).status_code == 409
    assert (await admin.post(f"{PATH}/candidates/{plein}/reject", json={"reason": "a fair"})).status_code == 200
    assert (await admin.post(f"{PATH}/candidates/{plein}/accept")).status_code == 409
    assert (await admin.post(f"{PATH}/candidates/99/accept")).status_code == 404
    [gone] = (await admin.get(f"{PATH}/candidates?status=rejected")).json()["data"]
    assert (gone["reason"], gone["source_id"]) == ("a fair", None)


def _candidates(url: str) -> list[int]:
    made = []
    with psycopg.connect(url, autocommit=True) as conn:
        for n, name in enumerate(("kade", "plein")):
            row: Any = conn.execute(
                "INSERT INTO sources (name, url, domain, kind, enabled) "
                "VALUES (%s, %s, %s, 'event', false) RETURNING id",
                (name, f"https://{name}.example.org/agenda", f"{name}.example.org"),
            ).fetchone()
            row = conn.execute(
                "INSERT INTO discovery_candidates (url, url_hash, domain, found_by, found_at, status, source_id) "
                "VALUES (%s, repeat(%s, 64), %s, 'seed', 'x', 'pending', %s) RETURNING id",
                (f"https://{name}.example.org/agenda", str(n), f"{name}.example.org", row[0]),
            ).fetchone()
            made.append(row[0])
    return made
