"""Municipalities searched through a search API, also one that misbehaves (E-012 … E-020)."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.run.discovery.search_server import SearchServer
from tests.run.discovery.town import agenda, html
from tests.run.scripted_site import Site
from tests.services.model_server import drops, floods, hangs, says
from winnow.actions.agendas import discovery as actions
from winnow.actions.agendas import regions
from winnow.actions.parts import Parts
from winnow.db.engine import Database
from winnow.errors import Conflict, InvalidInput
from winnow.run.discovery.discovery import Discovery
from winnow.run.discovery.searching import QUERIES, backoff
from winnow.run.discovery.weekly import WeeklyDiscovery
from winnow.settings import Settings

SUNDAY = datetime(2026, 5, 3, 3, 0, tzinfo=UTC)
JOBS = "SELECT municipality, status, checkpoint FROM discovery_jobs ORDER BY id"
PENDING = "SELECT domain FROM discovery_candidates WHERE status = 'pending'"


@pytest.fixture
def hurry(rows: Any) -> Any:
    """What waits is due now."""

    async def wait_over() -> None:
        await rows("UPDATE discovery_jobs SET next_attempt_at = now() WHERE status = 'pending'")

    return wait_over


async def test_e014_e015_five_queries_about_a_municipality_bring_candidates(
    api: SearchServer, sites: list[Site], search: Any, discover: Discovery, rows: Any, parts: Parts
) -> None:
    venue, shop, *_ = sites
    api.hits = [
        "https://www.tripadvisor.nl/delft",  # E-016
        f"{shop.url}/fietsen",
        f"{venue.url}/contact",
        venue.says("/agenda", agenda()),
        "ftp://files.example.org/agenda",
    ]
    shop.says("/fietsen", html("Fietsen", "<p>Te koop.</p>"))
    [job] = await search("Delft")
    [(population, place, queries, status)] = await rows(
        "SELECT population, ARRAY[latitude, longitude], search_queries, status FROM discovery_jobs WHERE id = %s", job
    )
    assert (population > 50_000, [round(n) for n in place], status) == (True, [52, 4], "pending")
    assert queries == [query.format(name="Delft") for query in QUERIES]
    assert len(queries) == 5
    await discover.run_until_empty()
    assert api.queries == queries
    assert set(api.keys) == {"a-key"}
    assert {(one["gl"], one["hl"]) for one in api.asked} == {("nl", "nl")}
    assert await rows(PENDING) == [venue.domain]
    assert venue.asked("/contact") == 0, "of one site the address that names an agenda is looked at"
    [(enabled, notes)] = await rows("SELECT enabled, notes FROM sources")
    assert (enabled, notes) == (False, "found by search: agenda Delft")
    [named] = await rows(
        "SELECT m.name FROM discovery_candidates AS c JOIN municipalities AS m ON m.id = c.municipality_id "
        "WHERE c.status = 'pending'"
    )
    assert named == "Delft"
    [candidate] = await rows("SELECT id FROM discovery_candidates WHERE status = 'pending'")
    async with parts.database.transaction() as conn:
        await actions.accept(conn, "test", parts.intake, candidate, at_municipality=True)
    assert await rows("SELECT enabled, timezone, round(default_latitude)::int FROM sources") == [
        (True, "Europe/Amsterdam", 52)
    ]
    assert await rows(JOBS) == [("Delft", "completed", 5)]
    assert await rows("SELECT count(*)::int FROM service_calls WHERE service = 'search' AND outcome = 'ok'") == [5]


async def test_e013_the_largest_come_first_and_those_searched_lately_not_at_all(
    api: SearchServer, search: Any, discover: Discovery, rows: Any, database: Database, searching: Settings
) -> None:
    await search("Vlieland", "Amsterdam", "Delft")
    await discover.run_once()
    await discover.run_once()
    assert await rows("SELECT municipality FROM discovery_jobs WHERE status = 'completed' ORDER BY completed_at") == [
        "Amsterdam",
        "Delft",
    ]
    await rows("DELETE FROM discovery_jobs WHERE status = 'pending'")
    weekly = WeeklyDiscovery(database, searching)
    assert len(await weekly.begin_when_due(SUNDAY)) == 1, "the one that was not searched"
    await rows("UPDATE municipalities SET last_searched_at = now() - interval '7 days'")
    assert len(await weekly.begin_when_due(SUNDAY + timedelta(days=7))) == 2, "of three, one is waiting already"


async def test_e012_every_sunday_at_three_once_also_when_somebody_was_late(
    api: SearchServer, search: Any, rows: Any, database: Database, searching: Settings
) -> None:
    await search("Delft")
    await rows("DELETE FROM discovery_jobs")
    looks = [WeeklyDiscovery(database, searching).begin_when_due for _ in range(3)]
    assert await looks[0](SUNDAY - timedelta(minutes=1)) == []
    made = await asyncio.gather(*(look(SUNDAY + timedelta(hours=30)) for look in looks))
    assert sorted(map(len, made)) == [0, 0, 1]
    assert await looks[0](SUNDAY + timedelta(days=2)) == []
    await rows("DELETE FROM discovery_jobs")
    assert await looks[0](SUNDAY + timedelta(days=7 + 4)) == [], "four days late is next week's"
    assert len(await looks[0](SUNDAY + timedelta(days=14))) == 1


async def test_e012_without_a_search_api_a_person_is_told_what_works_instead(
    database: Database, settings: Settings
) -> None:
    with pytest.raises(Conflict, match="winnow discover seed"):
        async with database.transaction() as conn:
            await regions.search(conn, "test", settings.services, ["Delft"])
    assert await WeeklyDiscovery(database, settings).begin_when_due(SUNDAY) == []


async def test_e020_a_rate_limit_is_waited_out_and_the_rest_goes_on_from_the_checkpoint(
    api: SearchServer, search: Any, discover: Discovery, rows: Any, hurry: Any
) -> None:
    await search("Delft")
    api.faults.extend([says(200, '{"organic": []}'), says(429, "slow down"), says(429, "slow down")])
    await discover.run_until_empty()
    assert await rows("SELECT status, checkpoint, attempts FROM discovery_jobs") == [("pending", 1, 1)]
    [first] = await rows("SELECT extract(epoch FROM next_attempt_at - now())::int FROM discovery_jobs")
    await hurry()
    await discover.run_until_empty()
    [second] = await rows("SELECT extract(epoch FROM next_attempt_at - now())::int FROM discovery_jobs")
    assert (round(first / 60), round(second / 60)) == (1, 2)
    await hurry()
    await discover.run_until_empty()
    assert await rows(JOBS) == [("Delft", "completed", 5)]
    assert api.queries.count("agenda Delft") == 1, "what was answered is not asked again"
    assert len(api.asked) == 7


def test_e020_waits_double_up_to_six_hours_and_never_undercut_the_api() -> None:
    waits = [backoff(n, None).total_seconds() / 60 for n in range(12)]
    assert waits[:4] == [1, 2, 4, 8]
    assert waits[-1] == 360
    assert backoff(0, 600).total_seconds() == 600


@pytest.mark.parametrize(
    "fault",
    [drops, hangs, floods, says(500), says(200, "<html>"), says(200, '{"organic": "none"}'),
     says(200, '{"organic": [{"link": 7}, {"link": "nowhere"}]}')],
    ids=["away", "slow", "endless", "broken", "no json", "no list", "no address"],
)  # fmt: skip
async def test_e019_when_the_api_is_down_cached_results_help_and_else_the_town_is_skipped_for_the_week(
    api: SearchServer, sites: list[Site], search: Any, discover: Discovery, rows: Any, hurry: Any, fault: Any
) -> None:
    venue, later, *_ = sites
    api.hits = [venue.says("/agenda", agenda())]
    await search("Delft")
    await discover.run_until_empty()
    assert await rows(PENDING) == [venue.domain]
    api.always = fault
    await search("Delft", "Rijswijk")
    later.says("/agenda", agenda())
    for _ in range(3):
        await hurry()
        await discover.run_until_empty()
    assert await rows("SELECT municipality, status FROM discovery_jobs ORDER BY id") == [
        ("Delft", "completed"),
        ("Delft", "completed"),
        ("Rijswijk", "failed"),
    ]
    [(cached, skipped)] = await rows(
        "SELECT max(error_message) FILTER (WHERE status = 'completed'), "
        "max(error_message) FILTER (WHERE status = 'failed') FROM discovery_jobs"
    )
    assert cached.startswith("cached results were used")
    assert skipped
    # the next week asks again: neither counts as searched
    assert await rows(
        "SELECT count(*)::int FROM municipalities WHERE name = 'Rijswijk' AND last_searched_at IS NULL"
    ) == [1]
    api.always = None
    await search("Rijswijk")
    await discover.run_until_empty()
    assert await rows("SELECT status FROM discovery_jobs WHERE municipality = 'Rijswijk' ORDER BY id") == [
        "failed",
        "completed",
    ]


async def test_e019_a_wrong_key_is_not_tried_again(
    api: SearchServer, search: Any, discover: Discovery, rows: Any
) -> None:
    api.always = says(403, "unauthorized")
    await search("Delft")
    await discover.run_until_empty()
    assert len(api.asked) == 1
    assert await rows("SELECT status FROM discovery_jobs") == ["failed"]


async def test_a_spent_budget_lets_the_rest_wait(
    api: SearchServer, search: Any, database: Database, searching: Settings, rows: Any
) -> None:
    services = searching.services.model_copy(update={"web_search_requests_per_day": 3})
    await search("Delft")
    await Discovery(database, replace(searching, services=services)).run_until_empty()
    assert len(api.asked) == 3
    assert await rows(
        "SELECT status, checkpoint, next_attempt_at > now() + interval '23 hours' FROM discovery_jobs"
    ) == [("pending", 3, True)]


async def test_e003_a_search_that_is_killed_goes_on_with_the_next_query(
    api: SearchServer, search: Any, discover: Discovery, rows: Any
) -> None:
    await search("Delft")
    api.faults.extend([says(200, '{"organic": []}'), says(200, '{"organic": []}'), hangs])
    worker = asyncio.create_task(discover.run_once())
    async with asyncio.timeout(60):
        while len(api.asked) < 3:
            await asyncio.sleep(0.01)
    worker.cancel()
    await asyncio.gather(worker, return_exceptions=True)
    await rows("UPDATE discovery_jobs SET lease_until = now() - interval '1 second'")
    await discover.run_until_empty()
    assert await rows(JOBS) == [("Delft", "completed", 5)]
    assert [api.queries.count(query.format(name="Delft")) for query in QUERIES] == [1, 1, 2, 1, 1]


async def test_municipalities_are_imported_with_their_population_and_a_wrong_line_stores_none(
    database: Database, rows: Any
) -> None:
    async with database.transaction() as conn:
        table = "Name,Population,Region\nDelft,106000,\nGent,265000,Oost-Vlaanderen"
        with pytest.raises(InvalidInput, match="line 3: where 'Gent' is, is not known"):
            await regions.import_csv(conn, "test", table)
        full = "name,population,country,latitude,longitude\nDelft,106000,,,\nGent,265000,be,51.05,3.72\n"
        assert await regions.import_csv(conn, "test", full) == 2
    assert await rows("SELECT name, country, population FROM municipalities ORDER BY id") == [
        ("Delft", "NL", 106000),
        ("Gent", "BE", 265000),
    ]


@pytest.mark.parametrize(
    "content", ["", "town;people\nDelft;1", "name,population\n", "name,population\nDelft,many", "name,population\n,5"]
)
def test_files_that_are_no_list_of_municipalities_are_refused(content: str) -> None:
    with pytest.raises(InvalidInput):
        regions.read_csv(content)


async def test_e012_a_province_or_all_of_them_can_be_ordered(search: Any, rows: Any) -> None:
    await search(provinces=["zeeland"])
    assert await rows("SELECT DISTINCT region FROM municipalities") == ["Zeeland"]
    with pytest.raises(InvalidInput, match="no province 'Atlantis'"):
        await search(provinces=["Atlantis"])
    with pytest.raises(InvalidInput, match="no Dutch municipality"):
        await search("Atlantis")
    assert len(await search(all_of_them=True)) > 300
