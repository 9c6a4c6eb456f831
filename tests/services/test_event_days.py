"""A day that the rules cannot read is asked of the language model, and its answer believed as far as the text confirms
it (E-061)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.run.conftest import *  # noqa: F403 - a worker, a site and a database to run against
from tests.run.feeds.test_agenda_feeds import agenda  # noqa: F401 - a source of events
from tests.run.scripted_site import Site
from tests.services.conftest import Opened
from tests.services.model_server import Items, ModelServer, says
from winnow.db.engine import Database
from winnow.run.event_upkeep import EventUpkeep
from winnow.run.events.reading_days import ReadingDays
from winnow.run.services import Services

FIRST = datetime.now(UTC) + timedelta(days=20)
ROMAN = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII")
ODD = FIRST + timedelta(days=30)
ODD_TEXT = f"{ODD.day}.{ROMAN[ODD.month - 1]}.{ODD.year}"
PLACE = {"timezone": "Europe/Amsterdam", "locale": "nl-NL", "default_latitude": 52.01, "default_longitude": 4.36}
EVENTS = "SELECT title, event_date::text, event_time, normalization_method FROM shown_events ORDER BY event_date"
HELD = "SELECT count(*)::int FROM quarantine WHERE resolved_at IS NULL"


def _page(text: str) -> str:
    days = [f"{FIRST + timedelta(days=n):%d-%m-%Y} 20:30" for n in range(4)]
    rows = "".join(
        f'<script type="application/ld+json">{{"@context":"https://schema.org","@type":"Event","name":"Avond {n}",'
        f'"startDate":"{day}","location":{{"@type":"Place","name":"De Kroon"}}}}</script>'
        for n, day in enumerate([*days, text])
    )
    return f'<html lang="nl"><head><title>Agenda</title>{rows}</head><body><h1>Agenda</h1></body></html>'


@pytest.fixture
def read(agenda: Any, start: Any, work: Any, site: Site) -> Any:  # noqa: F811
    known: dict[str, int] = {}

    async def visit(text: str) -> None:
        url = site.says("/agenda", _page(text))
        if not known:
            known["source"] = await agenda(url, **PLACE)
        await start(known["source"])
        await work()

    return visit


def _says(day: str, hour: str | None = None) -> Any:
    def answering(items: Items) -> list[dict[str, Any]]:
        return [{"n": item["n"], "day": day} | ({"hour": hour} if hour else {}) for item in items]

    return answering


async def test_e061_a_day_the_model_reads_and_the_text_confirms_is_accepted(
    read: Any, rows: Any, server: ModelServer, services: Services, database: Database
) -> None:
    await read(ODD_TEXT)
    assert (len(await rows(EVENTS)), await rows(HELD)) == (4, [1])
    server.answering = _says(ODD.date().isoformat(), "19:00")
    assert await ReadingDays(database, services.llm).run_once() == 1
    [asked] = server.asked
    assert [item["text"].splitlines()[:2] for item in asked.items] == [[f"date: {ODD_TEXT}", "title: Avond 4"]]
    assert await rows("SELECT count(*)::int FROM scrape_targets WHERE next_crawl_at <= now()") == [1]
    await read(ODD_TEXT)
    assert (await rows(EVENTS))[-1] == ("Avond 4", ODD.date().isoformat(), "TBD", "hybrid")
    assert await rows(HELD) == [0]
    assert "hybrid" in await rows("SELECT normalization_method FROM records ORDER BY id")
    [place] = await rows("SELECT provenance ->> 'start' FROM events WHERE normalization_method = 'hybrid'")
    assert place.endswith("read by small")


async def test_e061_the_next_runs_read_it_alike_and_miss_nothing(
    read: Any, rows: Any, server: ModelServer, services: Services, database: Database
) -> None:
    await read(ODD_TEXT)
    server.answering = _says(ODD.date().isoformat())
    days = ReadingDays(database, services.llm)
    await days.run_once()
    for _ in range(3):
        await read(ODD_TEXT)
        assert await days.run_once() == 0
    assert len(server.asked) == 1
    assert await rows("SELECT count(*)::int FROM events WHERE missing_since IS NULL AND status = 'published'") == [5]


@pytest.mark.parametrize("day", [(ODD + timedelta(days=1)).date().isoformat(), "2026-02-31", "1999-01-01"])
async def test_e061_a_lie_stays_held_and_is_not_asked_again_at_once(
    read: Any, rows: Any, server: ModelServer, services: Services, database: Database, day: str
) -> None:
    await read(ODD_TEXT)
    server.answering = _says(day)
    days = ReadingDays(database, services.llm)
    assert (await days.run_once(), await days.run_once()) == (0, 0)
    await read(ODD_TEXT)
    assert (len(await rows(EVENTS)), await rows(HELD), len(server.asked)) == (4, [1], 1)


async def test_e061_e064_a_model_that_is_busy_is_asked_again_with_the_next_batch(
    read: Any, rows: Any, server: ModelServer, opened: Opened, pace: Any, database: Database
) -> None:
    await read(ODD_TEXT)
    server.answering = _says(ODD.date().isoformat())
    server.faults.append(says(500, "down"))
    async with opened() as services:
        days = ReadingDays(database, services.llm)
        found = [await days.run_once()]
        assert await rows("SELECT jsonb_array_length(answered_days) FROM sources") == [0]
        found.append(await days.run_once())
    assert found == [0, 1]


async def test_e061_without_a_model_the_day_stays_held(
    read: Any, rows: Any, server: ModelServer, opened: Opened, database: Database
) -> None:
    await read(ODD_TEXT)
    async with opened(llm_url=None, llm_model=None) as services:
        assert await ReadingDays(database, services.llm).run_once() == 0
    assert (await rows(HELD), server.asked) == ([1], [])


async def test_a_known_event_whose_day_cannot_be_read_any_more_is_not_missing(
    read: Any, rows: Any, database: Database
) -> None:
    await read(f"{ODD:%d-%m-%Y} 20:30")
    assert len(await rows(EVENTS)) == 5
    for _ in range(3):
        await read("als de maan vol is")
        await EventUpkeep(database).close_listings()
    assert await rows("SELECT count(*)::int FROM events WHERE missing_since IS NOT NULL") == [0]
