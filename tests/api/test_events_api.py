"""Events over the API: lists, one event, the ranked feed, calendars and subscriptions (E-113 … E-115)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from tests.api.event_rows import AMSTERDAM, UTRECHT, add_event, source, titles
from winnow.db.engine import Database


async def test_e113_consumers_see_events_to_come_the_next_ones_first(
    admin: httpx.AsyncClient, consumer: httpx.AsyncClient, database: Database
) -> None:
    kade = await source(admin)
    now = datetime.now(UTC)
    await add_event(database, kade, "Later", starts_at=now + timedelta(days=3))
    await add_event(database, kade, "Next", starts_at=now + timedelta(hours=5))
    await add_event(database, kade, "Over", starts_at=now - timedelta(days=2), ends_at=now - timedelta(days=1))
    await add_event(database, kade, "Running", starts_at=now - timedelta(days=2), ends_at=now + timedelta(days=1))
    assert await titles(consumer) == ["Running", "Next", "Later"]


@pytest.mark.parametrize(
    ("hidden", "change"),
    [
        ("hidden by a person", {"status": "hidden"}),
        ("gone", {"status": "gone", "gone_at": datetime(2026, 1, 1, tzinfo=UTC)}),
        ("no coordinates", {"latitude": None, "longitude": None, "precision": None}),
    ],
)
async def test_e113_what_cannot_be_guaranteed_is_not_shown(
    admin: httpx.AsyncClient, consumer: httpx.AsyncClient, database: Database, hidden: str, change: dict[str, Any]
) -> None:
    event_id = await add_event(database, await source(admin), hidden, **change)
    assert await titles(consumer) == []
    assert (await consumer.get(f"/api/v1/events/{event_id}")).status_code == 404


async def test_e067_e113_an_event_says_how_it_was_read_and_where_it_is(
    admin: httpx.AsyncClient, consumer: httpx.AsyncClient, database: Database
) -> None:
    await add_event(database, await source(admin), "Jazz", latitude=52.01, longitude=4.36, precision="town")
    [event] = (await consumer.get("/api/v1/events")).json()["data"]
    assert event["structured_location"] == {"latitude": 52.01, "longitude": 4.36, "precision": "town"}
    assert event["normalization_method"] == "rules"
    assert event["structured_date"] == {}


async def test_pages_of_a_list_neither_repeat_nor_miss_an_event(admin: httpx.AsyncClient, database: Database) -> None:
    kade, at = await source(admin), datetime.now(UTC) + timedelta(days=2)
    for n in range(7):
        await add_event(database, kade, f"E{n}", starts_at=at)  # all at the same moment
    found, after = [], None
    for _ in range(4):
        answer = (await admin.get("/api/v1/events", params={"limit": 2, **({"after": after} if after else {})})).json()
        found += [event["title"] for event in answer["data"]]
        after = answer["meta"]["next"]
    assert sorted(found) == [f"E{n}" for n in range(7)]
    assert after is None


async def test_e113_an_event_of_today_is_to_come_until_its_day_is_over(
    admin: httpx.AsyncClient, consumer: httpx.AsyncClient, database: Database
) -> None:
    kade = await source(admin)
    midnight = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    await add_event(database, kade, "Some time today", starts_at=midnight, event_time="TBD")
    await add_event(
        database,
        kade,
        "Until today",
        starts_at=midnight - timedelta(days=2),
        event_time="TBD",
        end_date=midnight.date(),
    )
    await add_event(database, kade, "Yesterday", starts_at=midnight - timedelta(days=1), event_time="TBD")
    await add_event(
        database, kade, "Exhibition", starts_at=midnight - timedelta(days=600), ends_at=midnight + timedelta(days=600)
    )
    await add_event(
        database, kade, "Begun", starts_at=midnight - timedelta(days=1), ends_at=midnight + timedelta(days=2)
    )
    assert await titles(consumer) == ["Exhibition", "Until today", "Begun", "Some time today"]
    found = await titles(consumer, "/api/v1/feed", latitude=52.37, longitude=4.89)
    assert sorted(found) == ["Begun", "Some time today", "Until today"]


async def test_pages_go_on_from_what_is_on_to_what_is_to_come(admin: httpx.AsyncClient, database: Database) -> None:
    kade, now = await source(admin), datetime.now(UTC)
    for n in range(3):
        await add_event(
            database, kade, f"On {n}", starts_at=now - timedelta(days=90 - n), ends_at=now + timedelta(days=9)
        )
        await add_event(database, kade, f"Next {n}", starts_at=now + timedelta(days=n + 1))
    found, after = [], None
    for _ in range(3):
        answer = (await admin.get("/api/v1/events", params={"limit": 2, **({"after": after} if after else {})})).json()
        found += [event["title"] for event in answer["data"]]
        after = answer["meta"]["next"]
    assert found == ["On 0", "On 1", "On 2", "Next 0", "Next 1", "Next 2"]


async def test_e070_the_history_of_an_event_says_what_changed_and_why(
    admin: httpx.AsyncClient, consumer: httpx.AsyncClient, database: Database
) -> None:
    event_id = await add_event(database, await source(admin), "Jaz")
    change = {"title": "Jazz", "reason": "a misprint"}
    answer = await admin.patch(f"/api/v1/events/{event_id}", json=change)
    assert answer.json()["data"]["changes"] == {"title": ["Jaz", "Jazz"]}
    (found,) = (await consumer.get(f"/api/v1/events/{event_id}/history")).json()["data"]
    assert (found["cause"], found["changes"]) == ("corrected", {"title": ["Jaz", "Jazz"]})
    assert "actor" not in found
    assert (await consumer.get("/api/v1/events/999/history")).status_code == 404


@pytest.mark.parametrize("cursor", ["x", "1", "1.x", "9" * 30 + ".1", "-.1", "٣.١"])
async def test_a_made_up_cursor_is_refused(admin: httpx.AsyncClient, cursor: str) -> None:
    assert (await admin.get("/api/v1/events", params={"after": cursor})).status_code == 422


async def test_filters_narrow_the_list(admin: httpx.AsyncClient, database: Database) -> None:
    kade, hall = await source(admin), await source(admin, "hall")
    await add_event(database, kade, "Jazz")
    await add_event(database, hall, "Film night", category="film", latitude=UTRECHT[0], longitude=UTRECHT[1])
    await add_event(database, hall, "Fado", event_status="cancelled")
    assert await titles(admin, category="film") == ["Film night"]
    assert await titles(admin, q="jazz") == ["Jazz"]
    assert await titles(admin, source_id=kade) == ["Jazz"]
    assert await titles(admin, status="cancelled") == ["Fado"]
    near = {"latitude": UTRECHT[0], "longitude": UTRECHT[1], "radius_m": 5_000}
    assert await titles(admin, **near) == ["Film night"]
    assert await titles(admin, until="2020-01-01T00:00:00Z") == []


@pytest.mark.parametrize(
    "query",
    [{"latitude": 52}, {"radius_m": 5}, {"category": "music and more"}, {"since": "yesterday"}, {"status": "gone"}],
)
async def test_wrong_filters_are_refused_and_named(admin: httpx.AsyncClient, query: dict[str, Any]) -> None:
    assert (await admin.get("/api/v1/events", params=query)).status_code == 422


async def test_an_event_says_what_its_price_is_in_its_currency(admin: httpx.AsyncClient, database: Database) -> None:
    event_id = await add_event(
        database, await source(admin), "Jazz", price_low_minor=1250, price_high_minor=2000, currency="EUR"
    )
    found = (await admin.get(f"/api/v1/events/{event_id}")).json()["data"]
    assert (found["price_low"], found["price_high"], found["currency"]) == ("12.50", "20.00", "EUR")
    assert "price_low_minor" not in found


async def test_a_merged_event_is_answered_with_the_one_it_is_shown_as(
    admin: httpx.AsyncClient, consumer: httpx.AsyncClient, database: Database
) -> None:
    kept = await add_event(database, await source(admin), "Jazz @ Kade")
    other = await add_event(database, await source(admin, "hall"), "Jazz at Kade", merged_into=kept)
    assert await titles(consumer) == ["Jazz @ Kade"]
    found = (await consumer.get(f"/api/v1/events/{other}")).json()["data"]
    assert found["id"] == kept
    assert [member["title"] for member in found["listed_as"]] == ["Jazz @ Kade", "Jazz at Kade"]


async def test_e114_the_feed_puts_what_is_near_and_liked_first(
    admin: httpx.AsyncClient, consumer: httpx.AsyncClient, database: Database
) -> None:
    kade = await source(admin)
    await add_event(database, kade, "Far", latitude=UTRECHT[0], longitude=UTRECHT[1])
    await add_event(database, kade, "Near")
    await add_event(database, kade, "Near film", category="film")
    await add_event(database, kade, "Cancelled", event_status="cancelled")
    place = {"latitude": AMSTERDAM[0], "longitude": AMSTERDAM[1]}
    assert await titles(consumer, "/api/v1/feed", **place, category="film") == ["Near film", "Near", "Far"]


async def test_e114_what_people_save_and_many_sources_list_rises(
    admin: httpx.AsyncClient, consumer: httpx.AsyncClient, database: Database
) -> None:
    kade, hall = await source(admin), await source(admin, "hall")
    at = datetime.now(UTC) + timedelta(days=1)
    first, saved, shared = [await add_event(database, kade, name, starts_at=at) for name in ("A", "Saved", "Shared")]
    await add_event(database, hall, "Shared too", starts_at=at, merged_into=shared)
    answer = await consumer.post(f"/api/v1/events/{saved}/reactions", json={"clicks": 90, "saves": 400})
    assert answer.status_code == 200
    found = (await consumer.get("/api/v1/feed", params={"latitude": 52.37, "longitude": 4.89})).json()["data"]
    assert [event["title"] for event in found] == ["Saved", "Shared", "A"]
    assert {event["id"]: event["listed_by"] for event in found} == {saved: 1, shared: 2, first: 1}
    assert all(0 <= event["score"] <= 1 for event in found)


async def test_e115_what_is_soon_comes_before_what_is_weeks_away(
    admin: httpx.AsyncClient, consumer: httpx.AsyncClient, database: Database
) -> None:
    kade, now = await source(admin), datetime.now(UTC)
    await add_event(database, kade, "In weeks", starts_at=now + timedelta(days=30))
    await add_event(database, kade, "Tomorrow", starts_at=now + timedelta(days=1))
    assert await titles(consumer, "/api/v1/feed", latitude=52.37, longitude=4.89) == ["Tomorrow", "In weeks"]


async def test_e115_of_two_alike_the_one_of_the_reliable_source_comes_first(
    admin: httpx.AsyncClient, consumer: httpx.AsyncClient, database: Database
) -> None:
    at = datetime.now(UTC) + timedelta(days=1)
    for name, status in (("shaky", "FAILED"), ("steady", "SUCCESS")):
        made = await source(admin, name)
        await add_event(database, made, name, starts_at=at)
        async with database.transaction() as conn:
            await conn.execute(
                "INSERT INTO scrape_runs (source_id, adapter_id, status, started_at, completed_at) "
                "SELECT %s, 'event', %s, now() - n * interval '1 day', now() FROM generate_series(1, 5) AS n",
                (made, status),
            )
    assert await titles(consumer, "/api/v1/feed", latitude=52.37, longitude=4.89) == ["steady", "shaky"]


async def test_reactions_to_nothing_are_not_found(consumer: httpx.AsyncClient) -> None:
    assert (await consumer.post("/api/v1/events/99/reactions", json={"clicks": 1})).status_code == 404


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"category": "concerts"}, "query.category"),
        ({"latitude": 52.37}, "query.radius_m"),
        ({"q": "!?"}, "query.q"),
        ({"after": "tomorrow"}, "query.after"),
        ({"since": "yesterday"}, "query.since"),
    ],
)
async def test_a_wrong_filter_is_named_where_it_stands(
    consumer: httpx.AsyncClient, query: dict[str, Any], field: str
) -> None:
    answer = await consumer.get("/api/v1/events", params=query)
    assert answer.status_code == 422
    assert [detail["field"] for detail in answer.json()["meta"]["details"]] == [field]
