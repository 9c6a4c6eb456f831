"""An agenda whose list is not found any more: kept selectors, then a proposal of the model, then a person (E-058)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.run.conftest import *  # noqa: F403 - a worker, a site and a database to run against
from tests.run.feeds.test_agenda_feeds import agenda  # noqa: F401 - a source of events
from tests.run.scripted_site import Site
from tests.services.model_server import Items, ModelServer, says
from winnow.db.engine import Database
from winnow.fetch.archive.archive import Archive
from winnow.run.archived_pages import ArchivedPages
from winnow.run.events.healing import AgendaHealing
from winnow.run.events.outline_text import outline_text
from winnow.run.services import Services
from winnow.settings import Settings

NAMES = ["Trio Noord", "Blaaskapel Zuid", "De Late Band", "Koor West"]
FIRST = datetime.now(UTC) + timedelta(days=20)
PLACE = {"timezone": "Europe/Amsterdam", "locale": "nl-NL", "default_latitude": 52.01, "default_longitude": 4.36}
CARD = '<li class="kaart"><h3><a href="/a/{n}">{name}</a></h3><p>{day} 20:30 uur</p></li>'
POST = '<li class="{kind} post"><p class="wie">{name}</p><p class="dag">{day}</p></li>'
FLAGGED = "SELECT needs_review FROM sources"
OPEN_ALERTS = "SELECT count(*)::int FROM alerts WHERE code = 'source_needs_review' AND resolved_at IS NULL"


def _page(item: str, heading: str, kind: str = "kaart") -> str:
    days = [f"{FIRST + timedelta(days=n):%d-%m-%Y}" for n in range(len(NAMES))]
    entries = [item.format(n=n, name=name, kind=kind, day=days[n]) for n, name in enumerate(NAMES)]
    head, body = f"<head><title>{heading}</title></head>", f"<h1>{heading}</h1><ul>{''.join(entries)}</ul>"
    return f'<html lang="nl">{head}<body>{body}</body></html>'


@pytest.fixture
def read(agenda: Any, start: Any, work: Any, site: Site) -> Any:  # noqa: F811
    """A visit of the agenda as it is now."""
    known: dict[str, int] = {}

    async def visit(html: str) -> None:
        url = site.says("/nieuws", html)
        if not known:
            known["source"] = await agenda(url, **PLACE)
        await start(known["source"])
        await work()

    return visit


@pytest.fixture
def healing(database: Database, settings: Settings, services: Services) -> AgendaHealing:
    archive = Archive(settings.fetch.archive_url, settings.db.folder / "pages")
    return AgendaHealing(database, ArchivedPages(database, archive), services.llm)


async def test_e058_a_redesign_is_read_by_the_selectors_that_were_kept(read: Any, rows: Any):
    await read(_page(CARD, "Agenda"))
    assert await rows("SELECT selector_sets FROM sources") == [[{"item": "li.kaart"}]]
    await read(_page(POST, "Nieuws"))
    assert await rows("SELECT count(*)::int FROM events") == [len(NAMES)]
    assert await rows(FLAGGED) == [False]


async def test_e058_a_proposal_of_the_model_is_tried_on_the_stored_page(
    read: Any, rows: Any, work: Any, site: Site, server: ModelServer, healing: AgendaHealing
):
    def propose(items: Items) -> list[dict[str, Any]]:
        return [{"n": items[0]["n"], "item": "li.tegel", "title": ".wie", "date": ".dag"}]

    server.answering = propose
    await read(_page(CARD, "Agenda"))
    await read(_page(POST, "Nieuws", "tegel"))
    assert (await rows(FLAGGED), await rows(OPEN_ALERTS)) == ([True], [1])
    asked = site.asked("/nieuws")
    assert await healing.run_once() == 1
    assert 'class="tegel post"' in server.asked[-1].items[0]["text"]
    await work()
    assert site.asked("/nieuws") == asked
    assert await rows("SELECT count(*)::int FROM events") == [len(NAMES)]
    assert (await rows(FLAGGED), await rows(OPEN_ALERTS)) == ([False], [0])
    [sets] = await rows("SELECT selector_sets FROM sources")
    assert [(one["item"], one.get("origin")) for one in sets] == [("li.tegel", "model"), ("li.kaart", None)]
    assert await rows("SELECT status FROM dead_letters") == ["resolved"]


@pytest.mark.parametrize("answer", ["li.anders", "div[", "body"])
async def test_e058_a_proposal_that_finds_no_events_changes_nothing_and_a_person_is_told(
    read: Any, rows: Any, work: Any, server: ModelServer, healing: AgendaHealing, answer: str
):
    server.answering = lambda items: [{"n": items[0]["n"], "item": answer}]
    await read(_page(POST, "Nieuws", "tegel"))
    assert await healing.run_once() == 1
    await work()
    assert await rows("SELECT count(*)::int FROM events") == [0]
    assert (await rows(FLAGGED), await rows(OPEN_ALERTS)) == ([True], [1])
    assert await healing.run_once() == 0  # asked once a day
    assert len(server.asked) == 1


async def test_e058_a_model_that_is_away_leaves_the_agenda_to_a_person(
    read: Any, rows: Any, server: ModelServer, healing: AgendaHealing
):
    server.faults.append(says(503))
    await read(_page(POST, "Nieuws", "tegel"))
    assert await healing.run_once() == 0
    assert (await rows(FLAGGED), await rows(OPEN_ALERTS)) == ([True], [1])


async def test_e058_only_agendas_with_one_url_are_asked_about(
    read: Any, rows: Any, server: ModelServer, healing: AgendaHealing
):
    await read(_page(POST, "Nieuws", "tegel"))
    await rows(
        "INSERT INTO scrape_targets (url, canonical_url, url_hash, domain, source_id, adapter_id, kind) "
        "SELECT url || '2', url || '2', repeat('0', 64), domain, source_id, adapter_id, kind FROM scrape_targets"
    )
    assert await healing.run_once() == 0
    assert not server.asked


def test_e058_the_model_sees_the_structure_of_the_main_part_and_no_scripts():
    html = (
        "<html><body><nav><a href='/'>Home</a></nav><main><script>var a = '<li>';</script>"
        '<li class="kaart" style="x" data-x="1"><a href="/a/1">Trio <b>Noord</b></a></li><svg><path/></svg></main>'
    )
    assert outline_text(html, 1_000) == ('<main><li class="kaart"><a href="/a/1">Trio<b>Noord</b></a></li></main>')
    assert len(outline_text("<main>" + html * 100, 500)) <= 500


def test_r17_the_structure_of_a_broken_page_takes_no_longer():
    for text in ("<script", "<main <", "<li class='", "<script>x", "<p " + "a" * 3_990):
        assert len(outline_text(text * 50_000, 1_000)) <= 1_000
