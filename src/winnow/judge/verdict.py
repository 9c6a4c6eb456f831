"""accept / hold / reject, with the reason. Nothing is written as truth without one."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import msgspec


class Decision(StrEnum):
    ACCEPT = "accept"
    HOLD = "hold"
    REJECT = "reject"


class Hold(StrEnum):
    """Why a record waits for a person in quarantine (P-014)."""

    VALIDATION_FAILED = "VALIDATION_FAILED"
    DRIFT_DETECTED = "DRIFT_DETECTED"
    SELECTOR_FAILURE = "SELECTOR_FAILURE"
    NORMALIZATION_FAILED = "NORMALIZATION_FAILED"
    ZERO_PRICE_EXTRACTED = "ZERO_PRICE_EXTRACTED"
    AMBIGUOUS_PRICE = "AMBIGUOUS_PRICE"
    IMPLAUSIBLE_PRICE = "IMPLAUSIBLE_PRICE"


class Reject(StrEnum):
    """Why a record is dropped (P-013)."""

    MISSING_REQUIRED_FIELD = "MISSING_REQUIRED_FIELD"
    INVALID_PRICE = "INVALID_PRICE"
    INVALID_URL = "INVALID_URL"
    DUPLICATE_WITHIN_RUN = "DUPLICATE_WITHIN_RUN"
    BLOCKED_BY_ROBOTS_TXT = "BLOCKED_BY_ROBOTS_TXT"
    OOS_NO_PRICE = "OOS_NO_PRICE"
    UNKNOWN_AVAILABILITY = "UNKNOWN_AVAILABILITY"


class RecordFault(StrEnum):
    """Why a record of any kind is rejected before its own gates are asked, or after them."""

    NO_IDENTITY = "NO_IDENTITY"  # an entry of a list that nothing identifies
    BROKEN_RECORD = "BROKEN_RECORD"  # its normaliser failed
    UNSTORABLE = "UNSTORABLE"  # the database refused it


class Finding(msgspec.Struct, frozen=True):
    """One gate that did not pass. `reason` is a member of Hold, Reject or RecordFault, or a word of a plugin's kind; it
    is declared as text because a verdict crosses process borders as msgpack, which knows no union of enums."""

    gate: str
    reason: str
    details: str = ""


class Verdict(msgspec.Struct, frozen=True):
    """The decision and every finding that led to it; the first finding is the one that decided."""

    decision: Decision
    findings: list[Finding] = []

    @property
    def reason(self) -> str | None:
        return self.findings[0].reason if self.findings else None


_BEST_FIRST = (Decision.ACCEPT, Decision.HOLD, Decision.REJECT)


def best_of(verdicts: Sequence[Verdict]) -> Verdict | None:
    """The verdict a page ends with: accepted before held before rejected, and of equals the first."""
    return min(verdicts, key=lambda verdict: _BEST_FIRST.index(verdict.decision), default=None)
