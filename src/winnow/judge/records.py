"""Rows of `records`, `record_heads` and `quarantine`: every verdict with the record it is about. Nothing is lost.

A record is identified by (source, kind, key). Its head says what was written of it last; a record that says the same
again, with the same verdict, is counted and not written.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec
import orjson
from psycopg import AsyncConnection
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from winnow.db.sql import load
from winnow.judge import quarantine
from winnow.judge.verdict import Decision, Verdict

WRITE = load("judge/write_records.sql")
_STATUS = {Decision.ACCEPT: "persisted", Decision.HOLD: "pending", Decision.REJECT: "failed"}

Connection = AsyncConnection[Any]


class NewRecord(msgspec.Struct, frozen=True, kw_only=True):
    """`n` is the position of the record within its task; `ref` is the id of the row that the writer stored, which for a
    `duplicate` is that of the record it repeats (E-074)."""

    task_id: UUID
    n: int
    source_id: int
    run_id: int | None
    target_id: int | None
    page_id: UUID | None
    kind: str
    key: str
    url: str
    payload: bytes
    digest: str
    provenance: dict[str, str]
    confidence: float
    adapter_id: str | None
    adapter_version: str | None
    observed_at: datetime
    verdict: Verdict
    ref: int | None = None
    duplicate: bool = False
    fingerprint: str | None = None

    @property
    def status(self) -> str:
        return "duplicate" if self.duplicate else _STATUS[self.verdict.decision]

    @property
    def head(self) -> str:
        """What is compared with the last one: content, verdict and reasons."""
        reasons = ",".join(finding.reason for finding in self.verdict.findings)
        return f"{self.digest}:{self.verdict.decision.value}:{reasons}"


class ChangedRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A record that was written because it says something new. `before` is the decision of the last one."""

    id: int
    task_id: UUID
    n: int
    source_id: int
    kind: str
    record_key: str
    verdict: str
    before: str | None


async def write(conn: Connection, records: Sequence[NewRecord]) -> set[tuple[UUID, int]]:
    """Writes what changed; held records go to quarantine as well, with the whole record (P-067). Returns what was
    written, as (task, n)."""
    if not records:
        return set()
    async with conn.cursor(row_factory=class_row(ChangedRecord)) as cursor:
        await cursor.execute(WRITE, _columns(records))
        changed = await cursor.fetchall()
    settled = [c for c in changed if c.before == Decision.HOLD and c.verdict != Decision.REJECT]
    await quarantine.supersede(conn, [(c.source_id, c.kind, c.record_key, Decision(c.verdict)) for c in settled])
    await quarantine.add(conn, [c.id for c in changed if c.verdict == Decision.HOLD])
    return {(c.task_id, c.n) for c in changed}


def _columns(records: Sequence[NewRecord]) -> dict[str, list[Any]]:
    """In the order of their keys, so that two batches that meet wait for each other and never in a circle."""
    ordered = sorted(records, key=lambda r: (r.source_id, r.kind, r.key))
    plain = ("task_id", "n", "source_id", "run_id", "target_id", "page_id", "kind", "url", "confidence", "adapter_id",
             "adapter_version", "observed_at", "ref", "head", "status", "fingerprint")  # fmt: skip
    columns: dict[str, list[Any]] = {name: [getattr(r, name) for r in ordered] for name in plain}
    return columns | {
        "record_key": [r.key for r in ordered],
        "payload": [Jsonb(orjson.Fragment(r.payload)) for r in ordered],
        "provenance": [Jsonb(r.provenance) for r in ordered],
        "verdict": [r.verdict.decision for r in ordered],
        "findings": [Jsonb(msgspec.to_builtins(r.verdict.findings)) for r in ordered],
    }
