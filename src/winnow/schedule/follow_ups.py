"""The frontier of runs: pages that other pages lead to, each once per run (DESIGN §11.28).

    own        a page the run began with
    waiting    named by a page; run/feeder.py makes it a task as there is room -> queued
    cut        not visited, and `cut_by` says why

The transaction that settles a page writes its links here and changes no lane; the counters of the run change with
`runs.count` of the same transaction, under the lock of the run. Whoever holds that lock sees exactly as many waiting
rows as the run counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

import msgspec
from psycopg import AsyncConnection
from psycopg.rows import class_row, dict_row, scalar_row
from psycopg.types.json import Jsonb

from winnow.db.sql import load
from winnow.schedule.budget import CutBy
from winnow.schedule.queue.task import NewTask

PLAN = load("schedule/plan_follow_ups.sql")

Connection = AsyncConnection[Any]


class Planned(msgspec.Struct, frozen=True, kw_only=True):
    """A link as a page named it. `cut_by`: it is not followed; `later` is added to the rank of its page; `shape`,
    `in_sitemap` and `listed` as in the table."""

    run_id: int
    from_task: UUID
    url: str
    url_hash: str
    role: str
    depth: int
    position: int
    later: int = 0
    seed: dict[str, Any] | None = None
    cut_by: CutBy | None = None
    shape: str | None = None
    in_sitemap: bool = False
    listed: str | None = None


class LinkCounts(msgspec.Struct):
    """What planning added to one run. `new` are those of each page that are not of a shape which may lead nowhere."""

    waiting: int = 0
    new: Counter[UUID] = msgspec.field(default_factory=Counter)
    cut_by: Counter[str] = msgspec.field(default_factory=Counter)


class WaitingLink(msgspec.Struct, frozen=True, kw_only=True):
    url_hash: str
    url: str
    role: str
    depth: int
    rank: int
    seed: dict[str, Any] | None
    shape: str | None
    listed: str | None


# A page the run began with is not followed once more. What retries a dead letter brings its hash along.
_BEGIN = """
INSERT INTO follow_ups (run_id, url_hash, url, target_id, task_id, state)
SELECT r.id, h.url_hash, g.url, g.target_id, g.id, 'own'
FROM unnest(%(id)b::uuid[], %(url)b::text[], %(target_id)b::bigint[], %(url_hash)b::text[])
     AS g (id, url, target_id, url_hash)
JOIN scrape_runs AS r ON r.id = %(run_id)s AND r.budget IS NOT NULL
LEFT JOIN scrape_targets AS t ON t.id = g.target_id
CROSS JOIN LATERAL (SELECT coalesce(t.url_hash, g.url_hash) AS url_hash) AS h
WHERE h.url_hash IS NOT NULL
ORDER BY h.url_hash
ON CONFLICT DO NOTHING
"""
_WAITING = """
SELECT url_hash, url, role, depth, rank, seed, shape, listed FROM follow_ups
WHERE run_id = %s AND state = 'waiting'
ORDER BY rank, created_at, position LIMIT %s
"""
_QUEUED = """
UPDATE follow_ups AS f SET state = 'queued', task_id = g.task_id, target_id = g.target_id
FROM unnest(%(url_hash)b::text[], %(task_id)b::uuid[], %(target_id)b::bigint[]) AS g (url_hash, task_id, target_id)
WHERE f.run_id = %(run_id)s AND f.url_hash = g.url_hash
"""
_IN_SITEMAP = """
UPDATE follow_ups AS f SET in_sitemap = true
FROM unnest(%(run_id)b::bigint[], %(url_hash)b::text[]) AS g (run_id, url_hash)
WHERE f.run_id = g.run_id AND f.url_hash = g.url_hash AND NOT f.in_sitemap
"""
_CUT = "UPDATE follow_ups SET state = 'cut', cut_by = %s WHERE run_id = %s AND url_hash = ANY(%s)"
_CUT_ALL = """
UPDATE follow_ups SET state = 'cut', cut_by = %(why)s
WHERE run_id = %(run_id)s AND state = 'waiting' AND (%(roles)s::text[] IS NULL OR role = ANY(%(roles)s))
"""
_CUT_SHAPES = """
UPDATE follow_ups SET state = 'cut', cut_by = %s WHERE run_id = %s AND state = 'waiting' AND shape = ANY(%s)
"""
_STOP = """
UPDATE scrape_runs SET stopping = true
WHERE id IN (
    SELECT id FROM scrape_runs
    WHERE status = 'RUNNING' AND budget IS NOT NULL
      AND (%(run_id)s::bigint IS NULL OR id = %(run_id)s)
      AND (%(adapter_id)s::text IS NULL OR adapter_id = %(adapter_id)s)
      AND (%(source_id)s::bigint IS NULL OR source_id = %(source_id)s)
    ORDER BY id FOR UPDATE
)
RETURNING id
"""
_FORGET = """
DELETE FROM follow_ups WHERE (run_id, url_hash) IN (
    SELECT f.run_id, f.url_hash FROM follow_ups AS f LEFT JOIN scrape_runs AS r ON r.id = f.run_id
    WHERE r.id IS NULL OR (r.status <> 'RUNNING' AND r.started_at < now() - make_interval(secs => %s))
    LIMIT %s
)
"""


async def begin(conn: Connection, run_id: int, tasks: Sequence[NewTask]) -> None:
    """Note that these tasks have joined the run. Nothing is written for a run that follows no links."""
    given = {
        "run_id": run_id,
        "id": [task.id for task in tasks],
        "url": [task.url for task in tasks],
        "target_id": [task.target_id for task in tasks],
        "url_hash": [task.follow_up.get("url_hash") for task in tasks],
    }
    await conn.execute(_BEGIN, given)


async def plan(conn: Connection, links: Sequence[Planned]) -> dict[int, LinkCounts]:
    """Write the links that are new to their run; return what that adds to the counters of each run."""
    if not links:
        return {}
    unique = {(link.run_id, link.url_hash): link for link in reversed(links)}  # the first mention counts
    # Sorted: two pages that name the same links wait for each other instead of deadlocking.
    ordered = [unique[key] for key in sorted(unique)]
    names = ("run_id", "from_task", "url", "url_hash", "role", "depth", "position", "later", "cut_by",
             "shape", "in_sitemap", "listed")  # fmt: skip
    given: dict[str, Any] = {name: [getattr(link, name) for link in ordered] for name in names}
    given["seed"] = [None if link.seed is None else Jsonb(link.seed) for link in ordered]
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(PLAN, given)
        added = _counted(await cursor.fetchall())
    listed = [link for link in ordered if link.in_sitemap]
    if listed:  # also those that a page named before
        await conn.execute(
            _IN_SITEMAP, {"run_id": [one.run_id for one in listed], "url_hash": [one.url_hash for one in listed]}
        )
    return added


def _counted(added: Iterable[dict[str, Any]]) -> dict[int, LinkCounts]:
    counts: dict[int, LinkCounts] = {}
    for row in added:
        own = counts.setdefault(row["run_id"], LinkCounts())
        if row["cut_by"] is None:
            own.waiting += row["n"]
            own.new[row["from_task"]] += row["n"] if row["plain"] else 0
        else:
            own.cut_by[row["cut_by"]] += row["n"]
    return counts


async def waiting(conn: Connection, run_id: int, n: int) -> list[WaitingLink]:
    """The next to be visited. The caller holds the lock of the run."""
    async with conn.cursor(row_factory=class_row(WaitingLink)) as cursor:
        await cursor.execute(_WAITING, (run_id, n))
        return await cursor.fetchall()


async def queued(conn: Connection, run_id: int, tasks: Sequence[tuple[str, NewTask]]) -> None:
    """Mark rows, by their hash, as turned into tasks."""
    given = {
        "run_id": run_id,
        "url_hash": [url_hash for url_hash, _ in tasks],
        "task_id": [task.id for _, task in tasks],
        "target_id": [task.target_id for _, task in tasks],
    }
    await conn.execute(_QUEUED, given)


async def cut(conn: Connection, run_id: int, hashes: Sequence[str], why: CutBy) -> None:
    await conn.execute(_CUT, (why, run_id, list(hashes)))


async def cut_waiting(conn: Connection, run_id: int, why: CutBy, roles: Sequence[str] | None = None) -> int:
    """Cut all that wait, or those of some roles; return how many. The caller holds the lock of the run."""
    given = {"run_id": run_id, "why": why, "roles": None if roles is None else list(roles)}
    return (await conn.execute(_CUT_ALL, given)).rowcount


async def cut_shapes(conn: Connection, run_id: int, why: CutBy, shapes: Sequence[str]) -> int:
    """All that wait and have one of these shapes; how many. The caller holds the lock of the run."""
    return (await conn.execute(_CUT_SHAPES, (why, run_id, list(shapes)))).rowcount


async def stop(
    conn: Connection, *, run_id: int | None = None, adapter_id: str | None = None, source_id: int | None = None
) -> dict[int, int]:
    """Queue nothing more for these runs: what waits is cut, and so is what a running page adds. Returns how many of
    each run; the caller counts them."""
    given = {"run_id": run_id, "adapter_id": adapter_id, "source_id": source_id}
    async with conn.cursor(row_factory=scalar_row) as cursor:
        await cursor.execute(_STOP, given)
        stopped = await cursor.fetchall()
    return {run_id: await cut_waiting(conn, run_id, CutBy.CANCELLED) for run_id in sorted(stopped)}


async def forget(conn: Connection, days: float, n: int) -> int:
    """Of runs that ended, and of those that are gone."""
    return (await conn.execute(_FORGET, (days * 86_400, n))).rowcount
