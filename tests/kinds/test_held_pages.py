"""A page that shrank is one entry in quarantine, through the whole path (DESIGN §11.31)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.run.conftest import *  # noqa: F403 - a worker, a site and a database to run against
from tests.run.scripted_site import Site
from winnow.actions import quarantine
from winnow.db.engine import Database

ENTRY = "SELECT scope, reason, jsonb_array_length(payload -> 'records'), resolution FROM quarantine ORDER BY id"


def agenda(count: int, *, title: str = "Avond") -> str:
    days = [(datetime.now(UTC) + timedelta(days=20 + n)).date().isoformat() for n in range(count)]
    items = ", ".join(
        f'{{"@type": "MusicEvent", "name": "{title} {n}", "startDate": "{on}T20:30:00", "url": "/e/{n}", '
        f'"location": {{"@type": "Place", "name": "De Vuurtoren", "address": "Kade 1, Utrecht"}}}}'
        for n, on in enumerate(days)
    )
    return (
        f'<html><head><script type="application/ld+json">[{items}]</script></head><body><h1>Agenda</h1></body></html>'
    )


@pytest.fixture
def listing(site: Site, watch: Any, rows: Any) -> Any:
    async def add(body: str) -> int:
        source: int = await watch([site.says("/agenda", body)], adapter="event")
        await rows("UPDATE sources SET kind = 'event', default_latitude = 52.1, default_longitude = 5.1")
        await rows("UPDATE sources SET timezone = 'Europe/Amsterdam'")
        await rows("UPDATE scrape_targets SET kind = 'event'")
        return source

    return add


async def read(start: Any, work: Any, source: int) -> None:
    await start(source)
    await work()


async def test_a_page_that_shrank_waits_as_one_entry_and_is_released_as_a_whole(
    listing: Any, start: Any, work: Any, rows: Any, site: Site, database: Database
) -> None:
    source = await listing(agenda(12))
    await read(start, work, source)
    assert await rows("SELECT count(*)::int FROM events") == [12]
    site.says("/agenda", agenda(4, title="Nieuwe avond"))
    await read(start, work, source)
    assert await rows(ENTRY) == [("page", "DRIFT_DETECTED", 4, None)]
    assert await rows("SELECT count(*)::int FROM events WHERE title LIKE 'Nieuwe%%'") == [0]
    outcome = "SELECT outcome, held FROM tasks ORDER BY created_at DESC, id DESC LIMIT 1"
    assert await rows(outcome) == [("held", 4)]
    (entry,) = await rows("SELECT id FROM quarantine")
    async with database.transaction() as conn:
        await quarantine.accept(conn, "ann", entry)
    assert await rows("SELECT count(*)::int FROM events WHERE title LIKE 'Nieuwe%%'") == [4]
    assert await rows(ENTRY) == [("page", "DRIFT_DETECTED", 4, "accept")]


async def test_a_rejected_page_is_dropped_and_not_asked_about_again(
    listing: Any, start: Any, work: Any, rows: Any, site: Site, database: Database
) -> None:
    source = await listing(agenda(12))
    await read(start, work, source)
    site.says("/agenda", agenda(3))
    await read(start, work, source)
    (entry,) = await rows("SELECT id FROM quarantine")
    async with database.transaction() as conn:
        await quarantine.reject(conn, "ann", entry)
    await read(start, work, source)
    assert await rows("SELECT scope, resolution FROM quarantine") == [("page", "reject")]
    assert await rows("SELECT count(*)::int FROM events WHERE status = 'published'") == [12]


async def test_the_full_page_settles_the_entry(listing: Any, start: Any, work: Any, rows: Any, site: Site) -> None:
    source = await listing(agenda(12))
    await read(start, work, source)
    site.says("/agenda", agenda(3))
    await read(start, work, source)
    site.says("/agenda", agenda(12))
    await read(start, work, source)
    assert await rows("SELECT scope, resolution FROM quarantine") == [("page", "superseded")]
