"""One page by hand, as politely as by a worker."""

from __future__ import annotations

import re
from dataclasses import replace
from types import SimpleNamespace

import pytest

from tests.run.scripted_site import Site, product
from winnow.actions import scrape_url
from winnow.errors import Conflict
from winnow.run.admission import single_url


@pytest.fixture
def page(site: Site) -> str:
    site.says("/robots.txt", "User-agent: *\nCrawl-delay: 1\n")
    return site.says("/p", product())


async def test_p047_a_wait_for_the_domains_turn_is_not_the_sites_delay(
    page: str, site: Site, database, settings, rows, monkeypatch
):
    """The page has a minute to arrive; its domain's turn comes in another one, which is waited for before that."""
    site.says("/robots.txt", "User-agent: *\nCrawl-delay: 60\n")
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        assert site.asked("/p") == 0
        waits.append(seconds)
        await rows("UPDATE lanes SET slot_at = '-infinity', grant_at = '{}', grant_n = '{}'")

    monkeypatch.setattr(single_url, "asyncio", SimpleNamespace(sleep=sleep))
    told: list[str] = []
    found = await scrape_url.scrape(database, settings, page, notify=told.append)
    assert found.result.outcome == "ok"
    assert len(told) == 1
    assert [wait for wait in waits if wait] == waits[-1:]
    assert re.fullmatch(rf"{re.escape(site.domain)} may be asked again in {waits[-1]:.0f} s: waiting", told[0])
    assert found.result.duration_ms <= settings.fetch.fetch_timeout_ms


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


async def test_p036_a_page_above_the_byte_limit_is_not_read(page: str, site: Site, database, settings):
    small = replace(settings, fetch=settings.fetch.model_copy(update={"fetch_max_bytes": 2_000}))
    site.says("/p", "<!doctype html><p>" + "x" * 3_000)
    found = await scrape_url.scrape(database, small, page)
    assert (found.result.outcome, found.assessment) == ("too_large", None)
