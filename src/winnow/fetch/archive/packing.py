"""Bodies are hashed, packed and written by a child process.

In threads of a worker they held up its event loop: for each body a thread lets go of the interpreter's lock five times
and takes it again, and every time the loop waits for it. That cost 0.3 ms a page, more than the packing itself.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import msgspec
import structlog

from winnow.child_process.child import ChildProcess
from winnow.errors import ArchiveError, ArchiveFull
from winnow.fetch.archive.folder import Body, StoredBody
from winnow.fetch.archive.packing_child import PackingAnswer

log = structlog.get_logger(__name__)

_TRIES = 2  # a killed child is replaced and gets its batch again: storing a body twice stores it once


class PackingProcess:
    """Starts at once, and again after it died. One batch at a time."""

    def __init__(self, folder: Path) -> None:
        self._turn = threading.Lock()
        self._child = ChildProcess("winnow.fetch.archive.packing_child", folder)
        self._child.start()

    def put_many(self, bodies: Sequence[Body]) -> list[StoredBody]:
        with self._turn:
            for _ in range(_TRIES):
                try:
                    return _stored(self._ask(bodies))
                except (EOFError, OSError):
                    log.warning("packing_ended", bodies=len(bodies))
                    self._child.stop()
            raise ArchiveError("the process that stores page bodies keeps ending")

    def close(self) -> None:
        with self._turn:
            self._child.stop()

    def _ask(self, bodies: Sequence[Body]) -> PackingAnswer:
        self._child.start()
        order = msgspec.msgpack.encode([name for name, _ in bodies])
        self._child.send(order, *(body for _, body in bodies))
        return msgspec.msgpack.decode(self._child.receive(), type=PackingAnswer)


def _stored(answer: PackingAnswer) -> list[StoredBody]:
    if answer.code == ArchiveFull.code:
        raise ArchiveFull(answer.message)
    if answer.code:
        raise ArchiveError(answer.message)
    return answer.stored
