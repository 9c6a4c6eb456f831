"""The politeness ledger: who may be fetched when, decided in one place for all processes.

`Ledger` is the seam: PostgreSQL by default, Redis for large fleets. Both pass the same conformance
suite (tests/schedule/ledger/test_ledger_conformance.py). With PostgreSQL the claim itself grants, in the
same statement that hands out the task; this interface is for what stands beside a claim. Another
ledger has the last word on what the claim proposed (`confirm`).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Protocol

import msgspec
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from winnow.db.engine import Database
from winnow.schedule.ledger.grant import Grant
from winnow.schedule.ledger.policy import Limits
from winnow.schedule.queue.task import Claimed

# lane_window() adds that and GRANT_SECONDS: the way to the server may be shorter for the next request.
WAY_SECONDS = 0.05
SLOW_SECONDS = 300.0  # a 429 halves the rate for 5 minutes (S-059)
MAX_HOLD_SECONDS = 24 * 3600.0  # no Retry-After stops a domain for longer than a day


class LaneState(msgspec.Struct, frozen=True, kw_only=True):
    """A lane as the console shows it: its limits, where each comes from, and its next slot."""

    lane: str
    queued: int
    in_flight: int
    tokens: int
    interval_seconds: float
    spacing_seconds: float
    max_concurrent: int
    hours_start: int | None
    hours_end: int | None
    limits_from: dict[str, Any]
    next_slot_seconds: float
    slowed_until: datetime | None
    held_until: datetime | None
    half_open: bool
    paused: bool


class TakenGrants(msgspec.Struct, frozen=True):
    """How many were granted; when not all, how many seconds to wait before asking again; and what an exchange wrote
    them under in the logs (see Grant)."""

    granted: int
    wait: float
    granted_at: datetime | None = None
    stamp: int = 0


class Confirmed(msgspec.Struct, frozen=True):
    """Claimed tasks that may be sent, with their grants, and those that may not, with the seconds they have to wait.
    Lanes named @… make no requests and need no grant."""

    granted: list[tuple[Claimed, Grant | None]]
    refused: list[tuple[Claimed, float]] = []


class Ledger(Protocol):
    async def ready(self) -> bool:
        """Whether claiming is worth trying: False while nothing could be granted."""

    async def confirm(self, tasks: Sequence[Claimed], good_until: float) -> Confirmed:
        """Decide which tasks of a claim may really be sent. `good_until` is that of its grants."""

    async def give_back(self, grants: Sequence[Grant]) -> None:
        """Grants of claimed tasks that were not used; after the tasks have been settled."""

    async def close(self) -> None: ...

    async def take(self, lane: str, n: int = 1, *, holding: bool = False) -> TakenGrants:
        """Requests outside a claim. `holding`: the caller has as many tasks of this lane in flight, whose
        slots cover them."""

    async def exchange(self, lane: str, unused: Sequence[Grant], n: int) -> TakenGrants:
        """Up to `n` grants of this lane now, for those in hand that were not used in time. They are returned and the
        new ones taken in one step; what is returned is gone in any case. The askers hold `n` tasks of the lane."""

    async def set_limits(self, lane: str, limits: Limits) -> None: ...

    async def slow_down(self, lane: str, seconds: float = SLOW_SECONDS) -> None:
        """Half the rate for a while (429)."""

    async def hold(self, lane: str, seconds: float) -> None:
        """Send nothing at all for a while (Retry-After)."""

    async def pause(self, lane: str, paused: bool) -> None: ...

    async def state(self, lane: str) -> LaneState | None: ...


_STATE = """
SELECT lane, queued, in_flight, tokens, interval_seconds, spacing_seconds, max_concurrent, hours_start, hours_end,
       limits_from, slowed_until, held_until, half_open, paused,
       greatest(0, extract(epoch FROM CASE WHEN slot_at = '-infinity' THEN now() ELSE slot_at END - now()))::float8
           AS next_slot_seconds
FROM lanes WHERE lane = %s
"""

_EXCHANGE = "SELECT granted, wait, granted_at FROM lane_exchange(%s, %s::timestamptz[], %s)"

_SET_LIMITS = """
INSERT INTO lanes (lane, tokens, interval_seconds, spacing_seconds, max_concurrent, hours_start, hours_end, limits_from)
VALUES (%(lane)s, %(tokens)s, %(interval)s, %(spacing)s, %(concurrent)s, %(start)s, %(end)s, %(origin)s)
ON CONFLICT (lane) DO UPDATE SET
    tokens = excluded.tokens, interval_seconds = excluded.interval_seconds,
    spacing_seconds = excluded.spacing_seconds, max_concurrent = excluded.max_concurrent,
    hours_start = excluded.hours_start, hours_end = excluded.hours_end, limits_from = excluded.limits_from
"""


def grant_of(task: Claimed, good_until: float, stamp: int = 0) -> Grant | None:
    """The one a claim gave."""
    return None if task.lane.startswith("@") else Grant(task.lane, task.granted_at, stamp, good_until)


class PostgresLedger:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def ready(self) -> bool:
        return True  # a database that is away is noticed by the claim

    async def confirm(self, tasks: Sequence[Claimed], good_until: float) -> Confirmed:
        """The claim has granted them already."""
        return Confirmed([(task, grant_of(task, good_until)) for task in tasks])

    async def give_back(self, grants: Sequence[Grant]) -> None:
        """Done by queue.free, in the transaction that settled them."""

    async def close(self) -> None: ...

    async def take(self, lane: str, n: int = 1, *, holding: bool = False) -> TakenGrants:
        async with self._database.connection() as conn, conn.cursor(row_factory=class_row(TakenGrants)) as cursor:
            await cursor.execute("SELECT granted, wait FROM lane_take(%s, %s, %s)", (lane, n, holding))
            return await cursor.fetchone() or TakenGrants(0, 60.0)

    async def exchange(self, lane: str, unused: Sequence[Grant], n: int) -> TakenGrants:
        moments = [grant.granted_at for grant in unused if grant.granted_at is not None]
        async with self._database.connection() as conn, conn.cursor(row_factory=class_row(TakenGrants)) as cursor:
            await cursor.execute(_EXCHANGE, (lane, moments, n))
            return await cursor.fetchone() or TakenGrants(0, 60.0)

    async def set_limits(self, lane: str, limits: Limits) -> None:
        start, end = limits.allowed_hours or (None, None)
        given = {
            "lane": lane,
            "tokens": limits.tokens,
            "interval": limits.interval_seconds,
            "spacing": limits.spacing_seconds,
            "concurrent": limits.max_concurrent,
            "start": start,
            "end": end,
            "origin": Jsonb(limits.origin),
        }
        async with self._database.connection() as conn:
            await conn.execute(_SET_LIMITS, given)

    async def slow_down(self, lane: str, seconds: float = SLOW_SECONDS) -> None:
        await self._later(lane, "slowed_until", seconds)

    async def hold(self, lane: str, seconds: float) -> None:
        await self._later(lane, "held_until", min(seconds, MAX_HOLD_SECONDS))

    async def pause(self, lane: str, paused: bool) -> None:
        async with self._database.connection() as conn:
            await conn.execute(
                "INSERT INTO lanes (lane, paused) VALUES (%(lane)s, %(paused)s) "
                "ON CONFLICT (lane) DO UPDATE SET paused = excluded.paused",
                {"lane": lane, "paused": paused},
            )

    async def state(self, lane: str) -> LaneState | None:
        async with self._database.connection() as conn, conn.cursor(row_factory=class_row(LaneState)) as cursor:
            await cursor.execute(_STATE, (lane,))
            return await cursor.fetchone()

    async def _later(self, lane: str, column: str, seconds: float) -> None:
        """Move one of the two deadlines into the future, never back."""
        async with self._database.connection() as conn:
            await conn.execute(
                f"UPDATE lanes SET {column} = greatest({column}, now() + make_interval(secs => %s)) WHERE lane = %s",
                (seconds, lane),
            )
