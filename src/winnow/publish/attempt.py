"""What follows from one attempt to deliver a message. Pure."""

from __future__ import annotations

from enum import StrEnum
from http import HTTPStatus

import msgspec

WEBHOOK_WAITS = (2.0, 4.0, 8.0)  # S-074: three retries
# E-084: Outages of Slack are retried for about a day, with waits that double from 2 s to 15 minutes.
SLACK_FIRST, SLACK_LONGEST, SLACK_ATTEMPTS = 2.0, 900.0, 100


class Channel(StrEnum):
    WEBHOOK = "webhook"
    SLACK = "slack"


class ReceiverResponse(msgspec.Struct, frozen=True, kw_only=True):
    """The receiver's response. `refused`: the egress guard forbids the address."""

    status_code: int | None = None
    error: str | None = None
    duration_ms: int = 0
    retry_after_s: float | None = None
    refused: bool = False

    @property
    def ok(self) -> bool:
        return self.status_code is not None and 200 <= self.status_code < 300

    @property
    def gone(self) -> bool:
        return self.status_code == HTTPStatus.GONE


class Conclusion(msgspec.Struct, frozen=True):
    """`delivered`, `dead`, or `pending` again after so many seconds."""

    status: str
    wait_s: float = 0.0


def max_attempts(channel: str) -> int:
    return SLACK_ATTEMPTS if channel == Channel.SLACK else len(WEBHOOK_WAITS) + 1


def conclude(channel: str, attempts: int, answer: ReceiverResponse) -> Conclusion:
    """`attempts` includes this one. 410 and a forbidden address are final (R-24, R-10)."""
    if answer.ok:
        return Conclusion("delivered")
    if answer.gone or answer.refused or attempts >= max_attempts(channel):
        return Conclusion("dead")
    return Conclusion("pending", _wait(channel, attempts, answer.retry_after_s))


def _wait(channel: str, attempts: int, asked: float | None) -> float:
    if channel != Channel.SLACK:
        return WEBHOOK_WAITS[attempts - 1]
    own = min(SLACK_LONGEST, SLACK_FIRST * 2.0 ** min(attempts - 1, 20))
    return max(own, min(asked or 0.0, SLACK_LONGEST))
