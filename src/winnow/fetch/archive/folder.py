"""Page bodies in a local folder, kept once by content: `ab/<sha256 of the body>.zst`.

obstore writes a body that comes alone under a temporary name and renames, so a reader never sees half an object and a
full disk leaves nothing behind; bodies stored together share files (packs.py). Why one `syncfs` per batch:
docs/decisions/archive-durability.md.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from time import time

import msgspec
import obstore
from obstore.exceptions import BaseError
from obstore.store import LocalStore

from winnow.errors import ArchiveError, ArchiveFull, ConfigError, NotFound
from winnow.fetch.archive import packs
from winnow.fetch.archive.durable import make_durable

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

LEVEL = 1  # measured on 64 KB pages: level 1 is 190 µs and 5.0 × smaller, level 3 is 340 µs and 5.2 ×
# A body another process stored this recently may not be on the disk yet.
_SETTLED_SECONDS = 60.0
# A body stored again gets a new age when it is older than this: clean-up spares it until its row is written.
TOUCHED_SECONDS = 600.0
HASH = re.compile(r"[0-9a-f]{64}")
_FULL = re.compile(r"os error (?:28|122|27)\b|QuotaExceeded")  # ENOSPC, EDQUOT, EFBIG
_UNFINISHED = re.compile(r".+#\d+")  # how obstore names a file it is still writing

Body = tuple[str | None, bytes]  # a body, and its hash where that is known


class StoredBody(msgspec.Struct, frozen=True):
    hash: str
    stored_bytes: int
    raw_bytes: int


class Folder:
    """put_many returns once the bodies are durable."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # pages may hold what only their reader may see
            self.store = LocalStore(folder)
        except (BaseError, OSError, ValueError) as wrong:
            raise open_error(wrong) from None

    def put_many(self, bodies: Sequence[Body]) -> list[StoredBody]:
        """All of them, with one wait for the disk. After an error some may be stored, which harms nothing."""
        stored: list[StoredBody] = []
        young: list[Path] = []
        for n in range(0, len(bodies), packs.MAX_BODIES):
            stored += self._put_part(bodies[n : n + packs.MAX_BODIES], young)
        with archive_errors():
            make_durable(self._folder, young)
        return stored

    def get(self, name: str) -> bytes:
        with archive_errors():
            return packs.read(self._folder / path_of(name), name)

    def delete(self, name: str, older_than: float) -> bool:
        path = self._folder / path_of(name)
        if older_than > 0 and _size_and_age(path)[1] < older_than:
            return False
        with archive_errors():
            packs.delete(path, name)
        return True

    def sweep(self, before: float) -> int:
        removed = 0
        for where, _, files in os.walk(self._folder):
            for name in filter(_UNFINISHED.fullmatch, files):
                path = os.path.join(where, name)
                if os.stat(path).st_mtime < before:
                    os.unlink(path)
                    removed += 1
        return removed

    def _put_part(self, bodies: Sequence[Body], young: list[Path]) -> list[StoredBody]:
        """What is new goes into one file. The names of it and of what is `young` are made durable by the caller."""
        stored: list[StoredBody] = []
        fresh: dict[str, bytes] = {}
        for known, body in bodies:
            name = known or hash_of(body)
            path = self._folder / path_of(name)
            size, age = _size_and_age(path)
            if not size:
                fresh[name] = frame = fresh.get(name) or compress(body)
                size = len(frame)
            else:
                size = self._refresh(path, name, body, age)
            if age < _SETTLED_SECONDS or age > TOUCHED_SECONDS:
                young.append(path)
            stored.append(StoredBody(name, size, len(body)))
        self._write_together(fresh)
        return stored

    def _refresh(self, path: Path, name: str, body: bytes, age: float) -> int:
        """The stored size, after resetting the age of an old body so that clean-up keeps it."""

        def write() -> int:
            return self._write(name, compress(body))

        with archive_errors():
            try:
                if age > TOUCHED_SECONDS:
                    packs.renew(path, name, write)
                return packs.length(path, name) or write()
            except (FileNotFoundError, PermissionError):  # deleted a moment ago, or a file of another program
                return write()

    def _write_together(self, frames: dict[str, bytes]) -> None:
        if len(frames) > 1:
            with archive_errors(), suppress(packs.NoLinks, FileNotFoundError):
                packs.write(self._folder, frames, {name: self._folder / path_of(name) for name in frames})
                return
        for name, frame in frames.items():
            self._write(name, frame)

    def _write(self, name: str, frame: bytes) -> int:
        with archive_errors():
            obstore.put(self.store, path_of(name), frame, use_multipart=False)
        return len(frame)


def hash_of(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def compress(body: bytes) -> bytes:
    return zstd.compress(body, LEVEL)


def decompress(frame: bytes, name: str) -> bytes:
    """The body, if it is the one of this name."""
    try:
        body = zstd.decompress(frame)
    except zstd.ZstdError:
        raise ArchiveError("an archived page is damaged") from None
    if hash_of(body) != name:
        raise ArchiveError("an archived page is damaged")
    return body


def path_of(name: str) -> str:
    if not HASH.fullmatch(name):
        raise NotFound("no page body has this hash")
    return f"{name[:2]}/{name}.zst"


def open_error(wrong: Exception) -> ConfigError:
    return ConfigError(f"the page archive cannot be opened: {_first_line(wrong)}")


@contextmanager
def archive_errors() -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise NotFound("no page body has this hash") from None
    except (BaseError, OSError) as wrong:
        message = _first_line(wrong)
        if _FULL.search(message) or getattr(wrong, "errno", None) in (27, 28, 122):
            raise ArchiveFull("the page archive is full") from None
        raise ArchiveError(f"the page archive failed: {message}") from None


def _size_and_age(path: Path) -> tuple[int, float]:
    """Size and age in seconds; a file a crash left empty counts as none and is written again."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return 0, 0.0
    except OSError as wrong:
        raise ArchiveError(f"the page archive cannot be read: {wrong.strerror}") from None
    return found.st_size, time() - found.st_mtime if found.st_size else 0.0


def _first_line(error: BaseException) -> str:
    """obstore appends a dump of its source."""
    return (str(error).splitlines() or [type(error).__name__])[0][:300]
