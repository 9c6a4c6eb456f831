"""Submits that arrive together are queued together: one statement and one commit for all of them.

Each task joins its lane, and a lane is one row: callers with one domain in mind would wait for each other's commit, one
after the other. So while one batch is being written the next one gathers, and no batch waits to fill up.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import psycopg

from winnow.db import bell
from winnow.db.bell import Ring
from winnow.db.engine import Database
from winnow.errors import QueueFull
from winnow.observe import metrics
from winnow.schedule.queue import backpressure, queue
from winnow.schedule.queue.task import NewTask, Producer, waited_for
from winnow.schedule.settings import ScheduleSettings

MAX_BATCH = 200  # tasks in one statement

Waiting = tuple[NewTask, "asyncio.Future[None]"]


class Submits:
    def __init__(self, database: Database, settings: ScheduleSettings) -> None:
        self._database = database
        self._settings = settings
        self._waiting: list[Waiting] = []
        self._writing: asyncio.Task[None] | None = None

    async def enqueue(self, task: NewTask) -> None:
        """Returns when the task is durably queued; QueueFull when there is no room for it."""
        queued: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((task, queued))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write_all())
        await queued

    async def _write_all(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting[:MAX_BATCH], self._waiting[MAX_BATCH:]
            wanted = [one for one in batch if not one[1].done()]  # a caller that disconnected is not waited for
            await self._write(wanted)

    async def _write(self, batch: Sequence[Waiting]) -> None:
        """A value the database does not take is its own task's fault: the others are written without it."""
        try:
            room = await self._add([task for task, _ in batch])
        except (psycopg.DataError, psycopg.IntegrityError) as refused:
            if len(batch) > 1:
                for one in batch:
                    await self._write([one])
                return
            _notify(batch, refused)
        except Exception as away:  # noqa: BLE001 - every waiting caller gets the error
            _notify(batch, away)
        else:
            _notify(batch[:room], None)
            if batch[room:]:
                _notify(batch[room:], no_room(room, len(batch), len(batch) - room))

    async def _add(self, tasks: list[NewTask]) -> int:
        """How many there was room for; the first to come are the first to be taken."""
        async with self._database.connection() as conn:
            admission = await backpressure.admit(conn, Producer.ENRICHMENT, None, len(tasks), self._settings)
            await queue.enqueue(conn, tasks[: admission.room])
        if any(map(waited_for, tasks[: admission.room])):
            await bell.wake_listeners(self._database, Ring.SUBMITTED)
        return admission.room


def no_room(room: int, wanted: int, n: int) -> QueueFull:
    """`n` of them are counted as tasks the queue had no room for."""
    metrics.queue_rejected(QueueFull.code, n)
    return QueueFull(f"Task queue is full: room for {room} of {wanted} tasks", backpressure.RETRY_AFTER_MS / 1000)


def _notify(batch: Sequence[Waiting], trouble: Exception | None) -> None:
    for _, queued in batch:
        if queued.done():
            continue
        if trouble is None:
            queued.set_result(None)
        else:
            queued.set_exception(trouble)
