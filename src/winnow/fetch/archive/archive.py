"""Page bodies, kept once by content (DESIGN §5): `ab/<sha256 of the body>.zst`.

A local folder by default (folder.py), any object store by URL, through obstore's sync calls in threads (its async ones
can abort at exit).
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from time import time
from typing import Protocol, TypeVar

import obstore
from obstore.exceptions import BaseError
from obstore.store import ObjectStore, from_url

from winnow.errors import NotFound
from winnow.fetch.archive.folder import (
    HASH,
    TOUCHED_SECONDS,
    Body,
    Folder,
    StoredBody,
    archive_errors,
    compress,
    decompress,
    hash_of,
    open_error,
    path_of,
)

_LOCAL_THREADS, _REMOTE_THREADS = 2, 16
_REMOTE_PATIENCE = timedelta(seconds=30)  # obstore would try for three minutes; the task's lease is one
_PREFIX = re.compile(r"[0-9a-f]{2}")

_T = TypeVar("_T")


class Packer(Protocol):
    """Stores bodies in a local folder in the place of this process (packing.py)."""

    def put_many(self, bodies: Sequence[Body]) -> list[StoredBody]: ...

    def close(self) -> None: ...


class Archive:
    """`folder` is used when `url` is None. put and put_many return once the bodies are durable."""

    def __init__(self, url: str | None, folder: Path, packer: Callable[[Path], Packer] | None = None) -> None:
        self._folder = Folder(folder) if url is None else None
        self._packer = packer(folder) if packer is not None and url is None else None
        self._store = self._folder.store if self._folder is not None else _open_store(url or "")
        workers = _LOCAL_THREADS if self._folder else _REMOTE_THREADS
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="archive")

    async def put(self, body: bytes, content_hash: str | None = None) -> StoredBody:
        """`content_hash` saves hashing a body whose SHA-256 is known."""
        stored = await self.put_many([body], None if content_hash is None else [content_hash])
        return stored[0]

    async def put_many(self, bodies: Sequence[bytes], hashes: Sequence[str | None] | None = None) -> list[StoredBody]:
        """All of them, with one wait for the disk. After an error some may be stored, which harms nothing."""
        named = list(zip(hashes or [None] * len(bodies), bodies, strict=True))
        if self._folder is not None:
            return await self._run((self._packer or self._folder).put_many, named)
        return await asyncio.gather(*(self._run(self._put_remote, name, body) for name, body in named))

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
        before = time() - older_than.total_seconds()
        return 0 if self._folder is None else await self._run(self._folder.sweep, before)

    def close(self) -> None:
        self._threads.shutdown(wait=True)
        if self._packer is not None:
            self._packer.close()

    async def _run(self, call: Callable[..., _T], *arguments: object) -> _T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, call, *arguments)

    def _put_remote(self, known: str | None, body: bytes) -> StoredBody:
        name = known or hash_of(body)
        size, age = self._remote(name)
        if not size or age > TOUCHED_SECONDS:
            frame = compress(body)
            size = len(frame)
            with archive_errors():
                obstore.put(self._store, path_of(name), frame, use_multipart=False)
        return StoredBody(name, size, len(body))

    def _remote(self, name: str) -> tuple[int, float]:
        """Size and age in seconds, as the store's clock has it; nothing when there is none."""
        try:
            with archive_errors():
                found = obstore.head(self._store, path_of(name))
        except NotFound:
            return 0, 0.0
        return found["size"], time() - found["last_modified"].timestamp()

    def _get(self, name: str) -> bytes:
        if self._folder is not None:
            return decompress(self._folder.get(name), name)
        with archive_errors():
            frame = bytes(obstore.get(self._store, path_of(name)).bytes())
        return decompress(frame, name)

    def _delete(self, name: str, older_than: float) -> bool:
        try:
            if self._folder is not None:
                return self._folder.delete(name, older_than)
            if older_than > 0 and self._remote(name)[1] < older_than:
                return False
            with archive_errors():
                obstore.delete(self._store, path_of(name))
        except NotFound:
            pass
        return True

    def _names(self, prefix: str) -> list[str]:
        if not _PREFIX.fullmatch(prefix):
            raise ValueError("a prefix is two hexadecimal digits")
        with archive_errors():
            found = [entry["path"] for chunk in obstore.list(self._store, prefix) for entry in chunk]
        names = (path.rpartition("/")[2].removesuffix(".zst") for path in found)
        return [name for name in names if HASH.fullmatch(name)]


def _open_store(url: str) -> ObjectStore:
    try:
        return from_url(url, retry_config={"max_retries": 3, "retry_timeout": _REMOTE_PATIENCE})
    except (BaseError, OSError, ValueError) as wrong:
        raise open_error(wrong) from None
