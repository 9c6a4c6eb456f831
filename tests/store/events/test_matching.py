"""Events of several sources that are one: merged, taken apart, and left to a person (DESIGN §11.30)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.store.conftest import Rows
from tests.store.events.event_rows import day, event, list_events, source
from winnow.actions import events as actions
from winnow.db.engine import Database
from winnow.errors import Conflict
from winnow.run.event_upkeep import EventUpkeep
from winnow.store.events.matching.vectors import NoVectors

SHOWN = "SELECT id FROM shown_events ORDER BY id"
MERGED = "SELECT topic FROM outbox WHERE topic IN ('event.merged','event.unmerged') ORDER BY id"


async def match(database: Database) -> int:
    return await EventUpkeep(database, NoVectors()).match()


@pytest.fixture
async def venue(database: Database) -> int:
    return await source(database, "Paradiso")


@pytest.fixture
async def paper(database: Database) -> int:
    return await source(database, "Uitkrant")


async def one(database: Database, source_id: int, *records: dict[str, Any]) -> int:
    return (await list_events(database, source_id, *records)).ids[0]


async def test_e073_the_same_event_of_two_sources_is_shown_once(
    database: Database, venue: int, paper: int, rows: Rows
) -> None:
    kept = await one(database, venue, event("Nachtvlinders"))
    other = await one(database, paper, event("Nachtvlinders (live)"))
    await match(database)
    assert await rows(SHOWN) == [kept]
    assert await rows("SELECT merged_into FROM events WHERE id = %s", other) == [kept]
    assert await rows("SELECT kept_id, merged_id, decided_by FROM event_merges") == [(kept, other, "rules")]
    assert await rows(MERGED) == ["event.merged"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"venue_name": "Poppodium De Loods"}, {"venue_name": "De Loods"}),
        ({"venue_name": "Tivoli Vredenburg"}, {"venue_name": "TivoliVredenburg", "location": {}}),
        ({"venue_name": "De Loods", "latitude": 52.371, "longitude": 4.9}, {"venue_name": "Poppodium De Loods"}),
        ({"venue_name": "Poppodium De Loods"}, {"venue_name": "De Loods", "latitude": 52.371, "longitude": 4.9}),
        ({"venue_name": "De Loods", "hour": None}, {"venue_name": "Loods", "latitude": 52.371, "longitude": 4.9}),
    ],
)
async def test_e073_venues_placed_by_their_town_are_found_under_other_names(
    database: Database, venue: int, paper: int, rows: Rows, first: dict[str, Any], second: dict[str, Any]
) -> None:
    """Without a geocoder nobody knows where a house is; its name is written in two ways all the same."""
    await one(database, venue, event("Nachtvlinders", **first))
    await match(database)
    await one(database, paper, event("Nachtvlinders (live)", **second))
    await match(database)
    assert len(await rows(SHOWN)) == 1


@pytest.mark.parametrize(
    "second",
    [
        {"venue_name": "De Loods", "location": {"city": "Zwolle", "raw": "Zwolle"}},
        {"venue_name": "De Kade"},
        {"venue_name": "Theater De Brug"},
    ],
)
async def test_e073_another_house_or_town_is_another_event(
    database: Database, venue: int, paper: int, rows: Rows, second: dict[str, Any]
) -> None:
    await one(database, venue, event("Nachtvlinders", venue_name="Poppodium De Loods"))
    await one(database, paper, event("Nachtvlinders", **second))
    await match(database)
    assert await rows("SELECT count(*) FROM event_merges") == [0]


async def test_e073_never_within_one_source(database: Database, venue: int, rows: Rows) -> None:
    await list_events(database, venue, event("Nachtvlinders", key="URL:1"), event("Nachtvlinders live", key="URL:2"))
    await match(database)
    assert await rows("SELECT count(*) FROM event_merges") == [0]


async def test_the_second_night_stays_an_event_of_its_own(
    database: Database, venue: int, paper: int, rows: Rows
) -> None:
    await one(database, venue, event("Nachtvlinders", on=10))
    await one(database, paper, event("Nachtvlinders", on=11))
    await match(database)
    assert len(await rows(SHOWN)) == 2


async def test_the_one_with_an_hour_is_shown(database: Database, venue: int, paper: int, rows: Rows) -> None:
    await one(database, venue, event("Nachtvlinders", hour=None))
    exact = await one(database, paper, event("Nachtvlinders"))
    await match(database)
    assert await rows(SHOWN) == [exact]


async def test_undo_after_updates_restores_both_as_their_sources_have_them_now(
    database: Database, venue: int, paper: int, rows: Rows
) -> None:
    kept = await one(database, venue, event("Nachtvlinders", key="URL:1"))
    other = await one(database, paper, event("Nachtvlinders", key="URL:9"))
    await match(database)
    await list_events(database, venue, event("Nachtvlinders!", key="URL:1", sold_out=True))
    await list_events(database, paper, event("Nachtvlinders", key="URL:9", description="Nieuw"))
    async with database.transaction() as conn:
        await actions.unmerge(conn, "ann", other)
    wanted = "SELECT id, title, sold_out, description, merged_into FROM events ORDER BY id"
    assert await rows(wanted) == [
        (kept, "Nachtvlinders!", True, "", None),
        (other, "Nachtvlinders", None, "Nieuw", None),
    ]
    assert await rows(MERGED) == ["event.merged", "event.unmerged"]


async def test_an_undone_pair_is_not_merged_again_by_rules(
    database: Database, venue: int, paper: int, rows: Rows
) -> None:
    await one(database, venue, event("Nachtvlinders"))
    other = await one(database, paper, event("Nachtvlinders"))
    await match(database)
    async with database.transaction() as conn:
        await actions.unmerge(conn, "ann", other)
    await rows("UPDATE events SET match_requested_at = now()")
    await match(database)
    assert len(await rows(SHOWN)) == 2


async def test_an_undone_pair_is_not_merged_again_through_a_third_event(
    database: Database, venue: int, paper: int, rows: Rows
) -> None:
    first = await one(database, venue, event("Nachtvlinders"))
    other = await one(database, paper, event("Nachtvlinders"))
    await match(database)
    async with database.transaction() as conn:
        await actions.unmerge(conn, "ann", other)
    third = await source(database, "Stadsgids")
    await one(database, third, event("Nachtvlinders"))
    await match(database)
    roots = await rows("SELECT coalesce(merged_into, id) FROM events WHERE id IN (%s, %s)", first, other)
    assert len(set(roots)) == 2


async def test_three_sources_are_one_event_and_the_middle_one_can_be_taken_out(
    database: Database, venue: int, paper: int, rows: Rows
) -> None:
    ids = [await one(database, venue, event("Nachtvlinders")), await one(database, paper, event("Nachtvlinders"))]
    third = await source(database, "Stadsgids")
    ids.append(await one(database, third, event("Nachtvlinders")))
    await match(database)
    assert await rows(SHOWN) == [ids[0]]
    async with database.transaction() as conn:
        await actions.unmerge(conn, "ann", ids[1])
    assert ids[1] in await rows(SHOWN)
    roots = await rows("SELECT coalesce(merged_into, id) FROM events ORDER BY id")
    assert roots[0] != roots[1]


async def test_rules_take_back_what_one_source_has_moved_since(
    database: Database, venue: int, paper: int, rows: Rows
) -> None:
    await one(database, venue, event("Nachtvlinders", key="URL:1", on=10))
    await one(database, paper, event("Nachtvlinders", key="URL:9", on=10))
    await match(database)
    await list_events(database, venue, event("Nachtvlinders", key="URL:1", on=20))
    await match(database)
    assert len(await rows(SHOWN)) == 2
    await list_events(database, paper, event("Nachtvlinders", key="URL:9", on=20))
    await match(database)
    assert len(await rows(SHOWN)) == 1


async def test_a_doubtful_pair_waits_for_a_person(database: Database, venue: int, paper: int, rows: Rows) -> None:
    await one(database, venue, event("Hamlet"))
    await one(database, paper, event("Inleiding Hamlet"))
    await match(database)
    assert await rows("SELECT status FROM event_doubts") == ["open"]
    assert len(await rows(SHOWN)) == 2
    (doubt,) = await rows("SELECT id FROM event_doubts")
    async with database.transaction() as conn:
        await actions.decide_doubt(conn, "ann", doubt, same=False)
    await rows("UPDATE events SET match_requested_at = now()")
    await match(database)
    assert await rows("SELECT status, decided_by FROM event_doubts") == [("distinct", "ann")]
    async with database.transaction() as conn:
        with pytest.raises(Conflict, match="decided already, by ann"):
            await actions.decide_doubt(conn, "bob", doubt, same=True)


async def test_a_doubt_that_is_one_event_is_merged(database: Database, venue: int, paper: int, rows: Rows) -> None:
    await one(database, venue, event("Hamlet"))
    await one(database, paper, event("Inleiding Hamlet"))
    await match(database)
    (doubt,) = await rows("SELECT id FROM event_doubts")
    async with database.transaction() as conn:
        await actions.decide_doubt(conn, "ann", doubt, same=True)
    assert len(await rows(SHOWN)) == 1
    assert "event.doubt_decided" in await rows("SELECT action FROM audit_log")


async def test_merging_what_is_one_already_is_a_conflict(database: Database, venue: int, paper: int) -> None:
    a, b = await one(database, venue, event("A")), await one(database, paper, event("B"))
    async with database.transaction() as conn:
        await actions.merge(conn, "ann", a, b)
    async with database.transaction() as conn:
        with pytest.raises(Conflict):
            await actions.merge(conn, "ann", b, a)


async def test_each_event_is_compared_once(database: Database, venue: int, paper: int, rows: Rows) -> None:
    await one(database, venue, event("Nachtvlinders"))
    await one(database, paper, event("Zomergasten", on=day(12)))
    assert await match(database) == 2
    assert await match(database) == 0
    assert await rows("SELECT count(*) FROM events WHERE match_requested_at IS NOT NULL") == [0]
