"""A reader in a process of its own, as an asynchronous stream of what it found."""

from __future__ import annotations

import asyncio
import contextlib
import pickle
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

from winnow.child_process.child import ChildProcess
from winnow.feeds.failures import Transient
from winnow.feeds.read.heap import keep_memory
from winnow.feeds.read.layout import Layout
from winnow.feeds.read.reading import Assignment, Chunk, EndOfFile

Prepare = Callable[[], AsyncIterator[Assignment | frozenset[bytes]]]  # what the child takes, in its order
LOST = "it is retried; if this repeats, check what kills processes on this machine, memory first"
AHEAD = 4  # chunks read while one is loaded: 4 × 5 000 rows are about 8 MB
PIPE_BYTES = 1 << 20  # the most a user may ask for; with Linux's 64 kB the two wake each other forty times a chunk


Frame = Layout | Chunk | EndOfFile
Read = Callable[[Prepare], AsyncGenerator[Frame, None]]


async def read(prepare: Prepare) -> AsyncGenerator[Frame, None]:
    """What is to be read is found out while the process starts, the rest while it reads what is remembered. Ends the
    child, whatever ends this."""
    keep_memory()
    waiting: asyncio.Queue[object] = asyncio.Queue(AHEAD)
    child = ChildProcess("winnow.feeds.read.reading_child", pipe_bytes=PIPE_BYTES)
    child.start()
    messages: asyncio.Queue[bytes | None] = asyncio.Queue()
    tasks = [asyncio.create_task(_pump(child.receive, waiting)), asyncio.create_task(_send_messages(child, messages))]
    try:
        async for message in prepare():
            messages.put_nowait(pickle.dumps(message))
        messages.put_nowait(None)
        while (frame := await waiting.get()) is not None:
            if isinstance(frame, Exception):
                raise frame
            assert isinstance(frame, Layout | Chunk | EndOfFile)
            yield frame
    finally:
        child.kill()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await child.stop_soon()


async def _send_messages(child: ChildProcess, messages: asyncio.Queue[bytes | None]) -> None:
    """Beside the reading: a child that does not need a message leaves it in the pipe, and one that has ended is noticed
    where its frames are read."""
    try:
        while (message := await messages.get()) is not None:
            await child.send_soon(message)
    except BrokenPipeError:
        return
    finally:
        child.close_input()


class Started(NamedTuple):
    """A reader process that waits for its assignment."""

    prepare: asyncio.Future[Prepare]
    first: asyncio.Task[Frame]
    rest: AsyncIterator[Frame]

    async def stream(self, prepare: Prepare) -> AsyncIterator[Frame]:
        self.prepare.set_result(prepare)
        yield await self.first
        async for frame in self.rest:
            yield frame


@contextlib.asynccontextmanager
async def started(read: Read) -> AsyncIterator[Started]:
    """Ended with the block, whether it was used or not."""
    prepare: asyncio.Future[Prepare] = asyncio.get_running_loop().create_future()
    frames = read(partial(_prepared_messages, prepare))
    first = asyncio.create_task(_first(frames))
    try:
        yield Started(prepare, first, frames)
    finally:
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        await frames.aclose()


async def _prepared_messages(prepare: asyncio.Future[Prepare]) -> AsyncIterator[Assignment | frozenset[bytes]]:
    async for message in (await prepare)():
        yield message


async def _first(frames: AsyncIterator[Frame]) -> Frame:
    return await anext(frames)


async def _pump(receive: Callable[[], bytearray], waiting: asyncio.Queue[object]) -> None:
    """In a thread of its own, which waits for the child; it ends with it. Not on the loop: a frame is megabytes."""
    with ThreadPoolExecutor(1, "feed-frames") as thread:
        try:
            while True:
                frame = await asyncio.get_running_loop().run_in_executor(thread, lambda: pickle.loads(receive()))
                await waiting.put(frame)
                if isinstance(frame, EndOfFile | Exception):
                    await waiting.put(None)
                    return
        except EOFError:
            await waiting.put(Transient("the process that reads the file ended early", code="READER_LOST", hint=LOST))
        except Exception as unread:  # noqa: BLE001 - who waits for it has to hear of it, or waits for ever with the lock
            await waiting.put(
                Transient(f"a frame of the reading process is broken: {unread}", code="READER_LOST", hint=LOST)
            )
