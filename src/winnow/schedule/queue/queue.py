"""The queue: enqueue, claim, heartbeat, settle, rescue. The SQL files beside this one are the whole of it.

Every function works on a connection the caller brings and commits nothing itself, so that a task
can be settled in the same transaction that stores its result (R-02).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict, Unpack
from uuid import UUID

import msgspec
import structlog
from psycopg import AsyncConnection
from psycopg.rows import class_row, scalar_row
from psycopg.types.json import Jsonb

from winnow.db.sql import load
from winnow.schedule.queue.task import RESUME_LANE, Claimed, Handover, NewTask, Settlement, Stage, Status
from winnow.sources.domain import domain_of

log = structlog.get_logger(__name__)

# Workers a task may lose before it is suspected of killing them. A worker holds some hundreds of tasks, and
# those that come back are taken first: of 2 000 whose only worker was killed 20 times, four lost five.
MAX_LOSSES = 12
# Holds the leases of what it claimed for others until they take it over. A name that begins so counts no loss: a
# message that went astray says nothing about the task.
DISPATCHER = "dispatcher:"

ENQUEUE = load("schedule/queue/enqueue.sql")
CLAIM = load("schedule/queue/claim.sql")
TAKE_OVER = load("schedule/queue/take_over.sql")
HEARTBEAT = load("schedule/queue/heartbeat.sql")
CHECKPOINT = load("schedule/queue/checkpoint.sql")
SETTLE = load("schedule/queue/settle.sql")
REWORD = load("schedule/queue/reword.sql")
FREE = load("schedule/queue/free.sql")
RETURN_GRANTS = load("schedule/ledger/return_grants.sql")
RESCUE = load("schedule/queue/rescue.sql")
RIPEN = load("schedule/queue/ripen.sql")
LEAVE_LANES = load("schedule/queue/leave_lanes.sql")
FREE_LOST = load("schedule/queue/free_lost.sql")
WITHDRAW = load("schedule/queue/withdraw.sql")
PAUSE = load("schedule/queue/pause.sql")

Connection = AsyncConnection[Any]

# C-003: what comes back to the queue while its source or its run is paused waits with the others (see pause.sql).
_WAIT_WITH_SOURCE = """
UPDATE tasks AS t SET due_at = 'infinity'
WHERE t.id = ANY(%s) AND t.status = 'queued'
  AND (EXISTS (SELECT FROM sources AS s WHERE s.id = t.source_id AND s.paused)
       OR EXISTS (SELECT FROM scrape_runs AS r WHERE r.id = t.run_id AND r.paused))
"""


# Two statements change lanes when grants go back: whoever needs several of them takes them in the same order.
_LOCK_LANES = "SELECT FROM lanes WHERE lane = ANY(%s) ORDER BY lane FOR UPDATE"


class Lost(msgspec.Struct, frozen=True, kw_only=True):
    """A task whose worker died: back in its lane, or failed for good. Not `ready`: it waits with its paused source."""

    id: UUID
    held: str
    lane: str
    rank: int
    status: str
    stage: str
    url: str
    source_id: int | None
    target_id: int | None
    run_id: int | None
    job_id: UUID | None
    producer: str
    kind: str
    adapter_id: str | None
    reason: str | None
    last_error: str | None
    payload: dict[str, Any] | None
    trigger: str
    origin: str
    page_id: UUID | None
    ready: bool


class Which(TypedDict, total=False):
    """A selection of queued tasks; every condition must hold."""

    run_id: int
    job_id: UUID
    source_id: int | None
    adapter_id: str
    target_ids: list[int]
    lane: str
    kinds: list[str]
    task_id: UUID
    older_than_seconds: float


class Withdrawn(msgspec.Struct, frozen=True):
    """A task that left the queue without having been run. `ready`: it was counted in its lane."""

    id: UUID
    lane: str
    ready: bool
    run_id: int | None
    job_id: UUID | None
    target_id: int | None
    producer: str
    url: str
    reason: str | None
    payload: dict[str, Any] | None


async def enqueue(conn: Connection, tasks: Sequence[NewTask]) -> set[UUID]:
    """Returns the ids that were added; a target already queued or running is left as it is."""
    if not tasks:
        return set()
    columns = {
        "id": [t.id for t in tasks],
        "producer": [t.producer for t in tasks],
        "kind": [t.kind for t in tasks],
        "lane": [t.lane for t in tasks],
        "origin": [t.origin for t in tasks],
        "url": [t.url for t in tasks],
        "rank": [t.rank for t in tasks],
        "trigger": [t.trigger for t in tasks],
        "source_id": [t.source_id for t in tasks],
        "target_id": [t.target_id for t in tasks],
        "run_id": [t.run_id for t in tasks],
        "job_id": [t.job_id for t in tasks],
        "adapter_id": [t.adapter_id for t in tasks],
        "wait": [t.wait_seconds for t in tasks],
        "max_attempts": [t.max_attempts for t in tasks],
        "payload": [None if t.payload is None else Jsonb(t.payload) for t in tasks],
    }
    async with conn.cursor(row_factory=scalar_row) as cursor:
        await cursor.execute(ENQUEUE, columns)
        return set(await cursor.fetchall())


async def claim(conn: Connection, worker: str, n: int, lease_seconds: float) -> list[Claimed]:
    async with conn.cursor(row_factory=class_row(Claimed), binary=True) as cursor:
        await cursor.execute(CLAIM, {"worker": worker, "n": n, "lease": lease_seconds})
        return await cursor.fetchall()


async def take_over(conn: Connection, handed: Sequence[Handover], worker: str, lease_seconds: float) -> list[Claimed]:
    """Take tasks that another process claimed for this one, under a new fence: each is given to one taker only."""
    given = {"id": [h.id for h in handed], "fence": [h.fence for h in handed]}
    async with conn.cursor(row_factory=class_row(Claimed), binary=True) as cursor:
        await cursor.execute(TAKE_OVER, {**given, "worker": worker, "lease": lease_seconds})
        return await cursor.fetchall()


async def heartbeat(conn: Connection, held: Sequence[Claimed], lease_seconds: float) -> set[UUID]:
    """Renew leases; returns the tasks that are still ours. The others were rescued meanwhile and must be dropped."""
    given = {"id": [t.id for t in held], "fence": [t.fence for t in held], "lease": lease_seconds}
    async with conn.cursor(row_factory=scalar_row) as cursor:
        await cursor.execute(HEARTBEAT, given)
        return set(await cursor.fetchall())


async def checkpoint(conn: Connection, pages: Sequence[tuple[Claimed, UUID]]) -> set[UUID]:
    given = {
        "id": [task.id for task, _ in pages],
        "fence": [task.fence for task, _ in pages],
        "page_id": [page_id for _, page_id in pages],
    }
    async with conn.cursor(row_factory=scalar_row) as cursor:
        await cursor.execute(CHECKPOINT, given)
        return set(await cursor.fetchall())


async def remember(conn: Connection, task: Claimed, fields: dict[str, Any]) -> bool:
    """Add to the payload of a task; False when it is no longer ours."""
    done = await conn.execute(
        "UPDATE tasks SET payload = coalesce(payload, '{}'::jsonb) || %s WHERE id = %s AND fence = %s"
        " AND lease_until IS NOT NULL",
        (Jsonb(fields), task.id, task.fence),
    )
    return done.rowcount == 1


async def settle(conn: Connection, ends: Sequence[Settlement]) -> set[UUID]:
    """Close tasks whose fence is still ours and return their ids. Call `free` with the same settlements, last in the
    same transaction."""
    if not ends:
        return set()
    given = {
        "id": [s.task.id for s in ends],
        "fence": [s.task.fence for s in ends],
        "status": [s.status for s in ends],
        "stage": [s.stage for s in ends],
        "outcome": [s.outcome for s in ends],
        "reason": [s.reason for s in ends],
        "error": [s.error for s in ends],
        "page_id": [s.page_id for s in ends],
        "refund": [s.refund for s in ends],
        "wait": [s.wait_seconds for s in ends],
        "lane": [_lane_after(s) for s in ends],
        "route": [None if s.route is None else Jsonb(s.route) for s in ends],
        "accepted": [s.accepted for s in ends],
        "held": [s.held for s in ends],
        "rejected": [s.rejected for s in ends],
    }
    async with conn.cursor(row_factory=scalar_row) as cursor:
        await cursor.execute(SETTLE, given)
        settled = set(await cursor.fetchall())
    for stale in (s for s in ends if s.task.id not in settled):
        log.warning("stale_fence", task_id=str(stale.task.id), fence=stale.task.fence, outcome=stale.outcome)
    return settled


class Reworded(msgspec.Struct, frozen=True):
    """How a task ended after all, once its records were stored."""

    task_id: UUID
    outcome: str
    reason: str | None
    accepted: int
    held: int
    rejected: int


async def reword(conn: Connection, ends: Sequence[Reworded]) -> None:
    """Rewrite the outcomes of tasks, settled in this transaction, whose verdicts changed while records were stored."""
    if not ends:
        return
    names = ("task_id", "outcome", "reason", "accepted", "held", "rejected")
    ordered = sorted(ends, key=lambda end: end.task_id)
    await conn.execute(REWORD, {name: [getattr(end, name) for end in ordered] for name in names})


def _lane_after(end: Settlement) -> str:
    """A task whose page is archived has no request left to make: it goes on without a domain slot. One that
    lost its page has to be fetched again: it goes back to its domain."""
    if end.status != Status.QUEUED:
        return end.task.lane
    if end.stage != Stage.FETCH:
        return RESUME_LANE
    return domain_of(end.task.url) if end.task.lane == RESUME_LANE else end.task.lane


async def free(conn: Connection, ends: Sequence[Settlement], settled: set[UUID]) -> None:
    """Free the lanes of settled tasks and return unused grants."""
    owned = [s for s in ends if s.task.id in settled]
    if not owned:
        return
    unused = [s.unused for s in owned if s.unused is not None and s.unused.granted_at is not None]
    if unused:
        lanes = {s.task.lane for s in owned} | {_lane_after(s) for s in owned}
        await conn.execute(_LOCK_LANES, (list(lanes),))
        given = {"lane": [g.lane for g in unused], "granted_at": [g.granted_at for g in unused]}
        await conn.execute(RETURN_GRANTS, given)
    back = [s.task.id for s in owned if s.status == Status.QUEUED]
    if back:
        await conn.execute(_WAIT_WITH_SOURCE, (back,))
    await conn.execute(FREE, {"lane": [s.task.lane for s in owned], "back": back})


async def rescue(conn: Connection, n: int = 500, max_losses: int = MAX_LOSSES) -> list[Lost]:
    async with conn.cursor(row_factory=class_row(Lost)) as cursor:
        await cursor.execute(RESCUE, {"n": n, "max_losses": max_losses, "dispatcher": DISPATCHER})
        return await cursor.fetchall()


async def free_lost(conn: Connection, lost: Sequence[Lost]) -> None:
    """Remove tasks of dead workers from the lanes that counted them, and add those that wait again to theirs."""
    if lost:
        back = [task for task in lost if task.status == Status.QUEUED and task.ready]
        given = {"held": [t.held for t in lost], "lane": [t.lane for t in back], "rank": [t.rank for t in back]}
        await conn.execute(FREE_LOST, given)


async def leave_lanes(conn: Connection, gone: Sequence[Withdrawn]) -> None:
    """Withdrawn and refused tasks are no longer counted in the lanes they waited in."""
    lanes = [task.lane for task in gone if task.ready]
    if lanes:
        await conn.execute(LEAVE_LANES, {"lane": lanes})


async def ripen(conn: Connection, n: int = 5_000) -> int:
    async with conn.cursor(row_factory=scalar_row) as cursor:
        await cursor.execute(RIPEN, {"n": n})
        return int(await cursor.fetchone() or 0)


async def withdraw(
    conn: Connection, *, status: Status = Status.CANCELLED, reason: str, n: int = 10_000, **which: Unpack[Which]
) -> list[Withdrawn]:
    """Take queued tasks out of the queue; running ones finish. Only run/closing.py calls it, which also counts them
    and calls `leave_lanes`, last in the same transaction."""
    given = {name: which.get(name) for name in Which.__annotations__}
    if all(value is None for value in given.values()):
        raise ValueError("withdraw needs a selection of tasks")
    async with conn.cursor(row_factory=class_row(Withdrawn)) as cursor:
        await cursor.execute(WITHDRAW, {**given, "status": status, "reason": str(reason), "n": n})
        return await cursor.fetchall()


async def any_running(conn: Connection, producer: str) -> bool:
    """Whether a worker that is alive holds a task of this producer."""
    held = "SELECT EXISTS (SELECT FROM tasks WHERE status = 'running' AND lease_until > now() AND producer = %s)"
    found = await (await conn.execute(held, (producer,))).fetchone()
    return bool(found and found[0])


async def pause_source(conn: Connection, source_id: int, paused: bool) -> int:
    """Pause or resume the queued tasks of a source; returns how many."""
    return await _pause(conn, paused, source_id=source_id)


async def pause_run(conn: Connection, run_id: int, paused: bool) -> int:
    """Pause the queued tasks of a run, or resume them unless their source is paused; returns how many."""
    return await _pause(conn, paused, run_id=run_id)


async def _pause(conn: Connection, paused: bool, *, source_id: int | None = None, run_id: int | None = None) -> int:
    async with conn.cursor(row_factory=scalar_row) as cursor:
        await cursor.execute(PAUSE, {"source_id": source_id, "run_id": run_id, "paused": paused})
        return int(await cursor.fetchone() or 0)
