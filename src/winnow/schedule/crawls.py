"""Crawls: when they start, wait, go on and end. The only writer of `crawls`.

    waiting ─▶ running ⇄ paused ─▶ done, stopped or failed

A crawl is a run of its source that begins with one page and follows every link its scope allows. It waits while its
source has another crawl, or is paused; the scheduler and whoever adds it start it. The targets of its source that are
due meanwhile have a run of their own beside it: none waits for the end of a crawl.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import msgspec
from psycopg import AsyncConnection
from psycopg.rows import class_row, dict_row, scalar_row
from psycopg.types.json import Jsonb

from winnow.errors import Conflict, NotFound
from winnow.schedule import follow_ups, runs
from winnow.schedule.budget import CRAWL_ROLES
from winnow.schedule.follow_ups import Planned
from winnow.schedule.queue import queue
from winnow.schedule.queue.rank import for_catalogue
from winnow.schedule.queue.task import FOLLOW_UP_KEY, NewTask, Producer, Trigger, new_id
from winnow.schedule.scope import Scope
from winnow.schedule.settings import ScheduleSettings
from winnow.sources.domain import domain_of, origin_of

Connection = AsyncConnection[Any]

# Where nothing is said: pages, links away from the first one, seconds, bytes.
DEFAULTS = {"pages": 100_000, "depth": 20, "seconds": 7 * 86_400, "bytes": 100 << 30}
PLANNED_AT_ONCE = 10_000  # rows of one statement
AT_ONCE = 100  # crawls that one tick starts


class NewCrawl(msgspec.Struct, frozen=True, kw_only=True):
    """Checked; `budget` has all limits, `url_hash` is of `url`."""

    source_id: int
    adapter_id: str
    url: str
    scope: Scope
    budget: dict[str, int]
    requested_by: str


class Waiting(msgspec.Struct, frozen=True, kw_only=True):
    id: int
    source_id: int
    adapter_id: str
    kind: str
    url: str
    url_hash: str
    scope: dict[str, Any]
    budget: dict[str, int]
    requested_by: str | None


_ADD = """
INSERT INTO crawls (source_id, adapter_id, url, url_hash, scope, budget, requested_by)
VALUES (%(source_id)s, %(adapter_id)s, %(url)s, %(url_hash)s, %(scope)s, %(budget)s, %(requested_by)s) RETURNING id
"""
# One a source: the oldest. A second scheduler passes over what the first one is starting.
_WAITING = """
SELECT c.id, c.source_id, c.adapter_id, s.kind, c.url, c.url_hash, c.scope, c.budget, c.requested_by
FROM crawls AS c JOIN sources AS s ON s.id = c.source_id
WHERE c.state = 'waiting' AND s.enabled AND NOT s.paused
  AND NOT EXISTS (SELECT FROM scrape_runs AS r WHERE r.source_id = c.source_id AND r.is_crawl AND r.status = 'RUNNING')
  AND NOT EXISTS (SELECT FROM crawls AS b WHERE b.source_id = c.source_id AND b.state = 'waiting' AND b.id < c.id)
ORDER BY c.id LIMIT %s FOR UPDATE OF c SKIP LOCKED
"""
_KNOWN = """
SELECT url, url_hash FROM scrape_targets WHERE source_id = %s AND enabled AND status <> 'PAUSED'
ORDER BY last_scraped_at NULLS FIRST, id LIMIT %s
"""
_STARTED = "UPDATE crawls SET state = 'running', run_id = %s, started_at = now() WHERE id = %s"
# A run in which nothing could be read has failed (PN-10). Drift does not judge it: nobody vouches for its pages.
_END = """
WITH over AS (
    UPDATE crawls AS c
    SET state = CASE WHEN r.stopping THEN 'stopped' WHEN r.status = 'FAILED' THEN 'failed' ELSE 'done' END,
        ended_at = now(), paused_at = NULL
    FROM scrape_runs AS r
    WHERE r.id = c.run_id AND c.run_id = ANY(%s) AND c.state IN ('running', 'paused')
    RETURNING c.run_id
)
UPDATE scrape_runs SET drift_checked_at = now() WHERE id IN (SELECT run_id FROM over) RETURNING id
"""
_PAUSE = "UPDATE crawls SET state = 'paused', paused_at = now() WHERE id = %s"
_RESUME = "UPDATE crawls SET state = 'running', paused_at = NULL WHERE id = %s"
# The time a crawl was paused is none of its budget.
_HOLD_RUN = """
UPDATE scrape_runs SET paused = %(paused)s,
    deadline_at = deadline_at + coalesce(now() - %(since)s::timestamptz, interval '0')
WHERE id = %(run_id)s
"""


async def add(conn: Connection, new: NewCrawl, url_hash: str) -> int:
    given = {
        **msgspec.structs.asdict(new),
        "url_hash": url_hash,
        "scope": Jsonb(msgspec.to_builtins(new.scope)),
        "budget": Jsonb(new.budget),
    }
    async with conn.cursor(row_factory=scalar_row) as cursor:
        await cursor.execute(_ADD, given)
        return int(await cursor.fetchone() or 0)


async def start_waiting(conn: Connection, settings: ScheduleSettings) -> list[int]:
    """Starts the crawls whose source has no other one; their ids."""
    async with conn.cursor(row_factory=class_row(Waiting)) as cursor:
        await cursor.execute(_WAITING, (AT_ONCE,))
        found = await cursor.fetchall()
    return [crawl.id for crawl in found if await _start(conn, crawl, settings)]


async def _start(conn: Connection, crawl: Waiting, settings: ScheduleSettings) -> bool:
    roles = dict.fromkeys(CRAWL_ROLES, crawl.budget["pages"])
    try:
        run_id = await runs.insert(
            conn, crawl.source_id, crawl.adapter_id, Trigger.MANUAL,
            requested_by=crawl.requested_by, budget=crawl.budget, roles=roles,
        )  # fmt: skip
    except Conflict:  # a run of its source began just now
        return False
    task = _first_task(crawl, run_id, settings)
    await queue.enqueue(conn, [task])
    await follow_ups.begin(conn, run_id, [task])
    await runs.plan(conn, run_id, 1)
    await conn.execute(_STARTED, (run_id, crawl.id))
    await _plan_known(conn, crawl, run_id, task.id)
    return True


async def _plan_known(conn: Connection, crawl: Waiting, run_id: int, first: UUID) -> None:
    """What its source knows already is visited too, after what is found: a product that nothing links to any more may
    be gone."""
    scope = msgspec.convert(crawl.scope, Scope)
    found = await conn.execute(_KNOWN, (crawl.source_id, crawl.budget["pages"]))
    known = [
        Planned(run_id=run_id, from_task=first, url=url, url_hash=url_hash, role="item", depth=1, position=n, later=20)
        for n, (url, url_hash) in enumerate(await found.fetchall())
        if scope.contains(url)
    ]
    for start in range(0, len(known), PLANNED_AT_ONCE):
        added = await follow_ups.plan(conn, known[start : start + PLANNED_AT_ONCE])
        waiting = added[run_id].waiting if run_id in added else 0
        await runs.count(conn, {run_id: runs.Tally(links_found=waiting, links_waiting=waiting)})


def _first_task(crawl: Waiting, run_id: int, settings: ScheduleSettings) -> NewTask:
    return NewTask(
        id=new_id(),
        producer=Producer.CATALOGUE,
        kind=crawl.kind,
        lane=domain_of(crawl.url),
        origin=origin_of(crawl.url),
        url=crawl.url,
        rank=for_catalogue(5),
        trigger=Trigger.MANUAL,
        source_id=crawl.source_id,
        run_id=run_id,
        adapter_id=crawl.adapter_id,
        max_attempts=settings.max_attempts,
        payload={FOLLOW_UP_KEY: {"url_hash": crawl.url_hash}},
    )


async def end(conn: Connection, run_ids: Sequence[int]) -> list[int]:
    """Close the crawls of runs that are over; returns the runs that were crawls."""
    async with conn.cursor(row_factory=scalar_row) as cursor:
        await cursor.execute(_END, (list(run_ids),))
        return sorted(await cursor.fetchall())


async def get(conn: Connection, crawl_id: int, *, lock: bool = False) -> Mapping[str, Any]:
    query = f"SELECT * FROM crawls WHERE id = %s{' FOR UPDATE' if lock else ''}"
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(query, (crawl_id,))
        row = await cursor.fetchone()
    if row is None:
        raise NotFound(f"there is no crawl {crawl_id}")
    return row


async def pause(conn: Connection, crawl_id: int, run_id: int) -> int:
    """Pause a crawl and return how many queued tasks wait now; running ones finish."""
    await conn.execute(_PAUSE, (crawl_id,))
    await conn.execute(_HOLD_RUN, {"run_id": run_id, "paused": True, "since": None})
    return await queue.pause_run(conn, run_id, True)


async def resume(conn: Connection, crawl_id: int, run_id: int, since: Any) -> int:
    await conn.execute(_RESUME, (crawl_id,))
    await conn.execute(_HOLD_RUN, {"run_id": run_id, "paused": False, "since": since})
    return await queue.pause_run(conn, run_id, False)


async def stop_waiting(conn: Connection, crawl_id: int) -> None:
    """Closes a crawl that has not begun."""
    await conn.execute("UPDATE crawls SET state = 'stopped', ended_at = now() WHERE id = %s", (crawl_id,))
