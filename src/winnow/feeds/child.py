"""A reader in a process of its own, as an asynchronous stream of what it found."""

from __future__ import annotations

import asyncio
import contextlib
import pickle
import sys
from collections.abc import AsyncIterator, Callable

from winnow.feeds.failures import Transient
from winnow.feeds.layout import Layout
from winnow.feeds.reading import Assignment, Chunk, End
from winnow.feeds.reading_child import LENGTH

Prepare = Callable[[], AsyncIterator[Assignment | frozenset[bytes]]]  # what the child takes, in its order
AHEAD = 4  # chunks read while one is loaded: 4 × 5 000 rows are about 8 MB


async def read(prepare: Prepare) -> AsyncIterator[Layout | Chunk | End]:
    """What is to be read is found out while the process starts, the rest while it reads what is remembered. Ends the
    child, whatever ends this."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "winnow.feeds.reading_child",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=1 << 20,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    waiting: asyncio.Queue[object] = asyncio.Queue(AHEAD)
    pump = asyncio.create_task(_pump(process.stdout, waiting))
    try:
        async for told in prepare():
            process.stdin.write(pickle.dumps(told))
        process.stdin.close()
        while (frame := await waiting.get()) is not None:
            if isinstance(frame, Exception):
                raise frame
            assert isinstance(frame, Layout | Chunk | End)
            yield frame
        await pump
    finally:
        pump.cancel()
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


async def _pump(stream: asyncio.StreamReader, waiting: asyncio.Queue[object]) -> None:
    try:
        while True:
            size = int.from_bytes(await stream.readexactly(LENGTH), "big")
            frame = pickle.loads(await stream.readexactly(size))
            await waiting.put(frame)
            if isinstance(frame, End | Exception):
                await waiting.put(None)
                return
    except asyncio.IncompleteReadError:
        await waiting.put(Transient("the process that reads the file ended early", code="READER_LOST"))
    except Exception as unread:  # noqa: BLE001 - who waits for it has to hear of it, or waits for ever with the lock
        await waiting.put(Transient(f"a frame of the reading process is broken: {unread}", code="READER_LOST"))
