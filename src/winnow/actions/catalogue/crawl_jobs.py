"""The catalogue's crawl jobs: URLs submitted by an admin, each with its own priority and time (C-005, C-054).

A job is a target of kind product (DESIGN §11.1). Submitting a known URL makes no second one (C-022): it is
due again instead, paused or broken too, which is the manual recrawl of C-020. What is submitted together is a batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec
from psycopg import AsyncConnection

from winnow.actions import sources as source_actions
from winnow.actions import targets as target_actions
from winnow.actions import validation
from winnow.actions.intake import Cadence, Intake, database_now
from winnow.errors import Conflict
from winnow.observe import audit
from winnow.schedule import domains
from winnow.sources import batches, targets

MIDDLE = 5  # C-017: priority 1 … 10, default 5; on a target higher runs first


class CrawlJob(msgspec.Struct, frozen=True, kw_only=True):
    """None: as it is, or the default of a new one. With `least` and `most` the interval follows what changes.
    `max_attempts` counts the first attempt too."""

    url: str
    priority: int | None = None
    scheduled_at: datetime | None = None
    every: timedelta | None = None
    least: timedelta | None = None
    most: timedelta | None = None
    max_attempts: int | None = None

    def cadence(self, due: datetime) -> Cadence | None:
        """None: nothing is said about it."""
        if self.every is None and self.least is None and self.most is None:
            return None
        return Cadence(every=self.every, least=self.least, most=self.most, first_at=due)


class AcceptedCrawlJob(msgspec.Struct, frozen=True):
    id: int
    url: str
    created: bool
    batch_id: int = 0


async def submit(
    conn: AsyncConnection[Any], actor: str, intake: Intake, jobs: Sequence[CrawlJob], note: str | None = None
) -> list[AcceptedCrawlJob]:
    """All of them, as one batch."""
    now = await database_now(conn)
    accepted = [await _submit(conn, actor, intake, job, now) for job in jobs]
    batch_id = await batches.add(conn, actor, validation.notes(note), [(one.id, one.created) for one in accepted])
    await audit.record(conn, actor, "batch.submitted", "batch", batch_id, after={"targets": len(accepted)})
    return [msgspec.structs.replace(one, batch_id=batch_id) for one in accepted]


async def _submit(
    conn: AsyncConnection[Any], actor: str, intake: Intake, job: CrawlJob, now: datetime
) -> AcceptedCrawlJob:
    source = await source_actions.find_or_add(conn, actor, intake, job.url, "product")
    due = job.scheduled_at or now
    when = job.cadence(due) or Cadence(first_at=due)
    priority = MIDDLE - (job.priority or MIDDLE)
    try:
        added = await target_actions.add(
            conn, actor, intake, source, job.url, when=when, priority=priority, max_attempts=job.max_attempts
        )
    except Conflict as there:
        known = int(there.existing or 0)
        await _revive(conn, actor, intake, known, job, due)
        return AcceptedCrawlJob(known, job.url, created=False)
    await domains.change(conn, intake.check(job.url).domain, {})  # C-028: the domain it belongs to
    return AcceptedCrawlJob(added, job.url, created=True)


async def _revive(
    conn: AsyncConnection[Any], actor: str, intake: Intake, target_id: int, job: CrawlJob, due: datetime
) -> None:
    """A known URL is due again, with what was given now; paused and broken ones too, because a person asks for them."""
    await target_actions.resume(conn, actor, [target_id])
    await target_actions.requeue(conn, actor, [target_id])
    changes: dict[str, Any] = {} if job.priority is None else {"priority": MIDDLE - job.priority}
    if job.max_attempts is not None:
        changes["max_attempts"] = job.max_attempts
    await target_actions.update(conn, actor, intake, target_id, changes, job.cadence(due))
    await targets.update(conn, target_id, {"next_crawl_at": due, "due_because": "hand"})
