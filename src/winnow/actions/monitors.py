"""What a person decides about the monitors of a source: other limits, or that this is usual from now on."""

from __future__ import annotations

from typing import Any

from winnow.db.engine import Database
from winnow.judge import monitor_readings
from winnow.judge.monitors import Monitor
from winnow.observe import audit
from winnow.publish import alerts
from winnow.run.audits.monitors import key


async def change(database: Database, source_id: int, changes: dict[str, Any], actor: str) -> None:
    """Set limits of one source; None takes the default again. They hold from its next run on."""
    async with database.transaction() as conn:
        before, after = await monitor_readings.change(conn, source_id, changes)
        await audit.record(conn, actor, "monitors.changed", "source", str(source_id), before=before, after=after)


async def accept(database: Database, source_id: int, actor: str) -> list[int]:
    """Take what the last run brought for usual; the alerts about it are resolved. Their ids."""
    async with database.transaction() as conn:
        await monitor_readings.accept(conn, source_id)
        await audit.record(conn, actor, "monitors.accepted", "source", str(source_id))
        return await alerts.resolve(conn, actor, keys=[key(source_id, monitor) for monitor in Monitor])
