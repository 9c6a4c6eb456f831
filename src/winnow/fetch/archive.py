"""Page bodies, kept once by content (DESIGN §5): `ab/<sha256 of the body>.zst`.

A local folder by default, any object store by URL, through obstore's sync calls in threads (its async ones
can abort at exit). obstore writes under a temporary name and renames, so a reader never sees half an object
and a full disk leaves nothing behind. In a folder, bodies stored together share files (packs.py). Why one `syncfs`
per batch: docs/decisions/archive-durability.md.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from time import time
from typing import TypeVar

import msgspec
import obstore
from obstore.exceptions import BaseError
from obstore.store import LocalStore, ObjectStore, from_url

from winnow.errors import ArchiveError, ArchiveFull, ConfigError, NotFound
from winnow.fetch import packs
from winnow.fetch.durable import make_durable

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

LEVEL = 1  # measured on 64 KB pages: level 1 is 190 µs and 5.0 × smaller, level 3 is 340 µs and 5.2 ×
_LOCAL_THREADS, _REMOTE_THREADS = 2, 16
# A body another process stored this recently may not be on the disk yet.
_SETTLED_SECONDS = 60.0
_REMOTE_PATIENCE = timedelta(seconds=30)  # obstore would try for three minutes; the task's lease is one
# A body that is asked for again becomes this young, so that clean-up keeps away while its row is being written.
_TOUCHED_SECONDS = 600.0
_HASH = re.compile(r"[0-9a-f]{64}")
_PREFIX = re.compile(r"[0-9a-f]{2}")
_FULL = re.compile(r"os error (?:28|122|27)\b|QuotaExceeded")  # ENOSPC, EDQUOT, EFBIG
_UNFINISHED = re.compile(r".+#\d+")  # how obstore names a file it is still writing

_Given = tuple[str | None, bytes]  # a body, and its hash where that is known
_T = TypeVar("_T")


class Stored(msgspec.Struct, frozen=True):
    hash: str
    stored_bytes: int
    raw_bytes: int


@dataclass(slots=True)
class _Part:
    """What was done with some bodies of a batch: how each is stored, and which names the disk has to take in."""

    stored: list[Stored] = field(default_factory=list)
    written: list[Path] = field(default_factory=list)


class Archive:
    """`folder` is used when `url` is None. put and put_many return once the bodies are durable."""

    def __init__(self, url: str | None, folder: Path) -> None:
        self._folder = folder if url is None else None
        self._store = _open(url, folder)
        workers = _LOCAL_THREADS if self._folder else _REMOTE_THREADS
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="archive")

    async def put(self, body: bytes, content_hash: str | None = None) -> Stored:
        """`content_hash` saves hashing a body whose SHA-256 is known."""
        stored = await self.put_many([body], None if content_hash is None else [content_hash])
        return stored[0]

    async def put_many(self, bodies: Sequence[bytes], hashes: Sequence[str | None] | None = None) -> list[Stored]:
        """All of them, with one wait for the disk. After an error some may be stored, which harms nothing."""
        given = list(zip(hashes or [None] * len(bodies), bodies, strict=True))
        if self._folder is not None:
            return await self._put_folder(self._folder, given)
        return await asyncio.gather(*(self._run(self._put_remote, name, body) for name, body in given))

    async def get(self, content_hash: str) -> bytes:
        return await self._run(self._get, content_hash)

    async def delete(self, content_hash: str, older_than: timedelta = timedelta()) -> bool:
        """Whether it is gone now: not when it was stored, or stored again, more recently than that."""
        return await self._run(self._delete, content_hash, older_than.total_seconds())

    async def names(self, prefix: str) -> list[str]:
        """The hashes that begin with these two digits."""
        return await self._run(self._names, prefix)

    async def sweep_unfinished(self, older_than: timedelta) -> int:
        """Removes what a killed process left half-written under a temporary name; returns how many."""
        return 0 if self._folder is None else await self._run(_sweep, self._folder, time() - older_than.total_seconds())

    def close(self) -> None:
        self._threads.shutdown(wait=True)

    async def _run(self, call: Callable[..., _T], *arguments: object) -> _T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, call, *arguments)

    async def _put_folder(self, folder: Path, given: Sequence[_Given]) -> list[Stored]:
        slices = [given[n : n + packs.MOST] for n in range(0, len(given), packs.MOST)]
        parts = await asyncio.gather(*(self._run(self._put_part, folder, some) for some in slices))
        await self._run(_settle, folder, [path for part in parts for path in part.written])
        return [item for part in parts for item in part.stored]

    def _put_part(self, folder: Path, given: Sequence[_Given]) -> _Part:
        """What is new goes into one file. The names of it and of what is young are made durable by the caller."""
        part = _Part()
        fresh: dict[str, bytes] = {}
        for known, body in given:
            name = known or _hash(body)
            path = folder / path_of(name)
            size, age = _existing(path)
            if not size:
                fresh[name] = frame = fresh.get(name) or zstd.compress(body, LEVEL)
                size = len(frame)
            else:
                size = self._kept(path, name, body, age)
            if age < _SETTLED_SECONDS or age > _TOUCHED_SECONDS:
                part.written.append(path)
            part.stored.append(Stored(name, size, len(body)))
        self._write_together(folder, fresh)
        return part

    def _kept(self, path: Path, name: str, body: bytes, age: float) -> int:
        """Its size, once it is young enough to stay."""

        def write() -> int:
            return self._write(name, zstd.compress(body, LEVEL))

        with _typed():
            try:
                if age > _TOUCHED_SECONDS:
                    packs.renew(path, name, write)
                return packs.length(path, name) or write()
            except (FileNotFoundError, PermissionError):  # deleted a moment ago, or somebody else's file
                return write()

    def _write_together(self, folder: Path, frames: dict[str, bytes]) -> None:
        if len(frames) > 1:
            with _typed(), suppress(packs.NoLinks, FileNotFoundError):
                packs.write(folder, frames, {name: folder / path_of(name) for name in frames})
                return
        for name, frame in frames.items():
            self._write(name, frame)

    def _put_remote(self, known: str | None, body: bytes) -> Stored:
        name = known or _hash(body)
        size, age = self._remote(name)
        if not size or age > _TOUCHED_SECONDS:
            size = self._write(name, zstd.compress(body, LEVEL))
        return Stored(name, size, len(body))

    def _remote(self, name: str) -> tuple[int, float]:
        """Size and age in seconds, as the store's clock has it; nothing when there is none."""
        try:
            with _typed():
                found = obstore.head(self._store, path_of(name))
        except NotFound:
            return 0, 0.0
        return found["size"], time() - found["last_modified"].timestamp()

    def _write(self, name: str, frame: bytes) -> int:
        with _typed():
            obstore.put(self._store, path_of(name), frame, use_multipart=False)
        return len(frame)

    def _get(self, name: str) -> bytes:
        with _typed():
            packed = self._frame(name)
        try:
            body = zstd.decompress(packed)
        except zstd.ZstdError:
            raise ArchiveError("an archived page is damaged") from None
        if _hash(body) != name:
            raise ArchiveError("an archived page is damaged")
        return body

    def _frame(self, name: str) -> bytes:
        if self._folder is not None:
            return packs.read(self._folder / path_of(name), name)
        return bytes(obstore.get(self._store, path_of(name)).bytes())

    def _delete(self, name: str, older_than: float) -> bool:
        try:
            if older_than > 0:
                _, age = self._remote(name) if self._folder is None else _existing(self._folder / path_of(name))
                if age < older_than:
                    return False
            with _typed():
                if self._folder is not None:
                    packs.delete(self._folder / path_of(name), name)
                else:
                    obstore.delete(self._store, path_of(name))
        except NotFound:
            pass
        return True

    def _names(self, prefix: str) -> list[str]:
        if not _PREFIX.fullmatch(prefix):
            raise ValueError("a prefix is two hexadecimal digits")
        with _typed():
            found = [entry["path"] for chunk in obstore.list(self._store, prefix) for entry in chunk]
        names = (path.rpartition("/")[2].removesuffix(".zst") for path in found)
        return [name for name in names if _HASH.fullmatch(name)]


def _hash(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def _open(url: str | None, folder: Path) -> ObjectStore:
    try:
        if url is None:
            return LocalStore(folder, mkdir=True)
        return from_url(url, retry_config={"max_retries": 3, "retry_timeout": _REMOTE_PATIENCE})
    except (BaseError, OSError, ValueError) as wrong:
        raise ConfigError(f"the page archive cannot be opened: {_first_line(wrong)}") from None


def path_of(name: str) -> str:
    if not _HASH.fullmatch(name):
        raise NotFound("no page body has this hash")
    return f"{name[:2]}/{name}.zst"


def _existing(path: Path) -> tuple[int, float]:
    """Size and age in seconds; a file a crash left empty counts as none and is written again."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return 0, 0.0
    except OSError as wrong:
        raise ArchiveError(f"the page archive cannot be read: {wrong.strerror}") from None
    return found.st_size, time() - found.st_mtime if found.st_size else 0.0


def _settle(folder: Path, written: Sequence[Path]) -> None:
    with _typed():
        make_durable(folder, written)


@contextmanager
def _typed() -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise NotFound("no page body has this hash") from None
    except (BaseError, OSError) as wrong:
        message = _first_line(wrong)
        if _FULL.search(message) or getattr(wrong, "errno", None) in (27, 28, 122):
            raise ArchiveFull("the page archive is full") from None
        raise ArchiveError(f"the page archive failed: {message}") from None


def _first_line(error: BaseException) -> str:
    """obstore appends a dump of its source."""
    return (str(error).splitlines() or [type(error).__name__])[0][:300]


def _sweep(folder: Path, before: float) -> int:
    removed = 0
    for where, _, files in os.walk(folder):
        for name in filter(_UNFINISHED.fullmatch, files):
            path = os.path.join(where, name)
            if os.stat(path).st_mtime < before:
                os.unlink(path)
                removed += 1
    return removed
