"""A catalogue in the allow-listed folder (DESIGN §11.21): no symlinks, no `..`, no devices, wherever they stand.

Every step of the path is opened relative to the one before without following links, so nothing can be swapped in
between looking and reading.
"""

from __future__ import annotations

import asyncio
import errno
import os
import stat as modes
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import PurePosixPath

from winnow.feeds.failures import FeedFailure, FileForbidden, FileMissing, Misconfigured, Permanent
from winnow.feeds.transport.dial import network_failure
from winnow.feeds.transport.pattern import is_pattern, newest
from winnow.feeds.transport.remote import Downloaded, FileStat, Reach, Remote
from winnow.feeds.transport.spool import Spool

STEP = 1 << 20
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class LocalFile:
    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    async def stat(self) -> FileStat:
        found = os.fstat(self.descriptor)
        return FileStat(datetime.fromtimestamp(found.st_mtime_ns // 1000 / 1_000_000, UTC), found.st_size)

    async def fetch(self, spool: Spool) -> Downloaded:
        await asyncio.to_thread(self._copy, spool)
        return spool.finish(await self.stat())

    def _copy(self, spool: Spool) -> None:
        while chunk := os.pread(self.descriptor, STEP, spool.size):
            spool.write(chunk)


@asynccontextmanager
async def open_local(remote: Remote, reach: Reach) -> AsyncIterator[LocalFile]:
    steps = _steps(remote, reach)
    try:
        descriptor = await asyncio.to_thread(_open_named, str(reach.folder), steps)
    except OSError as wrong:
        raise _failure_of(wrong) from None
    try:
        if not modes.S_ISREG(os.fstat(descriptor).st_mode):
            raise Permanent("the path is not a file", code="NOT_A_FILE")
        yield LocalFile(descriptor)
    finally:
        os.close(descriptor)


def _steps(remote: Remote, reach: Reach) -> list[str]:
    if reach.folder is None:
        raise Misconfigured("no folder is open for local catalogues", hint="set WINNOW_FEED_FOLDER")
    path = PurePosixPath(remote.path)
    if path.is_absolute() or ".." in path.parts or "\x00" in remote.path or not path.parts:
        raise Misconfigured("the path must be inside the folder for local catalogues", code="PATH_REFUSED")
    return list(path.parts)


def _open_named(folder: str, steps: list[str]) -> int:
    if is_pattern(steps[-1]):
        at = _open(folder, steps[:-1], _DIRECTORY)
        try:
            steps = [*steps[:-1], newest(steps[-1], _listed(at))]
        finally:
            os.close(at)
    return _open(folder, steps, _FILE)


def _listed(at: int) -> list[tuple[str, datetime | None]]:
    with os.scandir(at) as found:
        files = [(one.name, one.stat(follow_symlinks=False)) for one in found if one.is_file(follow_symlinks=False)]
    return [(name, datetime.fromtimestamp(seen.st_mtime, UTC)) for name, seen in files]


def _open(folder: str, steps: list[str], last: int) -> int:
    """`last`: how the last step is opened, all before it as folders."""
    at = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    for i, name in enumerate(steps):
        try:
            inner = os.open(name, last if i == len(steps) - 1 else _DIRECTORY, dir_fd=at)
        finally:
            os.close(at)
        at = inner
    return at


def _failure_of(wrong: OSError) -> FeedFailure:
    if wrong.errno == errno.ENOENT:
        return FileMissing("the file is not there")
    if wrong.errno in (errno.ELOOP, errno.ENOTDIR, errno.EMLINK):
        return Misconfigured("the path leads through a link, which is not followed", code="PATH_REFUSED")
    if wrong.errno in (errno.EACCES, errno.EPERM):
        return FileForbidden("this process may not read the file")
    return network_failure(wrong)
