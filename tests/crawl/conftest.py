"""Crawls against a generated shop, with real workers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.run.conftest import *  # noqa: F403 - a worker, a site and a database to run against
from tests.run.conftest import limit
from winnow.actions.catalogue import crawls as crawl_actions
from winnow.actions.catalogue.crawls import CrawlOrder
from winnow.actions.parts import Parts
from winnow.db.engine import Database
from winnow.settings import Settings

ACTOR = "test"


@pytest.fixture
def parts(database: Database, settings: Settings) -> Parts:
    return Parts(database, settings)


@pytest.fixture
def crawl(database: Database, parts: Parts, settings: Settings) -> Callable[..., Awaitable[int]]:
    """Starts a crawl of a URL whose domain may be asked often; its id."""

    async def begin(url: str, *, rate: int = 10_000, concurrent: int = 16, **order: Any) -> int:
        async with database.transaction() as conn:
            checked = parts.intake.check(url)
            await limit(conn, checked.domain, url, rate, concurrent)
            crawl_id, _ = await crawl_actions.start(
                conn, ACTOR, parts.intake, settings.schedule, CrawlOrder(url=url, **order)
            )
        return crawl_id

    return begin
