"""The log of attempts that failed, with what they were about (E-006, C-008, C-009, C-066), and the failures that many
sources have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import msgspec
from psycopg import AsyncConnection
from psycopg.rows import class_row

Connection = AsyncConnection[Any]

MAX_MESSAGE, MAX_STACK = 2_000, 20_000
MIN_SOURCES = 3  # what fails at fewer is the matter of those sources, and their circuits tell of it
MIN_SHARE = 0.1  # of the tasks that ended meanwhile: of a million pages some are always gone
DAY = 86_400

_RECORD = """
INSERT INTO error_logs (task_id, source_id, stage, error_class, error_type, error_message, stack_trace)
SELECT * FROM unnest(%(task_id)b::uuid[], %(source_id)b::bigint[], %(stage)b::text[], %(error_class)b::text[],
                     %(error_type)b::text[], %(error_message)b::text[], %(stack_trace)b::text[])
"""
# What ended is counted only where there is a pattern; what was archived meanwhile counts as well.
_RECURRING = """
WITH alike AS MATERIALIZED (
    SELECT stage, error_type, count(*)::int AS failures, count(DISTINCT source_id)::int AS sources,
           max(error_message) AS example
    FROM error_logs
    WHERE occurred_at > now() - interval '1 hour'
    GROUP BY stage, error_type
    HAVING count(*) >= %(most)s AND count(DISTINCT source_id) >= %(sources)s
)
SELECT stage, error_type, failures, sources, example
FROM alike CROSS JOIN LATERAL (
    SELECT (SELECT count(*) FROM tasks WHERE finished_at > now() - interval '1 hour')
         + (SELECT count(*) FROM task_archive WHERE finished_at > now() - interval '1 hour') AS n
) AS ended
WHERE failures >= %(share)s * ended.n
ORDER BY failures DESC, stage, error_type
"""
_FORGET = """
DELETE FROM error_logs WHERE id IN (
    SELECT id FROM error_logs WHERE occurred_at < now() - make_interval(secs => %s) ORDER BY occurred_at LIMIT %s
)
"""


class FailedAttempt(msgspec.Struct, frozen=True, kw_only=True):
    """Its run, job and target are those of the task."""

    task_id: UUID
    source_id: int | None
    stage: str
    error_class: str
    error_type: str
    error_message: str | None = None
    stack_trace: str | None = None


class Recurring(msgspec.Struct, frozen=True, kw_only=True):
    """A failure that several sources had within the last hour."""

    stage: str
    error_type: str
    failures: int
    sources: int
    example: str | None


async def record(conn: Connection, attempts: Sequence[FailedAttempt]) -> None:
    if not attempts:
        return
    columns: dict[str, list[Any]] = {
        name: [getattr(attempt, name) for attempt in attempts] for name in FailedAttempt.__struct_fields__
    }
    columns["error_message"] = [_cut(text, MAX_MESSAGE) for text in columns["error_message"]]
    columns["stack_trace"] = [_cut(text, MAX_STACK) for text in columns["stack_trace"]]
    await conn.execute(_RECORD, columns)


async def recurring(conn: Connection, most: int) -> list[Recurring]:
    """Failures alike that happened `most` times or more within an hour, most frequent first."""
    given = {"most": most, "sources": MIN_SOURCES, "share": MIN_SHARE}
    async with conn.cursor(row_factory=class_row(Recurring)) as cursor:
        await cursor.execute(_RECURRING, given)
        return await cursor.fetchall()


async def forget(conn: Connection, days: float, n: int) -> int:
    return (await conn.execute(_FORGET, (days * DAY, n))).rowcount


def _cut(text: str | None, limit: int) -> str | None:
    return None if text is None else text[:limit].replace("\x00", "")
