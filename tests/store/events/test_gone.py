"""Missing, gone, and back (DESIGN §11.31); and pages that are not believed."""

from __future__ import annotations

from typing import Any

import pytest

from tests.store.conftest import Rows
from tests.store.events.event_rows import WRITER, day, event, list_events, page, read, source
from winnow.db.engine import Database
from winnow.judge.verdict import Decision
from winnow.kinds.writers.writer import VisitRef
from winnow.run.event_upkeep import EventUpkeep
from winnow.store.events.matching.vectors import NoVectors

LIFE = "SELECT title, status, missing_since IS NOT NULL, misses FROM events ORDER BY title"
AGENDA = tuple(event(f"Avond {n}", on=10 + n, key=f"URL:{n}") for n in range(10))


@pytest.fixture
async def paradiso(database: Database) -> int:
    return await source(database)


@pytest.fixture
def reading(database: Database, paradiso: int, rows: Rows) -> Any:
    """A run of the source that reads its agenda, and has ended."""

    async def run(*records: dict[str, Any], ended: str = "SUCCESS", unchanged: bool = False, **counts: int) -> int:
        names = ", ".join(["source_id", "adapter_id", "status", "completed_at", *counts])
        values = ", ".join(map(str, [paradiso, "'event'", f"'{ended}'", "now()", *counts.values()]))
        (run_id,) = await rows(f"INSERT INTO scrape_runs ({names}) VALUES ({values}) RETURNING id")
        if unchanged:
            visit = VisitRef(task_id=page(paradiso, []).visit.task_id, kind="event",
                             url="https://paradiso.test/agenda", source_id=paradiso, run_id=run_id)  # fmt: skip
            async with database.transaction() as conn:
                await WRITER.seen_again(conn, [visit])
        else:
            await list_events(database, paradiso, *records, run_id=run_id)
        return await EventUpkeep(database, NoVectors()).close_listings()

    return run


async def test_gone_after_two_complete_readings_and_never_cancelled(reading: Any, rows: Rows) -> None:
    await reading(*AGENDA)
    assert await reading(*AGENDA[1:]) == 0
    assert (await rows(LIFE))[0] == ("Avond 0", "published", True, 1)
    assert await reading(*AGENDA[1:]) == 1
    assert (await rows(LIFE))[0] == ("Avond 0", "gone", True, 2)
    assert await rows("SELECT event_status FROM events WHERE status = 'gone'") == ["scheduled"]
    assert await rows("SELECT topic FROM outbox WHERE topic = 'event.gone'") == ["event.gone"]
    assert await rows("SELECT cause FROM event_changes") == ["gone"]


async def test_what_comes_back_is_no_longer_missing(reading: Any, rows: Rows) -> None:
    await reading(*AGENDA)
    await reading(*AGENDA[1:])
    await reading(*AGENDA)
    assert (await rows(LIFE))[0] == ("Avond 0", "published", False, 0)


async def test_what_was_gone_and_comes_back_is_published_again(reading: Any, rows: Rows) -> None:
    await reading(*AGENDA)
    await reading(*AGENDA[1:])
    await reading(*AGENDA[1:])
    await reading(*AGENDA)
    assert (await rows(LIFE))[0] == ("Avond 0", "published", False, 0)
    assert await rows("SELECT cause FROM event_changes ORDER BY id") == ["gone", "returned"]


@pytest.mark.parametrize(
    ("counts", "why"),
    [
        ({"ended": "FAILED"}, "the run ended as FAILED"),
        ({"urls_failed": 1}, "pages of it could not be read"),
        ({"links_cut": 1}, "its budget left out pages"),
        ({"records_cut": 3}, "a limit left out records of a page"),
    ],
)
async def test_an_incomplete_reading_makes_nothing_missing(
    reading: Any, rows: Rows, counts: dict[str, Any], why: str
) -> None:
    await reading(*AGENDA)
    await reading(*AGENDA[1:], **counts)
    assert (await rows(LIFE))[0] == ("Avond 0", "published", False, 0)
    assert await rows("SELECT why FROM event_listings WHERE NOT complete") == [why]


FOLLOW_UP = """
INSERT INTO follow_ups (run_id, url_hash, url, role, depth, state, cut_by)
SELECT max(id), encode(sha256(%s::bytea), 'hex'), %s, %s, 1, 'cut', %s FROM scrape_runs
"""


@pytest.mark.parametrize(
    ("role", "cut_by", "complete"),
    [
        ("feed", "scope", True),  # the calendar of another site, which is never read
        ("detail", "role", True),  # the page of one event, which the listing names all the same
        ("next_page", "role", False),
        ("feed", "pages", False),
    ],
)
async def test_a_link_that_leaves_out_nothing_of_the_listing_makes_no_reading_incomplete(
    database: Database, paradiso: int, rows: Rows, role: str, cut_by: str, complete: bool
) -> None:
    await rows(
        "INSERT INTO scrape_runs (source_id, adapter_id, status, completed_at, links_cut, links_cut_by) "
        "VALUES (%s, 'event', 'SUCCESS', now(), 1, jsonb_build_object(%s::text, 1))",
        paradiso,
        cut_by,
    )
    await rows(FOLLOW_UP, "https://a.test/", "https://a.test/", role, cut_by)
    (run_id,) = await rows("SELECT max(id) FROM scrape_runs")
    await list_events(database, paradiso, *AGENDA, run_id=run_id)
    await EventUpkeep(database, NoVectors()).close_listings()
    assert await rows("SELECT complete FROM event_listings") == [complete]


async def test_a_page_that_lists_nothing_it_listed_before_is_held(
    database: Database, paradiso: int, rows: Rows
) -> None:
    """A redesign of a small agenda: its heading and the first day make one event that is none."""
    await list_events(database, paradiso, *AGENDA[:5])
    (found,) = await read(database, page(paradiso, [event("Agenda Paradiso", on=10, key="URL:agenda")]))
    assert found.held is not None
    assert found.held.findings[0].details == "it lists 1 of days to come, and none of the 5 it listed before"
    renamed = [record | {"key": f"URL:new{n}"} for n, record in enumerate(AGENDA[:5])]
    (known,) = await read(database, page(paradiso, renamed))
    assert known.held is None, "other addresses of the same evenings are no other evenings"
    choice = [event(f"Uitgelicht {n}", on=30 + n, key=f"URL:c{n}") for n in range(5)]
    (changed,) = await read(database, page(paradiso, choice))
    assert changed.held is None, "a page may show another choice each day"


async def test_a_small_agenda_that_shrinks_by_half_makes_nothing_missing(reading: Any, rows: Rows) -> None:
    await reading(*AGENDA[:6])
    await reading(*AGENDA[3:6])
    assert (await rows(LIFE))[0] == ("Avond 0", "published", False, 0)
    assert await rows("SELECT why FROM event_listings WHERE NOT complete") == ["it shrank by half"]


async def test_an_event_beyond_the_range_of_the_reading_is_not_missing(reading: Any, rows: Rows) -> None:
    await reading(*AGENDA, event("Ver weg", on=90, key="URL:far"))
    await reading(*AGENDA)
    assert (await rows(LIFE))[-1] == ("Ver weg", "published", False, 0)


async def test_what_passed_is_not_gone(reading: Any, rows: Rows) -> None:
    await reading(*AGENDA, event("Gisteren", on=-1, key="URL:past"))
    await reading(*AGENDA)
    await reading(*AGENDA)
    assert ("Gisteren", "published", False, 0) in await rows(LIFE)


async def test_a_page_that_has_not_changed_lists_what_it_listed(reading: Any, rows: Rows) -> None:
    await reading(*AGENDA)
    await reading(unchanged=True)
    assert {row[1:] for row in await rows(LIFE)} == {("published", False, 0)}
    assert await rows("SELECT complete, events FROM event_listings ORDER BY run_id") == [(True, 10), (True, 10)]


async def test_a_held_record_is_listed_all_the_same(database: Database, paradiso: int, rows: Rows) -> None:
    await read(database, page(paradiso, AGENDA, run_id=1))
    await read(database, page(paradiso, AGENDA[1:], held=AGENDA[:1], run_id=2))
    assert await rows("SELECT DISTINCT last_seen_run_id FROM events") == [2]


async def test_a_page_that_shrinks_by_half_is_held_as_a_whole(database: Database, paradiso: int, rows: Rows) -> None:
    await list_events(database, paradiso, *AGENDA)
    (found,) = await read(database, page(paradiso, AGENDA[:5]))
    assert found.held is not None
    assert found.held.decision is Decision.HOLD
    assert found.held.findings[0].details == "it lists 5 of days to come, and listed 10 of them before"
    (less,) = await read(database, page(paradiso, AGENDA[:6]))
    assert less.held is None


async def test_a_page_whose_dates_move_at_once_is_held(database: Database, paradiso: int, rows: Rows) -> None:
    await list_events(database, paradiso, *AGENDA)
    moved = [
        record | {"event_date": day(40 + n), "start": f"{day(40 + n)}T20:30:00"} for n, record in enumerate(AGENDA)
    ]
    (found,) = await read(database, page(paradiso, moved))
    assert found.held is not None
    assert "10 of 10 events have another day or hour" in found.held.findings[0].details
    assert await rows("SELECT min(event_date)::text FROM events") == [day(10)]


async def test_a_handful_of_events_may_shrink(database: Database, paradiso: int) -> None:
    await list_events(database, paradiso, *AGENDA[:4])
    (found,) = await read(database, page(paradiso, AGENDA[:1]))
    assert found.held is None


async def test_events_that_move_to_another_page_of_the_listing_are_not_missed(
    database: Database, paradiso: int, rows: Rows
) -> None:
    second = "https://paradiso.test/agenda?page=2"
    late = tuple(event(f"Laat {n}", on=30 + n, key=f"URL:l{n}") for n in range(10))
    await read(database, page(paradiso, AGENDA, run_id=1), page(paradiso, late, url=second, run_id=1))
    first_page = page(paradiso, [*AGENDA, *late[:8]], run_id=2)
    assert [one.held for one in await read(database, first_page)] == [None]
    (found,) = await read(database, page(paradiso, late[8:], url=second, run_id=2))
    assert found.held is None
