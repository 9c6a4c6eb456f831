"""The local end of a download: bytes arrive, are hashed, counted and limited, and become a file only when whole.

What an attempt leaves unfinished stays in `<name>.part` beside a note of which remote file it is. The next attempt
goes on from there if that file has not changed since (same size and time, both known); otherwise it starts anew.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from types import TracebackType
from typing import BinaryIO
from urllib.parse import unquote, urlsplit

import msgspec

from winnow.feeds.failures import FileSizeLimitExceeded, Transient
from winnow.feeds.transport.remote import Downloaded, FileStat, Progress
from winnow.feeds.transport.unpack import compression_of

_STEP = 1 << 20
KEPT = "kept"
_NAMED = re.compile(r"feed-\d+-run-\d+")


class Spool:
    """Used as `with Spool(…) as spool`: write from `spool.offset` on, then `finish()`."""

    def __init__(self, to: Path, stat: FileStat, limit: int, progress: Progress | None = None) -> None:
        self.to, self.stat, self.limit = to, stat, limit
        self.part, self.note = to.with_name(to.name + ".part"), to.with_name(to.name + ".part.json")
        self.progress = progress or (lambda done, total: None)
        self.hash = hashlib.sha256()
        self.head = b""
        self.size = self.offset = 0

    def __enter__(self) -> Spool:
        if self.stat.size is not None and self.stat.size > self.limit:
            raise FileSizeLimitExceeded(self.stat.size, self.limit)
        self.to.parent.mkdir(parents=True, exist_ok=True)
        resumable = self._resumable()
        flags = os.O_RDWR | os.O_CREAT | (0 if resumable else os.O_TRUNC)
        self.file: BinaryIO = os.fdopen(os.open(self.part, flags, 0o600), "r+b")
        self._read_back()
        self.note.write_bytes(self._name())
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self.file.close()
        if kind is not None and issubclass(kind, FileSizeLimitExceeded):
            self.discard()

    def _name(self) -> bytes:
        return msgspec.json.encode({"size": self.stat.size, "mtime": self.stat.mtime})

    def _resumable(self) -> bool:
        known = self.stat.size is not None and self.stat.mtime is not None
        try:
            return known and self.note.read_bytes() == self._name() and self.part.is_file()
        except OSError:
            return False

    def _read_back(self) -> None:
        while chunk := self.file.read(_STEP):
            self._count(chunk)
        self.offset = self.size

    def _count(self, chunk: bytes) -> None:
        self.size += len(chunk)
        self.hash.update(chunk)
        if len(self.head) < 8:
            self.head += chunk[:8]

    def write(self, chunk: bytes) -> None:
        """F-072: the limit holds while bytes arrive, whatever the server said the size would be."""
        if self.size + len(chunk) > self.limit:
            raise FileSizeLimitExceeded(self.size + len(chunk), self.limit)
        self._count(chunk)
        self.file.write(chunk)
        self.progress(self.size, self.stat.size)

    def restart(self) -> None:
        """The server sends it from the beginning after all."""
        self.file.seek(0)
        self.file.truncate()
        self.hash, self.head, self.size, self.offset = hashlib.sha256(), b"", 0, 0

    def finish(self, after: FileStat | None = None) -> Downloaded:
        """`after`: what the server says once all was sent; a file that changed under the reading is not used."""
        stat = after or self.stat
        if stat.size is not None and self.size != stat.size:
            if self.size > stat.size or stat.size != self.stat.size:
                self.discard()
            raise Transient(f"{self.size} of {stat.size} bytes arrived", code="INCOMPLETE_TRANSFER")
        if after is not None and (after.mtime, after.size) != (self.stat.mtime, self.stat.size):
            self.discard()
            raise Transient("the file changed while it was being read", code="CHANGED_WHILE_READ")
        self.file.flush()
        os.fsync(self.file.fileno())
        self.part.replace(self.to)
        self.note.unlink(missing_ok=True)
        compression = compression_of(self.head)
        return Downloaded(self.to, self.size, self.hash.hexdigest(), compression, self.stat, self.offset)

    def discard(self) -> None:
        self.part.unlink(missing_ok=True)
        self.note.unlink(missing_ok=True)


def forget(to: Path) -> None:
    """What attempts left behind, once there is no next one."""
    for name in (to.name, to.name + ".part", to.name + ".part.json"):
        to.with_name(name).unlink(missing_ok=True)


def sweep(to: Path, prefix: str) -> None:
    """Leftovers of runs whose worker died: the feed's lock says that nobody uses them. `to` is the run's own."""
    for path in to.parent.glob(prefix + "*"):
        if path.name.split(".")[0] != to.name:
            path.unlink(missing_ok=True)


def keep(path: Path) -> str:
    """A second name for the file, which stays when the first goes; its address."""
    kept = path.parent / KEPT / path.name
    kept.parent.mkdir(mode=0o700, exist_ok=True)
    kept.unlink(missing_ok=True)
    os.link(path, kept)
    return kept.absolute().as_uri()


def drop(url: str) -> None:
    """A kept file whose run is gone. What is not one of ours is left alone."""
    path = Path(unquote(urlsplit(url).path))
    if path.parent.name == KEPT and _NAMED.fullmatch(path.name):
        path.unlink(missing_ok=True)
