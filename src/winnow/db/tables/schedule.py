"""What is due and whose turn: runs, tasks, the lanes they queue in, circuits and dead letters.

Written by `schedule/` only.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    CHAR,
    BigInteger,
    Boolean,
    CheckConstraint,
    Date,
    DateTime,
    Double,
    ForeignKey,
    Index,
    Integer,
    Interval,
    SmallInteger,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from winnow.db.tables import Moment, Serial, Table

STATUSES = "'queued','running','done','failed','cancelled','stale'"
STAGES = "'fetch','extract','normalise','persist','done'"
PRODUCERS = "'prices','catalogue','enrichment','events','feeds'"
TRIGGERS = "'SCHEDULED','MANUAL','RETRY','RECHECK'"


class TaskColumns:
    """One trip of one URL through the pipeline. Shared by the hot table and its archive.

    `lane` is the line it queues in: its domain, or `@resume` once its page is archived (no request
    left to make), or `@feeds`. `due_at` NULL means ready; a time means not before; infinity means
    paused. `attempts` counts tries that failed by themselves, `losses` workers that died holding it.
    `route` says by which way and at which path it is fetched next (fetch/tiers.py); NULL is the usual one.
    No foreign keys: rows are written by the thousand per second and live for hours; what
    they point at is checked when they are enqueued.
    """

    id: Mapped[UUID] = mapped_column(primary_key=True)
    producer: Mapped[str]
    kind: Mapped[str] = mapped_column(server_default="offer")
    lane: Mapped[str]
    origin: Mapped[str] = mapped_column(server_default="")
    url: Mapped[str]
    rank: Mapped[int] = mapped_column(SmallInteger, server_default="100")
    status: Mapped[str] = mapped_column(server_default="queued")
    stage: Mapped[str] = mapped_column(server_default="fetch")
    trigger: Mapped[str] = mapped_column(server_default="SCHEDULED")
    source_id: Mapped[int | None] = mapped_column(BigInteger)
    target_id: Mapped[int | None] = mapped_column(BigInteger)
    run_id: Mapped[int | None] = mapped_column(BigInteger)
    job_id: Mapped[UUID | None]
    adapter_id: Mapped[str | None]
    due_at: Mapped[datetime | None]
    attempts: Mapped[int] = mapped_column(SmallInteger, server_default="0")
    max_attempts: Mapped[int] = mapped_column(SmallInteger, server_default="3")
    losses: Mapped[int] = mapped_column(SmallInteger, server_default="0")
    fence: Mapped[int | None] = mapped_column(BigInteger)
    lease_until: Mapped[datetime | None]
    leased_by: Mapped[str | None]
    page_id: Mapped[UUID | None]
    payload: Mapped[dict[str, Any] | None]
    outcome: Mapped[str | None]
    reason: Mapped[str | None]
    last_error: Mapped[str | None]
    created_at: Mapped[Moment]
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    route: Mapped[dict[str, Any] | None]
    accepted: Mapped[int] = mapped_column(SmallInteger, server_default="0")
    held: Mapped[int] = mapped_column(SmallInteger, server_default="0")
    rejected: Mapped[int] = mapped_column(SmallInteger, server_default="0")


class Task(TaskColumns, Table):
    __tablename__ = "tasks"
    __table_args__ = (
        CheckConstraint(f"status IN ({STATUSES})", name="status"),
        CheckConstraint(f"stage IN ({STAGES})", name="stage"),
        CheckConstraint(f"producer IN ({PRODUCERS})", name="producer"),
        CheckConstraint(f"trigger IN ({TRIGGERS})", name="trigger"),
        CheckConstraint("status <> 'running' OR (fence IS NOT NULL AND lease_until IS NOT NULL)", name="leased"),
        # The claim reads exactly the rows it takes: ready tasks of one lane, best first.
        Index(
            "idx_tasks_ready",
            "lane",
            "rank",
            "id",
            postgresql_where=text("status = 'queued' AND due_at IS NULL"),
        ),
        Index("idx_tasks_waiting", "due_at", postgresql_where=text("status = 'queued' AND due_at IS NOT NULL")),
        Index("idx_tasks_pending", "producer", "adapter_id", postgresql_where=text("status = 'queued'")),
        Index("idx_tasks_leased", "lease_until", postgresql_where=text("status = 'running'")),
        Index("idx_tasks_finished", "finished_at", postgresql_where=text("finished_at IS NOT NULL")),
        Index("idx_tasks_run_id", "run_id", postgresql_where=text("run_id IS NOT NULL")),
        Index("idx_tasks_job_id", "job_id", postgresql_where=text("job_id IS NOT NULL")),
        # A target is never queued twice at once: the second scheduler finds the first one's task.
        Index(
            "idx_tasks_one_per_target",
            "target_id",
            unique=True,
            postgresql_where=text("target_id IS NOT NULL AND status IN ('queued','running')"),
        ),
        {
            "postgresql_with": {
                "fillfactor": "70",
                "autovacuum_vacuum_scale_factor": "0.02",
                "autovacuum_vacuum_insert_scale_factor": "0.05",
            }
        },
    )


class TaskArchive(TaskColumns, Table):
    """Finished tasks, moved out of the hot table by upkeep (DESIGN §11.1)."""

    __tablename__ = "task_archive"
    __table_args__ = (
        Index("idx_task_archive_finished_at", "finished_at"),
        Index("idx_task_archive_run_id", "run_id", postgresql_where=text("run_id IS NOT NULL")),
        Index("idx_task_archive_job_id", "job_id", postgresql_where=text("job_id IS NOT NULL")),
        Index("idx_task_archive_target_id", "target_id", postgresql_where=text("target_id IS NOT NULL")),
    )


class Lane(Table):
    """The politeness ledger: one small row per lane, the only place a request is granted.

    The limits are the effective ones (see schedule/ledger/policy.py for where each comes from). `slot_at`
    is the next moment anything may be granted, `turn_at` the same with the best waiting rank added,
    which is the order lanes are served in: bounded priority that ages by itself.
    `grant_at`/`grant_n` are the sliding log: when, and how many, within the last window.
    `slowed_until` halves the rate (429), `held_until` allows nothing (Retry-After, open circuit).
    """

    __tablename__ = "lanes"

    lane: Mapped[str] = mapped_column(primary_key=True)
    queued: Mapped[int] = mapped_column(Integer, server_default="0")
    in_flight: Mapped[int] = mapped_column(Integer, server_default="0")
    best_rank: Mapped[int] = mapped_column(SmallInteger, server_default="100")
    tokens: Mapped[int] = mapped_column(Integer, server_default="1")
    interval_seconds: Mapped[float] = mapped_column(Double, server_default="2")
    spacing_seconds: Mapped[float] = mapped_column(Double, server_default="2")
    max_concurrent: Mapped[int] = mapped_column(Integer, server_default="1")
    hours_start: Mapped[int | None] = mapped_column(SmallInteger)
    hours_end: Mapped[int | None] = mapped_column(SmallInteger)
    limits_from: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'::jsonb"))
    slot_at: Mapped[datetime] = mapped_column(server_default=text("'-infinity'::timestamptz"))
    turn_at: Mapped[datetime] = mapped_column(server_default=text("'-infinity'::timestamptz"))
    grant_at: Mapped[list[datetime]] = mapped_column(
        ARRAY(DateTime(timezone=True)), server_default=text("'{}'::timestamptz[]")
    )
    grant_n: Mapped[list[int]] = mapped_column(ARRAY(Integer), server_default=text("'{}'::integer[]"))
    slowed_until: Mapped[datetime | None]
    held_until: Mapped[datetime | None]
    half_open: Mapped[bool] = mapped_column(server_default=text("false"))
    paused: Mapped[bool] = mapped_column(server_default=text("false"))
    updated_at: Mapped[Moment]

    __table_args__ = (
        CheckConstraint("queued >= 0 AND in_flight >= 0", name="counts"),
        CheckConstraint("tokens >= 1 AND interval_seconds > 0 AND spacing_seconds >= 0", name="rate"),
        CheckConstraint("max_concurrent >= 1", name="concurrency"),
        CheckConstraint("hours_start BETWEEN 0 AND 23 AND hours_end BETWEEN 0 AND 24", name="hours"),
        CheckConstraint("(hours_start IS NULL) = (hours_end IS NULL)", name="hours_pair"),
        Index(
            "idx_lanes_turn_at",
            "turn_at",
            postgresql_where=text("queued > 0 AND in_flight < max_concurrent AND NOT paused"),
        ),
        {
            "postgresql_with": {
                "fillfactor": "50",
                "autovacuum_vacuum_scale_factor": "0",
                "autovacuum_vacuum_threshold": "500",
            }
        },
    )


class Domain(Table):
    """What a person decided about a registrable domain (C-026). NULL means: nothing decided here,
    so a row never loosens anything by existing (DESIGN §11.4)."""

    __tablename__ = "domains"

    id: Mapped[Serial]
    domain_name: Mapped[str]
    base_url: Mapped[str]
    crawl_delay_seconds: Mapped[float | None] = mapped_column(Double)
    max_concurrent_requests: Mapped[int | None]
    tokens_per_interval: Mapped[int | None]
    interval_seconds: Mapped[float | None] = mapped_column(Double)
    min_delay_ms: Mapped[int | None]
    max_delay_ms: Mapped[int | None]
    # How often its URLs are visited where neither they nor their source say it (C-007).
    crawl_frequency: Mapped[timedelta | None] = mapped_column(Interval)
    hours_start: Mapped[int | None] = mapped_column(SmallInteger)
    hours_end: Mapped[int | None] = mapped_column(SmallInteger)
    respect_robots_txt: Mapped[bool] = mapped_column(server_default=text("true"))
    is_active: Mapped[bool] = mapped_column(server_default=text("true"))
    notes: Mapped[str | None]
    created_at: Mapped[Moment]
    updated_at: Mapped[Moment]

    __table_args__ = (
        CheckConstraint("char_length(domain_name) BETWEEN 1 AND 255", name="domain_name_length"),
        CheckConstraint("char_length(base_url) <= 512", name="base_url_length"),
        CheckConstraint("crawl_delay_seconds >= 0 AND max_concurrent_requests >= 1", name="limits"),
        CheckConstraint("crawl_frequency > interval '0'", name="crawl_frequency"),
        CheckConstraint("tokens_per_interval >= 1 AND interval_seconds > 0", name="rate"),
        CheckConstraint("(tokens_per_interval IS NULL) = (interval_seconds IS NULL)", name="rate_pair"),
        CheckConstraint("hours_start BETWEEN 0 AND 23 AND hours_end BETWEEN 0 AND 24", name="hours"),
        CheckConstraint("(hours_start IS NULL) = (hours_end IS NULL)", name="hours_pair"),
        Index("idx_domains_domain_name", "domain_name", unique=True),
        Index("idx_domains_is_active", "is_active"),
    )


class DomainCircuit(Table):
    """Guards requests to one domain: 5 failures among the last 10 open it for 120 s (S-063). A domain
    without a row is closed and had no failure lately. Its lane is held as long as it is open."""

    __tablename__ = "domain_circuits"

    domain: Mapped[str] = mapped_column(primary_key=True)
    state: Mapped[str] = mapped_column(server_default="closed")
    recent: Mapped[list[bool]] = mapped_column(ARRAY(Boolean), server_default=text("'{}'"))
    opened_at: Mapped[datetime | None]
    open_until: Mapped[datetime | None]
    updated_at: Mapped[Moment]

    __table_args__ = (CheckConstraint("state IN ('closed','open','half_open')", name="state"),)


class SourceCircuit(Table):
    """Guards scheduling of one source: 5 failures, 30 min × 2^opens, at most 24 h (E-085, E-107)."""

    __tablename__ = "source_circuits"

    source_id: Mapped[int] = mapped_column(ForeignKey("sources.id", ondelete="CASCADE"), primary_key=True)
    state: Mapped[str] = mapped_column(server_default="CLOSED")
    failure_count: Mapped[int] = mapped_column(server_default="0")
    last_failure_at: Mapped[datetime | None]
    cooldown_until: Mapped[datetime | None]
    consecutive_opens: Mapped[int] = mapped_column(server_default="0")
    updated_at: Mapped[Moment]

    __table_args__ = (CheckConstraint("state IN ('CLOSED','OPEN','HALF_OPEN')", name="state"),)


class SchedulerState(Table):
    """One row: how far the scheduler backs off after rejected cycles (P-073, P-074), whether a person paused
    everything (C-003), and how far its chores have come."""

    __tablename__ = "scheduler_state"

    id: Mapped[int] = mapped_column(SmallInteger, primary_key=True, server_default="1", autoincrement=False)
    scheduler_backoff_until: Mapped[datetime | None]
    rejected_cycles: Mapped[int] = mapped_column(server_default="0")
    last_tick_at: Mapped[datetime | None]
    last_recheck_at: Mapped[datetime | None]
    last_stale_sweep_at: Mapped[datetime | None]
    paused_at: Mapped[datetime | None]
    paused_by: Mapped[str | None]
    last_changes_seen_at: Mapped[datetime | None]
    last_popularity_at: Mapped[datetime | None]
    last_discovery_day: Mapped[date | None] = mapped_column(Date)  # of the installation's time zone (E-012)
    updated_at: Mapped[Moment]

    __table_args__ = (CheckConstraint("id = 1", name="single_row"),)


class DeadLetter(Table):
    """Work that failed for good, with all needed to retry it from the failed stage (E-087 … E-091)."""

    __tablename__ = "dead_letters"

    id: Mapped[Serial]
    task_id: Mapped[UUID]
    source_id: Mapped[int | None] = mapped_column(BigInteger)
    run_id: Mapped[int | None] = mapped_column(BigInteger)
    stage: Mapped[str]
    error_type: Mapped[str]
    error_message: Mapped[str | None]
    error_stack: Mapped[str | None]
    payload: Mapped[dict[str, Any]]
    retry_count: Mapped[int] = mapped_column(server_default="0")
    max_retries: Mapped[int] = mapped_column(server_default="3")
    next_retry_at: Mapped[datetime | None]
    status: Mapped[str] = mapped_column(server_default="pending")
    resolved_at: Mapped[datetime | None]
    resolution_notes: Mapped[str | None]
    created_at: Mapped[Moment]

    __table_args__ = (
        CheckConstraint("status IN ('pending','retrying','resolved','discarded')", name="status"),
        CheckConstraint(f"stage IN ({STAGES})", name="stage"),
        Index("idx_dead_letters_due", "next_retry_at", postgresql_where=text("status = 'pending'")),
        Index("idx_dead_letters_status", "status", "stage", "error_type"),
        Index("idx_dead_letters_task_id", "task_id"),
    )


class Job(Table):
    """A batch of tasks asked for together through the API (S-027, S-029)."""

    __tablename__ = "jobs"

    id: Mapped[UUID] = mapped_column(primary_key=True)
    producer: Mapped[str] = mapped_column(server_default="enrichment")
    workspace_id: Mapped[str | None]
    status: Mapped[str] = mapped_column(server_default="queued")
    total_tasks: Mapped[int]
    completed_tasks: Mapped[int] = mapped_column(server_default="0")
    failed_tasks: Mapped[int] = mapped_column(server_default="0")
    cancelled_tasks: Mapped[int] = mapped_column(server_default="0")
    callback_url: Mapped[str | None]
    created_at: Mapped[Moment]
    updated_at: Mapped[Moment]
    finished_at: Mapped[datetime | None]

    __table_args__ = (
        CheckConstraint(
            "status IN ('queued','running','completed','partially_completed','failed','cancelled')",
            name="status",
        ),
        CheckConstraint("total_tasks >= 1", name="total_tasks"),
        CheckConstraint(f"producer IN ({PRODUCERS})", name="producer"),
        Index("idx_jobs_status", "status"),
        Index("idx_jobs_created_at", "created_at"),
    )


class Submission(Table):
    """What a caller's Idempotency-Key made, so that the repeated submit finds it."""

    __tablename__ = "submissions"

    caller: Mapped[str] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(primary_key=True)
    digest: Mapped[str] = mapped_column(CHAR(64))
    task_id: Mapped[UUID | None]
    job_id: Mapped[UUID | None]
    created_at: Mapped[Moment]

    __table_args__ = (
        CheckConstraint("(task_id IS NULL) <> (job_id IS NULL)", name="made"),
        Index("idx_submissions_created_at", "created_at"),
    )


class ErrorLog(Table):
    """Every failed attempt, classed, for pattern analysis across tasks (C-066, C-067)."""

    __tablename__ = "error_logs"

    id: Mapped[Serial]
    task_id: Mapped[UUID]
    source_id: Mapped[int | None] = mapped_column(BigInteger)
    stage: Mapped[str]
    error_class: Mapped[str]
    error_type: Mapped[str]
    error_message: Mapped[str | None]
    stack_trace: Mapped[str | None]
    occurred_at: Mapped[Moment]

    __table_args__ = (
        CheckConstraint("error_class IN ('network','parse','validation','storage','internal')", name="error_class"),
        Index("idx_error_logs_task_id", "task_id"),
        Index("idx_error_logs_occurred_at", "occurred_at"),
        Index("idx_error_logs_error_type", "error_type", "occurred_at"),
    )
