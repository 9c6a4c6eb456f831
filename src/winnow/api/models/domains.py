"""The state of the politeness ledger, and the settings of a domain that a person may change."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from pydantic import Field

from winnow.api.models.fields import Changes, Notes, Reason, ResponseModel
from winnow.api.models.targets import Seconds


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
    crawl_frequency: timedelta | None = Field(description="Of its URLs where nothing else says it (C-007).")
    notes: str | None


class DomainUpdate(Changes):
    """Null takes a decision back. A rate is tokens per interval."""

    tokens_per_interval: int | None = Field(None, ge=1, le=1_000_000)
    interval_seconds: float | None = Field(None, gt=0, le=86_400)
    crawl_delay_seconds: float | None = Field(None, ge=0, le=86_400)
    max_concurrent_requests: int | None = Field(None, ge=1, le=10_000)
    min_delay_ms: int | None = Field(None, ge=0, le=3_600_000)
    max_delay_ms: int | None = Field(None, ge=0, le=3_600_000)
    crawl_frequency_seconds: Seconds | None = Field(
        None, description="How often its URLs are visited where neither they nor their source say it (C-007)."
    )
    hours_start: int | None = Field(None, ge=0, le=23)
    hours_end: int | None = Field(None, ge=0, le=24)
    respect_robots_txt: bool = Field(True, description="False is an exception that is audited (DESIGN §11.4).")
    notes: Notes | None = None
    reason: Reason | None = Field(None, description="Kept in the audit trail.")

    def changes(self) -> dict[str, Any]:
        """By the names of the columns."""
        given = self.model_dump(exclude_unset=True, exclude={"reason", "crawl_frequency_seconds"})
        if "crawl_frequency_seconds" in self.model_fields_set:
            seconds = self.crawl_frequency_seconds
            given["crawl_frequency"] = None if seconds is None else timedelta(seconds=seconds)
        return given
