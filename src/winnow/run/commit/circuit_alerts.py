"""Opens an alert when a circuit opens, in the transaction that opened it, and resolves it when the circuit closes
(E-083)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from winnow.db.engine import Connection
from winnow.publish import alerts
from winnow.publish.alerts import NOTE, SLACK, Alert
from winnow.schedule.circuits import Turned
from winnow.schedule.source_circuits import SourceTurned

ACTOR = "circuit"


async def notify(conn: Connection, domains: Sequence[Turned], sources: Sequence[SourceTurned]) -> None:
    """In the order of their keys, so that two workers never wait for each other."""
    opened = [_domain(t.domain, t.open_until) for t in domains if t.open_until is not None]
    opened += [_source(t.source_id, t.open_until) for t in sources if t.open_until is not None]
    for alert in sorted(opened, key=lambda a: a.key):
        await alerts.open_alert(conn, alert)
    closed = [domain_key(t.domain) for t in domains if t.open_until is None]
    closed += [source_key(t.source_id) for t in sources if t.open_until is None]
    if closed:
        await alerts.resolve(conn, ACTOR, keys=sorted(closed))


def domain_key(domain: str) -> str:
    return f"circuit:domain:{domain}"


def source_key(source_id: int) -> str:
    return f"circuit:source:{source_id}"


def _domain(domain: str, until: datetime) -> Alert:
    """Alert about a domain: nothing is sent there for a while, and nothing has to be done yet."""
    title = f"{domain} fails too often; nothing is sent there until {until:%H:%M:%S} UTC"
    return _alert(NOTE, domain_key(domain), title, {"domain": domain, "until": until.isoformat(timespec="seconds")})


def _source(source_id: int, until: datetime) -> Alert:
    """E-123: the URLs and selectors of the source need a review."""
    title = f"source {source_id} fails too often and is not scheduled until {until:%Y-%m-%d %H:%M} UTC"
    return _alert(
        SLACK, source_key(source_id), title, {"source_id": source_id, "until": until.isoformat(timespec="seconds")}
    )


def _alert(severity: str, key: str, title: str, details: dict[str, object]) -> Alert:
    return Alert(severity=severity, code="circuit_opened", key=key, title=title, details=details)
