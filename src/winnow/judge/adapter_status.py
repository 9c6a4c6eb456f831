"""Whether an adapter may run: a person's decision, with reason and name (P-065, P-101).

Disabling stops scheduling at once (P-086: the queue refuses its tasks). The first run after it was enabled
again is watched closely (P-087).
"""

from __future__ import annotations

from typing import Any

from psycopg import AsyncConnection
from psycopg.rows import scalar_row

from winnow.errors import InvalidInput

REASONS = ("MANUAL", "DRIFT_DETECTED", "ToS_VIOLATION")

_DISABLE = """
INSERT INTO scrape_adapter_status AS a (adapter_id, enabled, disabled_at, disabled_reason, disabled_by)
VALUES (%(adapter_id)s, false, now(), %(reason)s, %(actor)s)
ON CONFLICT (adapter_id) DO UPDATE
SET enabled = false, disabled_at = now(), disabled_reason = excluded.disabled_reason,
    disabled_by = excluded.disabled_by, updated_at = now()
WHERE a.enabled
RETURNING adapter_id
"""
_ENABLE = """
UPDATE scrape_adapter_status
SET enabled = true, enabled_at = now(), enabled_by = %(actor)s, close_monitoring = true,
    disabled_at = NULL, disabled_reason = NULL, disabled_by = NULL,
    consecutive_failed_batches = 0, consecutive_zero_offer_runs = 0, consecutive_zero_price_runs = 0,
    updated_at = now()
WHERE adapter_id = %(adapter_id)s AND NOT enabled
RETURNING adapter_id
"""


async def disable(conn: AsyncConnection[Any], adapter_id: str, reason: str, actor: str) -> bool:
    """Whether that changed anything."""
    if reason not in REASONS:
        raise InvalidInput(f"the reason must be one of {', '.join(REASONS)}", field="reason")
    return await _changed(conn, _DISABLE, {"adapter_id": adapter_id, "reason": reason, "actor": actor})


async def enable(conn: AsyncConnection[Any], adapter_id: str, actor: str) -> bool:
    return await _changed(conn, _ENABLE, {"adapter_id": adapter_id, "actor": actor})


async def shadow(conn: AsyncConnection[Any], adapter_id: str, version: str | None) -> None:
    """The candidate that runs beside it; None: none."""
    await conn.execute(
        "INSERT INTO scrape_adapter_status (adapter_id, candidate_version) VALUES (%(id)s, %(version)s) "
        "ON CONFLICT (adapter_id) DO UPDATE SET candidate_version = %(version)s, updated_at = now()",
        {"id": adapter_id, "version": version},
    )


async def _changed(conn: AsyncConnection[Any], query: Any, given: dict[str, Any]) -> bool:
    async with conn.cursor(row_factory=scalar_row) as cursor:
        await cursor.execute(query, given)
        return await cursor.fetchone() is not None
