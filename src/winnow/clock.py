"""Where time comes from.

Leases, due times and cooldowns are decided by the database clock alone (R-04). What is left for
this clock are observation times and durations; it is passed in, never called in the middle of a
decision, so that a test can hold it still.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]
Monotonic = Callable[[], float]  # time.monotonic: how long something took in this process


def now() -> datetime:
    return datetime.now(UTC)
