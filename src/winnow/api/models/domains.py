"""The state of the politeness ledger, and the settings of a domain that a person may change."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import Field

from winnow.api.models.fields import Changes, Notes, Reason, ResponseModel


class DomainResponse(ResponseModel):
    """`limits_from` names where each limit comes from: domain, source, policy, default, platform, robots."""

    domain: str
    queued: int
    in_flight: int
    tokens: int
    interval_seconds: float
    spacing_seconds: float
    max_concurrent: int
    hours_start: int | None
    hours_end: int | None
    limits_from: dict[str, Any]
    next_slot_seconds: float
    slowed_until: datetime | None
    held_until: datetime | None
    half_open: bool
    paused: bool
    is_active: bool
    respect_robots_txt: bool
    circuit: str
    notes: str | None


class DomainUpdate(Changes):
    """Null takes a decision back. A rate is tokens per interval."""

    tokens_per_interval: int | None = Field(None, ge=1, le=1_000_000)
    interval_seconds: float | None = Field(None, gt=0, le=86_400)
    crawl_delay_seconds: float | None = Field(None, ge=0, le=86_400)
    max_concurrent_requests: int | None = Field(None, ge=1, le=10_000)
    min_delay_ms: int | None = Field(None, ge=0, le=3_600_000)
    max_delay_ms: int | None = Field(None, ge=0, le=3_600_000)
    hours_start: int | None = Field(None, ge=0, le=23)
    hours_end: int | None = Field(None, ge=0, le=24)
    respect_robots_txt: bool = Field(True, description="False is an exception that is audited (DESIGN §11.4).")
    notes: Notes | None = None
    reason: Reason | None = Field(None, description="Kept in the audit trail.")
