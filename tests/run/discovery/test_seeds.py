"""Discovery without a search API: from a page somebody names to a source that is visited (E-016 … E-018, E-022)."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from typing import Any

import pytest

from tests.run.discovery.conftest import Seed
from tests.run.discovery.town import agenda, html, links
from tests.run.scripted_site import Site
from winnow.actions import runs
from winnow.actions.agendas import discovery as actions
from winnow.actions.parts import Parts
from winnow.db.engine import Database
from winnow.errors import Conflict
from winnow.run.daily.daily_events import DailyEvents
from winnow.run.discovery.discovery import Discovery
from winnow.settings import Settings

FOUND = "SELECT domain, status, found_by FROM discovery_candidates ORDER BY domain"


async def test_e018_from_a_seed_to_a_source_that_the_daily_run_visits(
    sites: list[Site], seed: Any, parts: Parts, rows: Any, work: Any, settings: Settings
) -> None:
    town, venue, shop, gone = sites
    home = town.says("/", links("Welkom in Delft", f"{venue.url}/", f"{shop.url}/", f"{gone.url}/", "/bestuur"))
    venue.says("/", links("De Kroon", "/agenda", "/contact"))
    page = venue.says("/agenda", agenda())
    shop.says("/", html("Fietsen", "<p>Wij verkopen fietsen.</p>"))
    await seed(home)
    assert dict([(domain, status) for domain, status, _ in await rows(FOUND)]) == {
        town.domain: "not_added",
        venue.domain: "pending",
        shop.domain: "not_added",
        gone.domain: "not_added",
    }
    [(source, enabled, confidence)] = await rows("SELECT id, enabled, discovery_confidence FROM sources")
    assert (enabled, 0.5 <= confidence <= 1) == (False, True)
    [(candidate, url)] = await rows("SELECT id, url FROM discovery_candidates WHERE status = 'pending'")
    assert url == page
    async with parts.database.transaction() as conn:
        assert await actions.accept(conn, "test", parts.intake, candidate) == source
    with pytest.raises(Conflict):
        async with parts.database.transaction() as conn:
            await actions.reject(conn, "test", candidate)
    chore = DailyEvents(parts.database, settings)
    async with parts.database.transaction() as conn:
        await runs.start_daily(conn, "test", settings, [])
    while await rows("SELECT 1 FROM daily_runs WHERE status = 'RUNNING'"):
        await chore.advance()
        await work()
    [told] = await rows("SELECT summary FROM daily_runs")
    assert (told["sources_processed"], told["events_inserted"] + told["events_held"]) == (1, 5)


async def test_e022_what_cannot_be_reached_is_not_added_and_kept_with_its_reason(
    sites: list[Site], seed: Any, rows: Any
) -> None:
    down, forbidden, missing, _ = sites
    await down.stop()
    forbidden.says("/robots.txt", "User-agent: *\nDisallow: /agenda\n")
    await seed(f"{down.url}/agenda", forbidden.says("/agenda", agenda()), f"{missing.url}/agenda")
    found = dict(await rows("SELECT domain, reason FROM discovery_candidates WHERE status = 'not_added'"))
    assert set(found) == {down.domain, forbidden.domain, missing.domain}
    assert all(reason.startswith("unreachable: ") for reason in found.values())
    assert "robots" in found[forbidden.domain].lower()
    assert "404" in found[missing.domain]
    assert forbidden.asked("/agenda") == 0
    assert await rows("SELECT count(*)::int FROM sources") == [0]


async def test_sitemaps_lead_to_agendas_that_no_page_links_to(sites: list[Site], seed: Any, rows: Any) -> None:
    town, *_ = sites
    town.says("/robots.txt", f"User-agent: *\nDisallow:\nSitemap: {town.url}/maps.xml\n")
    index = f"<sitemapindex><sitemap><loc>{town.url}/pages.xml</loc></sitemap></sitemapindex>"
    town.says("/maps.xml", index, Content_Type="application/xml")
    pages = "".join(f"<url><loc>{town.url}{path}</loc></url>" for path in ("/nieuws", "/uit/agenda", "/contact"))
    town.says("/pages.xml", f"<urlset>{pages}</urlset>", Content_Type="application/xml")
    page = town.says("/uit/agenda", agenda())
    await seed(town.says("/", html("Delft", "<p>Gemeente Delft</p>")))
    assert await rows("SELECT url, found_by FROM discovery_candidates WHERE status = 'pending'") == [(page, "sitemap")]
    assert town.asked("/nieuws") == 0


async def test_e016_noise_domains_are_never_asked(sites: list[Site], seed: Any, rows: Any) -> None:
    town, *_ = sites
    noise = ("https://www.facebook.com/delft", "https://nl.tripadvisor.com/delft", "https://www.youtube.com/x")
    await seed(town.says("/", links("Delft", *noise)))
    assert await rows("SELECT count(*)::int FROM discovery_candidates WHERE domain <> %s", town.domain) == [0]


async def test_a_refused_site_and_a_known_one_are_not_proposed_again(
    sites: list[Site], seed: Any, rows: Any, parts: Parts
) -> None:
    town, venue, *_ = sites
    home = town.says("/", links("Delft", f"{venue.url}/agenda"))
    venue.says("/agenda", agenda())
    venue.says("/programma", agenda("Programma"))
    await seed(home)
    await seed(home)
    assert venue.asked("/agenda") == 1
    [candidate] = await rows("SELECT id FROM discovery_candidates WHERE status = 'pending'")
    async with parts.database.transaction() as conn:
        await actions.reject(conn, "test", candidate, "a fake")
    assert await rows("SELECT count(*)::int FROM sources") == [0]
    await seed(home, f"{venue.url}/programma")
    assert await rows("SELECT status FROM discovery_candidates WHERE domain = %s", venue.domain) == ["rejected"]


async def test_e003_a_worker_killed_between_two_pages_is_followed_where_it_stood(
    sites: list[Site], parts: Parts, rows: Any, database: Database, settings: Settings
) -> None:
    town, first, second, third = sites
    home = town.says("/", links("Delft", *(f"{one.url}/agenda" for one in (first, second, third))))
    for one in (first, third):
        one.says("/agenda", agenda())
    second.says("/agenda", agenda(), wait=3600)
    async with database.transaction() as conn:
        await actions.add_seeds(conn, "test", parts.intake, [home])
    worker = asyncio.create_task(Discovery(database, settings).run_once())
    async with asyncio.timeout(60):
        while not second.asked("/agenda"):
            await asyncio.sleep(0.02)
    worker.cancel()
    await asyncio.gather(worker, return_exceptions=True)
    assert not await Discovery(database, settings).run_once(), "its lease still holds"
    await rows("UPDATE discovery_jobs SET lease_until = now() - interval '1 second'")
    second.says("/agenda", agenda())
    assert await Discovery(database, settings).run_once()
    assert [one.asked("/agenda") for one in (first, second, third)] == [1, 2, 1]
    assert await rows("SELECT status, sources_found FROM discovery_jobs") == [("completed", 3)]
    assert town.asked("/") == 1


async def test_links_of_known_sources_lead_to_others(sites: list[Site], parts: Parts, rows: Any, watch: Any) -> None:
    known, other, *_ = sites
    page = known.says("/agenda", links("Agenda", f"{other.url}/programma"))
    other.says("/programma", agenda("Programma"))
    await watch([page], adapter="event")
    await rows("UPDATE sources SET kind = 'event'")
    async with parts.database.transaction() as conn:
        assert len(await actions.add_known(conn, "test", parts.intake)) == 1
    await Discovery(parts.database, parts.settings).run_until_empty()
    assert await rows("SELECT domain FROM discovery_candidates WHERE status = 'pending'") == [other.domain]


async def test_every_request_of_discovery_waits_for_the_turn_of_its_domain(site: Site, seed: Seed, rows: Any) -> None:
    """At the platform's own pace: one request in two seconds, robots.txt among them."""
    await seed(site.says("/", links("De Kroon", "/agenda")), site.says("/agenda", agenda()))
    sent = site.times()
    assert site.log[0].path == "/robots.txt"
    assert len(sent) >= 3
    assert all(b - a >= 1.85 for a, b in pairwise(sent))
