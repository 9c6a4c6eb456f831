"""What operators decide about events and venues over the API, and what consumers may not."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.api.event_rows import add_event, source, titles
from winnow.db.engine import Database


async def pair(admin: httpx.AsyncClient, database: Database) -> tuple[int, int]:
    """One event as two sources list it."""
    first = await add_event(database, await source(admin), "Jazz @ Kade")
    return first, await add_event(database, await source(admin, "hall"), "Jazz at Kade")


async def test_e073_a_merge_is_made_and_taken_back(admin: httpx.AsyncClient, database: Database) -> None:
    first, second = await pair(admin, database)
    merged = await admin.post(f"/api/v1/events/{second}/merge", json={"other_id": first, "reason": "the same night"})
    assert merged.json()["data"] == {"kept_id": first, "merged_id": second}
    assert await titles(admin) == ["Jazz @ Kade"]
    again = await admin.post(f"/api/v1/events/{second}/merge", json={"other_id": first})
    assert again.status_code == 409
    assert (await admin.post(f"/api/v1/events/{second}/unmerge", json={})).status_code == 200
    assert await titles(admin) == ["Jazz @ Kade", "Jazz at Kade"]
    assert (await admin.post(f"/api/v1/events/{second}/unmerge", json={})).status_code == 409


async def test_a_hidden_event_is_shown_again_when_it_is_restored(admin: httpx.AsyncClient, database: Database) -> None:
    event_id = await add_event(database, await source(admin), "Jazz")
    assert (await admin.post(f"/api/v1/events/{event_id}/hide", json={"reason": "spam"})).status_code == 200
    assert await titles(admin) == []
    assert (await admin.post(f"/api/v1/events/{event_id}/hide", json={})).status_code == 409
    assert (await admin.post(f"/api/v1/events/{event_id}/restore", json={})).status_code == 200
    assert await titles(admin) == ["Jazz"]


@pytest.mark.parametrize(
    "change",
    [
        {"category": "parties"},
        {"title": "  "},
        {"title": None},
        {"latitude": 52.0},
        {"event_status": "gone"},
        {"id": 2},
    ],
)
async def test_a_correction_that_makes_no_sense_is_refused(
    admin: httpx.AsyncClient, database: Database, change: dict[str, Any]
) -> None:
    event_id = await add_event(database, await source(admin), "Jazz")
    assert (await admin.patch(f"/api/v1/events/{event_id}", json=change)).status_code == 422
    assert await titles(admin) == ["Jazz"]


@pytest.mark.parametrize("same", [True, False])
async def test_a_pair_that_may_be_one_waits_and_is_decided_once(
    admin: httpx.AsyncClient, database: Database, same: bool
) -> None:
    low, high = await pair(admin, database)
    async with database.transaction() as conn:
        await conn.execute("INSERT INTO event_doubts (low_id, high_id, score) VALUES (%s, %s, 0.8)", (low, high))
    (doubt,) = (await admin.get("/api/v1/event-doubts")).json()["data"]
    assert (doubt["low_title"], doubt["high_title"]) == ("Jazz @ Kade", "Jazz at Kade")
    decided = await admin.post(f"/api/v1/event-doubts/{doubt['id']}/decide", json={"same": same})
    assert decided.json()["data"] == {"kept_id": low if same else None}
    assert len(await titles(admin)) == (1 if same else 2)
    assert (await admin.get("/api/v1/event-doubts")).json()["data"] == []
    assert (await admin.post(f"/api/v1/event-doubts/{doubt['id']}/decide", json={"same": same})).status_code == 409


async def test_e062_venues_are_one_under_two_names_until_that_is_taken_back(
    admin: httpx.AsyncClient, database: Database
) -> None:
    ids = []
    async with database.transaction() as conn:
        for name in ("De Kade", "Cafe de Kade"):
            cursor = await conn.execute(
                "INSERT INTO venues (name, name_key, town, town_key) VALUES (%s, %s, 'Delft', 'delft') RETURNING id",
                (name, name.lower()),
            )
            ids.append((await cursor.fetchone() or [0])[0])
            await conn.execute(
                "INSERT INTO venue_aliases (alias_key, town_key, venue_id) VALUES (%s, 'delft', %s)",
                (name.lower(), ids[-1]),
            )
    merged = (await admin.post(f"/api/v1/venues/{ids[1]}/merge", json={"into": ids[0]})).json()["data"]
    assert sorted(alias["alias_key"] for alias in merged["aliases"]) == ["cafe de kade", "de kade"]
    assert [v["merged_into"] for v in (await admin.get("/api/v1/venues?q=kade")).json()["data"]] == [None, ids[0]]
    own = (await admin.post(f"/api/v1/venues/{ids[1]}/unmerge", json={})).json()["data"]
    assert [alias["alias_key"] for alias in own["aliases"]] == ["cafe de kade"]
    assert (await admin.get("/api/v1/venues/999")).status_code == 404


async def test_consumers_decide_nothing(
    admin: httpx.AsyncClient, consumer: httpx.AsyncClient, database: Database
) -> None:
    first, second = await pair(admin, database)
    for path, body in (("merge", {"other_id": second}), ("unmerge", {}), ("hide", {}), ("restore", {})):
        assert (await consumer.post(f"/api/v1/events/{first}/{path}", json=body)).status_code == 403
    assert (await consumer.patch(f"/api/v1/events/{first}", json={"title": "Mine"})).status_code == 403
    for path in ("event-doubts", "venues"):
        assert (await consumer.get(f"/api/v1/{path}")).status_code == 403


async def test_a_person_puts_a_venue_where_it_is_over_the_api(admin: httpx.AsyncClient, database: Database) -> None:
    async with database.transaction() as conn:
        cursor = await conn.execute("INSERT INTO venues (name, name_key) VALUES ('De Kade', 'de kade') RETURNING id")
        venue_id = (await cursor.fetchone() or [0])[0]
    event_id = await add_event(database, await source(admin), "Jazz", venue_id=venue_id)
    path = f"/api/v1/venues/{venue_id}"
    for wrong in ({"latitude": 52.0}, {"name": " "}, {"country": "Holland"}, {"latitude": 91, "longitude": 4}):
        assert (await admin.patch(path, json=wrong)).status_code == 422, wrong
    answer = await admin.patch(path, json={"latitude": 52.5, "longitude": 4.9, "town": "Delft", "reason": "it moved"})
    assert (answer.json()["data"]["coordinates_from"], answer.json()["data"]["precision"]) == ("person", "exact")
    event = (await admin.get(f"/api/v1/events/{event_id}")).json()["data"]
    assert (event["latitude"], event["longitude"]) == (52.5, 4.9)
    assert (await admin.patch("/api/v1/venues/999", json={"name": "x"})).status_code == 404
