"""Rows of `drafts` and `insights`: what extraction read, and how it got there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import msgspec
from psycopg import AsyncConnection
from psycopg.types.json import Jsonb

from winnow.extract.draft import Attempt, Draft

_DRAFTS = """
INSERT INTO drafts (task_id, source_id, page_id, run_id, kind, values, raw_html, strategy, adapter_id, adapter_version,
                    status, error_message)
SELECT * FROM unnest(%(task_id)b::uuid[], %(source_id)b::bigint[], %(page_id)b::uuid[], %(run_id)b::bigint[],
    %(kind)b::text[], %(values)b::jsonb[], %(block)b::text[], %(strategy)b::text[], %(adapter_id)b::text[],
    %(adapter_version)b::text[], %(status)b::text[], %(error)b::text[])
"""
_INSIGHTS = """
INSERT INTO insights (task_id, source_id, page_id, run_id, job_id, kind, winning_strategy, strategy_trace,
                      failure_reason, events_found, records_cut, execution_time_ms)
SELECT * FROM unnest(%(task_id)b::uuid[], %(source_id)b::bigint[], %(page_id)b::uuid[], %(run_id)b::bigint[],
    %(job_id)b::uuid[], %(kind)b::text[], %(strategy)b::text[], %(trace)b::jsonb[], %(failure)b::text[],
    %(found)b::integer[], %(cut)b::integer[], %(duration_ms)b::integer[])
"""
# Rows are numbered in the order they were written: only the first of them are looked at.
_FORGET_DRAFTS = """
DELETE FROM drafts WHERE id IN (
    SELECT id FROM (SELECT id, created_at FROM drafts ORDER BY id LIMIT %s) AS first
    WHERE created_at < now() - make_interval(secs => %s)
)
"""
_FORGET_INSIGHTS = """
DELETE FROM insights WHERE id IN (
    SELECT id FROM (SELECT id, created_at FROM insights ORDER BY id LIMIT %s) AS first
    WHERE created_at < now() - make_interval(secs => %s)
)
"""


class PageReading(msgspec.Struct, frozen=True, kw_only=True):
    """What extraction made of one page."""

    task_id: UUID
    source_id: int | None
    page_id: UUID | None
    run_id: int | None
    job_id: UUID | None
    kind: str
    drafts: list[Draft]
    found: int
    cut: int
    strategy: str | None
    trace: list[Attempt]
    failure: str | None
    duration_ms: int
    adapter_id: str | None
    adapter_version: str | None
    rejected: bool = False


async def write(conn: AsyncConnection[Any], readings: Sequence[PageReading]) -> None:
    if not readings:
        return
    rows = [(r, draft) for r in readings for draft in r.drafts]
    if rows:
        columns: dict[str, list[Any]] = {
            name: [getattr(r, name) for r, _ in rows]
            for name in ("task_id", "source_id", "page_id", "run_id", "strategy", "adapter_id", "adapter_version")
        }
        columns["kind"] = [draft.kind for _, draft in rows]
        columns["values"] = [Jsonb(msgspec.to_builtins(draft.values)) for _, draft in rows]
        columns["block"] = [draft.block or None for _, draft in rows]
        columns["status"] = ["failed" if r.rejected else "normalized" for r, _ in rows]
        columns["error"] = [r.failure for r, _ in rows]
        await conn.execute(_DRAFTS, columns)
    names = ("task_id", "source_id", "page_id", "run_id", "job_id", "kind", "strategy", "failure", "duration_ms")
    columns = {name: [getattr(r, name) for r in readings] for name in names}
    columns["trace"] = [Jsonb(msgspec.to_builtins(r.trace)) for r in readings]
    columns["found"] = [r.found for r in readings]
    columns["cut"] = [r.cut for r in readings]
    await conn.execute(_INSIGHTS, columns)


async def forget_drafts(conn: AsyncConnection[Any], days: float, n: int) -> int:
    return (await conn.execute(_FORGET_DRAFTS, (n, days * 86_400))).rowcount


async def forget_insights(conn: AsyncConnection[Any], days: float, n: int) -> int:
    return (await conn.execute(_FORGET_INSIGHTS, (n, days * 86_400))).rowcount
