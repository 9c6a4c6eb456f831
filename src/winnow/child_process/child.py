"""The parent's side: one of our modules in a process of its own."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import re
import subprocess
import sys
from collections.abc import Callable
from typing import IO

from winnow.child_process.frames import HEADER, Bytes, after, batches, write

# What a process needs to start. The address of the database, keys and passwords stay out of children that read pages.
_ENVIRONMENT = re.compile(r"PATH|HOME|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|LD_LIBRARY_PATH|PYTHON\w+|VIRTUAL_ENV")


def environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if _ENVIRONMENT.fullmatch(name)}


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
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, env=environment()
            )
            self._widen()

    def send(self, *frames: Bytes) -> None:
        write(self._stdin(), frames)

    def receive(self) -> bytearray:
        fd = self._stdout()
        (size,) = HEADER.unpack(_filled(fd, HEADER.size))
        return _filled(fd, size)

    async def send_soon(self, *frames: Bytes) -> None:
        fd = self._stdin()
        os.set_blocking(fd, False)
        loop = asyncio.get_running_loop()
        for left in batches(frames):
            while left:
                try:
                    left = after(left, os.writev(fd, left))
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


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None
    return pipe


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
