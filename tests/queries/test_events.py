"""Events as consumers and operators see them (E-113 … E-115)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.store.events.event_rows import day, event, list_events, source
from winnow.actions import events as actions
from winnow.db.engine import Database
from winnow.errors import InvalidInput
from winnow.queries.events import feed, lists, venues
from winnow.queries.events.lists import Around, Filters
from winnow.queries.reading import reader

CENTRE = {"latitude": 52.3622, "longitude": 4.8838}
FAR = {"latitude": 51.5890, "longitude": 4.7750, "venue_name": "Grote Kerk", "location": {"city": "Breda"}}
AMSTERDAM = Around(52.3622, 4.8838, 90_000)
NOW = datetime.now(UTC)

Ask = Callable[[Filters], Awaitable[list[str]]]


@pytest.fixture
async def agenda(database: Database) -> int:
    own = await source(database)
    await list_events(
        database, own,
        event("Nachtvlinders", on=3, **CENTRE), event("Boerenmarkt", on=5, category="food", **CENTRE),
        event("Zomergasten", on=9, status="cancelled", **CENTRE), event("Orgelconcert", on=3, hour="21:30", **FAR),
    )  # fmt: skip
    return own


@pytest.fixture
def titles(database: Database, agenda: int) -> Ask:
    async def ask(filters: Filters) -> list[str]:
        async with reader(database) as conn:
            found, _ = await lists.listed(conn, filters)
        return [row["title"] for row in found]

    return ask


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        (Filters(), ["Nachtvlinders", "Orgelconcert", "Boerenmarkt", "Zomergasten"]),
        (Filters(categories=("food",)), ["Boerenmarkt"]),
        (Filters(text="nachtvl"), ["Nachtvlinders"]),
        (Filters(text="kerk breda"), ["Orgelconcert"]),
        (Filters(around=Around(52.36, 4.88, 5_000)), ["Nachtvlinders", "Boerenmarkt", "Zomergasten"]),
        (Filters(event_status="cancelled"), ["Zomergasten"]),
        (Filters(since=NOW + timedelta(days=4), until=NOW + timedelta(days=7)), ["Boerenmarkt"]),
        (Filters(source_id=4711), []),
    ],
)
async def test_events_are_filtered(titles: Ask, filters: Filters, found: list[str]) -> None:
    assert await titles(filters) == found


@pytest.mark.parametrize(
    "filters", [Filters(text="!?"), Filters(around=Around(52, 4, 0)), Filters(around=Around(52, 4, 1e9))]
)
async def test_a_filter_that_means_nothing_is_refused(titles: Ask, filters: Filters) -> None:
    with pytest.raises(InvalidInput):
        await titles(filters)


async def test_pages_of_a_list_leave_nothing_out(database: Database, agenda: int) -> None:
    seen: list[str] = []
    cursor = None
    async with reader(database) as conn:
        while True:
            found, cursor = await lists.listed(conn, Filters(), after=cursor, limit=1)
            seen += [row["title"] for row in found]
            if cursor is None:
                break
        with pytest.raises(InvalidInput, match="cursor"):
            await lists.listed(conn, Filters(), after="tomorrow")
    assert sorted(seen) == ["Boerenmarkt", "Nachtvlinders", "Orgelconcert", "Zomergasten"]


async def test_operators_see_every_row_and_consumers_the_merged_one_as_its_event(
    database: Database, agenda: int
) -> None:
    paper = await source(database, "Uitkrant")
    (other,) = (await list_events(database, paper, event("Nachtvlinders!", on=3, **CENTRE))).ids
    async with reader(database) as conn:
        (first, *_), _ = await lists.listed(conn, Filters(text="nachtvlinders"))
    async with database.transaction() as conn:
        await actions.merge(conn, "ann", first["id"], other)
    async with reader(database) as conn:
        found, _ = await lists.listed(conn, Filters(text="nachtvlinders"))
        merged, _ = await lists.all_rows(conn, Filters(status="merged"))
        whole = await lists.one(conn, other)
        seen = await lists.visible(conn, other)
    assert [row["id"] for row in found] == [first["id"]]
    assert [row["id"] for row in merged] == [other]
    assert whole is not None
    assert [row["id"] for row in whole["members"]] == [first["id"], other]
    assert seen is not None
    assert seen["id"] == first["id"]


async def test_e114_the_feed_ranks_by_distance_and_category(database: Database, agenda: int) -> None:
    async def ask(**more: Any) -> list[str]:
        async with reader(database) as conn:
            found = await feed.feed(conn, AMSTERDAM, since=NOW, until=NOW + timedelta(days=30), **more)
        return [row["title"] for row in found]

    assert await ask() == ["Nachtvlinders", "Boerenmarkt", "Orgelconcert"]
    assert await ask(categories=["food"]) == ["Boerenmarkt", "Nachtvlinders", "Orgelconcert"]


async def test_a_correction_stays_when_the_source_says_otherwise_again(database: Database, agenda: int) -> None:
    async with reader(database) as conn:
        (found, *_), _ = await lists.listed(conn, Filters(text="boerenmarkt"))
    async with database.transaction() as conn:
        changed = await actions.correct(conn, "ann", found["id"], {"title": "Streekmarkt", "category": "community"})
        with pytest.raises(InvalidInput, match="cannot be corrected"):
            await actions.correct(conn, "ann", found["id"], {"source_id": 1})
    assert changed == {"title": ["Boerenmarkt", "Streekmarkt"], "category": ["food", "community"]}
    await list_events(database, agenda, event("Boerenmarkt", on=5, category="food", sold_out=True, **CENTRE))
    async with reader(database) as conn:
        whole = await lists.one(conn, found["id"])
    assert whole is not None
    assert (whole["title"], whole["category"], whole["sold_out"]) == ("Streekmarkt", "community", True)
    assert [change["cause"] for change in whole["changes"]] == ["listed", "corrected"]


async def test_a_hidden_event_is_not_listed_until_it_is_restored(database: Database, titles: Ask) -> None:
    async with reader(database) as conn:
        (found, *_), _ = await lists.listed(conn, Filters(text="boerenmarkt"))
    async with database.transaction() as conn:
        await actions.hide(conn, "ann", found["id"])
    assert "Boerenmarkt" not in await titles(Filters())
    async with database.transaction() as conn:
        await actions.restore(conn, "ann", found["id"])
    assert "Boerenmarkt" in await titles(Filters())


async def test_two_names_of_a_venue_are_merged_and_taken_apart(database: Database, agenda: int) -> None:
    await list_events(
        database, agenda, event("Lezing", on=12, venue_name="Poptempel"), url="https://paradiso.test/lezing"
    )
    async with reader(database) as conn:
        found, _ = await venues.listed(conn)
    ids = {row["name"]: row["id"] for row in found}
    async with database.transaction() as conn:
        await actions.merge_venues(conn, "ann", ids["Poptempel"], ids["Paradiso"])
    async with reader(database) as conn:
        (lecture, *_), _ = await lists.listed(conn, Filters(text="lezing"))
        whole = await venues.one(conn, ids["Paradiso"])
    assert lecture["venue_id"] == ids["Paradiso"]
    assert whole is not None
    assert [alias["alias_key"] for alias in whole["aliases"]] == ["paradiso", "poptempel"]
    async with database.transaction() as conn:
        await actions.unmerge_venue(conn, "ann", ids["Poptempel"])
    async with reader(database) as conn:
        (lecture, *_), _ = await lists.listed(conn, Filters(text="lezing"))
    assert lecture["venue_id"] == ids["Poptempel"]
    assert lecture["event_date"].isoformat() == day(12)
