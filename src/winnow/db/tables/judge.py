"""What was judged, what waits for a person, and whether an adapter may still be trusted.

Written by `judge/` (through run/).
"""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    CHAR,
    BigInteger,
    CheckConstraint,
    Double,
    ForeignKey,
    Index,
    Integer,
    Numeric,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from winnow.db.tables import Moment, Serial, Table
from winnow.db.tables.sources import ANY_KIND

VERDICTS = "'accept','hold','reject'"


class RecordRow(Table):
    """A normalised record and the verdict on it (E-104, `staged_events`), for every kind.

    A record is identified by (source_id, kind, record_key); `n` tells the records of one task apart, `url` is the page
    it was read on. `payload` is the record, `reasons` the findings' reasons (the first one decided) and `findings`
    all of them. The event columns of E-104 are fields of the payload; event_fingerprint is
    `fingerprint`. A held record stays pending until a person decides, a rejected one is failed.
    No foreign keys, one index: written with every page.
    """

    __tablename__ = "records"

    id: Mapped[Serial]
    task_id: Mapped[UUID]
    n: Mapped[int] = mapped_column(Integer, server_default="0")
    run_id: Mapped[int | None] = mapped_column(BigInteger)
    source_id: Mapped[int | None] = mapped_column(BigInteger)
    target_id: Mapped[int | None] = mapped_column(BigInteger)
    page_id: Mapped[UUID | None]
    kind: Mapped[str]
    record_key: Mapped[str]
    url: Mapped[str] = mapped_column(server_default="")
    fingerprint: Mapped[str | None] = mapped_column(CHAR(64))
    payload: Mapped[dict[str, Any]]
    provenance: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'::jsonb"))
    adapter_id: Mapped[str | None]
    adapter_version: Mapped[str | None]
    normalization_method: Mapped[str] = mapped_column(server_default="rules")
    confidence: Mapped[float] = mapped_column(Double, server_default="1")
    verdict: Mapped[str]
    reasons: Mapped[list[str]] = mapped_column(ARRAY(Text), server_default=text("'{}'::text[]"))
    findings: Mapped[list[Any]] = mapped_column(JSONB, server_default=text("'[]'::jsonb"))
    status: Mapped[str] = mapped_column(server_default="pending")
    observed_at: Mapped[datetime]
    created_at: Mapped[Moment]

    __table_args__ = (
        CheckConstraint(ANY_KIND, name="kind"),
        CheckConstraint(f"verdict IN ({VERDICTS})", name="verdict"),
        # Nothing is held or refused without saying why.
        CheckConstraint("verdict = 'accept' OR cardinality(reasons) > 0", name="reasons"),
        CheckConstraint("verdict <> 'reject' OR status = 'failed'", name="rejected"),
        CheckConstraint("status IN ('pending','persisted','duplicate','failed')", name="status"),
        CheckConstraint("normalization_method IN ('rules','ai','hybrid')", name="normalization_method"),
        CheckConstraint("confidence BETWEEN 0 AND 1", name="confidence"),
        # A task that is settled again (after a crash) writes nothing twice.
        Index("idx_records_task_id", "task_id", "n", unique=True),
    )


class RecordHead(Table):
    """The last word on every record: what was written of it last, by (source, kind, key). A record that says the same
    again is counted and not written. `head` is its digest, verdict and reasons, `ref` the row its kind's writer keeps
    it as, `target_id` the page that said it."""

    __tablename__ = "record_heads"

    source_id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    kind: Mapped[str] = mapped_column(primary_key=True)
    record_key: Mapped[str] = mapped_column(primary_key=True)
    head: Mapped[str]
    verdict: Mapped[str]
    target_id: Mapped[int | None] = mapped_column(BigInteger)
    ref: Mapped[int | None] = mapped_column(BigInteger)
    record_id: Mapped[int | None] = mapped_column(BigInteger)
    changed_at: Mapped[Moment]

    __table_args__ = (
        CheckConstraint(f"verdict IN ({VERDICTS})", name="verdict"),
        Index("idx_record_heads_target_id", "target_id", postgresql_where=text("target_id IS NOT NULL")),
    )


class Quarantine(Table):
    """Records a person has to look at (P-067, PN-05), with all needed to store them after all."""

    __tablename__ = "quarantine"

    id: Mapped[Serial]
    record_id: Mapped[int | None] = mapped_column(BigInteger)
    task_id: Mapped[UUID | None]
    run_id: Mapped[int | None] = mapped_column(BigInteger)
    target_id: Mapped[int | None] = mapped_column(BigInteger)
    source_id: Mapped[int | None] = mapped_column(BigInteger)
    page_id: Mapped[UUID | None]
    kind: Mapped[str] = mapped_column(server_default="offer")
    # page: all records of one page wait together (DESIGN §11.31), its key is that of the page.
    scope: Mapped[str] = mapped_column(server_default="record")
    record_key: Mapped[str] = mapped_column(server_default="")
    url: Mapped[str] = mapped_column(server_default="")
    adapter_id: Mapped[str | None]
    adapter_version: Mapped[str | None]
    reason: Mapped[str]
    details: Mapped[str | None]
    findings: Mapped[list[Any]] = mapped_column(JSONB, server_default=text("'[]'::jsonb"))
    payload: Mapped[dict[str, Any]]
    created_at: Mapped[Moment]
    resolution: Mapped[str | None]
    resolved_at: Mapped[datetime | None]
    resolved_by: Mapped[str | None]
    note: Mapped[str | None]

    __table_args__ = (
        CheckConstraint(ANY_KIND, name="kind"),
        CheckConstraint("scope IN ('record','page')", name="scope"),
        # corrected: stored with the person's values; superseded: a newer page settled it.
        CheckConstraint("resolution IN ('accept','reject','corrected','superseded')", name="resolution"),
        CheckConstraint(
            "(resolution IS NULL) = (resolved_at IS NULL) AND (resolution IS NULL OR resolved_by IS NOT NULL)",
            name="resolved",
        ),
        Index("idx_quarantine_open", "created_at", postgresql_where=text("resolved_at IS NULL")),
        Index("idx_quarantine_target_id", "target_id", "created_at"),
        Index("idx_quarantine_record_key", "source_id", "kind", "record_key"),
        Index("idx_quarantine_source_id", "source_id", postgresql_where=text("resolved_at IS NULL")),
        Index("idx_quarantine_run_id", "run_id"),
    )


class AdapterStatus(Table):
    """Is this adapter trusted now (P-065); counters of consecutive bad runs (PN-04).

    `close_monitoring` flags the first run after it was enabled again (P-087).
    """

    __tablename__ = "scrape_adapter_status"

    adapter_id: Mapped[str] = mapped_column(primary_key=True)
    enabled: Mapped[bool] = mapped_column(server_default=text("true"))
    disabled_at: Mapped[datetime | None]
    disabled_reason: Mapped[str | None]
    disabled_by: Mapped[str | None]
    enabled_at: Mapped[datetime | None]
    enabled_by: Mapped[str | None]
    close_monitoring: Mapped[bool] = mapped_column(server_default=text("false"))
    baseline_failure_rate: Mapped[Decimal | None] = mapped_column(Numeric(5, 4))
    baseline_yield_rate: Mapped[Decimal | None] = mapped_column(Numeric(5, 4))
    baseline_sample_size: Mapped[int] = mapped_column(server_default="0")
    baseline_updated_at: Mapped[datetime | None]
    consecutive_failed_batches: Mapped[int] = mapped_column(server_default="0")
    consecutive_zero_offer_runs: Mapped[int] = mapped_column(server_default="0")
    consecutive_zero_price_runs: Mapped[int] = mapped_column(server_default="0")
    last_batch_failure_rate: Mapped[Decimal | None] = mapped_column(Numeric(5, 4))
    last_run_id: Mapped[int | None] = mapped_column(BigInteger)
    candidate_version: Mapped[str | None]
    created_at: Mapped[Moment]
    updated_at: Mapped[Moment]

    __table_args__ = (
        CheckConstraint("disabled_reason IN ('MANUAL','DRIFT_DETECTED','ToS_VIOLATION')", name="disabled_reason"),
        CheckConstraint("enabled OR (disabled_at IS NOT NULL AND disabled_reason IS NOT NULL)", name="disabled"),
        CheckConstraint(
            "consecutive_failed_batches >= 0 AND consecutive_zero_offer_runs >= 0 AND consecutive_zero_price_runs >= 0",
            name="counts",
        ),
    )


class AdapterVersion(Table):
    """Every version of an adapter that ever ran, and which one is live (C-069)."""

    __tablename__ = "adapter_versions"

    id: Mapped[Serial]
    adapter_id: Mapped[str]
    version: Mapped[str]
    state: Mapped[str] = mapped_column(server_default="candidate")
    domain: Mapped[str | None]
    first_seen_at: Mapped[Moment]
    promoted_at: Mapped[datetime | None]
    promoted_by: Mapped[str | None]
    retired_at: Mapped[datetime | None]

    __table_args__ = (
        UniqueConstraint("adapter_id", "version"),
        CheckConstraint("state IN ('candidate','live','retired')", name="state"),
        Index(
            "adapter_versions_one_live",
            "adapter_id",
            unique=True,
            postgresql_where=text("state = 'live'"),
        ),
    )


class Replay(Table):
    """A candidate run over pages again: stored ones, or live traffic beside the live version (C-069)."""

    __tablename__ = "replays"

    id: Mapped[Serial]
    mode: Mapped[str] = mapped_column(server_default="stored")
    adapter_id: Mapped[str]
    live_version: Mapped[str | None]
    candidate_version: Mapped[str | None]
    scope: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'::jsonb"))
    status: Mapped[str] = mapped_column(server_default="running")
    pages: Mapped[int] = mapped_column(server_default="0")
    same: Mapped[int] = mapped_column(server_default="0")
    changed: Mapped[int] = mapped_column(server_default="0")
    gained: Mapped[int] = mapped_column(server_default="0")
    lost: Mapped[int] = mapped_column(server_default="0")
    error_message: Mapped[str | None]
    requested_by: Mapped[str | None]
    created_at: Mapped[Moment]
    finished_at: Mapped[datetime | None]

    __table_args__ = (
        CheckConstraint("mode IN ('stored','shadow')", name="mode"),
        CheckConstraint("status IN ('running','done','failed','cancelled')", name="status"),
        Index("idx_replays_adapter_id", "adapter_id", "created_at"),
        # One candidate at a time beside a live adapter; workers look it up with every task.
        Index(
            "replays_one_shadow",
            "adapter_id",
            unique=True,
            postgresql_where=text("mode = 'shadow' AND status = 'running'"),
        ),
    )


class ReplayDifference(Table):
    """One value that the candidate reads differently from the version that is live."""

    __tablename__ = "replay_differences"

    id: Mapped[Serial]
    replay_id: Mapped[int] = mapped_column(ForeignKey("replays.id", ondelete="CASCADE"))
    page_id: Mapped[UUID]
    identity_key: Mapped[str | None]
    field: Mapped[str]
    before: Mapped[Any] = mapped_column(JSONB, nullable=True)
    after: Mapped[Any] = mapped_column(JSONB, nullable=True)
    created_at: Mapped[Moment]

    __table_args__ = (Index("idx_replay_differences_replay_id", "replay_id", "field"),)


class MonitorReading(Table):
    """What one run brought, and what its monitors said of it (C-069). No foreign key to the run: a reading says what is
    usual after the run is forgotten."""

    __tablename__ = "monitor_readings"

    run_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    source_id: Mapped[int] = mapped_column(ForeignKey("sources.id", ondelete="CASCADE"))
    kind: Mapped[str]
    taken_at: Mapped[Moment]
    starts: Mapped[int]
    items: Mapped[int]
    held: Mapped[int]
    seen: Mapped[int]
    coverage: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'::jsonb"))
    price_median: Mapped[int | None] = mapped_column(BigInteger)
    currency: Mapped[str | None]
    exponent: Mapped[int | None]
    results: Mapped[list[Any]] = mapped_column(JSONB, server_default=text("'[]'::jsonb"))

    __table_args__ = (Index("idx_monitor_readings_source_id", "source_id", "run_id"),)


class MonitorLimit(Table):
    """What is allowed of one source; NULL takes the default of the settings. Readings from before `accepted_at` no
    longer say what is usual."""

    __tablename__ = "monitor_limits"

    source_id: Mapped[int] = mapped_column(
        ForeignKey("sources.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    enabled: Mapped[bool] = mapped_column(server_default=text("true"))
    items_share: Mapped[float | None] = mapped_column(Double)
    coverage_points: Mapped[float | None] = mapped_column(Double)
    price_factor: Mapped[float | None] = mapped_column(Double)
    held_points: Mapped[float | None] = mapped_column(Double)
    accepted_at: Mapped[datetime | None]
    updated_at: Mapped[Moment]

    __table_args__ = (
        CheckConstraint("items_share BETWEEN 0 AND 1 AND coverage_points BETWEEN 0 AND 1", name="shares"),
        CheckConstraint("held_points BETWEEN 0 AND 1 AND price_factor >= 1", name="others"),
    )
