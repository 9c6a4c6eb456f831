"""Bodies are hashed, packed and written by a child process.

In threads of a worker they held up its event loop: for each body a thread lets go of the interpreter's lock five times
and takes it again, and every time the loop waits for it. That cost 0.3 ms a page, more than the packing itself.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import msgspec
import structlog

from winnow.errors import ArchiveError, ArchiveFull
from winnow.fetch.archive.folder import Given, Stored
from winnow.fetch.archive.packing_child import HEADER, Answer

log = structlog.get_logger(__name__)

_AT_ONCE = 512  # buffers of one writev; the system's limit is 1024
_TRIES = 2  # a child that was killed is replaced, and what it was given is given again: storing twice stores once


class PackingProcess:
    """Starts at once, and again after it died. One batch at a time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._turn = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = self._start()

    def put_many(self, given: Sequence[Given]) -> list[Stored]:
        with self._turn:
            for _ in range(_TRIES):
                try:
                    return _stored(self._ask(given))
                except (EOFError, OSError):
                    log.warning("packing_ended", bodies=len(given))
                    self._stop()
            raise ArchiveError("the process that stores page bodies keeps ending")

    def close(self) -> None:
        with self._turn:
            self._stop()

    def _ask(self, given: Sequence[Given]) -> Answer:
        process = self._process = self._process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        order = msgspec.msgpack.encode([(name, len(body)) for name, body in given])
        _write(process.stdin.fileno(), [HEADER.pack(len(order)), order, *(body for _, body in given)])
        answer = _read(process.stdout.fileno(), HEADER.unpack(_read(process.stdout.fileno(), HEADER.size))[0])
        return msgspec.msgpack.decode(answer, type=Answer)

    def _start(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "winnow.fetch.archive.packing_child", str(self._folder)]
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()


def _write(fd: int, buffers: list[bytes]) -> None:
    for n in range(0, len(buffers), _AT_ONCE):
        left = [memoryview(buffer) for buffer in buffers[n : n + _AT_ONCE]]
        while left:
            written = os.writev(fd, left)
            while left and written >= len(left[0]):
                written -= len(left.pop(0))
            if written:
                left[0] = left[0][written:]


def _read(fd: int, length: int) -> bytes:
    parts: list[bytes] = []
    while length:
        part = os.read(fd, length)
        if not part:
            raise EOFError
        parts.append(part)
        length -= len(part)
    return b"".join(parts)


def _stored(answer: Answer) -> list[Stored]:
    if answer.code == ArchiveFull.code:
        raise ArchiveFull(answer.message)
    if answer.code:
        raise ArchiveError(answer.message)
    return answer.stored
