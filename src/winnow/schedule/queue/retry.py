"""When a failed attempt is tried again. Pure."""

from __future__ import annotations

INITIAL_SECONDS, FACTOR, MOST_SECONDS = 1.0, 2.0, 30.0  # P-039


def wait_before(attempt: int, retry_after: float | None = None) -> float:
    """Seconds to wait before the attempt after number `attempt` (1-based). Retry-After can only lengthen them."""
    backoff = min(MOST_SECONDS, INITIAL_SECONDS * FACTOR ** max(0, attempt - 1))
    return max(backoff, retry_after or 0.0)
