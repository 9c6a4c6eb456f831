"""Events over the API: lists, one event, the ranked feed, calendars and subscriptions (E-113 … E-115)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from icalendar import Calendar

from tests.api.conftest import watch
from winnow.db.engine import Database
from winnow.store.events.place import area

AMSTERDAM, UTRECHT = (52.37, 4.89), (52.09, 5.12)


async def source(client: httpx.AsyncClient, name: str = "kade") -> int:
    return int((await watch(client, f"https://{name}.example/agenda"))["source_id"])


async def add_event(database: Database, source_id: int, title: str, **more: Any) -> int:
    """One that is shown, tomorrow in Amsterdam unless `more` says otherwise."""
    starts: datetime = more.pop("starts_at", datetime.now(UTC) + timedelta(days=1))
    row = {
        "source_id": source_id,
        "source_key": f"KEY:{title}",
        "occurrence": str(starts.date()),
        "record_key": f"KEY:{title}@{starts.date()}",
        "event_fingerprint": "0" * 64,
        "digest": "x",
        "title": title,
        "event_date": starts.date(),
        "event_time": "20:30",
        "starts_at": starts,
        "time_zone": "Europe/Amsterdam",
        "category": "music",
        "venue_name": "De Kade",
        "latitude": AMSTERDAM[0],
        "longitude": AMSTERDAM[1],
        "precision": "exact",
        "search_text": title,
        **more,
    }
    if row["latitude"] is not None:
        row["area"] = area(row["latitude"], row["longitude"])
    columns, values = ", ".join(f'"{name}"' for name in row), ", ".join(["%s"] * len(row))
    async with database.transaction() as conn:
        cursor = await conn.execute(
            f"INSERT INTO events ({columns}) VALUES ({values}) RETURNING id", list(row.values())
        )
        found = await cursor.fetchone()
    assert found is not None
    return int(found[0])


async def titles(client: httpx.AsyncClient, path: str = "/api/v1/events", **query: Any) -> list[str]:
    answer = await client.get(path, params=query)
    assert answer.status_code == 200, answer.text
    return [event["title"] for event in answer.json()["data"]]


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


async def test_reactions_to_nothing_are_not_found(consumer: httpx.AsyncClient) -> None:
    assert (await consumer.post("/api/v1/events/99/reactions", json={"clicks": 1})).status_code == 404


async def test_a_calendar_and_linked_data_hold_the_same_events(
    admin: httpx.AsyncClient, consumer: httpx.AsyncClient, database: Database
) -> None:
    await add_event(database, await source(admin), "Jazz; live, & more")
    calendar = await consumer.get("/api/v1/events.ics")
    (entry,) = Calendar.from_ical(calendar.content).walk("VEVENT")
    (linked,) = (await consumer.get("/api/v1/events.jsonld")).json()
    assert str(entry["summary"]) == linked["name"] == "Jazz; live, & more"
    assert str(entry["uid"]) == linked["identifier"]
    assert "Jazz; live, &amp; more" in (await consumer.get("/api/v1/events.rss")).text


async def test_a_subscription_is_read_without_a_key_until_it_is_revoked(
    admin: httpx.AsyncClient, anyone: httpx.AsyncClient, database: Database
) -> None:
    kade = await source(admin)
    await add_event(database, kade, "Jazz")
    await add_event(database, kade, "Film night", category="film")
    body = {"name": "Films", "filters": {"categories": ["film"]}}
    made = (await admin.post("/api/v1/event-subscriptions", json=body)).json()["data"]
    answer = await anyone.get(made["ics"])
    assert answer.headers["content-type"].startswith("text/calendar")
    assert [str(e["summary"]) for e in Calendar.from_ical(answer.content).walk("VEVENT")] == ["Film night"]
    assert "Film night" in (await anyone.get(made["rss"])).text
    assert (await admin.delete(f"/api/v1/event-subscriptions/{made['id']}")).status_code == 200
    assert (await anyone.get(made["ics"])).status_code == 404
    assert (await admin.delete(f"/api/v1/event-subscriptions/{made['id']}")).status_code == 404


async def test_the_address_of_a_subscription_is_stored_only_as_its_hash(
    admin: httpx.AsyncClient, database: Database
) -> None:
    made = (await admin.post("/api/v1/event-subscriptions", json={"name": "All"})).json()["data"]
    token = made["ics"].removeprefix("/calendar/").removesuffix(".ics")
    async with database.connection() as conn:
        stored = await (await conn.execute("SELECT row_to_json(s)::text FROM event_subscriptions AS s")).fetchall()
        audited = await (await conn.execute("SELECT row_to_json(a)::text FROM audit_log AS a")).fetchall()
    assert stored
    assert not any(token in row[0] for row in [*stored, *audited])
