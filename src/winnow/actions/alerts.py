"""Changes to alerts: acknowledge, silence, resolve. Every change is audited."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from psycopg import AsyncConnection

from winnow.observe import audit
from winnow.publish import alerts

Connection = AsyncConnection[Any]


async def acknowledge(conn: Connection, actor: str, ids: Sequence[int]) -> list[int]:
    changed = await alerts.acknowledge(conn, actor, ids)
    await audit.record(conn, actor, "alerts.acknowledged", "alert", changed[0], after={"ids": changed})
    return changed


async def silence(conn: Connection, actor: str, ids: Sequence[int], length: timedelta) -> list[int]:
    """No length ends the silence."""
    changed = await alerts.silence(conn, ids, length)
    hours = length.total_seconds() / 3600
    await audit.record(conn, actor, "alerts.silenced", "alert", changed[0], after={"ids": changed, "hours": hours})
    return changed


async def resolve(conn: Connection, actor: str, ids: Sequence[int]) -> list[int]:
    """Those that were open."""
    changed = await alerts.resolve(conn, actor, ids=ids)
    if changed:
        await audit.record(conn, actor, "alerts.resolved", "alert", changed[0], after={"ids": changed})
    return changed
