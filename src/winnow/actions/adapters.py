"""Changes to adapters: disable, enable. Every change is audited."""

from __future__ import annotations

from typing import Any

from psycopg import AsyncConnection

from winnow.judge import adapter_status
from winnow.observe import audit, metrics
from winnow.publish import alerts
from winnow.run import closing, drift

Connection = AsyncConnection[Any]


async def disable(conn: Connection, actor: str, adapter_id: str, reason: str, note: str | None = None) -> bool:
    changed = await adapter_status.disable(conn, adapter_id, reason, actor)
    if changed:
        metrics.adapter_disabled(adapter_id, reason)
        after = {"reason": reason, "withdrawn": await closing.withdraw_adapter(conn, adapter_id)}
        await audit.record(conn, actor, "adapter.disabled", "adapter", adapter_id, after=after, reason=note)
    return changed


async def enable(conn: Connection, actor: str, adapter_id: str, note: str | None = None) -> bool:
    changed = await adapter_status.enable(conn, adapter_id, actor)
    if changed:
        await alerts.resolve(conn, actor, keys=drift.keys_of(adapter_id))
        await audit.record(conn, actor, "adapter.enabled", "adapter", adapter_id, reason=note)
    return changed
