"""The work of the events' benchmark: a calendar that grows by venues, pages with known facts, and counted merges."""

from __future__ import annotations

import psycopg
import pytest

from bench import agenda_pages, event_scale, events
from bench.harness import BenchFailed
from tests.bench.test_work import contender
from winnow.db.engine import Database
from winnow.vocabulary.event_categories import categories


async def fill(database: Database, size: int) -> None:
    async with await psycopg.AsyncConnection.connect(database.url, autocommit=True) as conn:
        assert await event_scale.fill(conn, size, sorted(categories())) == size


async def test_events_are_written_compared_and_merged_with_exactly_those_that_are_listed_already(
    database: Database,
) -> None:
    await fill(database, 1_000)
    done = await events.persist(database.url, 200)
    assert (done.written.work, done.matched.work) == (200, 200)
    async with database.connection() as conn:
        with pytest.raises(BenchFailed, match="right ones"):
            await events._check(database, 100)
        found = await conn.execute("SELECT count(*) FROM events WHERE merged_into IS NOT NULL")
        assert await found.fetchone() == (80,)


async def test_a_larger_calendar_has_more_venues_and_not_fuller_ones(database: Database) -> None:
    await fill(database, 2_000)
    async with database.connection() as conn:
        found = await conn.execute(
            "SELECT count(DISTINCT venue_id), max(n) FROM "
            "(SELECT venue_id, event_date, count(*) AS n FROM events GROUP BY 1, 2) AS d"
        )
        assert await found.fetchone() == (4, 2)
        left = await conn.execute("SELECT count(*) FROM pg_indexes WHERE indexname = 'idx_events_title'")
        assert await left.fetchone() == (1,)


def test_every_event_of_a_listing_page_is_accepted_as_it_stands_there() -> None:
    visit = contender("winnow_agenda").visit
    for render in (agenda_pages.with_json_ld, agenda_pages.with_microdata):
        for number in (0, 1, 2, 40):
            url = agenda_pages.url(number)
            assert visit(url, render(number).encode()) == agenda_pages.facts(number)
