"""Waiting for tasks to end, for all who wait in this process with one question at a time (S-012): when a worker rings,
and now and then in any case."""

from __future__ import annotations

import asyncio
import contextlib
from uuid import UUID

from winnow.db.bell import Ring
from winnow.db.engine import Database
from winnow.errors import DatabaseUnavailable

SOONEST, LATEST = 0.02, 0.2  # seconds between questions; they grow rarer while nothing arrives

_ENDED = """
SELECT id FROM tasks WHERE id = ANY(%(id)b::uuid[]) AND status NOT IN ('queued', 'running')
UNION ALL SELECT id FROM task_archive WHERE id = ANY(%(id)b::uuid[])
"""


class Arrivals:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: dict[asyncio.Future[None], UUID] = {}
        self._asking: asyncio.Task[None] | None = None
        self._rung = asyncio.Event()
        self._listening = False

    async def wait(self, task_id: UUID, seconds: float) -> bool:
        """Whether the task has ended by then."""
        arrived: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting[arrived] = task_id
        self._listen()
        if self._asking is None or self._asking.done():
            self._asking = asyncio.create_task(self._ask())
        try:
            async with asyncio.timeout(seconds):
                await arrived
            return True
        except TimeoutError:
            return False
        finally:
            self._waiting.pop(arrived, None)

    def anybody(self) -> bool:
        return bool(self._waiting)

    def _listen(self) -> None:
        """From the first who waits on: most processes never have one."""
        if not self._listening:
            self._listening = True
            self._database.listen(Ring.ENDED, self._rung)

    async def _ask(self) -> None:
        pause = SOONEST
        while self._waiting:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._rung.wait(), pause)
            self._rung.clear()
            ended = await self._ended()
            for arrived in [a for a, task_id in self._waiting.items() if task_id in ended and not a.done()]:
                arrived.set_result(None)
            pause = SOONEST if ended else min(pause * 1.5, LATEST)

    async def _ended(self) -> set[UUID]:
        """Retry while the database is unavailable; the caller has its own time limit."""
        try:
            async with self._database.connection() as conn:
                rows = await (await conn.execute(_ENDED, {"id": list(self._waiting.values())})).fetchall()
        except DatabaseUnavailable:
            return set()
        return {row[0] for row in rows}
