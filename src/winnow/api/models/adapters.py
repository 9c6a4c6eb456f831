from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Literal

from winnow.api.models.fields import Reason, RequestModel, ResponseModel


class AdapterResponse(ResponseModel):
    """An adapter that is registered, and whether it may run (P-065)."""

    id: str
    version: str
    domain: str
    kind: str
    needs_browser: bool = False
    enabled: bool
    disabled_at: datetime | None = None
    disabled_reason: str | None = None
    disabled_by: str | None = None
    enabled_at: datetime | None = None
    enabled_by: str | None = None
    close_monitoring: bool = False
    baseline_failure_rate: Decimal | None = None
    baseline_yield_rate: Decimal | None = None
    baseline_sample_size: int = 0
    consecutive_failed_batches: int = 0
    last_batch_failure_rate: Decimal | None = None


class AdapterDisable(RequestModel):
    reason: Literal["MANUAL", "DRIFT_DETECTED", "ToS_VIOLATION"] = "MANUAL"
    note: Reason | None = None


class AdapterEnable(RequestModel):
    note: Reason | None = None
