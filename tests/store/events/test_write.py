"""One event, once: what a source says again, otherwise, or elsewhere (E-068 … E-076)."""

from __future__ import annotations

import asyncio
import hashlib
from typing import Any

import pytest

from tests.store.conftest import Rows
from tests.store.events.event_rows import day, event, list_events, page, read, source
from tests.waiting import until
from winnow.db.engine import Database
from winnow.store.events.row import fingerprint, split_key

TOPICS = "SELECT topic FROM outbox ORDER BY id"


@pytest.fixture
async def paradiso(database: Database) -> int:
    return await source(database)


async def test_e071_a_new_event_is_published_as_an_anchor(database: Database, paradiso: int, rows: Rows) -> None:
    await list_events(database, paradiso, event("Nachtvlinders", on=10, hour="20:30"))
    shown = "SELECT title, event_type, status, event_time, event_date::text, description, sequence FROM events"
    assert await rows(shown) == [("Nachtvlinders", "anchor", "published", "20:30", day(10), "", 0)]
    assert await rows(TOPICS) == ["event.created"]


async def test_e068_the_fingerprint_is_that_of_title_day_and_source(
    database: Database, paradiso: int, rows: Rows
) -> None:
    await list_events(database, paradiso, event("Nachtvlinders", on=10))
    wanted = hashlib.sha256(f"Nachtvlinders|{day(10)}|{paradiso}".encode()).hexdigest()
    assert await rows("SELECT event_fingerprint FROM events") == [wanted]


async def test_e072_reading_a_page_twice_changes_nothing(database: Database, paradiso: int, rows: Rows) -> None:
    first = await list_events(database, paradiso, event(), event("Tweede"))
    before = await rows("SELECT id, title, sequence, updated_at FROM events ORDER BY id")
    again = await list_events(database, paradiso, event(), event("Tweede"))
    assert again.ids == first.ids
    assert await rows("SELECT id, title, sequence, updated_at FROM events ORDER BY id") == before
    assert await rows("SELECT count(*) FROM event_changes") == [0]
    assert await rows(TOPICS) == ["event.created", "event.created"]


async def test_e070_a_change_is_recorded_and_counts_up_the_sequence(
    database: Database, paradiso: int, rows: Rows
) -> None:
    await list_events(database, paradiso, event(key="URL:1", sold_out=False))
    await list_events(database, paradiso, event(key="URL:1", sold_out=True))
    assert await rows("SELECT sold_out, sequence FROM events") == [(True, 1)]
    assert await rows("SELECT changes, cause FROM event_changes") == [({"sold_out": [False, True]}, "listed")]
    assert await rows(TOPICS) == ["event.created", "event.changed"]


async def test_a_rename_under_one_address_is_an_update(database: Database, paradiso: int, rows: Rows) -> None:
    await list_events(database, paradiso, event("Nachtvlindres", key="URL:1"))
    await list_events(database, paradiso, event("Nachtvlinders", key="URL:1"))
    assert await rows("SELECT title, sequence FROM events") == [("Nachtvlinders", 1)]
    assert await rows("SELECT cause FROM event_changes") == ["renamed"]
    assert await rows("SELECT event_fingerprint FROM events") == [fingerprint("Nachtvlinders", _date(10), paradiso)]


async def test_a_moved_hour_is_an_update_with_its_cause(database: Database, paradiso: int, rows: Rows) -> None:
    await list_events(database, paradiso, event(key="URL:1", hour="20:00"))
    await list_events(database, paradiso, event(key="URL:1", hour="21:00"))
    assert await rows("SELECT event_time, sequence FROM events") == [("21:00", 1)]
    assert await rows("SELECT cause FROM event_changes") == ["moved"]


async def test_a_moved_day_of_one_address_is_an_update_not_a_second_event(
    database: Database, paradiso: int, rows: Rows
) -> None:
    first = await list_events(database, paradiso, event(key="URL:1", on=10), event("Ander", key="URL:2"))
    then = await list_events(database, paradiso, event(key="URL:1", on=17), event("Ander", key="URL:2"))
    assert then.ids == first.ids
    assert await rows("SELECT event_date::text, occurrence FROM events WHERE source_key = 'URL:1'") == [
        (day(17), day(17))
    ]
    assert await rows("SELECT cause FROM event_changes") == ["moved"]


async def test_another_day_beside_the_old_one_is_a_second_event(database: Database, paradiso: int, rows: Rows) -> None:
    await list_events(database, paradiso, event(key="URL:1", on=10))
    await list_events(database, paradiso, event(key="URL:1", on=10), event(key="URL:1", on=17))
    assert await rows("SELECT event_date::text FROM events ORDER BY 1") == [day(10), day(17)]


async def test_what_passed_has_not_moved(database: Database, paradiso: int, rows: Rows) -> None:
    await list_events(database, paradiso, event(key="URL:1", on=-1))
    await list_events(database, paradiso, event(key="URL:1", on=6))
    assert await rows("SELECT event_date::text FROM events ORDER BY 1") == [day(-1), day(6)]


async def test_a_rename_without_an_address_is_an_update_where_day_and_hour_are_the_same(
    database: Database, paradiso: int, rows: Rows
) -> None:
    await list_events(database, paradiso, event("Nachtvlinders in het bos", key="KEY:a"), event("Ander", key="KEY:z"))
    await list_events(database, paradiso, event("Nachtvlinders in bos", key="KEY:b"), event("Ander", key="KEY:z"))
    titles = await rows("SELECT title FROM events ORDER BY 1")
    assert titles == ["Ander", "Nachtvlinders in bos"]


async def test_another_event_at_the_hour_of_one_that_vanished_is_a_new_one(
    database: Database, paradiso: int, rows: Rows
) -> None:
    await list_events(database, paradiso, event("Nachtvlinders", key="KEY:a"), event("Ander", key="KEY:z"))
    await list_events(database, paradiso, event("Zomergasten", key="KEY:b"), event("Ander", key="KEY:z"))
    assert await rows("SELECT count(*) FROM events") == [3]


async def test_e074_an_exact_repeat_within_a_source_adds_no_event(
    database: Database, paradiso: int, rows: Rows
) -> None:
    await list_events(database, paradiso, event(key="URL:1"))
    home = page(paradiso, [event(key="KEY:1", hour=None)], url="https://paradiso.test/")
    (found,) = await read(database, home)
    assert [one.duplicate for one in found.stored] == [True]
    assert await rows("SELECT source_key, event_time FROM events") == [("URL:1", "20:30")]


async def test_e074_e105_a_repeat_in_one_batch_adds_no_event(database: Database, paradiso: int, rows: Rows) -> None:
    found = await list_events(database, paradiso, event(key="URL:1"), event(key="KEY:1"))
    assert [one.duplicate for one in found.stored] == [False, True]
    assert found.ids[0] == found.ids[1]
    assert await rows("SELECT count(*) FROM events") == [1]


async def test_a_repeat_adds_what_was_not_known_and_changes_nothing_else(
    database: Database, paradiso: int, rows: Rows
) -> None:
    await list_events(database, paradiso, event(key="KEY:1", hour=None, description="Kort"))
    await list_events(
        database, paradiso, event(key="URL:1", hour="20:30", description="Lang"), url="https://paradiso.test/x"
    )
    assert await rows("SELECT event_time, description FROM events") == [("20:30", "Kort")]


async def test_matinee_and_evening_are_two_events_of_one_fingerprint(
    database: Database, paradiso: int, rows: Rows
) -> None:
    matinee = event(key="URL:1", hour="14:00", occurrence=f"{day(10)}T14:00")
    evening = event(key="URL:1", hour="20:00", occurrence=f"{day(10)}T20:00")
    await list_events(database, paradiso, matinee, evening)
    assert await rows("SELECT count(*), count(DISTINCT event_fingerprint) FROM events") == [(2, 1)]


async def test_what_a_listing_leaves_out_is_no_change(database: Database, paradiso: int, rows: Rows) -> None:
    full = event(key="URL:1", description="Een avond", price={"low_minor": 1000, "high_minor": 1500, "currency": "EUR"})
    poor = event(key="URL:1", hour=None, venue_name=None, location=None, category=None)
    await list_events(database, paradiso, full, url="https://paradiso.test/1")
    await list_events(database, paradiso, poor)
    assert await rows("SELECT description, event_time, price_low_minor, category, sequence FROM events") == [
        ("Een avond", "20:30", 1000, "music", 0)
    ]
    assert await rows("SELECT venue_name, town_key FROM events") == [("Paradiso", "amsterdam")]


async def test_only_the_page_that_said_cancelled_takes_it_back(database: Database, paradiso: int, rows: Rows) -> None:
    detail = "https://paradiso.test/1"
    await list_events(database, paradiso, event(key="URL:1"))
    await list_events(database, paradiso, event(key="URL:1", status="cancelled"), url=detail)
    await list_events(database, paradiso, event(key="URL:1"))
    assert await rows("SELECT event_status FROM events") == ["cancelled"]
    await list_events(database, paradiso, event(key="URL:1"), url=detail)
    assert await rows("SELECT event_status FROM events") == ["scheduled"]
    assert await rows("SELECT topic FROM outbox WHERE topic = 'event.cancelled'") == ["event.cancelled"]


async def test_e076_an_event_whose_source_is_gone_is_left_out(database: Database, rows: Rows) -> None:
    found = await list_events(database, 4711, event())
    assert found.stored[0].revised is not None
    assert await rows("SELECT count(*) FROM events") == [0]


async def test_e062_without_coordinates_the_source_lends_its_own_and_the_event_is_flagged(
    database: Database, paradiso: int, rows: Rows
) -> None:
    await list_events(database, paradiso, event(venue_name=None, location=None))
    assert await rows("SELECT venue_name, latitude, precision, location_flagged FROM events") == [
        ("Paradiso", 52.36, "town", True)
    ]


@pytest.mark.parametrize(
    ("location", "precision"),
    [
        ({"city": "Zwolle", "raw": "Zwolle"}, "town"),
        ({"city": "Zwolle", "postal_code": "8011 AA", "country_code": "NL", "raw": "8011 AA Zwolle"}, "postcode"),
    ],
)
async def test_e062_a_dutch_town_or_postcode_is_located_without_a_geocoder(
    database: Database, paradiso: int, rows: Rows, location: dict[str, Any], precision: str
) -> None:
    await list_events(database, paradiso, event(venue_name="Hedon", location=location))
    ((latitude, found, flagged),) = await rows("SELECT latitude, precision, location_flagged FROM events")
    assert (round(latitude, 1), found, flagged) == (52.5, precision, False)


async def test_e062_a_town_of_another_country_is_not_looked_up_among_dutch_ones(
    database: Database, paradiso: int, rows: Rows
) -> None:
    abroad = {"city": "Bergen", "country_code": "NO", "raw": "Bergen, Norway"}
    await list_events(database, paradiso, event(venue_name="Hall", location=abroad))
    assert await rows("SELECT latitude, location_flagged FROM events") == [(52.36, True)]


async def test_e113_an_event_without_any_place_is_held_with_its_reason(database: Database, rows: Rows) -> None:
    bare = await source(database, "Bare", default_latitude=None, default_longitude=None)
    found = await list_events(database, bare, event(venue_name=None, location=None), event("Tweede", location=None))
    reasons = [one.revised.findings[0].details for one in found.stored if one.revised is not None]
    assert [why.partition(":")[0] for why in reasons] == ["no place", "no coordinates"]
    assert await rows("SELECT count(*) FROM events") == [0]


async def test_e113_every_shown_event_has_a_place_and_coordinates(
    database: Database, paradiso: int, rows: Rows
) -> None:
    await list_events(database, paradiso, event(latitude=52.3622, longitude=4.8838))
    wanted = "SELECT venue_name, category, latitude, description IS NOT NULL FROM shown_events"
    assert await rows(wanted) == [("Paradiso", "music", 52.3622, True)]


async def test_a_person_hidden_event_stays_hidden_when_it_is_seen_again(
    database: Database, paradiso: int, rows: Rows
) -> None:
    await list_events(database, paradiso, event())
    await rows("UPDATE events SET status = 'hidden'")
    await list_events(database, paradiso, event(sold_out=True))
    assert await rows("SELECT status, sold_out FROM events") == [("hidden", True)]
    assert await rows("SELECT count(*) FROM shown_events") == [0]


async def test_e075_a_key_that_another_transaction_writes_at_the_same_moment_is_a_repeat_and_no_error(
    database: Database, paradiso: int, rows: Rows
) -> None:
    """Writers of a source take turns; this one does not, as a process of an older version or a person's SQL may not."""
    kept = (await list_events(database, paradiso, event(key="URL:1"))).ids[0]
    columns = "source_key, occurrence, record_key, event_fingerprint, digest, title, event_date, starts_at, venue_name"
    values = "'URL:9', e.occurrence, 'URL:9', e.event_fingerprint, 'x', 'Ander', e.event_date, e.starts_at, 'Paradiso'"
    async with database.transaction() as other:
        await other.execute(f"INSERT INTO events (source_id, {columns}) SELECT e.source_id, {values} FROM events AS e")
        ours = asyncio.create_task(list_events(database, paradiso, event("Ander", key="URL:9")))
        await until(lambda: _waits(database))
    (stored,) = (await ours).stored
    assert (stored.duplicate, stored.revised) == (True, None)
    assert await rows("SELECT count(*), min(id) FROM events") == [(2, kept)]


async def _waits(database: Database) -> bool:
    async with database.connection() as conn:
        found = await conn.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'transactionid' AND NOT granted")
        return (await found.fetchone()) != (0,)


@pytest.mark.parametrize(
    ("key", "parts"),
    [
        ("URL:1@2026-05-01", ("URL:1", "2026-05-01")),
        ("UID:a@host.test@2026-05-01T20:00", ("UID:a@host.test", "2026-05-01T20:00")),
    ],
)
def test_a_key_is_a_source_key_and_an_occurrence(key: str, parts: tuple[str, str]) -> None:
    assert split_key(key) == parts


def _date(n: int) -> Any:
    from datetime import date

    return date.fromisoformat(day(n))


@pytest.mark.parametrize("first", ["URL:1", "UID:1"])
async def test_e074_a_list_without_hours_and_the_calendar_of_its_site_are_one(
    database: Database, paradiso: int, rows: Rows, first: str
) -> None:
    told = {"URL:1": event(key="URL:1", hour=None), "UID:1": event(key="UID:1", hour="20:30", description="Trio")}
    for key in (first, *(told.keys() - {first})):
        await list_events(database, paradiso, told[key], url=f"https://paradiso.test/{key[:3]}")
    assert await rows("SELECT source_key, event_time, description FROM events") == [(first, "20:30", "Trio")]


async def test_two_addresses_at_one_day_stay_two_events(database: Database, paradiso: int, rows: Rows) -> None:
    page_of = {"URL:1": "https://paradiso.test/a/1", "UID:2": "https://paradiso.test/a/2"}
    for key, hour in (("URL:1", None), ("UID:2", "20:30")):
        await list_events(
            database, paradiso, event(key=key, hour=hour, url=page_of[key]), url=f"https://paradiso.test/{key[:3]}"
        )
    assert await rows("SELECT count(*) FROM events") == [2]


async def test_a_site_that_speaks_http_only_is_linked_to_by_http(database: Database, paradiso: int, rows: Rows) -> None:
    """Canonical addresses say https; people are sent where something answers."""
    own, other = "https://paradiso.test:8080/nacht?id=7", "https://tickets.test/7"
    record = event(url=own, ticket_url=other, image_url="https://paradiso.test/n.jpg")
    await list_events(database, paradiso, record, url="http://paradiso.test:8080/agenda")
    found = await rows("SELECT url, ticket_url, image_url FROM events")
    assert found == [("http://paradiso.test:8080/nacht?id=7", other, "https://paradiso.test/n.jpg")]
    await list_events(database, paradiso, record)
    assert await rows("SELECT url FROM events") == [own], "once the site speaks https, so does the link"
