"""Discovery without its database or its language model (E-017, E-021, E-023)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest
from aiohttp import web
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from tests.run.conftest import limit
from tests.run.discovery.conftest import Seed
from tests.run.discovery.search_server import SearchServer
from tests.run.discovery.town import agenda, html
from tests.run.scripted_site import Site
from tests.run.test_database_away import Cable
from tests.services.model_server import ModelServer, hangs, says, talks
from winnow.actions.agendas import discovery as actions
from winnow.actions.parts import Parts
from winnow.db.engine import Database
from winnow.errors import DatabaseUnavailable, InvalidInput, NotFound
from winnow.run.discovery import spool
from winnow.run.discovery.discovery import Discovery
from winnow.run.discovery.weekly import WeeklyDiscovery
from winnow.services.settings import ServiceSettings
from winnow.settings import Settings


@pytest.fixture
async def cable(database_url: str) -> AsyncIterator[Cable]:
    known = conninfo_to_dict(database_url)
    made = await Cable(str(known["host"]), int(known["port"] or 0)).plug_in()
    yield made
    made.pull_out()


@pytest.fixture
async def far(cable: Cable, database_url: str, searching: Settings) -> AsyncIterator[Discovery]:
    """Discovery behind the cable."""
    db = searching.db.model_copy(
        update={"database_url": make_conninfo(database_url, port=str(cable.port)), "database_wait_seconds": 1.0}
    )
    async with await Database.open(db) as opened:
        yield Discovery(opened, replace(searching, db=db))


async def test_e023_results_go_to_a_file_when_the_database_is_away_and_an_alert_asks_for_them(
    api: SearchServer, sites: list[Site], search: Any, far: Discovery, cable: Cable, rows: Any, database: Database,
    searching: Settings, parts: Parts,
) -> None:  # fmt: skip
    venue, *_ = sites
    page = venue.says("/agenda", agenda())

    async def pull(_: web.Request) -> web.StreamResponse:
        cable.pull_out()
        return web.json_response({"organic": [{"link": page, "title": "Agenda"}]})

    api.faults.append(pull)
    await search("Delft")
    with pytest.raises(DatabaseUnavailable):
        await far.run_once()
    [file] = spool.waiting(searching.db.folder)
    assert oct(file.parent.stat().st_mode)[-3:] == "700"
    weekly = WeeklyDiscovery(database, searching)
    assert await weekly.report_files() == 1
    assert await rows("SELECT code, title, resolved_at IS NULL FROM alerts") == [
        ("discovery_import", f"results of discovery wait in a file: `winnow discover import {file}`", True)
    ]
    async with database.transaction() as conn:
        assert await actions.import_file(conn, "test", file) == 1
    spool.mark_imported(file)
    assert await weekly.report_files() == 0
    assert await rows("SELECT resolved_at IS NOT NULL FROM alerts") == [True]
    await rows("UPDATE discovery_jobs SET lease_until = now() - interval '1 second'")
    await Discovery(database, searching).run_until_empty()
    assert api.queries.count("agenda Delft") == 1, "what was paid for is not asked again"
    assert await rows("SELECT domain FROM discovery_candidates WHERE status = 'pending'") == [venue.domain]


async def test_e023_a_candidate_that_was_examined_is_kept_too(
    sites: list[Site], far: Discovery, cable: Cable, rows: Any, database: Database, searching: Settings, parts: Parts
) -> None:
    venue, *_ = sites
    page = venue.url + "/agenda"

    async def pull(_: web.Request) -> web.StreamResponse:
        cable.pull_out()
        return web.Response(text=agenda(), content_type="text/html")

    venue.does("/agenda", pull)
    async with database.transaction() as conn:
        await actions.add_seeds(conn, "test", parts.intake, [page])
    with pytest.raises(DatabaseUnavailable):
        await far.run_once()
    [file] = spool.waiting(searching.db.folder)
    for stored in (1, 0):  # twice is once
        async with database.transaction() as conn:
            assert await actions.import_file(conn, "test", file) == stored
    assert await rows("SELECT url, status FROM discovery_candidates") == [(page, "pending")]
    assert await rows("SELECT enabled FROM sources") == [False]


async def test_e023_a_file_that_is_none_is_refused_whole(database: Database, tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    for content, error in ((b"{}\n", InvalidInput), (b"\xff\n", InvalidInput), (None, NotFound)):
        file.unlink(missing_ok=True)
        if content is not None:
            file.write_bytes(content)
        with pytest.raises(error):
            async with database.transaction() as conn:
                await actions.import_file(conn, "test", file)


@pytest.fixture
async def model(database: Database) -> AsyncIterator[ModelServer]:
    made = await ModelServer().start()
    async with database.transaction() as conn:
        await limit(conn, made.lane, made.url, 10_000, 64)
    yield made
    await made.stop()


@pytest.fixture
def asking(model: ModelServer, settings: Settings, parts: Parts) -> Seed:
    """Discovery with a language model, from a seed."""
    services = ServiceSettings(_env_file=None, llm_url=model.url + "/v1", llm_model="small", llm_timeout_seconds=0.3)

    async def look_at(*urls: str) -> None:
        async with parts.database.transaction() as conn:
            await actions.add_seeds(conn, "test", parts.intake, urls)
        await Discovery(parts.database, replace(settings, services=services)).run_until_empty()

    return look_at


async def test_e017_the_model_decides_and_its_confidence_is_stored(
    sites: list[Site], model: ModelServer, asking: Seed, rows: Any
) -> None:
    yes, no, *_ = sites
    model.answering = lambda items: [
        {"n": item["n"], "is_agenda": yes.domain in item["text"], "confidence": 0.83, "why": "asked"} for item in items
    ]
    await asking(yes.says("/agenda", html("Agenda", "<p>Laden…</p>")), no.says("/agenda", agenda()))
    assert await rows("SELECT domain, status, confidence, judged_by, reason FROM discovery_candidates ORDER BY id") == [
        (yes.domain, "pending", 0.83, "llm", "asked"),
        (no.domain, "not_added", 0.83, "llm", "asked"),
    ]
    assert await rows("SELECT discovery_confidence, needs_review FROM sources") == [(0.83, False)]


async def test_e017_a_page_without_a_day_or_a_word_costs_no_question(
    sites: list[Site], model: ModelServer, asking: Seed
) -> None:
    await asking(sites[0].says("/", html("Fietsen", "<p>Te koop.</p>")))
    assert model.asked == []


@pytest.mark.parametrize(
    "fault", [hangs, says(500), says(429), talks("I think so"), talks('{"answers": [{"n": 0, "is_agenda": "maybe"}]}')]
)
async def test_e021_where_the_model_fails_rules_decide_and_the_source_is_flagged(
    sites: list[Site], model: ModelServer, asking: Seed, rows: Any, fault: Any
) -> None:
    model.faults.append(fault)
    await asking(sites[0].says("/agenda", agenda()))
    assert await rows("SELECT status, judged_by, confidence > 0.5 FROM discovery_candidates") == [
        ("pending", "rules", True)
    ]
    [(flagged, reason)] = await rows("SELECT needs_review, review_reason FROM sources")
    assert flagged
    assert "no opinion" in reason


def test_spooled_lines_are_plain_json(tmp_path: Path) -> None:
    from datetime import UTC, datetime

    from winnow.run.discovery.spool import SpooledHits
    from winnow.services.web_search import Hit

    one = SpooledHits(job_id=1, query="agenda Delft", checkpoint=1, hits=[Hit(url="https://a.example.org/")])
    file = spool.append(tmp_path, one, datetime(2026, 5, 3, tzinfo=UTC))
    assert orjson.loads(file.read_bytes())["type"] == "hits"
    assert list(spool.read(file)) == [one]
