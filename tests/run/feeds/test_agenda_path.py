"""The path of an agenda's data, and what the failure of one source leaves of the others (E-001 … E-011)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from tests.run.conftest import *  # noqa: F403 - a worker, sites and a database to run against
from tests.run.scripted_site import Site
from winnow.db.engine import Database

NAMES = ["Trio Noord", "Blaaskapel Zuid", "De Late Band"]
FIRST = datetime.now(UTC) + timedelta(days=20)


def _page(extra: str = "") -> str:
    days = [f"{FIRST + timedelta(days=n):%d-%m-%Y}" for n in range(len(NAMES))]
    items = [_item(n, name, f"{days[n]} 20:30 uur") for n, name in enumerate(NAMES)]
    head, body = "<head><title>Agenda</title></head>", f"<h1>Agenda</h1><ul>{''.join(items)}{extra}</ul>"
    return f'<html lang="nl">{head}<body>{body}</body></html>'


def _item(n: int, name: str, day: str) -> str:
    return f'<li class="event"><a href="/agenda/{n}"><h3>{name}</h3></a><p>{day}</p></li>'


async def _agenda(database: Database, watch: Any, *urls: str) -> int:
    source: int = await watch(list(urls), adapter="event", concurrent=8)
    async with database.transaction() as conn:
        await conn.execute(
            "UPDATE sources SET kind = 'event', timezone = 'Europe/Amsterdam', locale = 'nl-NL', "
            "default_latitude = 52.01, default_longitude = 4.36 WHERE id = %s", (source,),
        )  # fmt: skip
        await conn.execute("UPDATE scrape_targets SET kind = 'event' WHERE source_id = %s", (source,))
    return source


async def test_e001_e003_each_stage_leaves_its_result_in_order(
    site: Site, database: Database, watch: Any, start: Any, work: Any, rows: Any
):
    """Fetched, parsed, normalised, persisted, and told: every stage is stored and names the one before."""
    await start(await _agenda(database, watch, site.says("/agenda", _page())))
    await work()
    assert await rows(
        "SELECT count(DISTINCT p.id)::int, count(DISTINCT d.id)::int, count(DISTINCT r.id)::int, "
        "count(DISTINCT e.id)::int, "
        "bool_and(p.created_at <= d.created_at AND d.created_at <= e.created_at) "
        "FROM pages AS p JOIN drafts AS d ON d.page_id = p.id JOIN records AS r ON r.page_id = p.id "
        "JOIN events AS e ON e.page_id = p.id"
    ) == [(1, 3, 3, 3, True)]
    assert await rows("SELECT DISTINCT stage, outcome FROM tasks") == [("done", "accepted")]
    assert await rows("SELECT count(*)::int FROM outbox WHERE topic = 'event.created'") == [3]


async def test_e004_what_fails_keeps_its_page_and_a_letter_while_the_rest_goes_on(
    site: Site, database: Database, watch: Any, start: Any, work: Any, rows: Any
):
    broken = site.says("/broken", "<html><body><h1>Welkom</h1><p>Het podium van Delft.</p></body></html>")
    await start(await _agenda(database, watch, broken, site.says("/agenda", _page())))
    await work()
    assert await rows("SELECT count(*)::int FROM events") == [3]
    assert await rows("SELECT count(*)::int FROM pages") == [2]
    assert await rows("SELECT stage, payload ->> 'url' FROM dead_letters") == [("extract", broken)]


async def test_e005_e007_a_source_that_refuses_holds_up_no_other(
    site: Site, other_site: Site, database: Database, watch: Any, start: Any, work: Any, rows: Any
):
    refused = await _agenda(database, watch, site.says("/agenda", status=403))
    healthy = await _agenda(database, watch, other_site.says("/agenda", _page()))
    for source in (refused, healthy):
        await start(source)
    await work()
    assert await rows("SELECT source_id, count(*)::int FROM events GROUP BY 1") == [(healthy, 3)]
    assert await rows("SELECT outcome FROM tasks WHERE source_id = %s", healthy) == ["accepted"]
    assert await rows("SELECT status FROM tasks WHERE source_id = %s", refused) == ["failed"]


async def test_e011_markup_that_is_broken_costs_no_event(
    site: Site, database: Database, watch: Any, start: Any, work: Any, rows: Any
):
    page = _page("<li class='event'><a href='/x><h3>Niet af").replace("</h3>", "").replace("</body></html>", "")
    await start(await _agenda(database, watch, site.says("/agenda", page)))
    await work()
    assert await rows("SELECT count(*)::int >= 2 FROM events") == [True]


async def test_e059_drafts_are_normalised_in_the_visit_that_read_them(
    site: Site, database: Database, watch: Any, start: Any, work: Any, rows: Any
):
    """Not by a second worker: nothing waits between a draft and its record (docs/how-to/events.md)."""
    await start(await _agenda(database, watch, site.says("/agenda", _page())))
    await work()
    assert await rows("SELECT status, count(*)::int FROM drafts GROUP BY 1") == [("normalized", 3)]
    assert await rows("SELECT count(*)::int FROM records WHERE verdict = 'accept'") == [3]


async def test_e060_emoji_and_year_9999_store_nothing_wrong(
    site: Site, database: Database, watch: Any, start: Any, work: Any, rows: Any
):
    days = ["31-12-9999 20:30", "📅 3️⃣1️⃣ februari", "30 februari 2027", "00-00-0000", "99-99-99 25:61"]
    bad = "".join(_item(90 + n, f"Nacht {n}", day) for n, day in enumerate(days))
    await start(await _agenda(database, watch, site.says("/agenda", _page(bad))))
    await work()
    assert await rows("SELECT title FROM events ORDER BY title") == sorted(NAMES)
