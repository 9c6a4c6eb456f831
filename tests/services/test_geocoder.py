"""The geocoder's seam, beside a server that is away, slow, rate-limited and lies (E-062, E-094)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.services.conftest import Opened
from tests.services.model_server import ModelServer, dribbles, drops, floods, hangs, says
from winnow.db.engine import Database
from winnow.errors import Trouble
from winnow.run.services import Services
from winnow.services.geocoder.nominatim import Candidate

PARADISO = {
    "lat": "52.3622", "lon": "4.8839", "place_rank": 30, "addresstype": "amenity",
    "address": {"city": "Amsterdam", "suburb": "Centrum", "country_code": "nl"},
}  # fmt: skip


async def book(database: Database) -> list[Any]:
    async with database.connection() as conn:
        found = await conn.execute("SELECT service, outcome, questions, answered FROM service_calls ORDER BY id")
        return await found.fetchall()


async def test_e062_a_place_is_asked_for_once_and_then_comes_from_the_cache(
    services: Services, server: ModelServer, database: Database
) -> None:
    server.places["Paradiso, Amsterdam"] = [PARADISO]
    first = await services.geocoder.search("Paradiso,  Amsterdam", "NL")
    again = await services.geocoder.search("paradiso, amsterdam", "NL")
    assert first.candidates == [
        Candidate(latitude=52.3622, longitude=4.8839, precision="exact", towns=["Amsterdam", "Centrum"], country="NL")
    ]
    assert (again.candidates, again.cached) == (first.candidates, True)
    (asked,) = server.asked
    assert asked.query == {
        "q": "Paradiso, Amsterdam", "format": "jsonv2", "addressdetails": "1", "limit": "5", "countrycodes": "nl"
    }  # fmt: skip
    assert await book(database) == [("geocoder", "ok", 1, 1)]


async def test_e062_that_nothing_is_known_is_cached_too_until_it_expires(
    services: Services, server: ModelServer, database: Database
) -> None:
    assert (await services.geocoder.search("Nergens", None)).candidates == []
    assert (await services.geocoder.search("Nergens", None)).cached
    assert len(server.asked) == 1
    async with database.connection() as conn:
        await conn.execute("UPDATE geocodes SET expires_at = now() - interval '1 second'")
    assert not (await services.geocoder.search("Nergens", None)).cached


@pytest.mark.parametrize(
    ("rank", "kind", "precision"),
    [
        (30, "amenity", "exact"),
        (28, "place", "exact"),
        (26, "road", "street"),
        (21, "postcode", "postcode"),
        (16, "city", "town"),
        (8, "state", None),
    ],
)
async def test_e062_how_precise_an_answer_is_follows_from_its_rank(
    services: Services, server: ModelServer, rank: int, kind: str, precision: str | None
) -> None:
    server.places["X"] = [PARADISO | {"place_rank": rank, "addresstype": kind}]
    found = await services.geocoder.search("X", None)
    assert [one.precision for one in found.candidates] == ([precision] if precision else [])


@pytest.mark.parametrize(
    ("fault", "trouble"),
    [
        (hangs, Trouble.AWAY),
        (drops, Trouble.AWAY),
        (dribbles, Trouble.AWAY),
        (floods, Trouble.NONSENSE),
        (says(503), Trouble.AWAY),
        (says(429, "Bandwidth limit exceeded"), Trouble.BUSY),
        (says(403, "Access blocked"), Trouble.REFUSED),
        (says(200, "<html>maintenance</html>"), Trouble.NONSENSE),
        (says(200, '{"error": "Unable to geocode"}'), Trouble.NONSENSE),
        (says(200, '[{"lat": "nan", "lon": "4.8", "place_rank": 30}]'), Trouble.NONSENSE),
        (says(200, '[{"lat": "552.3", "lon": "4.8", "place_rank": 30}]'), Trouble.NONSENSE),
        (says(200, '[{"lat": 0, "lon": 0, "place_rank": 30}]'), Trouble.NONSENSE),
        (says(200, '[{"lat": true, "lon": "4.8", "place_rank": 30}, 7, null]'), Trouble.NONSENSE),
        (says(200, '[{"lat": "52.3", "lon": "4.8", "place_rank": "high"}]'), Trouble.NONSENSE),
    ],
)
async def test_e094_whatever_the_geocoder_does_is_an_answer_and_nothing_of_it_is_kept(
    services: Services, server: ModelServer, database: Database, fault: Any, trouble: Trouble
) -> None:
    server.faults.append(fault)
    bad = await services.geocoder.search("Paradiso", "NL")
    assert (bad.candidates, bad.trouble) == ([], trouble)
    async with database.connection() as conn:  # the pace it asked for is not what this is about
        await conn.execute("UPDATE lanes SET slowed_until = NULL, held_until = NULL")
    server.places["Paradiso"] = [PARADISO]
    good = await services.geocoder.search("Paradiso", "NL")
    assert [one.latitude for one in good.candidates] == [52.3622]
    assert [row[1] for row in await book(database)] == [trouble, "ok"]


async def test_e062_without_an_address_there_is_no_geocoder(opened: Opened, server: ModelServer) -> None:
    async with opened(geocoder_url=None) as services:
        found = await services.geocoder.search("Paradiso", "NL")
    assert (services.geocoder.is_on, found.trouble) == (False, Trouble.OFF)
    assert server.asked == []


async def test_e083_requests_of_a_day_are_counted(opened: Opened, pace: Any, server: ModelServer) -> None:
    async with opened(geocoder_requests_per_day=1) as services:
        answers = [await services.geocoder.search(text, None) for text in ("a", "b")]
    assert [answer.trouble for answer in answers] == [None, Trouble.SPENT]
