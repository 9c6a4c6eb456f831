"""After each run: does it look like the ones before it? An alert for each monitor that says no (C-069)."""

from __future__ import annotations

import structlog

from winnow.db.engine import Connection, Database
from winnow.judge import monitor_readings, monitors
from winnow.judge.monitors import Limits, Monitor, MonitorState, Result, RunReading
from winnow.observe.settings import ObserveSettings
from winnow.publish import alerts
from winnow.publish.alerts import SLACK, Alert

log = structlog.get_logger(__name__)

CODE = "monitor"
AT_ONCE = 100
LOCK = 0x574D4F4E  # "WMON": one process at a time looks (DESIGN §11.21)


class RunMonitors:
    """A chore: every finished run is read once, after the drift check."""

    def __init__(self, database: Database, settings: ObserveSettings) -> None:
        self._database = database
        self._default = default_limits(settings)

    async def run_once(self) -> int:
        """How many runs were read."""
        async with self._database.transaction() as conn:
            row = await (await conn.execute("SELECT pg_try_advisory_xact_lock(%s)", (LOCK,))).fetchone()
            if row is None or not row[0]:
                return 0
            found = await monitor_readings.unread(conn, AT_ONCE)
            for run_id in found:
                await self._read(conn, run_id)
        return len(found)

    async def _read(self, conn: Connection, run_id: int) -> None:
        reading = await monitor_readings.take(conn, run_id)
        if reading is None:
            return
        limits = await monitor_readings.limits_of(conn, reading.source_id, self._default)
        results = monitors.judge(reading, await monitor_readings.recent(conn, reading.source_id), limits)
        await monitor_readings.store(conn, reading, results)
        for result in results:
            if result.state is MonitorState.BROKEN:
                log.warning("monitor_broken", monitor=result.monitor.value, run_id=run_id, source_id=reading.source_id)
                await alerts.open_alert(conn, _alert(reading, result))
        over = [key(reading.source_id, r.monitor) for r in results if r.state in (MonitorState.OK, MonitorState.OFF)]
        await alerts.resolve(conn, "upkeep", keys=over)


def default_limits(settings: ObserveSettings) -> Limits:
    return Limits(
        items_share=settings.monitor_items_share,
        coverage_points=settings.monitor_coverage_points,
        price_factor=settings.monitor_price_factor,
        held_points=settings.monitor_held_points,
    )


def key(source_id: int, monitor: Monitor) -> str:
    return f"{CODE}:{source_id}:{monitor.value}"


def _alert(reading: RunReading, result: Result) -> Alert:
    details = {"source_id": reading.source_id, "run_id": reading.run_id, "monitor": result.monitor.value}
    return Alert(
        severity=SLACK, code=CODE, key=key(reading.source_id, result.monitor), title=result.sentence, details=details
    )
