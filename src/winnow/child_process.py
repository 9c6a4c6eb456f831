"""One of our modules in a process of its own, and the frames both sides exchange over its stdin and stdout.

    child = ChildProcess("winnow.fetch.archive.packing_child", folder)     # here
    child.start()
    child.send(order, *bodies)
    answer = child.receive()

    with serving(memory_mb=512) as parent:                                  # there
        while (frame := parent.receive()) is not None:
            parent.send(answer_to(frame))

A frame is its length in 4 bytes, big-endian, and as many bytes. What they hold is the affair of the two. A child ends
when its parent is gone, however that ended: its stdin is at the end, or its stdout is broken. Ctrl-C, which reaches
every process of a terminal, is left to the parent.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import resource
import signal
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import IO, BinaryIO

HEADER = struct.Struct(">I")
BUFFERS_AT_ONCE = 512  # of one writev; the system's limit is 1024
OUT_OF_CPU = signal.SIGPROF  # what ITIMER_PROF sends
MAX_SLOWDOWN = 60  # seconds by the clock for each of processor time, before a child counts as stuck

Bytes = bytes | bytearray | memoryview


class ChildProcess:
    """`python -m module arguments`. Started again after it ended; one question at a time.

    `send`, `receive` and `stop` wait and belong into a thread; those called `…_soon` are for an event loop. EOFError or
    OSError: it has ended.
    """

    def __init__(self, module: str, *arguments: object, pipe_bytes: int = 0) -> None:
        """`pipe_bytes` is the size of its pipes where the system allows it: writes that fit do not block."""
        self._module = module
        self._arguments = [str(argument) for argument in arguments]
        self._pipe_bytes = pipe_bytes
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int:
        return self._running().pid

    def start(self) -> None:
        if not self.alive:
            self.stop()
            command = [sys.executable, "-m", self._module, *self._arguments]
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
            self._widen()

    def send(self, *frames: Bytes) -> None:
        _write(self._stdin(), frames)

    def receive(self) -> bytearray:
        fd = self._stdout()
        (size,) = HEADER.unpack(_filled(fd, HEADER.size))
        return _filled(fd, size)

    async def send_soon(self, *frames: Bytes) -> None:
        fd = self._stdin()
        os.set_blocking(fd, False)
        loop = asyncio.get_running_loop()
        for left in _batches(frames):
            while left:
                try:
                    left = _after(left, os.writev(fd, left))
                except BlockingIOError:
                    await _until_ready(fd, loop.add_writer, loop.remove_writer)

    async def receive_soon(self) -> bytearray:
        fd = self._stdout()
        os.set_blocking(fd, False)
        (size,) = HEADER.unpack(await _filled_soon(fd, HEADER.size))
        return await _filled_soon(fd, size)

    def close_input(self) -> None:
        """Close the child's input, which ends its reading loop."""
        _pipe(self._running().stdin).close()

    def kill(self) -> None:
        """Kill the child; a reader that waits for its answer gets the end of the stream."""
        if self._process is not None:
            self._process.kill()

    def stop(self) -> None:
        """Kill the child and close its pipes; no other thread may be reading from them."""
        if (process := self._let_go()) is not None:
            process.wait()

    async def stop_soon(self) -> int | None:
        """Like `stop`; return the exit code, negative for a signal. The child can be started again at once."""
        process = self._let_go()
        return None if process is None else await asyncio.to_thread(process.wait)

    def _let_go(self) -> subprocess.Popen[bytes] | None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            for pipe in (process.stdin, process.stdout):
                _pipe(pipe).close()
        return process

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise EOFError(f"{self._module} is not running")
        return self._process

    def _stdin(self) -> int:
        return _pipe(self._running().stdin).fileno()

    def _stdout(self) -> int:
        return _pipe(self._running().stdout).fileno()

    def _widen(self) -> None:
        if self._pipe_bytes and hasattr(fcntl, "F_SETPIPE_SZ"):
            with contextlib.suppress(OSError):  # a user who has many pipes gets small ones
                for fd in (self._stdin(), self._stdout()):
                    fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, self._pipe_bytes)


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
        _write(self._sink, [frame])

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


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None
    return pipe


def _write(fd: int, frames: Sequence[Bytes]) -> None:
    for left in _batches(frames):
        while left:
            left = _after(left, os.writev(fd, left))


def _batches(frames: Sequence[Bytes]) -> Iterator[list[memoryview]]:
    buffers = [memoryview(part) for frame in frames for part in (HEADER.pack(len(frame)), frame)]
    for n in range(0, len(buffers), BUFFERS_AT_ONCE):
        yield buffers[n : n + BUFFERS_AT_ONCE]


def _after(buffers: list[memoryview], written: int) -> list[memoryview]:
    """What is left of them."""
    done = 0
    while done < len(buffers) and written >= len(buffers[done]):
        written -= len(buffers[done])
        done += 1
    left = buffers[done:]
    if written:
        left[0] = left[0][written:]
    return left


def _filled(fd: int, size: int) -> bytearray:
    data = bytearray(size)
    left = memoryview(data)
    while left:
        left = left[_read(fd, left) :]
    return data


async def _filled_soon(fd: int, size: int) -> bytearray:
    data = bytearray(size)
    left = memoryview(data)
    loop = asyncio.get_running_loop()
    while left:
        try:
            left = left[_read(fd, left) :]
        except BlockingIOError:
            await _until_ready(fd, loop.add_reader, loop.remove_reader)
    return data


def _read(fd: int, left: memoryview) -> int:
    count = os.readv(fd, [left])
    if count == 0:
        raise EOFError
    return count


async def _until_ready(fd: int, add: Callable[..., object], remove: Callable[[int], object]) -> None:
    ready = asyncio.Event()
    add(fd, ready.set)
    try:
        await ready.wait()
    finally:
        remove(fd)
