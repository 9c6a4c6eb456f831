"""The catalogue against scripted shops, with real workers: URLs are submitted, scheduled and visited."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.run.conftest import *  # noqa: F403 - a worker, a site and a database to run against
from tests.run.conftest import limit
from winnow.actions.catalogue.crawl_jobs import AcceptedCrawlJob, CrawlJob, submit
from winnow.actions.parts import Parts
from winnow.db.engine import Database
from winnow.run.scheduler import Scheduler
from winnow.settings import Settings

ACTOR = "ann"


@pytest.fixture
def parts(database: Database, settings: Settings) -> Parts:
    return Parts(database, settings)


@pytest.fixture
def scheduler(database: Database, settings: Settings) -> Scheduler:
    return Scheduler(database, settings)


Submit = Callable[..., Awaitable[list[AcceptedCrawlJob]]]


@pytest.fixture
def submit_urls(database: Database, parts: Parts) -> Submit:
    """Submits URLs as one batch; their domain may be asked often."""

    async def send(*urls: str, **given: Any) -> list[AcceptedCrawlJob]:
        async with database.transaction() as conn:
            for url in urls:
                await limit(conn, parts.intake.check(url).domain, url, 10_000, 64)
            return await submit(conn, ACTOR, parts.intake, [CrawlJob(url=url, **given) for url in urls])

    return send


@pytest.fixture
def visit(scheduler: Scheduler, work: Any) -> Callable[[], Awaitable[None]]:
    """Schedules what is due and works until nothing is left."""

    async def once() -> None:
        await scheduler.tick()
        await work()

    return once


@pytest.fixture
def due_again(rows: Any) -> Callable[[], Awaitable[None]]:
    """Makes every URL due, on a page that is read again even if it has not changed."""

    async def make() -> None:
        await rows("UPDATE scrape_targets SET next_crawl_at = now(), content_hash = NULL")

    return make
