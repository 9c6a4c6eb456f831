"""Held records waiting for a person, and what became of them (P-067). A row is never deleted, only resolved."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec
from psycopg import AsyncConnection
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from winnow.errors import Conflict, NotFound
from winnow.judge.verdict import Decision, Verdict

Connection = AsyncConnection[Any]

BY_ITSELF = "winnow"  # actor of entries that a newer page resolved
_SUPERSEDE = """
WITH gone AS (
    UPDATE quarantine AS q
    SET resolution = 'superseded', resolved_at = now(), resolved_by = %(by)s, note = coalesce(q.note, g.note)
    FROM unnest(%(source_id)b::bigint[], %(kind)b::text[], %(record_key)b::text[], %(note)b::text[])
         AS g (source_id, kind, record_key, note)
    WHERE q.source_id = g.source_id AND q.kind = g.kind AND q.record_key = g.record_key AND q.resolved_at IS NULL
    RETURNING q.record_id
)
UPDATE records AS r SET status = 'duplicate' FROM gone WHERE r.id = gone.record_id AND r.status = 'pending'
"""
_ADD = """
INSERT INTO quarantine (record_id, task_id, run_id, target_id, source_id, page_id, kind, record_key, url, adapter_id,
                        adapter_version, reason, details, findings, payload)
SELECT r.id, r.task_id, r.run_id, r.target_id, r.source_id, r.page_id, r.kind, r.record_key, r.url, r.adapter_id,
       r.adapter_version, r.reasons[1], r.findings -> 0 ->> 'details', r.findings, r.payload
FROM records AS r WHERE r.id = ANY(%s)
"""
_NOTES = {Decision.ACCEPT: "a newer page was accepted", Decision.HOLD: "held again: see the newer entry"}

# The same page is put before a person once: not again while it waits, and not after it was rejected as it is.
_SETTLE_PAGES = """
UPDATE quarantine AS q SET resolution = 'superseded', resolved_at = now(), resolved_by = %(by)s,
                           note = coalesce(q.note, 'read again: see the newer entry')
FROM unnest(%(source_id)b::bigint[], %(key)b::text[], %(digest)b::text[]) AS g (source_id, key, digest)
WHERE q.source_id = g.source_id AND q.record_key = g.key AND q.scope = 'page' AND q.resolved_at IS NULL
  AND q.payload ->> 'digest' <> g.digest
"""
_HOLD_PAGES = """
INSERT INTO quarantine (scope, task_id, run_id, target_id, source_id, page_id, kind, record_key, url, adapter_id,
                        adapter_version, reason, details, findings, payload)
SELECT 'page', g.task_id, g.run_id, g.target_id, g.source_id, g.page_id, g.kind, g.key, g.url, g.adapter_id,
       g.adapter_version, g.findings -> 0 ->> 'reason', g.findings -> 0 ->> 'details', g.findings, g.payload
FROM unnest(%(task_id)b::uuid[], %(run_id)b::bigint[], %(target_id)b::bigint[], %(source_id)b::bigint[],
            %(page_id)b::uuid[], %(kind)b::text[], %(key)b::text[], %(url)b::text[], %(adapter_id)b::text[],
            %(adapter_version)b::text[], %(findings)b::jsonb[], %(payload)b::jsonb[])
     AS g (task_id, run_id, target_id, source_id, page_id, kind, key, url, adapter_id, adapter_version, findings,
           payload)
WHERE NOT EXISTS (
    SELECT FROM quarantine AS q
    WHERE q.source_id = g.source_id AND q.kind = g.kind AND q.record_key = g.key
      AND q.payload ->> 'digest' = g.payload ->> 'digest' AND (q.resolved_at IS NULL OR q.resolution = 'reject'))
"""
_SUPERSEDE_PAGES = """
UPDATE quarantine AS q SET resolution = 'superseded', resolved_at = now(), resolved_by = %s,
                           note = coalesce(q.note, 'a newer reading of the page was believed')
FROM unnest(%s::bigint[], %s::text[]) AS g (source_id, key)
WHERE q.source_id = g.source_id AND q.record_key = g.key AND q.scope = 'page' AND q.resolved_at IS NULL
"""

_FIELDS = (
    "id, record_id, task_id, run_id, target_id, source_id, page_id, kind, record_key, url, adapter_id, "
    "adapter_version, scope, reason, payload, created_at, resolution"
)
_LOCK = f"SELECT {_FIELDS}, resolved_by FROM quarantine WHERE id = %s FOR UPDATE"
_RESOLVE = """
UPDATE quarantine SET resolution = %(resolution)s, resolved_at = now(), resolved_by = %(actor)s,
                      note = coalesce(%(note)s, note)
WHERE id = %(id)s
"""
_REVIEWED = "UPDATE records SET status = %(status)s, provenance = provenance || %(provenance)s WHERE id = %(record_id)s"
_STATUS_OF_RESOLUTION = {
    "accept": "accepted",
    "reject": "rejected",
    "corrected": "corrected",
    "superseded": "settled by a newer page",
}


class HeldEntry(msgspec.Struct, frozen=True, kw_only=True):
    """An entry as it was found, locked until the transaction ends."""

    id: int
    record_id: int | None
    task_id: UUID | None
    run_id: int | None
    target_id: int | None
    source_id: int | None
    page_id: UUID | None
    kind: str
    record_key: str
    url: str
    adapter_id: str | None
    adapter_version: str | None
    scope: str
    reason: str
    payload: dict[str, Any]
    created_at: datetime
    resolution: str | None
    resolved_by: str | None


async def take(conn: Connection, entry_id: int) -> HeldEntry:
    """Lock an open entry for review; raise with the name of the first reviewer when it is already resolved."""
    async with conn.cursor(row_factory=class_row(HeldEntry)) as cursor:
        await cursor.execute(_LOCK, (entry_id,))
        held = await cursor.fetchone()
    if held is None:
        raise NotFound(f"there is no quarantine entry {entry_id}")
    if held.resolution is not None:
        word = _STATUS_OF_RESOLUTION[held.resolution]
        raise Conflict(f"entry {entry_id} was {word} already, by {held.resolved_by}", existing=held.resolution)
    return held


async def resolve(conn: Connection, held: HeldEntry, resolution: str, actor: str, note: str | None) -> None:
    """Resolve an entry. The record stores who decided; a rejected one keeps its verdict and reasons."""
    given = {"id": held.id, "resolution": resolution, "actor": actor, "note": note}
    await conn.execute(_RESOLVE, given)
    if held.record_id is not None:
        review = {"reviewed_by": actor, "reviewed_as": resolution}
        status = "failed" if resolution == "reject" else "persisted"
        await conn.execute(_REVIEWED, {"status": status, "provenance": Jsonb(review), "record_id": held.record_id})


async def annotate(conn: Connection, entry_id: int, note: str) -> str | None:
    """Return the previous note."""
    found = await conn.execute("SELECT note FROM quarantine WHERE id = %s FOR UPDATE", (entry_id,))
    row = await found.fetchone()
    if row is None:
        raise NotFound(f"there is no quarantine entry {entry_id}")
    await conn.execute("UPDATE quarantine SET note = %s WHERE id = %s", (note, entry_id))
    return None if row[0] is None else str(row[0])


async def add(conn: Connection, record_ids: Sequence[int]) -> None:
    """Puts held records before a person."""
    if record_ids:
        await conn.execute(_ADD, (list(record_ids),))


class HeldPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page whose records wait together. `payload` has its records, and the digest that tells two readings apart."""

    key: str
    task_id: UUID
    source_id: int
    run_id: int | None
    target_id: int | None
    page_id: UUID | None
    kind: str
    url: str
    adapter_id: str | None
    adapter_version: str | None
    verdict: Verdict
    payload: dict[str, Any]


async def hold_pages(conn: Connection, pages: Sequence[HeldPage]) -> None:
    """One open entry a page: a newer reading of it takes the place of the older."""
    if not pages:
        return
    latest = list({(page.source_id, page.key): page for page in pages}.values())
    plain = ("task_id", "run_id", "target_id", "source_id", "page_id", "kind", "key", "url", "adapter_id",
             "adapter_version")  # fmt: skip
    columns: dict[str, Any] = {name: [getattr(page, name) for page in latest] for name in plain}
    columns["findings"] = [Jsonb(msgspec.to_builtins(page.verdict.findings)) for page in latest]
    columns["payload"] = [Jsonb(page.payload) for page in latest]
    digests = [page.payload["digest"] for page in latest]
    await conn.execute(
        _SETTLE_PAGES,
        {"by": BY_ITSELF, "source_id": columns["source_id"], "key": columns["key"], "digest": digests},
    )
    await conn.execute(_HOLD_PAGES, columns)


async def supersede_pages(conn: Connection, believed: Sequence[tuple[int, str]]) -> None:
    """Resolve the open entries of pages, by (source, key), of which a newer reading was believed."""
    if believed:
        ordered = sorted(set(believed))
        await conn.execute(_SUPERSEDE_PAGES, (BY_ITSELF, [s for s, _ in ordered], [key for _, key in ordered]))


async def supersede(conn: Connection, settled: Sequence[tuple[int, str, str, Decision]]) -> None:
    """Resolves the open entries of records, by (source, kind, key), that a newer page was judged about."""
    if not settled:
        return
    notes = {(source, kind, key): _NOTES[decision] for source, kind, key, decision in sorted(settled)}
    given = {
        "source_id": [source for source, _, _ in notes],
        "kind": [kind for _, kind, _ in notes],
        "record_key": [key for _, _, key in notes],
        "note": list(notes.values()),
        "by": BY_ITSELF,
    }
    await conn.execute(_SUPERSEDE, given)
