"""Fetching a catalogue file: SFTP, FTPS, FTP, HTTPS or a local folder behind two calls.

    found = await stat(remote, reach)                      # F-094; None where the server does not say
    got = await download(remote, reach, to=path, progress=on_bytes)

Everything goes through the egress guard. Both raise only FeedFailure (feeds/failures.py), so that the caller
knows whether trying again may help (F-116 … F-118); every attempt of a run names the same `to`, so that it can go
on where the last one broke off. Neither writes to the database: a host key seen for the first time comes back in
`stat.host_key_fingerprint`, and the caller stores it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from pathlib import Path
from time import monotonic
from typing import Any, Protocol

import structlog

from winnow.feeds.failures import FileForbidden, FileMissing, Misconfigured, Transient
from winnow.feeds.transport.dial import network_failure
from winnow.feeds.transport.ftp import open_ftp
from winnow.feeds.transport.https import open_https
from winnow.feeds.transport.local_file import open_local
from winnow.feeds.transport.remote import Downloaded, FileStat, Progress, Reach, Remote
from winnow.feeds.transport.sftp import open_sftp
from winnow.feeds.transport.spool import Spool

__all__ = ["Downloaded", "FileStat", "Progress", "Reach", "Remote", "download", "stat"]

log = structlog.get_logger()
PROGRESS_STEP = 10  # percent between two log lines (F-122)


class TransportSession(Protocol):
    async def stat(self) -> FileStat: ...

    async def fetch(self, spool: Spool) -> Downloaded: ...


_OPEN: dict[str, Callable[[Remote, Reach], AbstractAsyncContextManager[Any]]] = {
    "SFTP": open_sftp,
    "FTP": open_ftp,
    "FTPS": open_ftp,
    "HTTPS": open_https,
    "FILE": open_local,
}


def _open(remote: Remote, reach: Reach) -> AbstractAsyncContextManager[TransportSession]:
    if remote.transport not in _OPEN:
        raise Misconfigured(f"there is no transport {remote.transport!r}", hint="one of SFTP, FTPS, FTP, HTTPS, FILE")
    return _OPEN[remote.transport](remote, reach)


@contextmanager
def _naming_path(remote: Remote) -> Iterator[None]:
    """Adds the path to failures about a missing file. Not for HTTPS: addresses hold keys."""
    try:
        yield
    except (FileMissing, FileForbidden) as wrong:
        if remote.transport == "HTTPS":
            raise
        raise type(wrong)(f"{wrong}: {remote.path}", wrong.code) from None


async def stat(remote: Remote, reach: Reach) -> FileStat:
    with _naming_path(remote):
        async with _open(remote, reach) as session:
            return await session.stat()


async def download(remote: Remote, reach: Reach, to: Path, progress: Progress | None = None) -> Downloaded:
    began = monotonic()
    log.info(
        "DOWNLOAD_START",
        stage="download",
        host=remote.host,
        port=remote.dial_port,
        path=_loggable_path(remote),
        transport=remote.transport,
    )
    with _naming_path(remote):
        async with _deadline(reach.whole_seconds), _open(remote, reach) as session:
            log.debug("FTP_CONNECTED", stage="download", connection_time_ms=_since(began))
            found = await session.stat()
            try:
                with Spool(to, found, remote.max_bytes, _ProgressLog(progress)) as spool:
                    got = await session.fetch(spool)
            except OSError as wrong:  # the local disk
                raise network_failure(wrong) from None
    log.info(
        "DOWNLOAD_COMPLETE",
        stage="download",
        bytes=got.size,
        duration_ms=_since(began),
        compression_type=got.compression,
    )
    return got


@asynccontextmanager
async def _deadline(seconds: float) -> AsyncIterator[None]:
    """A server that sends a byte now and then is never silent, and would hold the worker and the feed's lock."""
    try:
        async with asyncio.timeout(seconds) as whole:
            yield
    except TimeoutError:
        if not whole.expired():
            raise
        message = f"the file did not come within {seconds:g} seconds"
        raise Transient(
            message,
            "DOWNLOAD_TOO_SLOW",
            "the download is resumed; ask the shop whether its server is slow",
        ) from None


def _loggable_path(remote: Remote) -> str:
    """The query of an address is where keys stand."""
    return remote.path.partition("?")[0] if remote.transport == "HTTPS" else remote.path


def _since(began: float) -> int:
    return round((monotonic() - began) * 1000)


class _ProgressLog:
    """Progress for the caller, and a log line every ten percent."""

    def __init__(self, progress: Progress | None) -> None:
        self.progress, self.next = progress, PROGRESS_STEP

    def __call__(self, done: int, total: int | None) -> None:
        if self.progress is not None:
            self.progress(done, total)
        percent = 100 * done // total if total else 0
        if percent >= self.next:
            self.next = percent - percent % PROGRESS_STEP + PROGRESS_STEP
            log.debug(
                "DOWNLOAD_PROGRESS",
                stage="download",
                bytes_downloaded=done,
                total_bytes=total,
                percent_complete=percent,
            )
