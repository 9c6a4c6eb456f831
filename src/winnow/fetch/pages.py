"""Rows of `pages`: one per fetch, with the outcome and the decision that allowed or refused it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec
from psycopg import AsyncConnection
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from winnow.db.sql import load
from winnow.fetch.outcome import FetchResult

INSERT = load("fetch/page_insert.sql")


class NewPage(msgspec.Struct, frozen=True, kw_only=True):
    """`stored_bytes` is set when the body was archived; `decision` says why the fetch was made or not."""

    id: UUID
    task_id: UUID
    result: FetchResult
    decision: dict[str, Any]
    source_id: int | None = None
    target_id: int | None = None
    stored_bytes: int | None = None
    fetcher_used: str = "static"
    is_failover: bool = False
    screenshot_hash: str | None = None


class StoredPage(msgspec.Struct, frozen=True):
    url: str
    final_url: str
    content_hash: str | None
    charset: str | None
    content_type: str | None
    status_code: int | None
    etag: str | None
    last_modified: str | None
    created_at: Any


async def write(conn: AsyncConnection[Any], pages: Sequence[NewPage]) -> None:
    if not pages:
        return
    results = [p.result for p in pages]
    columns: dict[str, list[Any]] = {
        name: [getattr(p, name) for p in pages]
        for name in (
            "id",
            "task_id",
            "source_id",
            "target_id",
            "stored_bytes",
            "fetcher_used",
            "is_failover",
            "screenshot_hash",
        )
    }
    for name in (
        "url", "final_url", "outcome", "status_code", "duration_ms", "content_hash", "charset", "content_type", "etag",
        "last_modified", "error_class",
    ):  # fmt: skip
        columns[name] = [getattr(r, name) for r in results]
    columns["body_bytes"] = [None if r.body is None else len(r.body) for r in results]
    columns["decision"] = [Jsonb(p.decision) for p in pages]
    await conn.execute(INSERT, columns)


class FetchFacts(msgspec.Struct, frozen=True):
    """How a fetch went and why it was made: what people are shown."""

    url: str
    final_url: str
    outcome: str
    status_code: int | None
    error_class: str | None
    fetcher_used: str
    fetch_duration_ms: int
    content_type: str | None
    charset: str | None
    body_bytes: int | None
    stored_bytes: int | None
    content_hash: str | None
    etag: str | None
    last_modified: str | None
    decision: dict[str, Any]
    task_id: UUID | None
    source_id: int | None
    target_id: int | None
    created_at: datetime
    body_deleted_at: datetime | None


class ListedPage(msgspec.Struct, frozen=True):
    """`kept`: its body can still be read."""

    id: UUID
    created_at: datetime
    outcome: str
    status_code: int | None
    error_class: str | None
    body_bytes: int | None
    kept: bool
    source_id: int | None
    target_id: int | None
    url: str
    final_url: str


_LISTED = """
SELECT id, created_at, outcome, status_code, error_class, body_bytes,
       content_hash IS NOT NULL AND body_deleted_at IS NULL AS kept, source_id, target_id, url, final_url
FROM pages
WHERE (%(source_id)s::bigint IS NULL OR source_id = %(source_id)s)
  AND (%(target_id)s::bigint IS NULL OR target_id = %(target_id)s)
  AND (%(outcome)s::text IS NULL OR outcome = %(outcome)s)
ORDER BY created_at DESC, id DESC LIMIT %(limit)s
"""


async def listed(
    conn: AsyncConnection[Any],
    *,
    source_id: int | None = None,
    target_id: int | None = None,
    outcome: str | None = None,
    limit: int = 20,
) -> list[ListedPage]:
    """Newest first."""
    given = {"source_id": source_id, "target_id": target_id, "outcome": outcome, "limit": limit}
    async with conn.cursor(row_factory=class_row(ListedPage)) as cursor:
        await cursor.execute(_LISTED, given)
        return await cursor.fetchall()


async def facts(conn: AsyncConnection[Any], page_id: UUID) -> FetchFacts | None:
    fields = ", ".join(FetchFacts.__struct_fields__)
    async with conn.cursor(row_factory=class_row(FetchFacts)) as cursor:
        await cursor.execute(f"SELECT {fields} FROM pages WHERE id = %s", (page_id,))
        return await cursor.fetchone()


class KeptBody(msgspec.Struct, frozen=True):
    """A body that can be read again, and when it was fetched."""

    id: UUID
    content_hash: str
    created_at: datetime


_KEPT = """
SELECT id, content_hash, created_at FROM pages
WHERE target_id = %(target_id)s AND created_at > now() - make_interval(hours => %(hours)s)
  AND outcome = 'ok' AND content_hash IS NOT NULL AND body_deleted_at IS NULL
ORDER BY created_at DESC, id DESC LIMIT 1
"""


async def kept(conn: AsyncConnection[Any], target_id: int, hours: int) -> KeptBody | None:
    """The newest page of a target that is younger than so many hours."""
    async with conn.cursor(row_factory=class_row(KeptBody)) as cursor:
        await cursor.execute(_KEPT, {"target_id": target_id, "hours": hours})
        return await cursor.fetchone()


async def read(conn: AsyncConnection[Any], page_id: UUID) -> StoredPage | None:
    fields = ", ".join(StoredPage.__struct_fields__)
    async with conn.cursor(row_factory=class_row(StoredPage)) as cursor:
        await cursor.execute(f"SELECT {fields} FROM pages WHERE id = %s", (page_id,))
        return await cursor.fetchone()
