"""The catalogue's crawl jobs: URLs submitted by an admin, each with its own priority and time (C-005, C-054).

A job is a target of kind product (DESIGN §11.1). Submitting a known URL makes no second one (C-022): it is
due again instead, which is the manual recrawl of C-020.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec
from psycopg import AsyncConnection

from winnow.actions import sources as source_actions
from winnow.actions import targets as target_actions
from winnow.actions.intake import Cadence, Intake, database_now
from winnow.errors import Conflict
from winnow.sources import targets

MIDDLE = 5  # C-017: priority 1 … 10, default 5; on a target higher runs first


class CrawlJob(msgspec.Struct, frozen=True, kw_only=True):
    url: str
    priority: int = MIDDLE
    scheduled_at: datetime | None = None
    every: timedelta = timedelta(days=1)


class AcceptedCrawlJob(msgspec.Struct, frozen=True):
    id: int
    url: str
    created: bool


async def submit(
    conn: AsyncConnection[Any], actor: str, intake: Intake, jobs: Sequence[CrawlJob]
) -> list[AcceptedCrawlJob]:
    now = await database_now(conn)
    return [await _submit(conn, actor, intake, job, now) for job in jobs]


async def _submit(
    conn: AsyncConnection[Any], actor: str, intake: Intake, job: CrawlJob, now: datetime
) -> AcceptedCrawlJob:
    source = await source_actions.find_or_add(conn, actor, intake, job.url, "product")
    due = job.scheduled_at or now
    when = Cadence(every=job.every, first_at=due)
    try:
        added = await target_actions.add(
            conn, actor, intake, source, job.url, when=when, priority=MIDDLE - job.priority
        )
    except Conflict as there:
        known = int(there.existing or 0)
        await targets.update(conn, known, {"next_crawl_at": due})
        return AcceptedCrawlJob(known, job.url, created=False)
    return AcceptedCrawlJob(added, job.url, created=True)
