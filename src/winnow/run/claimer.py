"""Claiming: from the queue to visits that may begin.

`claim` is for the process that executes what it claims: what is due, ripe and granted, with all a visit needs to
know. `take_over` is for a process that executes what another one claimed: a message brings the handovers, the fence
is bumped, so that of two deliveries one gets the task, and the claim's grant, which means nothing here, is exchanged
when the request is ready to be sent. A visit of either is run by `Pipeline.run`.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Protocol

import psycopg
import structlog

from winnow.clock import Monotonic
from winnow.db.engine import Connection, Database
from winnow.errors import DatabaseUnavailable
from winnow.run import closing, feeder
from winnow.run.brief import briefs
from winnow.run.visit import Visit
from winnow.schedule import circuits
from winnow.schedule.ledger.grant import GRANT_SECONDS, Grant
from winnow.schedule.ledger.ledger import Confirmed, Ledger
from winnow.schedule.queue import queue
from winnow.schedule.queue.release import release
from winnow.schedule.queue.task import Claimed, Handover

log = structlog.get_logger(__name__)

RIPEN_SECONDS = 0.25  # how late a retry, or a page that another one led to, may start


class Claimer(Protocol):
    async def claim(self, room: int) -> list[Visit]:
        """Up to `room` visits that may begin now."""

    async def take_over(self, handed: Sequence[Handover]) -> list[Visit]:
        """Those of the tasks handed over that are still there for the taking."""

    def returned(self, grant: Grant) -> None:
        """Note that the grant of a settled task was not used."""


class DirectClaimer:
    """Claims from the database and asks the ledger itself. `name` is who holds the leases."""

    def __init__(
        self,
        database: Database,
        ledger: Ledger,
        name: str,
        lease_seconds: float,
        monotonic: Monotonic = time.monotonic,
        *,
        max_attempts: int = 3,
    ) -> None:
        self._database = database
        self._ledger = ledger
        self._name = name
        self._lease_seconds = lease_seconds
        self._monotonic = monotonic
        self._max_attempts = max_attempts
        self._unused: list[Grant] = []
        self._ripen_at = 0.0

    def returned(self, grant: Grant) -> None:
        self._unused.append(grant)

    async def claim(self, room: int) -> list[Visit]:
        """A database or ledger that is away is waited for."""
        if not await self._ledger.ready():
            return []
        unused, self._unused = self._unused, []
        await self._ledger.give_back(unused)
        try:
            return await self._claimed(room)
        except (DatabaseUnavailable, psycopg.errors.DeadlockDetected) as away:
            log.warning("claim_waits", reason=str(away))
            return []

    async def take_over(self, handed: Sequence[Handover]) -> list[Visit]:
        reserved = {one.id: one for one in handed}
        async with self._database.connection() as conn:
            tasks = await queue.take_over(conn, handed, self._name, self._lease_seconds)
            known = await briefs(conn, tasks) if tasks else {}
        return [Visit(task, known[task.id], _reservation(task, reserved[task.id])) for task in tasks]

    async def _claimed(self, room: int) -> list[Visit]:
        async with self._database.connection() as conn:
            await self._ripen(conn)
            good_until = self._monotonic() + GRANT_SECONDS
            tasks = await queue.claim(conn, self._name, room, self._lease_seconds)
            known = await briefs(conn, tasks) if tasks else {}
        confirmed = await self._ledger.confirm(tasks, good_until)
        await self._release(confirmed)
        return [Visit(task, known[task.id], grant) for task, grant in confirmed.granted]

    async def _release(self, confirmed: Confirmed) -> None:
        if confirmed.refused:
            async with self._database.transaction() as conn:
                await release(conn, confirmed.refused)

    async def _ripen(self, conn: Connection) -> None:
        if self._monotonic() < self._ripen_at:
            return
        self._ripen_at = self._monotonic() + RIPEN_SECONDS
        await queue.ripen(conn)
        async with conn.transaction():
            await closing.fail_refused(conn, await circuits.refuse_waiting(conn))
        await feeder.feed(conn, self._max_attempts)


def _reservation(task: Claimed, handed: Handover) -> Grant | None:
    """The claim's grant as its log knows it: never good here, only to be exchanged or given back."""
    return None if task.lane.startswith("@") else Grant(task.lane, handed.granted_at, handed.stamp)
