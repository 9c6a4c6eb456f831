"""Daily runs of event sources."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, Literal
from uuid import UUID

from winnow.api.models.fields import ResponseModel


class DailyRunResponse(ResponseModel):
    """`run_id` is shared by all pipeline jobs of the run; `summary` is there once the run is completed."""

    id: int
    run_id: UUID
    day: date
    trigger: Literal["SCHEDULED", "MANUAL"]
    requested_by: str | None
    status: Literal["RUNNING", "COMPLETED"]
    workers: int
    started_at: datetime
    completed_at: datetime | None
    sources_waiting: int
    sources_started: int
    sources_left_out: int
    summary: dict[str, Any] | None


class DailyRunSourceResponse(ResponseModel):
    """`reason` says why a source was left out, and `until` how long that holds."""

    position: int
    source_id: int
    source_name: str
    priority_score: float
    state: Literal["waiting", "started", "left_out"]
    reason: str | None
    until: datetime | None
    scrape_run_id: int | None
    status: str | None
    urls_attempted: int | None
    urls_failed: int | None
    offers_valid: int | None


class DailyRunStarted(ResponseModel):
    id: int
