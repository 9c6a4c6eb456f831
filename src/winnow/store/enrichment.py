"""Results of the scraping service, one row per task, with the verdict on each (S-013, S-016).

They may hold personal data: what has expired or is to be erased loses its content, the row stays (DESIGN §11.26).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import msgspec
from psycopg import AsyncConnection
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

_WRITE = """
INSERT INTO enrichment_results (task_id, job_id, kind, target_type, version, workspace_id, target_url, url_hash,
                                requested_fields, data, further, problems, provenance, verdict, reasons, page_id,
                                expires_at)
VALUES (%(task_id)s, %(job_id)s, %(kind)s, %(target_type)s, %(version)s, %(workspace_id)s, %(target_url)s,
        %(url_hash)s, %(requested_fields)s, %(data)s, %(further)s, %(problems)s, %(provenance)s, %(verdict)s,
        %(reasons)s, %(page_id)s, now() + make_interval(secs => %(keep_seconds)s))
ON CONFLICT (task_id) DO NOTHING
"""
_OF_JOB = """
SELECT task_id, target_type, target_url, data AS result, problems
FROM enrichment_results WHERE job_id = %s AND verdict = 'accept' ORDER BY task_id
"""
_EMPTY = "SET data = NULL, further = '[]', provenance = '{}', problems = '{}', erased_at = now()"
_EXPIRE = f"""
UPDATE enrichment_results {_EMPTY} WHERE task_id IN (
    SELECT task_id FROM enrichment_results WHERE data IS NOT NULL AND expires_at <= now() LIMIT %s
)
"""
_ERASE = f"""
WITH erased AS (UPDATE enrichment_results {_EMPTY} WHERE data IS NOT NULL AND url_hash = %(url_hash)s RETURNING 1)
SELECT page_id, (SELECT count(*) FROM erased) FROM enrichment_results WHERE url_hash = %(url_hash)s
"""

Connection = AsyncConnection[Any]


class StoredResult(msgspec.Struct, frozen=True, kw_only=True):
    """`data` is the first thing the page is about, `further` the others of a page with several (events)."""

    task_id: UUID
    job_id: UUID | None
    kind: str
    target_type: str
    version: str
    workspace_id: str | None
    target_url: str
    url_hash: str
    requested_fields: list[str] | None
    data: dict[str, Any]
    further: list[dict[str, Any]]
    problems: dict[str, Any]
    provenance: dict[str, str]
    verdict: str
    reasons: list[str]
    page_id: UUID | None


async def write(conn: Connection, results: Sequence[StoredResult], keep_seconds: float) -> None:
    """Write results in the transaction that settles the tasks: a result exists exactly when its task has ended."""
    rows = []
    for result in results:
        row = msgspec.structs.asdict(result) | {"keep_seconds": keep_seconds}
        for name in ("data", "further", "problems", "provenance"):
            row[name] = Jsonb(row[name])
        rows.append(row)
    if rows:
        async with conn.cursor() as cursor:
            await cursor.executemany(_WRITE, rows)


async def of_job(conn: Connection, job_id: UUID) -> list[dict[str, Any]]:
    """Return the accepted results of a job, as the callback and the results endpoint show them (S-102)."""
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(_OF_JOB, (job_id,))
        return [row | {"task_id": str(row["task_id"])} for row in await cursor.fetchall()]


async def expire(conn: Connection, n: int = 5_000) -> int:
    return (await conn.execute(_EXPIRE, (n,))).rowcount


async def erase(conn: Connection, url_hash: str) -> tuple[int, list[UUID]]:
    """Erase everything that was read at one address; returns how many results, and the pages they came from."""
    rows = await (await conn.execute(_ERASE, {"url_hash": url_hash})).fetchall()
    return (rows[0][1] if rows else 0), [page_id for page_id, _ in rows if page_id is not None]
