"""Rows of `records` and `quarantine`: every verdict with the record it is about. Nothing is lost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import msgspec
from psycopg import AsyncConnection
from psycopg.types.json import Jsonb

from winnow.judge.verdict import Decision, Verdict
from winnow.normalise.record import Offer

_RECORDS = """
INSERT INTO records (task_id, run_id, source_id, target_id, page_id, kind, identity_key, payload, provenance,
                     adapter_id, adapter_version, confidence, verdict, reasons, findings, status, observed_at)
SELECT g.task_id, g.run_id, g.source_id, g.target_id, g.page_id, g.kind, g.identity_key, g.payload, g.provenance,
       g.adapter_id, g.adapter_version, g.confidence, g.verdict,
       ARRAY(SELECT f ->> 'reason' FROM jsonb_array_elements(g.findings) AS f), g.findings, g.status, g.observed_at
FROM unnest(
    %(task_id)b::uuid[], %(run_id)b::bigint[], %(source_id)b::bigint[], %(target_id)b::bigint[], %(page_id)b::uuid[],
    %(kind)b::text[], %(identity_key)b::text[], %(payload)b::jsonb[], %(provenance)b::jsonb[], %(adapter_id)b::text[],
    %(adapter_version)b::text[], %(confidence)b::float8[], %(verdict)b::text[], %(findings)b::jsonb[],
    %(status)b::text[], %(observed_at)b::timestamptz[]
) AS g (task_id, run_id, source_id, target_id, page_id, kind, identity_key, payload, provenance, adapter_id,
        adapter_version, confidence, verdict, findings, status, observed_at)
RETURNING id, task_id, verdict
"""
_QUARANTINE = """
INSERT INTO quarantine (record_id, task_id, run_id, target_id, source_id, page_id, kind, adapter_id, adapter_version,
                        reason, details, findings, payload)
SELECT r.id, r.task_id, r.run_id, r.target_id, r.source_id, r.page_id, r.kind, r.adapter_id, r.adapter_version,
       r.reasons[1], r.findings -> 0 ->> 'details', r.findings, r.payload
FROM records AS r WHERE r.id = ANY(%s)
"""
_STATUS = {Decision.ACCEPT: "persisted", Decision.HOLD: "pending", Decision.REJECT: "failed"}


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    offer: Offer
    verdict: Verdict
    task_id: UUID
    run_id: int | None
    source_id: int | None
    target_id: int | None
    page_id: UUID | None
    kind: str


async def write(conn: AsyncConnection[Any], judged: Sequence[Judged]) -> None:
    """Held records go to quarantine as well, with the whole offer (P-067)."""
    if not judged:
        return
    offers = [j.offer for j in judged]
    columns: dict[str, list[Any]] = {
        name: [getattr(j, name) for j in judged]
        for name in ("task_id", "run_id", "source_id", "target_id", "page_id", "kind")
    }
    columns |= {
        "identity_key": [o.identity.key for o in offers],
        "payload": [Jsonb(msgspec.to_builtins(o)) for o in offers],
        "provenance": [Jsonb(o.provenance) for o in offers],
        "adapter_id": [o.adapter_id for o in offers],
        "adapter_version": [o.adapter_version for o in offers],
        "confidence": [o.confidence for o in offers],
        "verdict": [j.verdict.decision for j in judged],
        "findings": [Jsonb(msgspec.to_builtins(j.verdict.findings)) for j in judged],
        "status": [_STATUS[j.verdict.decision] for j in judged],
        "observed_at": [o.observed_at for o in offers],
    }
    rows = await (await conn.execute(_RECORDS, columns)).fetchall()
    held = [row[0] for row in rows if row[2] == Decision.HOLD]
    if held:
        await conn.execute(_QUARANTINE, (held,))
