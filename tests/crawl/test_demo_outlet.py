"""The shop that the demo crawls: 300 products, of which only the address is known."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from winnow.demo.outlet import Outlet, start_outlet


@pytest.fixture
async def outlet() -> AsyncIterator[Outlet]:
    opened = await start_outlet()
    yield opened
    await opened.stop()


async def test_each_of_300_products_is_found_once_among_filters_dead_entries_and_a_calendar(
    outlet: Outlet, crawl: Any, work: Any, rows: Any
):
    await crawl(outlet.url + "/")
    await work()
    stored = await rows("SELECT url FROM source_products")
    assert sorted(stored) == sorted(outlet.url + product.path for product in outlet.products)
    assert await rows("SELECT state FROM crawls") == ["done"]
    assert outlet.asked <= 1.3 * outlet.needed
