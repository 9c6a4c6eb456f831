"""Alerts about failures that many sources have in common (E-006); a single failing site is reported by its circuit."""

from __future__ import annotations

from winnow.db.engine import Connection
from winnow.publish import alerts
from winnow.publish.alerts import SLACK, Alert
from winnow.schedule import failed_attempts
from winnow.schedule.failed_attempts import Recurring

CODE = "recurring_failures"
_OPEN = "SELECT dedupe_key FROM alerts WHERE code = %s AND resolved_at IS NULL"


async def update(conn: Connection, most: int) -> int:
    """Open an alert for each pattern and resolve those that are over; return how many patterns there are."""
    found = {_key(pattern): pattern for pattern in await failed_attempts.recurring(conn, most)}
    for key, pattern in sorted(found.items()):
        await alerts.open_alert(conn, _alert(key, pattern))
    known = [row[0] for row in await (await conn.execute(_OPEN, (CODE,))).fetchall()]
    if over := sorted(set(known) - set(found)):
        await alerts.resolve(conn, "upkeep", keys=over)
    return len(found)


def _key(pattern: Recurring) -> str:
    return f"{CODE}:{pattern.stage}:{pattern.error_type}"


def _alert(key: str, pattern: Recurring) -> Alert:
    title = (
        f"{pattern.failures} attempts at {pattern.sources} sources failed alike within an hour: "
        f"{pattern.error_type} ({pattern.stage})"
    )
    details = {"stage": pattern.stage, "error_type": pattern.error_type, "example": pattern.example}
    return Alert(severity=SLACK, code=CODE, key=key, title=title, details=details, lasting=True)
