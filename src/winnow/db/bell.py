"""A bell between processes (LISTEN, NOTIFY): whoever waits for something in the database is told to look now.

It says nothing else, and a ring may be lost: the connection broke, or a pooler stands in between. So whoever listens
also looks from time to time, and the tables stay the truth.
"""

from __future__ import annotations

import asyncio
import contextlib
from enum import StrEnum
from typing import TYPE_CHECKING

import psycopg

from winnow.db.connect import LONGEST_PAUSE
from winnow.errors import DatabaseUnavailable

if TYPE_CHECKING:
    from winnow.db.engine import Connection, Database


class Ring(StrEnum):
    """What there is to look for."""

    SUBMITTED = "winnow_submitted"  # a task somebody waits for is queued
    ENDED = "winnow_ended"  # one has ended


class Bell:
    """`rung` is set by each ring; whoever waits for it clears it before looking."""

    def __init__(self, database: Database, ring: Ring, rung: asyncio.Event) -> None:
        self._database = database
        self._ring = ring
        self._rung = rung
        self._listening = asyncio.create_task(self._listen())

    async def close(self) -> None:
        self._listening.cancel()
        await asyncio.gather(self._listening, return_exceptions=True)

    async def _listen(self) -> None:
        while True:
            try:
                async with self._database.dedicated() as conn:
                    await self._hear(conn)
            except (DatabaseUnavailable, psycopg.Error):
                await asyncio.sleep(LONGEST_PAUSE)

    async def _hear(self, conn: Connection) -> None:
        await conn.execute(f"LISTEN {self._ring}")
        self._rung.set()  # what rang before is looked for once
        async for _ in conn.notifies():
            self._rung.set()


async def wake_listeners(database: Database, which: Ring) -> None:
    """After the commit it tells about: inside it, all who ring would wait for each other's disk. A ring that fails (the
    server's list of them is full) is as good as lost."""
    with contextlib.suppress(DatabaseUnavailable, psycopg.Error):
        async with database.connection() as conn:
            await conn.execute(f"NOTIFY {which}")
