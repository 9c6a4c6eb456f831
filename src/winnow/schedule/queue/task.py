"""A task as the queue takes it in, hands it out and closes it."""

from __future__ import annotations

import os
import random
import time
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

import msgspec

from winnow.schedule.ledger.grant import Grant

RESUME_LANE = "@resume"  # tasks whose page is archived: no request left to make, so no domain slot
FEED_LANE = "@feeds"
CALLBACK_KEY = "callback_url"  # in the payload of a task whose end is posted to this URL
PROVIDER_KEY = "credential_provider"  # in the payload of a task that is fetched with a credential of its workspace
FOLLOW_UP_KEY = "follow_up"  # of a payload: what led to the task (run/feeder.py)
TIMEOUT_KEY = "timeout_seconds"  # in the payload of a synchronous task


class Status(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    STALE = "stale"


class Stage(StrEnum):
    FETCH = "fetch"
    EXTRACT = "extract"
    NORMALISE = "normalise"
    PERSIST = "persist"
    DONE = "done"


class Producer(StrEnum):
    PRICES = "prices"
    CATALOGUE = "catalogue"
    ENRICHMENT = "enrichment"
    EVENTS = "events"
    FEEDS = "feeds"


class Trigger(StrEnum):
    SCHEDULED = "SCHEDULED"
    MANUAL = "MANUAL"
    RETRY = "RETRY"
    RECHECK = "RECHECK"


class NewTask(msgspec.Struct, frozen=True, kw_only=True):
    """`wait_seconds` None: ready at once. `rank`: lower runs first (see schedule/queue/rank.py)."""

    id: UUID
    producer: Producer
    lane: str
    url: str
    origin: str = ""
    kind: str = "offer"
    rank: int = 100
    trigger: Trigger = Trigger.SCHEDULED
    source_id: int | None = None
    target_id: int | None = None
    run_id: int | None = None
    job_id: UUID | None = None
    adapter_id: str | None = None
    wait_seconds: float | None = None
    max_attempts: int = 3
    payload: dict[str, Any] | None = None

    @property
    def follow_up(self) -> dict[str, Any]:
        return follow_up_of(self.payload)


class Claimed(msgspec.Struct, frozen=True, kw_only=True):
    """A task in a worker's hands. `fence` proves it is still there; `queued_at` and `granted_at` are the moments of
    its queueing and of its claim by the database clock."""

    id: UUID
    fence: int
    producer: str
    kind: str
    lane: str
    origin: str
    url: str
    stage: str
    trigger: str
    source_id: int | None
    target_id: int | None
    run_id: int | None
    job_id: UUID | None
    adapter_id: str | None
    attempts: int
    max_attempts: int
    page_id: UUID | None
    payload: dict[str, Any] | None
    granted_at: datetime
    queued_at: datetime | None = None
    route: dict[str, Any] | None = None
    last_outcome: str | None = None

    @property
    def follow_up(self) -> dict[str, Any]:
        return follow_up_of(self.payload)

    @property
    def role(self) -> str | None:
        return self.follow_up.get("role")

    @property
    def depth(self) -> int:
        """Links away from the pages its run began with."""
        return int(self.follow_up.get("depth", 0))


class Handover(msgspec.Struct, frozen=True, kw_only=True):
    """What a message to another process says of a task claimed for it. The grant stays behind; `granted_at` and
    `stamp` name it in the logs, so that it can be exchanged where the task is executed."""

    id: UUID
    fence: int
    granted_at: datetime | None = None
    stamp: int = 0


class Settlement(msgspec.Struct, frozen=True, kw_only=True):
    """How a task ends, or goes back. status `queued` hands it back after `wait_seconds`; `refund`
    gives the attempt back when it was not the task's fault; `unused` is a grant to return; `route` is another way
    for it to go on, with all its attempts."""

    task: Claimed
    status: Status
    stage: Stage = Stage.DONE
    outcome: str | None = None
    reason: str | None = None
    error: str | None = None
    page_id: UUID | None = None
    refund: bool = False
    wait_seconds: float = 0.0
    unused: Grant | None = None
    route: dict[str, Any] | None = None
    accepted: int = 0
    held: int = 0
    rejected: int = 0


def follow_up_of(payload: dict[str, Any] | None) -> dict[str, Any]:
    """Role, depth and seed of a task that another page of its run led to; empty for all others."""
    found = (payload or {}).get(FOLLOW_UP_KEY)
    return found if isinstance(found, dict) else {}


def waited_for(task: NewTask | Claimed) -> bool:
    """Whether a caller holds a connection open until it ends (S-012)."""
    return task.payload is not None and TIMEOUT_KEY in task.payload


class _Ids:
    """UUIDv7 (RFC 9562 §5.7): time-ordered, so that index pages fill from the right. Those of one process also keep
    their order within a millisecond (§6.2, method 2), so that the targets of a job are read, and their results listed,
    in the order they were given. A name, not a secret: the operating system is asked for the seed of the process only.
    """

    def __init__(self) -> None:
        self._chance = random.Random()
        self._stamp = self._tail = 0
        os.register_at_fork(after_in_child=self._chance.seed)

    def next(self) -> UUID:
        stamp = time.time_ns() // 1_000_000
        if stamp > self._stamp:
            self._stamp, self._tail = stamp, self._chance.getrandbits(73)  # of 74 bits: room to go on from
        else:
            self._tail += 1 + self._chance.getrandbits(32)
        high, low = self._tail >> 62 & 0xFFF, self._tail & (1 << 62) - 1
        return UUID(int=(self._stamp & 0xFFFFFFFFFFFF) << 80 | 0x7 << 76 | high << 64 | 0x2 << 62 | low)


new_id = _Ids().next
