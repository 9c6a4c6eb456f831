"""Events stand at their source's coordinates until the geocoder answers, and move there when it does (E-062, E-094)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.services.conftest import Opened
from tests.services.model_server import ModelServer, drops, hangs, says
from tests.services.test_geocoder import PARADISO
from tests.store.events.event_rows import day, event, list_events, source
from winnow.db.engine import Database
from winnow.run.events.geocoding import FIRST_PAUSE, Geocoding
from winnow.run.services import Services

HOME = (52.36, 4.88)  # the source's own coordinates
SHOWN = "SELECT latitude, longitude, precision, location_flagged, cell IS NOT NULL FROM events ORDER BY id"
ABROAD: dict[str, Any] = {"timezone": "Europe/Brussels", "default_latitude": 51.05, "default_longitude": 3.72}


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def chore(database: Database, services: Services, clock: Clock) -> Geocoding:
    return Geocoding(database, services.geocoder, clock)


async def rows(database: Database, statement: str) -> list[Any]:
    async with database.connection() as conn:
        return await (await conn.execute(statement)).fetchall()


async def free_lane(database: Database) -> None:
    async with database.connection() as conn:
        await conn.execute("UPDATE lanes SET slowed_until = NULL, held_until = NULL")


@pytest.fixture
async def flagged(database: Database) -> int:
    """A source whose events name a venue that the page does not place and no gazetteer knows."""
    ours = await source(database, "Vooruit", **ABROAD)
    place: dict[str, Any] = {"venue_name": "Kaffee Noir", "location": {"city": "Gent", "raw": "Gent"}}
    await list_events(database, ours, event("Nachtvlinders", **place))
    return ours


NOIR = {"lat": "51.0500", "lon": "3.7300", "place_rank": 30, "address": {"city": "Gent", "country_code": "be"}}


async def test_e062_a_flagged_event_moves_to_where_the_geocoder_finds_its_venue(
    database: Database, chore: Geocoding, server: ModelServer, flagged: int
) -> None:
    assert await rows(database, SHOWN) == [(51.05, 3.72, "town", True, False)]
    server.places["Kaffee Noir, Gent"] = [NOIR]
    assert await chore.run_once() == 1
    assert await rows(database, SHOWN) == [(51.05, 3.73, "exact", False, True)]
    assert await rows(database, "SELECT precision, coordinates_from FROM venues") == [("exact", "geocoder")]
    assert await rows(database, "SELECT cause, changes FROM event_changes") == [
        ("located", {"longitude": [3.72, 3.73]})
    ]
    assert await rows(database, "SELECT topic FROM outbox ORDER BY id") == [("event.created",), ("event.changed",)]
    assert await chore.run_once() == 0
    await list_events(database, flagged, event("Nog een", venue_name="Kaffee Noir", location={"city": "Gent"}))
    assert (await rows(database, SHOWN))[1] == (51.05, 3.73, "exact", False, True)  # the venue is known now


async def test_e062_a_town_from_the_gazetteer_becomes_the_house(
    database: Database, chore: Geocoding, server: ModelServer
) -> None:
    ours = await source(database, default_latitude=None, default_longitude=None)
    await list_events(database, ours, event(venue_name="Paradiso", location={"city": "Amsterdam"}))
    ((_, _, precision, is_flagged, _),) = await rows(database, SHOWN)
    assert (precision, is_flagged) == ("town", False)
    server.places["Paradiso, Amsterdam"] = [PARADISO]
    assert await chore.run_once() == 1
    assert await rows(database, SHOWN) == [(52.3622, 4.8839, "exact", False, True)]
    assert server.asked[0].query["countrycodes"] == "nl"


async def test_e062_an_event_that_names_only_a_town_is_placed_there_and_stays_there(
    database: Database, chore: Geocoding, server: ModelServer
) -> None:
    ours = await source(database, "Vooruit", **ABROAD)
    place: dict[str, Any] = {"venue_name": None, "location": {"city": "Kortrijk", "raw": "Kortrijk"}}
    await list_events(database, ours, event(key="URL:1", **place))
    server.places["Kortrijk"] = [
        {"lat": "50.82", "lon": "3.26", "place_rank": 16, "addresstype": "city",
         "address": {"city": "Kortrijk", "country_code": "be"}}
    ]  # fmt: skip
    assert await chore.run_once() == 1
    assert await rows(database, SHOWN) == [(50.82, 3.26, "town", False, False)]
    await list_events(database, ours, event(key="URL:1", sold_out=True, **place))
    assert await rows(database, SHOWN) == [(50.82, 3.26, "town", False, False)]


@pytest.mark.parametrize("fault", [drops, hangs, says(503), says(429), says(402), says(403)])
async def test_e094_while_it_is_away_events_stand_at_their_source_and_are_looked_up_when_it_is_back(
    database: Database, chore: Geocoding, clock: Clock, server: ModelServer, flagged: int, fault: Any
) -> None:
    server.places["Kaffee Noir, Gent"] = [NOIR]
    server.faults.append(fault)
    assert await chore.run_once() == 0
    assert await rows(database, SHOWN) == [(51.05, 3.72, "town", True, False)]
    assert await rows(database, "SELECT count(*) FROM geocodes") == [(0,)]
    await free_lane(database)
    assert await chore.run_once() == 0  # it is left alone for a while
    assert len(server.asked) == 1
    clock.now += FIRST_PAUSE + 1
    assert await chore.run_once() == 1
    assert await rows(database, SHOWN) == [(51.05, 3.73, "exact", False, True)]


@pytest.mark.parametrize(
    "answer",
    [
        [NOIR | {"address": {"city": "Brussel", "country_code": "be"}}],  # another town
        [NOIR | {"address": {}}],  # it does not say which town
        [NOIR, NOIR | {"lat": "51.09"}],  # two houses of that name in the town
        [],
    ],
)
async def test_e062_an_answer_that_is_not_surely_this_place_moves_nothing(
    database: Database, chore: Geocoding, server: ModelServer, flagged: int, answer: list[Any]
) -> None:
    server.places["Kaffee Noir, Gent"] = answer
    assert await chore.run_once() == 0
    assert await rows(database, SHOWN) == [(51.05, 3.72, "town", True, False)]
    assert await rows(database, "SELECT count(*) FROM venues WHERE latitude IS NOT NULL") == [(0,)]
    await chore.run_once()
    assert len(server.asked) == 1  # what it said is known


async def test_e062_a_dutch_place_in_another_town_than_the_page_says_is_not_believed(
    database: Database, chore: Geocoding, server: ModelServer
) -> None:
    ours = await source(database)
    await list_events(database, ours, event(venue_name="Patronaat", location={"city": "Haarlem"}))
    server.places["Patronaat, Haarlem"] = [PARADISO | {"lat": "51.44", "lon": "5.47"}]
    assert await chore.run_once() == 0


async def test_e062_what_a_person_has_placed_stays_there(
    database: Database, chore: Geocoding, server: ModelServer, flagged: int
) -> None:
    async with database.connection() as conn:
        await conn.execute('UPDATE events SET corrections = \'{"latitude": 51.05, "longitude": 3.72}\'')
    server.places["Kaffee Noir, Gent"] = [NOIR]
    await chore.run_once()
    assert await rows(database, SHOWN) == [(51.05, 3.72, "town", True, False)]


async def test_e062_a_name_without_a_town_is_asked_for_only_around_its_source(
    database: Database, chore: Geocoding, server: ModelServer
) -> None:
    ours = await source(database)
    await list_events(database, ours, event(venue_name="Grote Kerk", location={}))
    server.places["Grote Kerk"] = [
        PARADISO | {"lat": "52.381", "lon": "4.636", "address": {"city": "Haarlem", "country_code": "nl"}},
        PARADISO,
    ]
    assert await chore.run_once() == 1
    assert await rows(database, SHOWN) == [(52.3622, 4.8839, "exact", False, True)]


async def test_e062_the_street_is_asked_for_first(database: Database, chore: Geocoding, server: ModelServer) -> None:
    ours = await source(database)
    place = {"street": "Weteringschans 6", "postal_code": "1017 SG", "city": "Amsterdam"}
    await list_events(database, ours, event(location=place))
    server.places["Weteringschans 6, 1017 SG Amsterdam"] = [PARADISO]
    assert await chore.run_once() == 1
    assert len(server.asked) == 1
    assert day(10) == (await rows(database, "SELECT event_date::text FROM events"))[0][0]


async def test_e062_a_beat_asks_for_a_few_places_and_the_next_one_goes_on(
    database: Database, chore: Geocoding, server: ModelServer
) -> None:
    ours = await source(database)
    await list_events(database, ours, *(event(f"E{n}", venue_name=f"Zaal nummer {n}") for n in range(25)))
    for _ in range(3):
        await chore.run_once()
    assert len(server.asked) == len({asked.query["q"] for asked in server.asked}) == 25


async def test_e062_without_a_geocoder_nothing_is_looked_up(
    opened: Opened, database: Database, server: ModelServer, flagged: int
) -> None:
    async with opened(geocoder_url=None) as services:
        assert await Geocoding(database, services.geocoder).run_once() == 0
    assert server.asked == []
