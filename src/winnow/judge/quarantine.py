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
from winnow.judge.verdict import Decision

Connection = AsyncConnection[Any]

BY_ITSELF = "winnow"  # who resolved what a newer page settled
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

_FIELDS = (
    "id, record_id, task_id, run_id, target_id, source_id, page_id, kind, record_key, url, adapter_id, "
    "adapter_version, reason, payload, created_at, resolution"
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


class Held(msgspec.Struct, frozen=True, kw_only=True):
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
    reason: str
    payload: dict[str, Any]
    created_at: datetime
    resolution: str | None
    resolved_by: str | None


async def take(conn: Connection, entry_id: int) -> Held:
    """Lock an open entry for review; raise with the name of the first reviewer when it is already resolved."""
    async with conn.cursor(row_factory=class_row(Held)) as cursor:
        await cursor.execute(_LOCK, (entry_id,))
        held = await cursor.fetchone()
    if held is None:
        raise NotFound(f"there is no quarantine entry {entry_id}")
    if held.resolution is not None:
        word = _STATUS_OF_RESOLUTION[held.resolution]
        raise Conflict(f"entry {entry_id} was {word} already, by {held.resolved_by}", existing=held.resolution)
    return held


async def resolve(conn: Connection, held: Held, resolution: str, actor: str, note: str | None) -> None:
    """The record it is about says who decided; a rejected one stays what it is, with its reasons."""
    given = {"id": held.id, "resolution": resolution, "actor": actor, "note": note}
    await conn.execute(_RESOLVE, given)
    if held.record_id is not None:
        review = {"reviewed_by": actor, "reviewed_as": resolution}
        status = "failed" if resolution == "reject" else "persisted"
        await conn.execute(_REVIEWED, {"status": status, "provenance": Jsonb(review), "record_id": held.record_id})


async def annotate(conn: Connection, entry_id: int, note: str) -> str | None:
    """What the note was before."""
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
