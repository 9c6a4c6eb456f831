"""Properties 2 and 12, on one real browser pool."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.service.world import World
from winnow.fetch.browser.pool import BrowserPool
from winnow.fetch.egress.guard import EgressGuard
from winnow.fetch.settings import BrowserSettings

pytestmark = pytest.mark.browser

PROFILE = hypothesis.settings.get_profile("service")
LIMIT = 20


@pytest.fixture
def pool(world: World, tmp_path: Path) -> Iterator[BrowserPool]:
    settings = BrowserSettings(
        _env_file=None, browser_pool_size=1, browser_page_limit=LIMIT, browser_acquire_seconds=60
    )
    opened = BrowserPool(settings, EgressGuard(), tmp_path / "records")
    world.run(opened.start())
    yield opened
    world.run(opened.stop())


# Feature: scraping-microservices, Property 12: Browser instance recycling after page threshold
@hypothesis.settings(PROFILE)
@given(pages=st.integers(0, LIMIT + 1) | st.integers(0, LIMIT - 2), lent=st.integers(1, 3))
def test_s104_a_browser_at_its_page_limit_is_replaced_on_release(
    world: World, pool: BrowserPool, pages: int, lent: int
) -> None:
    """Most examples stay below the limit: each replacement starts a Chromium."""

    async def lend() -> None:
        first = await pool.acquire()
        first.pages_processed = pages
        await pool.release(first)
        for n in range(lent):
            browser = await pool.acquire()
            assert (browser is first) is (pages + 1 + n < LIMIT)
            assert browser.alive
            if browser is not first:
                assert not await _runs(first), "the old one is ended"
                first = browser
                await pool.release(browser)
                return
            await pool.release(browser)

    world.run(lend())
    assert pool.size <= 1


async def _runs(browser: object) -> bool:
    """Whether it still does, a while after it was let go."""
    for _ in range(600):
        if not browser.alive:  # type: ignore[attr-defined]
            return False
        await asyncio.sleep(0.05)
    return True


def test_s094_property_2_readiness_follows_the_real_pool(world: World, pool: BrowserPool) -> None:
    """The only browser is lent: nothing could start now. It is given back: something could."""

    async def seen() -> list[int]:
        await world.rows("DELETE FROM proxies")
        lent = await pool.acquire()
        busy = (await world.http.get("/readiness")).status_code
        await pool.release(lent)
        return [busy, (await world.http.get("/readiness")).status_code]

    assert world.run(seen()) == [503, 200]
