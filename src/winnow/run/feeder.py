"""Turns links that wait into tasks, as there is room (DESIGN §11.28).

A chore of the claimer, four times a second. Runs that have nothing waiting are not looked at. Each run is fed in a
transaction of its own under the lock of the run, which another feeder skips: however many there are, a link becomes one
task. The lanes are locked last, as everywhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import msgspec
import structlog
from psycopg.rows import class_row, scalar_row

from winnow.db.engine import Connection
from winnow.extract.draft import Role
from winnow.normalise.urls import canonical_url
from winnow.run import closing
from winnow.run.commit.health import PICTURE
from winnow.run.crawl import variants
from winnow.run.crawl.sections import count_queued, within_sections
from winnow.schedule import follow_ups, runs
from winnow.schedule.budget import BudgetUse, CutBy
from winnow.schedule.follow_ups import WaitingLink
from winnow.schedule.queue import queue
from winnow.schedule.queue.task import FOLLOW_UP_KEY, NewTask, Producer, Trigger, new_id
from winnow.schedule.runs import Tally
from winnow.sources import targets
from winnow.sources.domain import domain_of, origin_of
from winnow.sources.targets import NewTarget

log = structlog.get_logger(__name__)

MAX_QUEUED = 1_000  # tasks of one run that wait or are under way: the rest waits as rows
MAX_RUNS = 100  # of one turn
TARGET_ROLES = (Role.DETAIL, Role.ITEM)  # pages that are something themselves, not a part of a list

_RUNS_WITH_WAITING_LINKS = """
SELECT r.id FROM scrape_runs AS r JOIN sources AS s ON s.id = r.source_id
WHERE r.links_waiting > 0 AND r.status = 'RUNNING'
  AND (r.stopping OR r.deadline_at <= now()
       OR (NOT s.paused AND NOT r.paused AND r.urls_planned - r.urls_attempted - r.urls_cancelled < %s))
ORDER BY r.id LIMIT %s
"""
# The source is locked too: what is queued while it is being paused would not wait with the others (C-003).
_LOCK = """
SELECT r.id, r.source_id, r.adapter_id, r.trigger, r.expected_every, s.kind,
       s.paused OR r.paused AS paused, c.id IS NOT NULL AS crawl, c.scope -> 'sections' AS sections, r.gauges,
       r.links_waiting AS waiting,
       r.urls_planned - r.urls_attempted - r.urls_cancelled AS outstanding,
       jsonb_build_object('budget', r.budget, 'stopping', r.stopping, 'late', coalesce(r.deadline_at <= now(), false),
                          'bytes', r.bytes, 'queued', r.links_queued, 'by_role', r.links_by_role) AS progress
FROM scrape_runs AS r JOIN sources AS s ON s.id = r.source_id LEFT JOIN crawls AS c ON c.run_id = r.id
WHERE r.id = %s AND r.status = 'RUNNING' AND r.links_waiting > 0
FOR UPDATE OF r SKIP LOCKED FOR SHARE OF s SKIP LOCKED
"""


class FedRun(msgspec.Struct, frozen=True, kw_only=True):
    id: int
    source_id: int
    adapter_id: str
    trigger: str
    expected_every: timedelta | None
    kind: str
    paused: bool
    crawl: bool
    sections: dict[str, int] | None
    gauges: dict[str, int]
    waiting: int
    outstanding: int
    progress: dict[str, Any]


async def feed(conn: Connection, max_attempts: int) -> int:
    """How many tasks were made. The connection is in no transaction."""
    async with conn.cursor(row_factory=scalar_row) as cursor:
        await cursor.execute(_RUNS_WITH_WAITING_LINKS, (MAX_QUEUED, MAX_RUNS))
        hungry = await cursor.fetchall()
    made = 0
    for run_id in hungry:
        async with conn.transaction():
            made += await feed_run(conn, run_id, max_attempts)
    return made


async def feed_run(conn: Connection, run_id: int, max_attempts: int) -> int:
    """Cuts what the budget of the run does not allow and queues the next of the rest."""
    run = await _locked(conn, run_id)
    if run is None:
        return 0
    progress = msgspec.convert(run.progress, BudgetUse)
    why = progress.ended_by()
    if why is not None:
        tally = _tally_cut({why: await follow_ups.cut_waiting(conn, run.id, why)})
    elif run.paused:
        return 0
    else:
        tally = await _fed(conn, run, progress, max_attempts)
    await closing.count_links(conn, run.id, tally)
    return tally.planned


async def _locked(conn: Connection, run_id: int) -> FedRun | None:
    async with conn.cursor(row_factory=class_row(FedRun)) as cursor:
        await cursor.execute(_LOCK, (run_id,))
        return await cursor.fetchone()


async def _fed(conn: Connection, run: FedRun, progress: BudgetUse, max_attempts: int) -> Tally:
    room = min(MAX_QUEUED - run.outstanding, progress.budget.pages - progress.queued)
    if room <= 0:
        return Tally()
    found = await follow_ups.waiting(conn, run.id, room)
    if not found:  # rows that were deleted by hand: the run must not wait for them
        log.error("follow_ups_miscounted", run_id=run.id, waiting=run.waiting)
        return Tally(links_waiting=-run.waiting)
    choice = await variants.choose(conn, run.id, found)
    limits = run.sections or {}
    allowed, beyond = within_sections(choice.rows, limits, run.gauges)
    await follow_ups.cut(conn, run.id, [row.url_hash for row in beyond], CutBy.SECTION)
    chosen, exhausted = within_roles(allowed, progress)
    places = await _targets(conn, run, chosen)
    tasks = [(row, _task(run, row, places.get(row.url_hash), max_attempts)) for row in chosen if _open(row, places)]
    added = await queue.enqueue(conn, [task for _, task in tasks])
    queued = [(row, task) for row, task in tasks if task.id in added]
    await follow_ups.queued(conn, run.id, [(row.url_hash, task) for row, task in queued])
    taken = {row.url_hash for row, _ in queued}
    refused = [row.url_hash for row in chosen if row.url_hash not in taken]
    await follow_ups.cut(conn, run.id, refused, CutBy.TARGET)
    over = await follow_ups.cut_waiting(conn, run.id, CutBy.ROLE, exhausted) if exhausted else 0
    barren = await follow_ups.cut_shapes(conn, run.id, CutBy.NOTHING_NEW, choice.barren) if choice.barren else 0
    tally = _tally_cut(
        {CutBy.TARGET: len(refused), CutBy.ROLE: over, CutBy.NOTHING_NEW: barren, CutBy.SECTION: len(beyond)}
    )
    tally.links_waiting -= len(queued)
    tally.links_queued = tally.planned = len(queued)
    tally.links_by_role = Counter(row.role for row, _ in queued)
    tally.gauges = count_queued([row for row, _ in queued], limits)
    return tally


def within_roles(found: Sequence[WaitingLink], progress: BudgetUse) -> tuple[list[WaitingLink], list[str]]:
    """Those that the limits of their roles allow, and the roles of which no more is."""
    used: Counter[str] = Counter()
    chosen = []
    for row in found:
        used[row.role] += 1
        if used[row.role] <= progress.remaining(row.role):
            chosen.append(row)
    return chosen, [role for role, n in used.items() if n > progress.remaining(role)]


def _tally_cut(cut: dict[CutBy, int]) -> Tally:
    tally = Tally()
    for why, n in cut.items():
        runs.tally_cut(tally, why, n)
    return tally


async def _targets(conn: Connection, run: FedRun, rows: Sequence[WaitingLink]) -> dict[str, int | None]:
    """Details and items are targets of their source, so that their validators and presence are kept and P-001 holds;
    they have no cadence and are expected as often as the targets that the run began with. None: a person does not want
    this one visited. A crawl makes none before it has read them (run/crawl/found_targets.py)."""
    wanted = {row.url_hash: _new_target(run, row) for row in rows if row.role in TARGET_ROLES or run.crawl}
    if not wanted:
        return {}
    if not run.crawl:
        await targets.add_many(conn, list(wanted.values()))
    ids = {place.canonical_url: place.id for place in await targets.existing(conn, list(wanted.values()))}
    await targets.expect(conn, list(ids.values()), run.expected_every)
    open_ids = await targets.visitable(conn, list(ids.values()))
    found = {url_hash: ids[new.canonical_url] for url_hash, new in wanted.items() if new.canonical_url in ids}
    return {url_hash: target_id if target_id in open_ids else None for url_hash, target_id in found.items()}


def _new_target(run: FedRun, row: WaitingLink) -> NewTarget:
    return NewTarget(
        url=row.url,
        canonical_url=canonical_url(row.url),
        url_hash=row.url_hash,
        domain=domain_of(row.url),
        source_id=run.source_id,
        adapter_id=run.adapter_id,
        kind=run.kind,
        expected_every=run.expected_every,
        created_by=f"run:{run.id}",
        found_by_run_id=run.id,
    )


def _open(row: WaitingLink, places: dict[str, int | None]) -> bool:
    return row.url_hash not in places or places[row.url_hash] is not None


def _task(run: FedRun, row: WaitingLink, target_id: int | None, max_attempts: int) -> NewTask:
    """Not of the prices job, whatever its kind: that one visits targets only, and its caps are its own (P-001, P-069,
    DESIGN §11.39)."""
    follow_up = {
        "role": row.role, "depth": row.depth, "seed": row.seed, "url_hash": row.url_hash, "shape": row.shape,
        "listed": row.listed,
    }  # fmt: skip
    return NewTask(
        id=new_id(),
        producer=Producer.EVENTS if run.kind == "event" else Producer.CATALOGUE,
        kind=PICTURE if row.role == Role.IMAGE else run.kind,
        lane=domain_of(row.url),
        origin=origin_of(row.url),
        url=row.url,
        rank=row.rank,
        trigger=Trigger(run.trigger),
        source_id=run.source_id,
        target_id=target_id,
        run_id=run.id,
        adapter_id=PICTURE if row.role == Role.IMAGE else run.adapter_id,
        max_attempts=max_attempts,
        payload={FOLLOW_UP_KEY: {name: value for name, value in follow_up.items() if value is not None}},
    )
