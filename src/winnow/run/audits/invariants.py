"""Checks the invariants once a day; each that does not hold is an alert until it does (C-070)."""

from __future__ import annotations

import structlog

from winnow.db.engine import Connection, Database
from winnow.observe import invariant_checks
from winnow.observe.invariant_checks import Finding
from winnow.publish import alerts
from winnow.publish.alerts import SLACK, Alert

log = structlog.get_logger(__name__)

CODE = "invariant"
LOCK = 0x57494E56  # "WINV": one process at a time audits (DESIGN §11.21)


class InvariantAudit:
    """A chore that looks whether it is time, however often it is called."""

    def __init__(self, database: Database, hours: float) -> None:
        self._database = database
        self._hours = hours

    async def run_once(self) -> int:
        """How many invariants were found not to hold, or could not be checked."""
        async with self._database.dedicated() as conn:
            row = await (await conn.execute("SELECT pg_try_advisory_lock(%s)", (LOCK,))).fetchone()
            if row is None or not row[0] or not await invariant_checks.is_due(conn, self._hours):
                return 0
            found = await invariant_checks.check(conn, invariant_checks.invariants())
            async with conn.transaction():
                await report(conn, found)
        return sum(not finding.holds for finding in found)


async def report(conn: Connection, found: list[Finding]) -> None:
    """Store what was found, raise an alert for each invariant that does not hold, and resolve the others."""
    await invariant_checks.store(conn, found)
    for finding in found:
        if not finding.holds:
            log.error("invariant_broken", invariant=finding.name, violations=finding.violations, error=finding.error)
            await alerts.open_alert(conn, _alert(finding))
    await alerts.resolve(conn, "upkeep", keys=[f"{CODE}:{finding.name}" for finding in found if finding.holds])


def _alert(finding: Finding) -> Alert:
    details = {"invariant": finding.name, "violations": finding.violations, "examples": finding.examples}
    return Alert(
        severity=SLACK,
        code=CODE,
        key=f"{CODE}:{finding.name}",
        title=invariant_checks.describe(finding),
        details=details,
        lasting=True,
    )
