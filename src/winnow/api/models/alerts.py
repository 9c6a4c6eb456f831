from __future__ import annotations

from datetime import datetime
from typing import Any

from winnow.api.models.fields import Shown


class AlertShown(Shown):
    """P1 pages somebody, P2 goes to a channel, P3 can wait (P-099)."""

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
