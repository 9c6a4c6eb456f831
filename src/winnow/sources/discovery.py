"""Where event sources are looked for, and the candidates that were found. The only writer of the discovery tables.

Everything a search brought is stored before it is used, so that a process that dies is followed by another one that
repeats neither a query nor a visit (E-003, E-020).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any

import msgspec
from psycopg import AsyncConnection
from psycopg.rows import class_row, dict_row, scalar_row
from psycopg.types.json import Jsonb

from winnow.errors import Conflict, NotFound

Connection = AsyncConnection[Any]

LEASE = timedelta(minutes=10)  # renewed after each page and query; who is silent longer is taken for dead

_ENABLE = """
INSERT INTO municipalities (name, region, country, population, latitude, longitude)
SELECT * FROM unnest(%(name)s::text[], %(region)s::text[], %(country)s::text[], %(population)s::integer[],
                     %(latitude)s::float8[], %(longitude)s::float8[])
ON CONFLICT (country, region, name) DO UPDATE SET
    enabled = true, population = excluded.population, latitude = excluded.latitude, longitude = excluded.longitude
RETURNING id
"""
_DISABLE = "UPDATE municipalities SET enabled = false WHERE id = ANY(%s) AND enabled RETURNING id"
# Those not searched for six days, so that a weekly search never skips one for being an hour early (E-013).
_DUE = """
SELECT id, name, country, population, latitude, longitude FROM municipalities
WHERE enabled AND (%(ids)s::bigint[] IS NULL OR id = ANY(%(ids)s::bigint[]))
  AND (%(ids)s::bigint[] IS NOT NULL OR coalesce(last_searched_at < now() - interval '6 days', true))
ORDER BY population DESC, id
"""
_ADD_SEARCH = """
INSERT INTO discovery_jobs (municipality_id, municipality, population, latitude, longitude, search_queries, priority,
                            requested_by)
VALUES (%(id)s, %(name)s, %(population)s, %(latitude)s, %(longitude)s, %(queries)s, %(population)s, %(by)s)
ON CONFLICT DO NOTHING RETURNING id
"""
_SEARCHED = "UPDATE municipalities SET last_searched_at = now() WHERE id = %s"
_CACHED = """
SELECT results FROM discovery_jobs
WHERE municipality_id = %s AND status = 'completed' AND checkpoint > 0 AND error_message IS NULL
ORDER BY completed_at DESC LIMIT 1
"""
_PLACE = "SELECT country, latitude, longitude FROM municipalities WHERE id = %s"
_WEEK = """
UPDATE scheduler_state SET last_discovery_day = %(day)s
WHERE id = 1 AND last_discovery_day IS DISTINCT FROM %(day)s
"""
_IMPORT_HITS = """
UPDATE discovery_jobs SET results = results || %(results)s, checkpoint = greatest(checkpoint, %(checkpoint)s)
WHERE id = %(id)s AND status IN ('pending', 'processing') AND checkpoint = %(checkpoint)s - 1
"""
_ADD_SEED = """
INSERT INTO discovery_jobs (seed_url, requested_by) VALUES (%s, %s) ON CONFLICT DO NOTHING RETURNING id
"""
_CLAIM = """
UPDATE discovery_jobs SET status = 'processing', lease_until = now() + %(lease)s,
                          started_at = coalesce(started_at, now())
WHERE id = (
    SELECT id FROM discovery_jobs
    WHERE (status = 'pending' AND coalesce(next_attempt_at <= now(), true))
       OR (status = 'processing' AND lease_until < now())
    ORDER BY priority DESC, id LIMIT 1 FOR UPDATE SKIP LOCKED
)
RETURNING id, municipality_id, seed_url, municipality, population, latitude, longitude, search_queries, attempts,
          checkpoint, results, created_at
"""
_RENEW = "UPDATE discovery_jobs SET lease_until = now() + %s WHERE id = %s AND status = 'processing'"
_KEEP = """
UPDATE discovery_jobs SET results = results || %(results)s, checkpoint = %(checkpoint)s, attempts = 0,
                          lease_until = now() + %(lease)s
WHERE id = %(id)s AND status = 'processing'
"""
_END = """
UPDATE discovery_jobs SET status = %(status)s, error_message = %(error)s, lease_until = NULL, completed_at = now(),
    sources_found = (SELECT count(*) FROM discovery_candidates AS c
                     WHERE c.job_id = discovery_jobs.id AND c.source_id IS NOT NULL)
WHERE id = %(id)s AND status = 'processing'
"""
_POSTPONE = """
UPDATE discovery_jobs SET status = 'pending', attempts = attempts + 1, next_attempt_at = now() + %(wait)s,
                          lease_until = NULL, error_message = %(error)s
WHERE id = %(id)s AND status = 'processing'
"""
_GIVE_BACK = """
UPDATE discovery_jobs SET status = 'pending', next_attempt_at = NULL, lease_until = NULL
WHERE id = %s AND status = 'processing'
"""
_EXAMINED = """
SELECT url_hash FROM discovery_candidates
WHERE url_hash = ANY(%(hashes)s) AND (status <> 'not_added' OR examined_at >= %(since)s)
"""
_ADD = """
INSERT INTO discovery_candidates (url, url_hash, domain, title, municipality_id, job_id, found_by, found_at, status,
                                  reason, confidence, judged_by, events, source_id)
VALUES (%(url)s, %(url_hash)s, %(domain)s, %(title)s, %(municipality_id)s, %(job_id)s, %(found_by)s, %(found_at)s,
        %(status)s, %(reason)s, %(confidence)s, %(judged_by)s, %(events)s, %(source_id)s)
ON CONFLICT (url_hash) DO UPDATE SET
    title = excluded.title, municipality_id = excluded.municipality_id, job_id = excluded.job_id,
    found_by = excluded.found_by, found_at = excluded.found_at, status = excluded.status, reason = excluded.reason,
    confidence = excluded.confidence, judged_by = excluded.judged_by, events = excluded.events,
    source_id = excluded.source_id, examined_at = now()
WHERE discovery_candidates.status = 'not_added'
RETURNING id
"""
_DECIDE = """
UPDATE discovery_candidates SET status = %(status)s, reason = coalesce(%(reason)s, reason), decided_by = %(by)s,
                                decided_at = now()
WHERE id = %(id)s
"""
# A site that is an event source already, or that a person refused, is not proposed again under another address.
_KNOWN_DOMAINS = """
SELECT domain FROM sources WHERE kind = 'event' AND domain = ANY(%(domains)s)
UNION SELECT domain FROM discovery_candidates WHERE domain = ANY(%(domains)s) AND status = 'rejected'
"""
_REMOVE_SOURCE = """
DELETE FROM sources AS s WHERE s.id = %s AND NOT s.enabled
  AND NOT EXISTS (SELECT 1 FROM scrape_targets AS t WHERE t.source_id = s.id)
"""
_OPEN = "SELECT count(*) FROM discovery_jobs WHERE status IN ('pending', 'processing')"
_KNOWN_PAGES = """
SELECT DISTINCT ON (s.id) t.url FROM sources AS s JOIN scrape_targets AS t ON t.source_id = s.id
WHERE s.kind = 'event' AND s.enabled AND NOT s.paused AND t.found_by_run_id IS NULL AND t.enabled
ORDER BY s.id, t.id
"""


class NewMunicipality(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    region: str = ""
    country: str = "NL"
    population: int = 0
    latitude: float
    longitude: float


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """`seed_url` None: a municipality is searched (E-014). `results` holds what each query brought."""

    id: int
    municipality_id: int | None
    seed_url: str | None
    municipality: str | None
    population: int | None
    latitude: float | None
    longitude: float | None
    search_queries: list[str]
    attempts: int
    checkpoint: int
    results: dict[str, Any]
    created_at: datetime


class NewCandidate(msgspec.Struct, frozen=True, kw_only=True):
    """A page that was looked at. `found_at` is the query or the page that named it."""

    url: str
    url_hash: str
    domain: str
    found_by: str
    found_at: str
    status: str = "not_added"
    reason: str | None = None
    title: str = ""
    confidence: float | None = None
    judged_by: str | None = None
    events: int = 0
    municipality_id: int | None = None
    job_id: int | None = None
    source_id: int | None = None


async def add_seed(conn: Connection, url: str, by: str | None = None) -> int | None:
    """None: it is being looked at already."""
    row = await (await conn.execute(_ADD_SEED, (url, by))).fetchone()
    return None if row is None else int(row[0])


async def enable_municipalities(conn: Connection, found: Sequence[NewMunicipality]) -> list[int]:
    """Known ones are searched again from now on; population and place are those given now."""
    columns = {name: [getattr(one, name) for one in found] for name in NewMunicipality.__struct_fields__}
    return [row[0] for row in await (await conn.execute(_ENABLE, columns)).fetchall()]


async def disable_municipalities(conn: Connection, ids: Sequence[int]) -> list[int]:
    return [row[0] for row in await (await conn.execute(_DISABLE, (list(ids),))).fetchall()]


async def due_municipalities(conn: Connection, ids: Sequence[int] | None = None) -> list[dict[str, Any]]:
    """Those not searched recently, the largest first; or these, whenever they were searched."""
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(_DUE, {"ids": None if ids is None else list(ids)})
        return await cursor.fetchall()


async def add_search(
    conn: Connection, municipality: Mapping[str, Any], queries: Sequence[str], by: str | None = None
) -> int | None:
    """None: it is being searched already. Its population is its priority."""
    row = await (await conn.execute(_ADD_SEARCH, {**municipality, "queries": list(queries), "by": by})).fetchone()
    return None if row is None else int(row[0])


async def mark_searched(conn: Connection, municipality_id: int) -> None:
    await conn.execute(_SEARCHED, (municipality_id,))


async def cached_results(conn: Connection, municipality_id: int) -> dict[str, Any] | None:
    """What the last complete search of a municipality brought (E-019)."""
    row = await (await conn.execute(_CACHED, (municipality_id,))).fetchone()
    return None if row is None else dict(row[0])


async def place_of(conn: Connection, municipality_id: int) -> dict[str, Any]:
    """Its country and coordinates."""
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(_PLACE, (municipality_id,))
        row = await cursor.fetchone()
    if row is None:
        raise NotFound(f"there is no municipality {municipality_id}")
    return row


async def begin_week(conn: Connection, day: date) -> bool:
    """Whether this is the first to begin the discovery of `day`."""
    await conn.execute("INSERT INTO scheduler_state (id) VALUES (1) ON CONFLICT DO NOTHING")
    return (await conn.execute(_WEEK, {"day": day})).rowcount == 1


async def import_hits(conn: Connection, job_id: int, results: Mapping[str, Any], checkpoint: int) -> bool:
    """What a query brought while the database was away; False: the job has asked again meanwhile, or is over."""
    given = {"id": job_id, "results": Jsonb(dict(results)), "checkpoint": checkpoint}
    return (await conn.execute(_IMPORT_HITS, given)).rowcount == 1


async def known_pages(conn: Connection) -> list[str]:
    """One page of each event source that is visited."""
    async with conn.cursor(row_factory=scalar_row) as cursor:
        await cursor.execute(_KNOWN_PAGES)
        return await cursor.fetchall()


async def claim(conn: Connection) -> Job | None:
    """The next job, the largest municipality first (E-013); also one whose worker died."""
    async with conn.cursor(row_factory=class_row(Job)) as cursor:
        await cursor.execute(_CLAIM, {"lease": LEASE})
        return await cursor.fetchone()


async def renew(conn: Connection, job_id: int) -> None:
    await conn.execute(_RENEW, (LEASE, job_id))


async def keep(conn: Connection, job_id: int, results: Mapping[str, Any], checkpoint: int) -> None:
    """What a query brought, and that it is done."""
    given = {"id": job_id, "results": Jsonb(dict(results)), "checkpoint": checkpoint, "lease": LEASE}
    await conn.execute(_KEEP, given)


async def end(conn: Connection, job_id: int, *, failed: str | None = None, note: str | None = None) -> None:
    status = "failed" if failed else "completed"
    await conn.execute(_END, {"id": job_id, "status": status, "error": failed or note})


async def postpone(conn: Connection, job_id: int, wait: timedelta, why: str) -> None:
    await conn.execute(_POSTPONE, {"id": job_id, "wait": wait, "error": why})


async def give_back(conn: Connection, job_id: int) -> None:
    """For the next worker to go on with."""
    await conn.execute(_GIVE_BACK, (job_id,))


async def examined(conn: Connection, hashes: Sequence[str], since: datetime) -> set[str]:
    """Those that need no look: decided or proposed ones, and others looked at since then."""
    async with conn.cursor(row_factory=scalar_row) as cursor:
        await cursor.execute(_EXAMINED, {"hashes": list(hashes), "since": since})
        return set(await cursor.fetchall())


async def known_domains(conn: Connection, domains: Sequence[str]) -> set[str]:
    async with conn.cursor(row_factory=scalar_row) as cursor:
        await cursor.execute(_KNOWN_DOMAINS, {"domains": list(domains)})
        return set(await cursor.fetchall())


async def add_candidate(conn: Connection, new: NewCandidate) -> int | None:
    """None: it is known and was decided about, or waits for that."""
    row = await (await conn.execute(_ADD, msgspec.structs.asdict(new))).fetchone()
    return None if row is None else int(row[0])


async def candidate(conn: Connection, candidate_id: int) -> dict[str, Any]:
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute("SELECT * FROM discovery_candidates WHERE id = %s FOR UPDATE", (candidate_id,))
        row = await cursor.fetchone()
    if row is None:
        raise NotFound(f"there is no candidate {candidate_id}")
    return row


async def decide(conn: Connection, row: Mapping[str, Any], status: str, by: str, reason: str | None = None) -> None:
    """A candidate is decided about once."""
    if row["status"] != "pending":
        raise Conflict(f"candidate {row['id']} is {row['status']}", existing=str(row["id"]))
    await conn.execute(_DECIDE, {"id": row["id"], "status": status, "by": by, "reason": reason})


async def remove_source(conn: Connection, source_id: int) -> bool:
    """Of a rejected candidate; one that was used meanwhile stays."""
    return (await conn.execute(_REMOVE_SOURCE, (source_id,))).rowcount == 1


async def open_jobs(conn: Connection) -> int:
    row = await (await conn.execute(_OPEN)).fetchone()
    return 0 if row is None else int(row[0])
