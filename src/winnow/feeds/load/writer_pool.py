"""A pool of one or two connections that write the chunks of a load.

    async with WriterPool(writer, second) as pool:
        await pool.submit(work)     gives `work(writer)` to the first writer that is free, and does not wait for its end
        await pool.wait_all()       waits until all chunks are written

A chunk is one transaction on one connection either way. When one of them fails the others are finished first: what
they commit stays, and is counted (F-074).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from types import TracebackType

import structlog

from winnow.errors import DatabaseUnavailable
from winnow.feeds.feed import Connection
from winnow.feeds.load.writing import ChunkWriter

log = structlog.get_logger(__name__)

Second = Callable[[], AbstractAsyncContextManager[Connection | None]]  # with a lock of the feed, or None


class WriterPool:
    def __init__(self, first: ChunkWriter, second: Second | None = None) -> None:
        self.first = first
        self._second = second
        self._free = [first]
        self._busy: dict[asyncio.Task[None], ChunkWriter] = {}
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> WriterPool:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None and not isinstance(error, Exception):  # cancelled: so is what is under way
            for task in self._busy:
                task.cancel()
        await asyncio.gather(*self._busy, return_exceptions=True)
        await self._stack.__aexit__(kind, error, trace)

    async def submit(self, work: Callable[[ChunkWriter], Awaitable[None]]) -> None:
        writer = await self._next()
        self._busy[asyncio.create_task(_run_work(work, writer))] = writer

    async def wait_all(self) -> None:
        while self._busy:
            await self._wait_one()

    async def _next(self) -> ChunkWriter:
        if not self._free and self._second is not None:
            await self._add_second(self._second)
        while not self._free:
            await self._wait_one()
        return self._free.pop()

    async def _add_second(self, second: Second) -> None:
        """Where there is no second connection to be had, the first one does all the work."""
        self._second = None
        try:
            conn = await self._stack.enter_async_context(second())
        except DatabaseUnavailable as error:
            log.warning("feed_writes_alone", stage="upsert", error=str(error))
            return
        if conn is not None:
            self._free.append(await self.first.open_second(conn))

    async def _wait_one(self) -> None:
        """Waits until one is free. Raises what went wrong for it."""
        done, _ = await asyncio.wait(self._busy, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            self._free.append(self._busy.pop(task))
            task.result()


async def _run_work(work: Callable[[ChunkWriter], Awaitable[None]], writer: ChunkWriter) -> None:
    await work(writer)
