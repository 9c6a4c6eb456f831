"""How far the search index is behind: the documents in PostgreSQL, and the indexes of a search server."""

from __future__ import annotations

from typing import Any

import msgspec
from psycopg import AsyncConnection
from psycopg.rows import class_row

# An index that has caught up is as old as its last look; one that has not since the oldest document it has not got.
LAG = """
SELECT
    (SELECT count(*) FROM (SELECT FROM search_changes LIMIT 100000) AS c)
        + (SELECT count(*) FROM search_walks WHERE finished_version IS NULL) AS changes,
    coalesce(extract(epoch FROM now() - least(
        (SELECT changed_at FROM search_changes ORDER BY id LIMIT 1),
        (SELECT min(requested_at) FROM search_walks WHERE finished_version IS NULL))), 0)::float8 AS changes_seconds,
    i.name AS index, coalesce(i.live, false) AS live, i.documents, i.last_error,
    extract(epoch FROM now() - i.failed_at)::float8 AS failing_seconds,
    (SELECT count(*) FROM (SELECT FROM search_documents WHERE version > i.version LIMIT 1000000) AS d)
        AS documents_waiting,
    coalesce(extract(epoch FROM now() - (
        SELECT indexed_at FROM search_documents WHERE version > i.version ORDER BY version LIMIT 1)), 0)::float8
        AS index_seconds
FROM (SELECT) AS one LEFT JOIN search_indexes AS i ON true
ORDER BY i.live DESC NULLS LAST, i.name
"""

Connection = AsyncConnection[Any]


class Lag(msgspec.Struct, frozen=True, kw_only=True):
    """`changes` wait to be seen by any search; the rest is about one index of a search server, None where there is
    none."""

    changes: int
    changes_seconds: float
    index: str | None
    live: bool
    documents: int | None
    last_error: str | None
    failing_seconds: float | None
    documents_waiting: int
    index_seconds: float


async def read(conn: Connection) -> list[Lag]:
    """One row for each index of a search server; one without an index where there is none."""
    async with conn.cursor(row_factory=class_row(Lag)) as cursor:
        await cursor.execute(LAG)
        return await cursor.fetchall()


def seconds_behind(lags: list[Lag]) -> float:
    """Of the worst: an index that is still built is not searched, and behind only when its server fails."""
    failing = [lag.failing_seconds or 0 for lag in lags]
    return max([lags[0].changes_seconds, *failing, *(lag.index_seconds for lag in lags if lag.live)])
