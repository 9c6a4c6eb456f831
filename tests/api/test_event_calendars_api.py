"""Events as calendars: documents, and subscriptions that have a key of their own."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from xml.etree import ElementTree

import httpx
import pytest
from icalendar import Calendar

from tests.api.event_rows import add_event, source
from winnow.api import calendars
from winnow.db.engine import Database


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


async def test_a_copy_that_is_still_right_is_not_sent_again(
    admin: httpx.AsyncClient, anyone: httpx.AsyncClient, database: Database
) -> None:
    event_id = await add_event(database, await source(admin), "Jazz")
    address = (await admin.post("/api/v1/event-subscriptions", json={"name": "All"})).json()["data"]["ics"]
    first = await anyone.get(address)
    known = {"If-None-Match": first.headers["etag"]}
    same = await anyone.get(address, headers=known)
    assert (same.status_code, same.content) == (304, b"")
    await admin.patch(f"/api/v1/events/{event_id}", json={"title": "Jazz!"})
    assert (await anyone.get(address, headers=known)).status_code == 200


async def test_a_calendar_that_leaves_events_out_says_so(
    admin: httpx.AsyncClient, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    kade = await source(admin)
    for n in range(3):
        await add_event(database, kade, f"E{n}")
    whole = Calendar.from_ical((await admin.get("/api/v1/events.ics")).content)
    assert "x-wr-caldesc" not in whole
    monkeypatch.setattr(calendars, "MAX_ENTRIES", 2)
    cut = Calendar.from_ical((await admin.get("/api/v1/events.ics")).content)
    assert len(cut.walk("VEVENT")) == 2
    assert "later ones are left out" in str(cut["x-wr-caldesc"])


async def test_a_full_calendar_leaves_out_what_is_over_first(
    admin: httpx.AsyncClient, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    kade, now = await source(admin), datetime.now(UTC)
    for n in range(3):
        await add_event(database, kade, f"Over {n}", starts_at=now - timedelta(days=20 - n))
    await add_event(database, kade, "To come", starts_at=now + timedelta(days=2))
    monkeypatch.setattr(calendars, "MAX_ENTRIES", 3)
    calendar = Calendar.from_ical((await admin.get("/api/v1/events.ics")).content)
    assert [str(event["summary"]) for event in calendar.walk("VEVENT")] == ["To come"]
    assert "those that are over are left out" in str(calendar["x-wr-caldesc"])
    since = (now - timedelta(days=30)).isoformat()
    answer = await admin.get("/api/v1/events.ics", params={"since": since})
    assert "To come" in [str(event["summary"]) for event in Calendar.from_ical(answer.content).walk("VEVENT")]


async def test_what_changed_last_stands_first_in_rss(admin: httpx.AsyncClient, database: Database) -> None:
    kade, now = await source(admin), datetime.now(UTC)
    await add_event(database, kade, "Soon", starts_at=now + timedelta(days=1), updated_at=now - timedelta(days=9))
    await add_event(database, kade, "Later", starts_at=now + timedelta(days=8), updated_at=now)
    items = ElementTree.fromstring((await admin.get("/api/v1/events.rss")).content).findall("channel/item")
    assert [str(item.findtext("title")).split(": ")[1] for item in items] == ["Later", "Soon"]


async def test_operators_see_which_subscriptions_there_are_and_whether_they_are_used(
    admin: httpx.AsyncClient, consumer: httpx.AsyncClient, anyone: httpx.AsyncClient
) -> None:
    made = (await admin.post("/api/v1/event-subscriptions", json={"name": "All"})).json()["data"]
    (unused,) = (await admin.get("/api/v1/event-subscriptions")).json()["data"]
    assert (unused["id"], unused["last_used_at"]) == (made["id"], None)
    await anyone.get(made["ics"])
    (used,) = (await admin.get("/api/v1/event-subscriptions")).json()["data"]
    assert used["last_used_at"] is not None
    assert (await consumer.get("/api/v1/event-subscriptions")).status_code == 403


@pytest.mark.parametrize(
    "filters", [{"latitude": 52.0}, {"categories": ["music and more"]}, {"radius_m": -1}, {"town": "Delft"}]
)
async def test_a_subscription_for_filters_that_mean_nothing_is_refused(
    admin: httpx.AsyncClient, filters: dict[str, object]
) -> None:
    answer = await admin.post("/api/v1/event-subscriptions", json={"name": "X", "filters": filters})
    assert answer.status_code == 422


@pytest.mark.parametrize("address", ["/calendar/unknown.ics", "/calendar/x.exe", f"/calendar/{'x' * 99}.ics"])
async def test_an_address_nobody_was_given_is_not_found(anyone: httpx.AsyncClient, address: str) -> None:
    assert (await anyone.get(address)).status_code == 404
