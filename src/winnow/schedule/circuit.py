"""When a failing domain is left alone, and how it comes back (S-062, S-063, properties 27 … 29). Pure.

closed ── 5 failures among the last 10 ──▶ open ── 120 s ──▶ half-open ── probe succeeds ──▶ closed
                                             ▲                   │
                                             └── probe fails ────┘
"""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum

import msgspec


class CircuitState(StrEnum):
    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


class CircuitRules(msgspec.Struct, frozen=True):
    window: int = 10  # S-007, and the two below
    failures: int = 5
    cooldown: timedelta = timedelta(seconds=120)


class DomainCircuit(msgspec.Struct, frozen=True):
    """`recent` holds the latest answers while closed, oldest first; True is a success."""

    state: CircuitState = CircuitState.CLOSED
    recent: tuple[bool, ...] = ()
    opened_at: datetime | None = None
    open_until: datetime | None = None


CLOSED = DomainCircuit()


def state_at(circuit: DomainCircuit, moment: datetime) -> CircuitState:
    """Return the state of the circuit; an open one becomes half-open by time alone, whether or not that has been
    stored yet."""
    over = circuit.open_until is not None and circuit.open_until <= moment
    return CircuitState.HALF_OPEN if circuit.state is CircuitState.OPEN and over else circuit.state


def can_call(circuit: DomainCircuit, moment: datetime, *, probing: bool) -> bool:
    """Property 28. `probing`: another request of the domain is under way."""
    state = state_at(circuit, moment)
    return state is CircuitState.CLOSED or (state is CircuitState.HALF_OPEN and not probing)


def after(
    circuit: DomainCircuit, ok: bool, granted_at: datetime | None, moment: datetime, rules: CircuitRules
) -> DomainCircuit:
    """The circuit after one answer. `granted_at` None: only just, whatever the clocks say.

    An answer to a request that was sent before the circuit opened says nothing any more: it can
    neither close it nor keep it open longer."""
    state = state_at(circuit, moment)
    if state is CircuitState.CLOSED:
        return _counted(circuit, ok, moment, rules)
    until = circuit.open_until
    if state is CircuitState.OPEN or (granted_at is not None and until is not None and granted_at < until):
        return circuit
    return CLOSED if ok else _opened(moment, rules)


def is_idle(circuit: DomainCircuit) -> bool:
    """Whether it is closed and without a failure in its window, like that of an unknown domain."""
    return circuit.state is CircuitState.CLOSED and all(circuit.recent)


def _counted(circuit: DomainCircuit, ok: bool, moment: datetime, rules: CircuitRules) -> DomainCircuit:
    recent = (*circuit.recent, ok)[-rules.window :]
    if recent.count(False) >= rules.failures:
        return _opened(moment, rules)
    return DomainCircuit(CircuitState.CLOSED, recent)


def _opened(moment: datetime, rules: CircuitRules) -> DomainCircuit:
    return DomainCircuit(CircuitState.OPEN, (), moment, moment + rules.cooldown)
