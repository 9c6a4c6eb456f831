from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import Field

from winnow.api.models.fields import Ids, ResponseModel


class Silence(Ids):
    hours: float = Field(8.0, ge=0, le=8_760, description="For how long; 0 ends it.")


class AlertResponse(ResponseModel):
    """P1 needs action now, P2 is posted to a channel, P3 can wait (P-099)."""

    id: int
    severity: str
    code: str
    title: str
    details: dict[str, Any]
    occurrences: int
    opened_at: datetime
    last_seen_at: datetime
    acknowledged_at: datetime | None
    acknowledged_by: str | None
    resolved_at: datetime | None
    resolved_by: str | None
    silenced_until: datetime | None
