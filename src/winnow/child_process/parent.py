"""The child's side: the pipes to its parent, its limits and its end.

Nothing here imports asyncio: a child has no loop, and to load one takes a quarter of a reader's start.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sys
from collections.abc import Iterator
from typing import BinaryIO

from winnow.child_process.frames import HEADER, Bytes, write

OUT_OF_CPU = signal.SIGPROF  # what ITIMER_PROF sends
MAX_SLOWDOWN = 60  # seconds by the clock for each of processor time, before a child counts as stuck


class Parent:
    """The same pipes as the child sees them."""

    def __init__(self, source: BinaryIO, sink: int) -> None:
        self._source = source
        self._sink = sink

    def receive(self) -> bytes | None:
        """None: nothing more comes. Half a frame is never taken for a whole one: EOFError."""
        header = self._source.read(HEADER.size)
        if not header:
            return None
        return self._whole(HEADER.unpack(self._checked(header, HEADER.size))[0])

    def expect(self) -> bytes:
        """The next frame of a message that has begun."""
        frame = self.receive()
        if frame is None:
            raise EOFError
        return frame

    def send(self, frame: Bytes) -> None:
        write(self._sink, [frame])

    def _whole(self, size: int) -> bytes:
        return self._checked(self._source.read(size), size)

    def _checked(self, data: bytes, size: int) -> bytes:
        if len(data) < size:
            raise EOFError
        return data


@contextlib.contextmanager
def serving(*, memory_mb: int = 0, nice: int = 0) -> Iterator[Parent]:
    """Set up a child process: memory limit, signals, and a silent end when its parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if memory_mb:
        resource.setrlimit(resource.RLIMIT_AS, (memory_mb << 20, memory_mb << 20))
    if nice:
        os.nice(nice)
    with contextlib.suppress(BrokenPipeError, EOFError):
        yield Parent(sys.stdin.buffer, sys.stdout.fileno())


@contextlib.contextmanager
def limited_cpu(seconds: float) -> Iterator[None]:
    """End this process with OUT_OF_CPU once the block has used that much processor time, with or without a parent.

    It is not measured by the clock, because on a busy machine an innocent job takes many times as long. The clock ends
    (SIGALRM) only what waits for something that never comes.
    """
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, seconds * MAX_SLOWDOWN)
    yield
    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.setitimer(signal.ITIMER_REAL, 0)
