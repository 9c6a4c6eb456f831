"""Runs, tasks, crawl jobs and dead letters."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import Field

from winnow.api.models.fields import MAX_IDS, Id, Name, Reason, RequestModel, ResponseModel
from winnow.schedule.budget import MAX_BUDGET

Stage = Literal["fetch", "extract", "normalise", "persist", "done"]


class FollowBudget(RequestModel):
    pages: Annotated[int, Field(ge=1, le=MAX_BUDGET["pages"])] | None = None
    depth: Annotated[int, Field(ge=1, le=MAX_BUDGET["depth"])] | None = None
    seconds: Annotated[int, Field(ge=1, le=MAX_BUDGET["seconds"])] | None = None
    bytes: Annotated[int, Field(ge=1, le=MAX_BUDGET["bytes"])] | None = None


class RunStart(RequestModel):
    source_id: Id
    target_ids: Annotated[list[Id], Field(min_length=1, max_length=10_000)] | None = Field(
        None, description="Only these; default: all active targets of the source."
    )
    budget: FollowBudget | None = Field(None, description="Limits of following links, instead of the source's own.")


class RunStarted(ResponseModel):
    """Targets there was no room for stay due; `reason` says why (P-070)."""

    run_id: int
    accepted: int
    rejected: int
    reason: str | None
    retry_after_ms: int


class RunResponse(ResponseModel):
    """All counters, rates and errors (P-101). Of the links found, each is waiting, queued or cut; `budget` is null
    where the source follows none."""

    id: int
    source_id: int
    source_name: str
    retailer_id: int | None
    adapter_id: str
    adapter_version: str
    trigger: str
    status: str
    started_at: datetime
    completed_at: datetime | None
    duration_ms: int | None
    urls_planned: int
    urls_attempted: int
    urls_succeeded: int
    urls_failed: int
    urls_unchanged: int
    urls_robots_blocked: int
    urls_cancelled: int
    offers_extracted: int
    offers_valid: int
    offers_dropped: int
    offers_quarantined: int
    oos_no_price_count: int
    zero_price_count: int
    unknown_availability_count: int
    failure_rate: Decimal | None
    yield_rate: Decimal | None
    drop_rate: Decimal | None
    error_code: str | None
    error_message: str | None
    requested_by: str | None
    bytes: int
    links_found: int
    links_waiting: int
    links_queued: int
    links_cut: int
    links_by_role: dict[str, int]
    links_cut_by: dict[str, int]
    budget: dict[str, Any] | None
    deadline_at: datetime | None


class Cancelled(ResponseModel):
    cancelled: int


class TaskResponse(ResponseModel):
    id: UUID
    producer: str
    kind: str
    url: str
    domain: str
    status: str
    stage: str
    trigger: str
    rank: int
    source_id: int | None
    target_id: int | None
    run_id: int | None
    job_id: UUID | None
    adapter_id: str | None
    attempts: int
    max_attempts: int
    due_at: datetime | None
    outcome: str | None
    reason: str | None
    last_error: str | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


class AttemptResponse(ResponseModel):
    """One failed attempt, kept for good (C-008, C-009)."""

    stage: str
    error_class: str
    error_type: str
    error_message: str | None
    occurred_at: datetime


class TaskDetail(TaskResponse):
    errors: list[AttemptResponse]


class DomainCounts(ResponseModel):
    domain: str
    queued: int
    running: int


class TaskSummary(ResponseModel):
    """Counts per status, and per domain for what is still to be done (C-004). `finished` covers the time
    tasks stay in the hot table (WINNOW_KEEP_FINISHED_HOURS)."""

    by_status: dict[str, int]
    by_domain: list[DomainCounts]


class PipelineJobResponse(ResponseModel):
    """A task of the events producer in the words of its pipeline (E-098 … E-100)."""

    id: UUID
    source_id: int | None
    run_id: str
    current_stage: str
    stage_status: dict[str, str]
    attempts: int
    max_attempts: int
    last_error: str | None
    created_at: datetime
    started_at: datetime | None
    completed_at: datetime | None
    priority: int


class DeadLetterResponse(ResponseModel):
    id: int
    task_id: UUID
    source_id: int | None
    run_id: int | None
    stage: str
    error_type: str
    error_message: str | None
    url: str | None
    retry_count: int
    max_retries: int
    next_retry_at: datetime | None
    status: str
    resolved_at: datetime | None
    resolution_notes: str | None
    created_at: datetime


class DeadLetterDetail(DeadLetterResponse):
    payload: dict[str, Any]
    error_stack: str | None


class LetterChoice(RequestModel):
    """Named letters, or all pending ones that match; one of the two is needed."""

    ids: Annotated[list[Id], Field(min_length=1, max_length=MAX_IDS)] | None = None
    stage: Stage | None = None
    error_type: Name | None = None
    source_id: Id | None = None
    all_pending: bool = Field(False, description="Every pending letter that matches the filters.")


class LetterDiscard(LetterChoice):
    note: Reason = ""


class LettersChanged(ResponseModel):
    changed: int
    left: int = Field(description="Matching letters beyond the limit of one request.")
