"""Judges after each run whether its adapter still reads the site: alerts, auto-disable and recovery (P-083 … P-091,
P-099).

A chore of upkeep: every finished run is looked at once, in the order they ended, whoever finished it.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import msgspec
import structlog

from winnow.db.engine import Connection
from winnow.judge import adapter_status, drift
from winnow.judge import standing as standings
from winnow.judge.drift import Assessed, RunCounters, Sign
from winnow.observe import audit, metrics
from winnow.publish import alerts, outbox
from winnow.publish.alerts import PAGE, SLACK, Alert
from winnow.run import closing
from winnow.schedule import batches
from winnow.schedule.batches import FinishedRun

log = structlog.get_logger(__name__)

ACTOR = "drift"
ADAPTER_RECOVERED = "adapter.recovered"
AT_ONCE = 100
LOCK = 0x57494E44  # "WIND": one process at a time looks (DESIGN §11.21)
_TITLES = {
    Sign.FAILURE_RATE: "{standing}: {failures} of {telling} URLs failed in one run",
    Sign.NO_OFFERS: "{standing}: no offer on any of {telling} pages",
    Sign.ZERO_PRICE: "{standing}: {zero_price} prices of zero were read and held",
    Sign.LOW_YIELD: "{standing}: only {valid} of {telling} pages gave an offer, far fewer than usual",
    Sign.FIRST_RUN: "{standing}: the first run since it was enabled fails again",
}


async def check(conn: Connection, shared: Collection[str]) -> int:
    """Judge the runs that ended since the last call; returns how many. `shared` adapters belong to no site."""
    row = await (await conn.execute("SELECT pg_try_advisory_xact_lock(%s)", (LOCK,))).fetchone()
    if row is None or not row[0]:
        return 0
    ended = await batches.unchecked(conn, AT_ONCE)
    for run in ended:
        await _check(conn, run, shared=run.adapter_id in shared)
    return len(ended)


async def _check(conn: Connection, run: FinishedRun, *, shared: bool) -> None:
    if run.old:
        await batches.checked(conn, run.id, quarantined_for=None)
        return
    standing = standings.standing_id(run.adapter_id, run.source_id, shared=shared)
    batch = batch_of(run)
    before, enabled = await standings.load(conn, standing)
    recent = await batches.recent(conn, run.adapter_id, run.source_id if shared else None, drift.BASELINE_DAYS)
    others = [batch_of(r) for r in recent if r.id != run.id]
    found = drift.after(batch, before, drift.baseline_of(others))
    await standings.store(conn, standing, found.standing, batch, run.id)
    await batches.checked(conn, run.id, quarantined_for=_quarantine_reason(run, standing, batch, found))
    usual = others if found.quarantined or len(others) == len(recent) else [*others, batch]
    await standings.keep_baseline(conn, standing, drift.baseline_of(usual))
    await _notify(conn, run, standing, batch, found)
    if found.disable is not None and enabled:
        await _disable(conn, run, standing, batch, found.disable)


def batch_of(run: FinishedRun) -> RunCounters:
    return RunCounters(**{name: getattr(run, name) for name in RunCounters.__struct_fields__})


async def _notify(conn: Connection, run: FinishedRun, standing: str, batch: RunCounters, found: Assessed) -> None:
    for sign in found.signs:
        await alerts.open_alert(conn, _alert(run, standing, batch, sign))
        log.warning("drift_suspected", adapter_id=standing, run_id=run.id, sign=sign.value)
    passed = [sign for sign in Sign if sign not in found.signs]
    if batch.counts or (batch.watched and batch.informative_pages):
        await alerts.resolve(conn, ACTOR, keys=[_key(sign, standing) for sign in passed])
    if batch.watched and batch.valid and Sign.FIRST_RUN not in found.signs:
        payload = {"adapter_id": standing, "run_id": run.id, "valid": batch.valid, "telling": batch.informative_pages}
        await outbox.put(conn, [outbox.Message(ADAPTER_RECOVERED, f"adapter:{standing}", payload)])
        log.info("adapter_recovered", adapter_id=standing, run_id=run.id)


async def _disable(conn: Connection, run: FinishedRun, standing: str, batch: RunCounters, why: Sign) -> None:
    """P-084 … P-086: until a person enables it again (P-087)."""
    await adapter_status.disable(conn, standing, "DRIFT_DETECTED", ACTOR)
    details = _details(run, standing, batch)
    after = {**details, "sign": why.value, "withdrawn": await closing.withdraw_adapter(conn, standing)}
    await audit.record(conn, ACTOR, "adapter.disabled", "adapter", standing, after=after)
    title = f"{standing} was disabled: {_TITLES[why].format(**details).partition(': ')[2]}, twice in a row"
    key = disabled_key(standing)
    await alerts.open_alert(conn, Alert(severity=PAGE, code="adapter_disabled", key=key, title=title, details=details))
    metrics.adapter_disabled(standing, "DRIFT_DETECTED")
    log.error("adapter_disabled", adapter_id=standing, run_id=run.id, sign=why.value)


def disabled_key(standing: str) -> str:
    return f"adapter_disabled:{standing}"


def keys_of(standing: str) -> list[str]:
    """Every alert that enabling the adapter again answers."""
    return [disabled_key(standing), *(_key(sign, standing) for sign in Sign)]


def _quarantine_reason(run: FinishedRun, standing: str, batch: RunCounters, found: Assessed) -> str | None:
    """Describe for the page of the run why it is quarantined, in the sentences of the alerts."""
    if not found.quarantined:
        return None
    details = _details(run, standing, batch)
    reasons = [_TITLES[sign].format(**details).partition(": ")[2] for sign in found.signs]
    return "; ".join(reasons) or "too many of its pages gave no offer"


def _key(sign: Sign, standing: str) -> str:
    return f"{sign.value}:{standing}"


def _alert(run: FinishedRun, standing: str, batch: RunCounters, sign: Sign) -> Alert:
    details = _details(run, standing, batch)
    return Alert(
        severity=SLACK,
        code=sign.value,
        key=_key(sign, standing),
        title=_TITLES[sign].format(**details),
        details=details,
    )


def _details(run: FinishedRun, standing: str, batch: RunCounters) -> dict[str, Any]:
    counted = msgspec.structs.asdict(batch)
    return {**counted, "standing": standing, "run_id": run.id, "source_id": run.source_id,
            "telling": batch.informative_pages, "failures": batch.failures}  # fmt: skip
