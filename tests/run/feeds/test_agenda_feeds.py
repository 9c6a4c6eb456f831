"""Agendas with a real worker: feeds that pages name, budgets by tier, and agendas that cannot be read."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.extract.event.feeds import calendar
from tests.run.conftest import *  # noqa: F403 - a worker, a site and a database to run against
from tests.run.scripted_site import Site
from winnow.actions import dead_letters
from winnow.db.engine import Database

SOON = datetime.now(UTC) + timedelta(days=20)
DAY = f"{SOON:%Y%m%d}T203000"
PLACE = "LOCATION:De Kroon\\, Markt 1\\, 2611 GP Delft\nGEO:52.0116;4.3571\nDESCRIPTION:Trio\nCATEGORIES:Muziek"
EVENT = f"UID:jazz@kroon\nDTSTART;TZID=Europe/Amsterdam:{DAY}\nSUMMARY:Jazz in de Kroon\n{PLACE}"
PLAIN = (
    "<html><head><title>Agenda</title>{}</head><body><h1>Agenda</h1>"
    "<p>Welkom bij De Kroon, het podium van Delft.</p></body></html>"
)


@pytest.fixture
def agenda(database: Database, watch: Any) -> Any:
    async def add(url: str, **columns: Any) -> int:
        source: int = await watch([url], adapter="event", concurrent=8)
        async with database.transaction() as conn:
            await conn.execute("UPDATE sources SET kind = 'event'")
            await conn.execute("UPDATE scrape_targets SET kind = 'event'")
            if columns:
                names = ", ".join(f"{name} = %({name})s" for name in columns)
                await conn.execute(f"UPDATE sources SET {names}", columns)
        return source

    return add


async def test_e049_a_feed_that_the_page_names_is_read_in_the_same_run(
    site: Site, agenda: Any, start: Any, work: Any, rows: Any
):
    site.says("/agenda.ics", calendar(EVENT))
    page = site.says("/agenda", PLAIN.format('<link rel="alternate" type="text/calendar" href="/agenda.ics">'))
    await start(await agenda(page))
    await work()
    assert await rows("SELECT outcome, reason, last_error FROM tasks ORDER BY created_at, id") == [
        ("followed", None, None),
        ("accepted", None, None),
    ]
    [title] = await rows("SELECT values -> 'title' -> 0 ->> 'raw' FROM drafts")
    assert title == "Jazz in de Kroon"
    [block] = await rows("SELECT raw_html FROM drafts")
    assert block.startswith("BEGIN:VEVENT")


async def test_e050_feeds_are_guessed_only_where_the_source_says_so(
    site: Site, agenda: Any, start: Any, work: Any, rows: Any
):
    site.says("/agenda/", calendar(EVENT))
    page = site.says("/agenda", PLAIN.format('<script src="/wp-content/plugins/the-events-calendar/x.js"></script>'))
    source = await agenda(page, tier_config="{}")
    await start(source)
    await work()
    assert await rows("SELECT count(*)::int FROM follow_ups WHERE role = 'feed'") == [0]
    await rows("""UPDATE sources SET tier_config = '{"feedGuessing": true}'""")
    await start(source)
    await work()
    assert await rows("SELECT count(*)::int > 0 FROM follow_ups WHERE role = 'feed'") == [True]


@pytest.mark.parametrize(("tier", "pages", "details"), [("light", 5, 10), ("standard", 20, 50), ("deep", 60, 300)])
async def test_e097_the_tier_says_how_deep_a_run_goes(
    site: Site, agenda: Any, start: Any, rows: Any, tier: str, pages: int, details: int
):
    run = await start(await agenda(site.says("/agenda", PLAIN.format("")), tier=tier))
    [roles] = await rows("SELECT budget -> 'roles' FROM scrape_runs WHERE id = %s", run)
    assert (roles["next_page"], roles["detail"]) == (pages, details)


async def test_e097_what_the_source_says_itself_comes_before_its_tier(site: Site, agenda: Any, start: Any, rows: Any):
    own = json.dumps({"follow": {"detail": 3}})
    run = await start(await agenda(site.says("/agenda", PLAIN.format("")), scrape_config=own))
    assert await rows("SELECT budget -> 'roles' FROM scrape_runs WHERE id = %s", run) == [{"detail": 3}]


async def test_e057_an_agenda_that_does_not_say_it_is_empty_is_flagged_and_leaves_a_letter(
    site: Site, agenda: Any, start: Any, work: Any, rows: Any
):
    """E-004, E-100: the letter names the stored page, so that its retry reads it without fetching it again."""
    await start(await agenda(site.says("/agenda", PLAIN.format(""))))
    await work()
    [(needs_review, reason)] = await rows("SELECT needs_review, review_reason FROM sources")
    assert needs_review
    assert "no event" in reason
    [(stage, page_id, pages)] = await rows(
        "SELECT stage, payload ->> 'page_id', (SELECT count(*)::int FROM pages WHERE id::text = payload ->> 'page_id') "
        "FROM dead_letters"
    )
    assert (stage, page_id is not None, pages) == ("extract", True, 1)


async def test_e100_the_retry_of_a_letter_reads_the_stored_page(
    site: Site, agenda: Any, start: Any, work: Any, rows: Any, database: Database
):
    await start(await agenda(site.says("/agenda", PLAIN.format(""))))
    await work()
    asked = site.asked("/agenda")
    async with database.transaction() as conn:
        [letter] = await rows("SELECT id FROM dead_letters")
        assert await dead_letters.retry(conn, "test", [letter]) == 1
    await work()
    assert site.asked("/agenda") == asked
    assert await rows("SELECT count(*)::int, max(outcome) FROM tasks WHERE payload ? 'dead_letter_id'") == [
        (1, "extract_failed")
    ]


async def test_e057_an_empty_calendar_is_no_failure(site: Site, agenda: Any, start: Any, work: Any, rows: Any):
    await start(await agenda(site.says("/agenda.ics", calendar())))
    await work()
    assert await rows("SELECT outcome FROM tasks") == ["empty"]
    assert await rows("SELECT needs_review FROM sources") == [False]
    assert await rows("SELECT count(*)::int FROM dead_letters") == [0]
