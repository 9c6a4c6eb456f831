"""Targets as people add, watch, change, pause, requeue and remove them (C-003, P-100).

Everything is checked first (validation.py) and audited in the same transaction. Pausing and removing take what is
queued out of the queue; what is running finishes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec
from psycopg import AsyncConnection
from psycopg.rows import scalar_row

from winnow.actions import sources as source_actions
from winnow.actions import validation
from winnow.actions.intake import Cadence, Intake, check_change, database_now
from winnow.errors import Conflict, NotFound
from winnow.fetch.failure import FailureCode
from winnow.observe import audit
from winnow.run import closing
from winnow.schedule import cadence, domains
from winnow.sources import sources, targets
from winnow.sources.sources import Source
from winnow.sources.targets import NewTarget

Connection = AsyncConnection[Any]

DAILY = timedelta(days=1)  # C-018: the default where neither the target nor its source sets one
WATCH_EVERY = timedelta(hours=4)  # P-057's example; for `winnow watch`

_QUEUED = "SELECT target_id FROM tasks WHERE target_id = ANY(%s) AND status = 'queued'"


class Watched(msgspec.Struct, frozen=True):
    """`created` False: the URL was watched already, as this target."""

    source_id: int
    target_id: int
    created: bool


def new(
    intake: Intake,
    source: Source,
    url: str,
    actor: str,
    now: datetime,
    when: Cadence | None = None,
    *,
    adapter_id: str | None = None,
    priority: int | str = 0,
    enabled: bool = True,
    notes: str | None = None,
    source_product_id: int | None = None,
    max_attempts: int | None = None,
    usual: timedelta | None = None,
) -> NewTarget:
    """Checked and complete, not stored yet. `now` is the database's, `usual` the interval of its domain (C-007)."""
    checked = intake.check(url)
    when = when or Cadence()
    schedule, every, due = _cadence(when, source, now, usual)
    return NewTarget(
        url=checked.url,
        canonical_url=checked.canonical_url,
        url_hash=checked.url_hash,
        domain=checked.domain,
        source_id=source.id,
        adapter_id=intake.adapter_for(adapter_id or source.adapter_id, source.kind, checked.domain),
        kind=source.kind,
        schedule=schedule,
        crawl_frequency=every,
        expected_every=cadence.expected_every(schedule, every),
        next_crawl_at=due,
        priority=validation.priority(priority),
        enabled=enabled,
        notes=validation.notes(notes),
        created_by=actor,
        source_product_id=source_product_id,
        revisit_least=when.least,
        revisit_most=when.most,
        max_attempts=max_attempts,
    )


async def add(conn: Connection, actor: str, intake: Intake, source: Source, url: str, **what: Any) -> int:
    """Its id; a URL the source has already is a Conflict naming the target."""
    usual = await domains.usual_interval(conn, intake.check(url).domain)
    made = new(intake, source, url, actor, await database_now(conn), usual=usual, **what)
    target_id = await targets.add(conn, made)
    after = {"url": made.url, "source_id": source.id, "schedule": made.schedule, "priority": made.priority}
    await audit.record(conn, actor, "target.added", "target", target_id, after=after)
    return target_id


async def watch(
    conn: Connection,
    actor: str,
    intake: Intake,
    url: str,
    when: Cadence | None = None,
    *,
    kind: str = "offer",
    priority: int = 0,
    notes: str | None = None,
) -> Watched:
    """Source and target in one go. The source of the domain is used, or made and named after it."""
    source = await source_actions.find_or_add(conn, actor, intake, url, kind)
    when = when or Cadence(every=WATCH_EVERY)
    if when.first_at is None and not when.by_hand:
        when = msgspec.structs.replace(when, first_at=await database_now(conn))
    try:
        target_id = await add(conn, actor, intake, source, url, when=when, priority=priority, notes=notes)
    except Conflict as there:
        return Watched(source.id, int(there.existing or 0), created=False)
    return Watched(source.id, target_id, created=True)


async def update(
    conn: Connection, actor: str, intake: Intake, target_id: int, changes: Mapping[str, Any], when: Cadence | None
) -> None:
    row = await targets.get(conn, target_id, lock=True)
    checked = {name: _check_change(intake, name, value, row["kind"]) for name, value in changes.items()}
    if when is not None:
        source = await sources.get(conn, row["source_id"])
        usual = await domains.usual_interval(conn, row["domain"])
        schedule, every, due = _cadence(when, source, await database_now(conn), usual)
        expected = cadence.expected_every(schedule, every)
        checked |= {"schedule": schedule, "crawl_frequency": every, "expected_every": expected, "next_crawl_at": due}
        checked |= {"revisit_least": when.least, "revisit_most": when.most}
    before, after = audit.changes(*await targets.update(conn, target_id, checked))
    if after:
        await audit.record(conn, actor, "target.updated", "target", target_id, before, after)


async def pause(conn: Connection, actor: str, ids: Sequence[int]) -> list[int]:
    await _all_exist(conn, ids)
    changed = await targets.pause(conn, ids)
    await targets.due_now(conn, await _withdraw(conn, changed, FailureCode.TARGET_PAUSED))
    return await _audited(conn, actor, "target.paused", changed)


async def resume(conn: Connection, actor: str, ids: Sequence[int]) -> list[int]:
    await _all_exist(conn, ids)
    return await _audited(conn, actor, "target.resumed", await targets.resume(conn, ids))


async def requeue(conn: Connection, actor: str, ids: Sequence[int]) -> list[int]:
    """P-100: STALE (and BROKEN) ones are due again now; the others are left as they are."""
    await _all_exist(conn, ids)
    return await _audited(conn, actor, "target.requeued", await targets.requeue(conn, ids))


async def recrawl(conn: Connection, actor: str, ids: Sequence[int]) -> list[int]:
    """C-020: due now because a person asks for it; BROKEN and STALE ones too. Paused ones stay paused."""
    await _all_exist(conn, ids)
    await targets.requeue(conn, ids)
    return await _audited(conn, actor, "target.recrawled", await targets.due_now(conn, ids))


async def remove(conn: Connection, actor: str, ids: Sequence[int]) -> list[int]:
    """The price history stays: it belongs to the offer, not to the URL it was found at."""
    await _all_exist(conn, ids)
    await _withdraw(conn, ids, FailureCode.TARGET_REMOVED)
    gone = await targets.remove(conn, ids)
    for row in gone:
        await audit.record(conn, actor, "target.removed", "target", row["id"], before=row)
    return sorted(row["id"] for row in gone)


def _cadence(
    when: Cadence, source: Source, now: datetime, usual: timedelta | None
) -> tuple[str | None, timedelta | None, datetime | None]:
    """(cron, interval, due next): the target's own words before its source's, its domain's, and once a day."""
    if when.by_hand:
        return None, None, when.first_at
    schedule = when.schedule if when.schedule or when.every or when.least else source.schedule
    if schedule:
        schedule = cadence.check_cron(schedule)
        return schedule, None, when.first_at or cadence.next_fire(schedule, now)
    every = validation.every(when.every or usual or DAILY)
    return None, validation.adaptive(every, when.least, when.most), when.first_at or now


def _check_change(intake: Intake, name: str, value: Any, kind: str) -> Any:
    if name == "adapter_id":
        return intake.adapter(value, kind)
    return check_change(name, value)


async def _all_exist(conn: Connection, ids: Sequence[int]) -> None:
    missing = await targets.missing(conn, ids)
    if missing:
        raise NotFound(f"there is no target {missing[0]}")


async def _withdraw(conn: Connection, ids: Sequence[int], reason: FailureCode) -> list[int]:
    """Their queued tasks leave the queue and are counted as cancelled in their runs; which targets had one."""
    async with conn.cursor(row_factory=scalar_row) as cursor:
        await cursor.execute(_QUEUED, (list(ids),))
        queued = await cursor.fetchall()
    if queued:
        await closing.withdraw(conn, reason, target_ids=queued)
    return queued


async def _audited(conn: Connection, actor: str, action: str, ids: list[int]) -> list[int]:
    for target_id in ids:
        await audit.record(conn, actor, action, "target", target_id)
    return ids
