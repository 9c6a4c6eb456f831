"""When a failing source is no longer scheduled, and for how long (E-085, E-086). Pure."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum

import msgspec

FAILURES = 5  # E-085
FIRST_COOLDOWN, LONGEST_COOLDOWN = timedelta(minutes=30), timedelta(hours=24)  # E-086


class SourceCircuitState(StrEnum):
    CLOSED = "CLOSED"
    OPEN = "OPEN"
    HALF_OPEN = "HALF_OPEN"


class SourceCircuit(msgspec.Struct, frozen=True, kw_only=True):
    """`failure_count` counts failures in a row; `consecutive_opens` how often it opened without a success."""

    state: SourceCircuitState = SourceCircuitState.CLOSED
    failure_count: int = 0
    last_failure_at: datetime | None = None
    cooldown_until: datetime | None = None
    consecutive_opens: int = 0


CLOSED = SourceCircuit()


def cooldown(consecutive_opens: int) -> timedelta:
    """30 min, 1, 2, 4, 8, 16, 24 h and so on; the exponent starts at 0."""
    doublings = min(consecutive_opens, 10)  # beyond the longest one anyway
    return min(LONGEST_COOLDOWN, FIRST_COOLDOWN * (1 << doublings))


def state_at(circuit: SourceCircuit, moment: datetime) -> SourceCircuitState:
    over = circuit.cooldown_until is not None and circuit.cooldown_until <= moment
    return SourceCircuitState.HALF_OPEN if circuit.state is SourceCircuitState.OPEN and over else circuit.state


def after(
    circuit: SourceCircuit, ok: bool, granted_at: datetime, moment: datetime, *, mostly_failing: bool
) -> SourceCircuit:
    """The circuit after one visit. `mostly_failing`: the run so far is as bad as its last visits. Failed
    visits are tried again and so end last: five of them close a run that was fine otherwise, too."""
    state = state_at(circuit, moment)
    if state is SourceCircuitState.CLOSED and ok:
        return CLOSED
    if state is SourceCircuitState.CLOSED:
        counted = msgspec.structs.replace(circuit, failure_count=circuit.failure_count + 1, last_failure_at=moment)
        return _opened(counted, moment) if counted.failure_count >= FAILURES and mostly_failing else counted
    # What was sent before the cooldown was over is no probe.
    if state is SourceCircuitState.OPEN or (circuit.cooldown_until is not None and granted_at < circuit.cooldown_until):
        return circuit
    return CLOSED if ok else _opened(msgspec.structs.replace(circuit, last_failure_at=moment), moment)


def _opened(circuit: SourceCircuit, moment: datetime) -> SourceCircuit:
    return msgspec.structs.replace(
        circuit,
        state=SourceCircuitState.OPEN,
        cooldown_until=moment + cooldown(circuit.consecutive_opens),
        consecutive_opens=circuit.consecutive_opens + 1,
    )
