"""E-043: no quota left at the scraping API, so a page under a day old is read, and says so; E-037: events that stand at
another path of their site."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from aiohttp import web

from tests.run.scripted_site import Site, product

STATUS, RESOLVED = "Spb-Initial-Status-Code", "Spb-Resolved-Url"
KEEPS = "UPDATE pages SET created_at = now() - make_interval(hours => %s)"
SEEN = "SELECT last_seen_success_at < now() - interval '1 hour' FROM source_product_presence"


class Service:
    """A scraping API with so much quota left."""

    def __init__(self, site: Site, quota: int) -> None:
        self.site, self.quota, self.text = site, quota, product()

    async def answer(self, request: web.Request) -> web.Response:
        self.quota -= 1
        if self.quota < 0:
            return web.json_response({"message": "Monthly API calls limit reached: 1000"}, status=401)
        headers = {STATUS: "200", RESOLVED: request.query["url"]}
        return web.Response(text=self.text, content_type="text/html", headers=headers)


@pytest.fixture
def service(site: Site, other_site: Site) -> Service:
    made = Service(site, quota=1)
    other_site.does("/api/v1/", made.answer)
    return made


@pytest.fixture
def settings(settings: Any, other_site: Site) -> Any:
    given = {"scrapingbee_api_key": "k", "scrapingbee_api_url": f"{other_site.url}/api/v1/"}
    return replace(settings, browser=type(settings.browser)(**settings.browser.model_dump() | given))


@pytest.fixture
def visit(site: Site, watch: Any, start: Any, work: Any, rows: Any) -> Any:
    """One visit of the target through the scraping API; the source is made by the first."""
    source: list[int] = []

    async def once() -> int:
        if not source:
            source.append(await watch([f"{site.url}/p"]))
            await rows('UPDATE sources SET tier_config = \'{"tiers": ["scrapingbee"]}\'')
        await start(source[0])
        await work()
        return source[0]

    return once


async def test_e043_a_page_that_was_not_accepted_is_read_again_with_its_own_time_and_says_so(
    service: Service, visit: Any, rows: Any
) -> None:
    await visit()
    assert await rows("SELECT fetcher_used, outcome FROM pages") == [("scrapingbee", "ok")]
    await rows(KEEPS, 5)
    await rows("UPDATE scrape_targets SET last_verdict = 'hold', content_hash = NULL")
    await rows("UPDATE source_product_presence SET last_seen_at = now() - interval '9 hours', "
               "last_seen_success_at = now() - interval '9 hours'")  # fmt: skip
    await visit()
    prices = (
        "SELECT observed_at < now() - interval '4 hours', page_id = (SELECT id FROM pages WHERE outcome = 'ok') "
        "FROM prices ORDER BY id DESC LIMIT 1"
    )
    assert await rows(prices) == [(True, True)]
    assert await rows(SEEN) == [True], "it was seen when its page was fetched, not now"
    said = await rows("SELECT provenance ->> 'page' FROM records ORDER BY id DESC LIMIT 1")
    assert "quota is used up" in said[0]
    assert await rows("SELECT last_error LIKE '%%quota is used up%%' FROM tasks ORDER BY finished_at DESC LIMIT 1") == [
        True
    ]
    assert await rows("SELECT code, severity FROM alerts") == [("api_quota", "P2")]


async def test_e043_a_page_that_was_accepted_before_is_no_news(service: Service, visit: Any, rows: Any) -> None:
    await visit()
    await rows(KEEPS, 5)
    await rows("UPDATE source_product_presence SET last_seen_at = now() - interval '9 hours', "
               "last_seen_success_at = now() - interval '9 hours'")  # fmt: skip
    await visit()
    assert await rows("SELECT outcome, reason FROM tasks ORDER BY finished_at DESC LIMIT 1") == [
        ("cached", "api_quota")
    ]
    assert await rows("SELECT count(*)::int FROM prices") == [1]
    assert await rows(SEEN) == [True]
    assert await rows("SELECT last_status, consecutive_failures FROM scrape_targets") == [("cached:api_quota", 0)]
    assert await rows("SELECT urls_failed, urls_succeeded FROM scrape_runs ORDER BY id") == [(0, 1), (0, 1)]


async def test_e043_e095_a_page_older_than_a_day_is_not_used_and_the_source_is_to_be_looked_at(
    service: Service, visit: Any, rows: Any
) -> None:
    source = await visit()
    await rows(KEEPS, 25)
    await visit()
    assert await rows("SELECT status, reason FROM tasks ORDER BY finished_at DESC LIMIT 1") == [("failed", "api_quota")]
    assert sorted(code for code in await rows("SELECT code FROM alerts")) == ["api_quota", "source_needs_review"]
    assert await rows("SELECT needs_review FROM sources WHERE id = %s", source) == [True]


IN_DORP = (
    "UPDATE sources SET kind = 'event', default_latitude = 52.1, default_longitude = 5.1, timezone = 'Europe/Amsterdam'"
)
EVENTS = (
    '<html lang="nl"><head><title>Agenda | Dorp</title><script type="application/ld+json">'
    '[{"@context":"https://schema.org","@type":"Event","name":"Zomermarkt","startDate":"2027-07-03T10:00:00+02:00",'
    '"location":{"@type":"Place","name":"Dorpsplein","address":"Dorpsplein 1, Dorp"}}]'
    "</script></head><body><h1>Agenda</h1></body></html>"
)
NOTHING = "<html lang='nl'><head><title>Dorp</title></head><body><h1>Welkom in Dorp</h1><p>{}</p></body></html>".format(
    "Hier vindt u alles over ons dorp, de gemeente en de winkels. " * 12
)


async def test_e037_events_are_looked_for_at_the_other_paths_one_after_the_other_each_with_its_turn(
    site: Site, watch: Any, start: Any, work: Any, rows: Any
) -> None:
    root = site.says("/", NOTHING)
    site.says("/agenda", "nothing here", status=404)
    site.says("/evenementen", NOTHING)
    site.says("/programma", EVENTS)
    site.says("/events", EVENTS)
    source = await watch([root], adapter="event")
    await rows(IN_DORP)
    await rows("UPDATE scrape_targets SET kind = 'event'")
    await start(source)
    await work()
    assert await rows("SELECT outcome, route FROM tasks") == [("accepted", {"path": "/programma"})]
    paths = [seen.path for seen in site.log if seen.path != "/robots.txt"]
    assert paths == ["/", "/agenda", "/evenementen", "/programma"]


async def test_e037_a_path_that_robots_txt_forbids_is_passed_over(
    site: Site, watch: Any, start: Any, work: Any, rows: Any
) -> None:
    site.says("/robots.txt", "User-agent: *\nDisallow: /agenda\n")
    root = site.says("/", NOTHING)
    site.says("/agenda", EVENTS)
    site.says("/evenementen", EVENTS)
    source = await watch([root], adapter="event")
    await rows(IN_DORP)
    await rows("UPDATE scrape_targets SET kind = 'event'")
    await start(source)
    await work()
    assert [seen.path for seen in site.log if seen.path != "/robots.txt"] == ["/", "/evenementen"]
    assert await rows("SELECT outcome, route FROM tasks") == [("accepted", {"path": "/evenementen"})]
