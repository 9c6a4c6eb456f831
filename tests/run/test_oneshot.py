"""One page by hand, as politely as by a worker."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.run.scripted_site import Site, product
from winnow.actions import scrape_url
from winnow.errors import Conflict
from winnow.fetch.settings import FetchSettings
from winnow.run.admission import single_url


@pytest.fixture
def page(site: Site) -> str:
    site.says("/robots.txt", "User-agent: *\nCrawl-delay: 1\n")
    return site.says("/p", product())


async def test_p047_a_wait_for_the_domains_turn_is_not_the_sites_delay(
    page: str, site: Site, database, settings, monkeypatch
):
    """The page has half a second to arrive; its domain's turn comes after a whole one."""
    monkeypatch.setattr(single_url, "NEAR", 0.1)
    hasty = replace(settings, fetch=FetchSettings(egress_allow=("127.0.0.0/8",), fetch_timeout_ms=500))
    told: list[str] = []
    found = await scrape_url.scrape(database, hasty, page, tell=told.append)
    assert found.result.outcome == "ok"
    assert found.result.duration_ms < 500
    assert told == [f"{site.domain} may be asked again in 2 s: waiting"]
    first, second = site.times()
    assert second - first >= 1.0


async def test_a_turn_that_is_too_far_off_is_told_and_nothing_is_sent(page: str, site: Site, database, settings, rows):
    await scrape_url.scrape(database, settings, page)
    await rows("UPDATE lanes SET held_until = now() + interval '1 hour' WHERE lane = %s", site.domain)
    asked = len(site.times())
    with pytest.raises(Conflict, match=r"may not be asked for another 3\d\d\d s; try again then"):
        await scrape_url.scrape(database, settings, page)
    assert len(site.times()) == asked


async def test_a_paused_domain_is_named_as_such(page: str, site: Site, database, settings, rows):
    await scrape_url.scrape(database, settings, page)
    await rows("UPDATE lanes SET paused = true WHERE lane = %s", site.domain)
    with pytest.raises(Conflict, match="is paused: `winnow domains resume"):
        await scrape_url.scrape(database, settings, page)
