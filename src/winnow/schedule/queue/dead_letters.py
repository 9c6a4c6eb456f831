"""Work that failed for good, kept with all needed to try it again.

A letter is written when a task has used up its attempts, met an error of our own, or lost too many
workers. It retries by itself after 1, 2 and 4 hours (E-090); after that it waits for a person.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import msgspec
from psycopg import AsyncConnection
from psycopg.rows import dict_row, scalar_row
from psycopg.types.json import Jsonb

from winnow.schedule import follow_ups, runs
from winnow.schedule.queue import queue
from winnow.schedule.queue.task import CALLBACK_KEY, RESUME_LANE, NewTask, Producer, Trigger, new_id
from winnow.sources.domain import domain_of

MAX_RETRIES = 3  # E-090
LETTER_KEY = "dead_letter_id"  # in the payload of a task that retries a letter

Connection = AsyncConnection[Any]


class Letter(msgspec.Struct, frozen=True, kw_only=True):
    """What failed. `payload` holds the task's own fields, enough to enqueue it again."""

    task_id: UUID
    stage: str
    error_type: str
    error_message: str | None
    payload: dict[str, Any]
    source_id: int | None = None
    run_id: int | None = None
    error_stack: str | None = None
    retried_from: int | None = None


def payload_of(task: Any, page_id: UUID | None = None) -> dict[str, Any]:
    """The fields of a task that a retry needs (E-089); with `page_id` it goes on from that page instead of
    fetching it again. Works for Claimed and Lost alike."""
    return {
        "producer": task.producer,
        "kind": task.kind,
        "url": task.url,
        "origin": task.origin,
        "lane": task.lane,
        "source_id": task.source_id,
        "target_id": task.target_id,
        "job_id": None if task.job_id is None else str(task.job_id),
        "adapter_id": task.adapter_id,
        "trigger": task.trigger,
        "page_id": None if page_id is None else str(page_id),
        "payload": {k: v for k, v in (task.payload or {}).items() if k != LETTER_KEY},
    }


_WRITE = """
INSERT INTO dead_letters (task_id, source_id, run_id, stage, error_type, error_message, error_stack, payload,
                          max_retries, next_retry_at)
SELECT *, now() + interval '1 hour'
FROM unnest(%(task_id)b::uuid[], %(source_id)b::bigint[], %(run_id)b::bigint[], %(stage)b::text[],
            %(error_type)b::text[], %(error_message)b::text[], %(error_stack)b::text[], %(payload)b::jsonb[],
            %(max_retries)b::integer[])
"""
# A retry that failed again: the same letter, one retry further; after the last, only a person can.
_AGAIN = """
UPDATE dead_letters AS d
SET status = 'pending', retry_count = d.retry_count + 1, error_type = g.error_type, error_message = g.error_message,
    error_stack = g.error_stack, stage = g.stage, payload = g.payload,
    next_retry_at = CASE WHEN d.retry_count + 1 < d.max_retries
                         THEN now() + interval '1 hour' * power(2, d.retry_count + 1) END
FROM unnest(%(id)b::bigint[], %(error_type)b::text[], %(error_message)b::text[], %(error_stack)b::text[],
            %(stage)b::text[], %(payload)b::jsonb[])
     AS g (id, error_type, error_message, error_stack, stage, payload)
WHERE d.id = g.id AND d.status = 'retrying'
"""
_RESOLVE = """
UPDATE dead_letters SET status = 'resolved', resolved_at = now(), resolution_notes = 'retried with success'
WHERE id = ANY(%s) AND status = 'retrying'
"""
# What may not be visited now is not retried either, whoever asks: a paused source (C-003), a target that was
# taken away (P-001), a disabled adapter (P-087). Its letter waits.
_TAKE = """
UPDATE dead_letters SET status = 'retrying'
WHERE id IN (
    SELECT d.id FROM dead_letters AS d
    WHERE d.status = 'pending'
      AND CASE WHEN %(ids)b::bigint[] IS NULL THEN d.next_retry_at <= now() ELSE d.id = ANY(%(ids)b::bigint[]) END
      AND NOT EXISTS (SELECT 1 FROM sources AS s
                      WHERE s.id = d.source_id AND (s.paused OR s.auto_disabled OR NOT s.enabled))
      AND NOT EXISTS (SELECT 1 FROM scrape_adapter_status AS a
                      WHERE NOT a.enabled
                        AND a.adapter_id IN (d.payload ->> 'adapter_id',
                                             (d.payload ->> 'adapter_id') || '@' || d.source_id))
      AND (d.payload ->> 'target_id' IS NULL
           OR EXISTS (SELECT 1 FROM scrape_targets AS t
                      WHERE t.id = (d.payload ->> 'target_id')::bigint AND t.enabled AND t.status <> 'PAUSED'))
    ORDER BY d.id LIMIT %(n)s FOR UPDATE OF d SKIP LOCKED
)
RETURNING id, source_id, payload
"""
_WAIT = """
UPDATE dead_letters
SET status = 'pending', next_retry_at = CASE WHEN retry_count < max_retries THEN now() + interval '1 hour' END
WHERE id = ANY(%s)
"""
# A task that goes on from its page has no request left to make: it starts where the last one stopped.
_RESUME = """
UPDATE tasks AS t SET stage = 'extract', page_id = g.page_id
FROM unnest(%(id)b::uuid[], %(page_id)b::uuid[]) AS g (id, page_id) WHERE t.id = g.id
"""
_DISCARD = """
UPDATE dead_letters SET status = 'discarded', resolved_at = now(), resolution_notes = %(note)s
WHERE id = ANY(%(ids)s) AND status = 'pending' RETURNING id
"""


async def write(conn: Connection, letters: Sequence[Letter]) -> None:
    fresh = [x for x in letters if x.retried_from is None]
    again = [x for x in letters if x.retried_from is not None]
    if fresh:
        columns: dict[str, list[Any]] = {
            name: [getattr(x, name) for x in fresh]
            for name in ("task_id", "source_id", "run_id", "stage", "error_type", "error_message", "error_stack")
        }
        columns["payload"] = [Jsonb(x.payload) for x in fresh]
        columns["max_retries"] = [MAX_RETRIES] * len(fresh)
        await conn.execute(_WRITE, columns)
    if again:
        names = ("error_type", "error_message", "error_stack", "stage")
        columns = {name: [getattr(x, name) for x in again] for name in names}
        columns["id"] = [x.retried_from for x in again]
        columns["payload"] = [Jsonb(x.payload) for x in again]
        await conn.execute(_AGAIN, columns)


async def resolve(conn: Connection, letter_ids: Sequence[int]) -> None:
    if letter_ids:
        await conn.execute(_RESOLVE, (list(letter_ids),))


async def retry(conn: Connection, ids: Sequence[int] | None = None, n: int = 500) -> int:
    """Enqueue letters again: those named, or those that are due; returns how many."""
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(_TAKE, {"ids": None if ids is None else list(ids), "n": n})
        taken = await cursor.fetchall()
    added = 0
    for group in _by_run(taken):
        added += await _enqueue(conn, group)
    return added


def _by_run(taken: Sequence[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    groups: dict[tuple[int | None, str | None], list[dict[str, Any]]] = {}
    for letter in taken:
        groups.setdefault((letter["source_id"], letter["payload"]["adapter_id"]), []).append(letter)
    return list(groups.values())


async def _enqueue(conn: Connection, letters: Sequence[dict[str, Any]]) -> int:
    """Letters of one source and adapter, as tasks of one run (P-082). What cannot join now waits an hour: its
    target is queued anyway, or the source is busy with a run of another adapter."""
    source_id, adapter_id = letters[0]["source_id"], letters[0]["payload"]["adapter_id"]
    run_id = None if source_id is None else await runs.join(conn, source_id, adapter_id, Trigger.RETRY)
    tasks = {letter["id"]: _task_of(letter["id"], letter["payload"], run_id) for letter in letters}
    may_join = source_id is None or run_id is not None
    added = await queue.enqueue(conn, list(tasks.values())) if may_join else set()
    if run_id is not None:
        await follow_ups.begin(conn, run_id, [task for task in tasks.values() if task.id in added])
        await runs.plan(conn, run_id, len(added))
    pages = [(tasks[x["id"]].id, UUID(x["payload"]["page_id"])) for x in letters if x["payload"].get("page_id")]
    await conn.execute(_RESUME, {"id": [task for task, _ in pages], "page_id": [page for _, page in pages]})
    await conn.execute(_WAIT, ([letter for letter, task in tasks.items() if task.id not in added],))
    return len(added)


async def waiting(conn: Connection) -> int:
    """Count dead letters that are neither retried nor discarded."""
    row = await (await conn.execute("SELECT count(*) FROM dead_letters WHERE status = 'pending'")).fetchone()
    assert row is not None
    return int(row[0])


async def discard(conn: Connection, ids: Sequence[int], note: str) -> int:
    async with conn.cursor(row_factory=scalar_row) as cursor:
        await cursor.execute(_DISCARD, {"ids": list(ids), "note": note})
        return len(await cursor.fetchall())


def _task_of(letter_id: int, saved: dict[str, Any], run_id: int | None) -> NewTask:
    """Build the retry without its job and callback: both have counted the failure already."""
    lane = saved["lane"] if saved["lane"] != RESUME_LANE else domain_of(saved["url"])
    return NewTask(
        id=new_id(),
        producer=Producer(saved["producer"]),
        kind=saved["kind"],
        lane=RESUME_LANE if saved.get("page_id") else lane,
        origin=saved["origin"],
        url=saved["url"],
        trigger=Trigger.RETRY,
        source_id=saved["source_id"],
        target_id=saved["target_id"],
        run_id=run_id,
        adapter_id=saved["adapter_id"],
        payload={k: v for k, v in (saved.get("payload") or {}).items() if k != CALLBACK_KEY} | {LETTER_KEY: letter_id},
    )
