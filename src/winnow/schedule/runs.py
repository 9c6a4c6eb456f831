"""Runs: the tasks of one source that are started together, counted as they settle, and closed by the last one."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from psycopg import AsyncConnection
from psycopg.rows import class_row, dict_row, scalar_row
from psycopg.types.json import Jsonb

from winnow.db.sql import load
from winnow.errors import Conflict, NotFound
from winnow.schedule import follow_ups
from winnow.schedule.budget import DEFAULTS, EVENT_ROLES
from winnow.schedule.queue import backpressure, queue, rank
from winnow.schedule.queue.task import NewTask, Producer, Trigger, new_id
from winnow.schedule.settings import ScheduleSettings
from winnow.sources.domain import origin_of

START = load("schedule/start_run.sql")
COUNT = load("schedule/count_run.sql")

Connection = AsyncConnection[Any]


class Due(msgspec.Struct, frozen=True, kw_only=True):
    """A target that is to be visited now."""

    target_id: int
    source_id: int
    adapter_id: str
    url: str
    domain: str
    kind: str
    priority: int
    max_attempts: int | None = None


class StartedRun(msgspec.Struct, frozen=True):
    """`run_id` is None when nothing was accepted. Rejected targets stay due (P-070)."""

    run_id: int | None
    accepted: list[int]
    rejected: int = 0
    reason: str | None = None
    retry_after_ms: int = 0


class Tally(msgspec.Struct):
    """What settled tasks add to one run (P-077 … P-081). The middle part counts records; `yielding` are pages with an
    accepted record, `empty` pages that say there is nothing, `neutral` pages that say nothing about the adapter; `same`
    are records that were known already, `cut` those a limit left out; `gauges` are the counters of kinds.
    `planned` are URLs that joined the run, `bytes` what was fetched; the rest is about links to follow
    (schedule/follow_ups.py), of which those that wait may become fewer."""

    attempted: int = 0
    succeeded: int = 0
    failed: int = 0
    unchanged: int = 0
    robots_blocked: int = 0
    cancelled: int = 0
    extracted: int = 0
    valid: int = 0
    dropped: int = 0
    quarantined: int = 0
    oos: int = 0
    unknown_availability: int = 0
    yielding: int = 0
    empty: int = 0
    neutral: int = 0
    same: int = 0
    cut: int = 0
    planned: int = 0
    bytes: int = 0
    links_found: int = 0
    links_waiting: int = 0
    links_queued: int = 0
    links_cut: int = 0
    links_cut_by: Counter[str] = msgspec.field(default_factory=Counter)
    links_by_role: Counter[str] = msgspec.field(default_factory=Counter)
    gauges: Counter[str] = msgspec.field(default_factory=Counter)


_NAMED = ("links_cut_by", "links_by_role")  # counters by name
_COUNTED = tuple(name for name in Tally.__struct_fields__ if name not in (*_NAMED, "gauges"))


class CountedRun(msgspec.Struct, frozen=True):
    id: int
    status: str
    complete: bool


# Which producer's limits the scheduled pages of a kind count against (DESIGN §11.15); other kinds: the catalogue's.
PRODUCER_OF_KIND = {"offer": Producer.PRICES, "product": Producer.CATALOGUE, "event": Producer.EVENTS}

_TARGETS = """
SELECT t.id AS target_id, t.source_id, t.adapter_id, t.url, t.domain, t.kind, t.priority, t.max_attempts
FROM scrape_targets AS t
WHERE t.source_id = %(source_id)s AND t.enabled
  AND CASE WHEN %(ids)b::bigint[] IS NULL THEN t.status = 'ACTIVE' AND t.found_by_run_id IS NULL
           ELSE t.id = ANY(%(ids)b::bigint[]) AND t.status <> 'PAUSED' END
ORDER BY t.priority DESC, t.id
"""

# Only where links are followed: targets that the run finds have no cadence of their own.
_EXPECT = """
UPDATE scrape_runs AS r
SET expected_every = (SELECT max(t.expected_every) FROM scrape_targets AS t WHERE t.id = ANY(g.ids))
FROM (VALUES (%s::bigint, %s::bigint[])) AS g (run_id, ids)
WHERE r.id = g.run_id AND r.budget IS NOT NULL
"""
_ACTIVE = "SELECT id FROM scrape_runs WHERE source_id = %s AND is_crawl = %s AND status = 'RUNNING'"
_ACTIVE_OF_ADAPTER = f"{_ACTIVE} AND adapter_id = %s AND NOT paused AND NOT stopping FOR UPDATE"
# Runs are locked before lanes, in one order, by everybody (run/closing.py).
_LOCK_ACTIVE = """
SELECT id FROM scrape_runs WHERE source_id = ANY(%s) AND NOT is_crawl AND status = 'RUNNING' ORDER BY id FOR UPDATE
"""


async def start(
    conn: Connection,
    source_id: int,
    trigger: Trigger,
    settings: ScheduleSettings,
    *,
    target_ids: Sequence[int] | None = None,
    adapter_version: str = "",
    requested_by: str | None = None,
    budget: Mapping[str, int] | None = None,
) -> StartedRun:
    """Start a run over a source's targets now. A run that is active already is a Conflict (R-07). `budget` replaces
    limits of following links that the source has (schedule/budget.py)."""
    async with conn.cursor(row_factory=class_row(Due)) as cursor:
        given = {"source_id": source_id, "ids": None if target_ids is None else list(target_ids)}
        await cursor.execute(_TARGETS, given)
        due = await cursor.fetchall()
    if not due:
        raise NotFound(f"source {source_id} has no target that can be visited")
    first = [d for d in due if d.adapter_id == due[0].adapter_id]
    return await start_due(conn, first, trigger, settings, adapter_version, requested_by, budget)


async def start_due(
    conn: Connection,
    due: Sequence[Due],
    trigger: Trigger,
    settings: ScheduleSettings,
    adapter_version: str = "",
    requested_by: str | None = None,
    budget: Mapping[str, int] | None = None,
) -> StartedRun:
    """One run for targets of one source and one adapter, as many as the queue has room for."""
    first = due[0]
    admission = await _admit(conn, due, settings)
    if not admission.room:
        return StartedRun(None, [], len(due), admission.reason, admission.retry_after_ms)
    run_id = await insert(conn, first.source_id, first.adapter_id, trigger, adapter_version, requested_by, budget)
    return await _queue(conn, run_id, due, admission, trigger, settings)


async def join_due(conn: Connection, due: Sequence[Due], trigger: Trigger, settings: ScheduleSettings) -> StartedRun:
    """Like `start_due`, but where the source has an active run the targets join it: none waits for its end (C-006)."""
    admission = await _admit(conn, due, settings)
    if not admission.room:
        return StartedRun(None, [], len(due), admission.reason, admission.retry_after_ms)
    run_id = await join(conn, due[0].source_id, due[0].adapter_id, trigger)
    if run_id is None:  # a run of another adapter began just now
        return StartedRun(None, [])
    return await _queue(conn, run_id, due, admission, trigger, settings)


async def lock_active(conn: Connection, source_ids: Iterable[int]) -> None:
    """Locks the active runs of these sources, so that `join_due` locks no run after a lane."""
    await conn.execute(_LOCK_ACTIVE, (sorted(set(source_ids)),))


async def _admit(conn: Connection, due: Sequence[Due], settings: ScheduleSettings) -> backpressure.QueueRoom:
    first = due[0]
    producer = PRODUCER_OF_KIND.get(first.kind, Producer.CATALOGUE)
    return await backpressure.admit(conn, producer, first.adapter_id, len(due), settings, first.source_id)


async def _queue(
    conn: Connection,
    run_id: int,
    due: Sequence[Due],
    admission: backpressure.QueueRoom,
    trigger: Trigger,
    settings: ScheduleSettings,
) -> StartedRun:
    """Queues as many of the targets as there is room for, as tasks of the run."""
    fitting = due[: admission.room]
    producer = PRODUCER_OF_KIND.get(due[0].kind, Producer.CATALOGUE)
    tasks = [_task(d, producer, trigger, run_id, settings) for d in fitting]
    added = await queue.enqueue(conn, tasks)
    await follow_ups.begin(conn, run_id, [task for task in tasks if task.id in added])
    await conn.execute(_EXPECT, (run_id, [d.target_id for d in fitting]))
    accepted = [d.target_id for d, t in zip(fitting, tasks, strict=True) if t.id in added]
    await plan(conn, run_id, len(accepted))
    rejected = len(due) - len(fitting)
    return StartedRun(run_id if accepted else None, accepted, rejected, admission.reason, admission.retry_after_ms)


async def count(conn: Connection, tallies: dict[int, Tally]) -> list[CountedRun]:
    """Add the tallies of settled tasks; returns the runs, complete where this was the last task."""
    if not tallies:
        return []
    columns: dict[str, list[Any]] = defaultdict(list)
    for run_id, tally in tallies.items():
        columns["run_id"].append(run_id)
        for name in _COUNTED:
            columns[name].append(getattr(tally, name))
        for name in _NAMED:
            columns[name].append(Jsonb({str(key): n for key, n in getattr(tally, name).items()}))
        gauges = dict(tally.gauges)
        columns["zero_price"].append(gauges.pop("zero_price", 0))  # P-086: a column of its own
        columns["gauges"].append(Jsonb(gauges))
    async with conn.cursor(row_factory=class_row(CountedRun)) as cursor:
        await cursor.execute(COUNT, columns)
        return await cursor.fetchall()


def tally_cancelled(gone: Iterable[queue.Withdrawn]) -> dict[int, Tally]:
    """Count tasks that were never tried in their runs."""
    counted = Counter(task.run_id for task in gone if task.run_id is not None)
    return {run_id: Tally(cancelled=n) for run_id, n in counted.items()}


def tally_failed(gone: Iterable[queue.Withdrawn | queue.Lost]) -> dict[int, Tally]:
    """Count tasks that failed without a visit in their runs."""
    counted = Counter(task.run_id for task in gone if task.run_id is not None)
    return {run_id: Tally(attempted=n, failed=n) for run_id, n in counted.items()}


def tally_cut(into: Tally, why: str, links: int) -> None:
    """Count waiting links that are not followed."""
    if links:
        into.links_waiting -= links
        into.links_cut += links
        into.links_cut_by[why] += links


async def join(conn: Connection, source_id: int, adapter_id: str, trigger: Trigger) -> int | None:
    """The source's active run (crawls aside), or a new one when it has none; `plan` says how much joins it. None while
    a run of another adapter is active."""
    try:
        return await insert(conn, source_id, adapter_id, trigger)
    except Conflict:
        async with conn.cursor(row_factory=scalar_row) as cursor:
            await cursor.execute(_ACTIVE_OF_ADAPTER, (source_id, False, adapter_id))
            return await cursor.fetchone()


async def plan(conn: Connection, run_id: int, more: int) -> None:
    """Count URLs that have joined the run; a run that nothing ever joined is deleted."""
    await conn.execute("UPDATE scrape_runs SET urls_planned = urls_planned + %s WHERE id = %s", (more, run_id))
    if not more:
        await conn.execute("DELETE FROM scrape_runs WHERE id = %s AND urls_planned = 0", (run_id,))


async def insert(
    conn: Connection,
    source_id: int,
    adapter_id: str,
    trigger: Trigger,
    adapter_version: str = "",
    requested_by: str | None = None,
    budget: Mapping[str, int] | None = None,
    roles: Mapping[str, int] | None = None,
) -> int:
    """Insert a run and return its id; a run of the source that is active already is a Conflict (R-07). `roles`: what
    a crawl follows."""
    given = {
        "adapter_id": adapter_id,
        "adapter_version": adapter_version,
        "source_id": source_id,
        "trigger": trigger,
        "requested_by": requested_by,
        "defaults": Jsonb(DEFAULTS),
        "event_roles": Jsonb(EVENT_ROLES),
        "budget": Jsonb(dict(budget or {})),
        "roles": None if roles is None else Jsonb(dict(roles)),
    }
    async with conn.cursor(row_factory=scalar_row) as cursor:
        while True:
            await cursor.execute(START, given)
            if (run_id := await cursor.fetchone()) is not None:
                return int(run_id)
            await cursor.execute(_ACTIVE, (source_id, roles is not None))
            if (existing := await cursor.fetchone()) is not None:
                raise Conflict(f"source {source_id} has an active run", existing=str(existing))
            await _exists(conn, source_id)  # the active run ended just now: once more


async def _exists(conn: Connection, source_id: int) -> None:
    found = await conn.execute("SELECT 1 FROM sources WHERE id = %s", (source_id,))
    if await found.fetchone() is None:
        raise NotFound(f"there is no source {source_id}")


def _task(due: Due, producer: Producer, trigger: Trigger, run_id: int, settings: ScheduleSettings) -> NewTask:
    ranked = rank.for_prices(due.priority) if producer is Producer.PRICES else rank.for_catalogue(5 - due.priority)
    return NewTask(
        id=new_id(),
        producer=producer,
        kind=due.kind,
        lane=due.domain,
        origin=origin_of(due.url),
        url=due.url,
        rank=ranked,
        trigger=trigger,
        source_id=due.source_id,
        target_id=due.target_id,
        run_id=run_id,
        adapter_id=due.adapter_id,
        max_attempts=due.max_attempts or settings.max_attempts,
    )


async def get(conn: Connection, run_id: int) -> dict[str, Any]:
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute("SELECT * FROM scrape_runs WHERE id = %s", (run_id,))
        row = await cursor.fetchone()
    if row is None:
        raise NotFound(f"there is no run {run_id}")
    return row
