"""SFTP, the host key pinned on first use.

The first connection takes the key it meets and shows its fingerprint; from then on another key is a
configuration error that a person has to clear, and no password is sent to it.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import TypeVar

import asyncssh

from winnow.feeds.failures import (
    FeedFailure,
    FeedLoginRefused,
    FileForbidden,
    FileMissing,
    HostKeyChanged,
    Misconfigured,
    Permanent,
    Transient,
)
from winnow.feeds.transport.dial import admit, connect, greeting, network_failure
from winnow.feeds.transport.pattern import folder_of, is_pattern, newest
from winnow.feeds.transport.remote import Downloaded, FileStat, Reach, Remote
from winnow.feeds.transport.spool import Spool

T = TypeVar("T")

asyncssh.set_log_level(logging.WARNING)  # a dozen lines about channels for each of ours
STEP = 1 << 20  # asyncssh asks for its blocks in parallel within one read
_NO_KNOWN_HOSTS: tuple[list[str], list[str], list[str]] = ([], [], [])  # every key comes to _Pin
_FILES = (asyncssh.FILEXFER_TYPE_REGULAR, asyncssh.FILEXFER_TYPE_UNKNOWN)
_KEY_HINT = "if the server really has a new key, say so with `winnow feed change FEED --host-key {}`"


class _Pin(asyncssh.SSHClient):
    def __init__(self, expected: str | None) -> None:
        self.expected, self.seen = expected, ""

    def validate_host_public_key(self, host: str, addr: str, port: int, key: asyncssh.SSHKey) -> bool:
        self.seen = key.get_fingerprint()
        return self.expected is None or hmac.compare_digest(self.seen, self.expected)


class SftpSession:
    def __init__(self, remote: Remote, reach: Reach, client: asyncssh.SFTPClient, fingerprint: str) -> None:
        self.remote, self.reach, self.client, self.fingerprint = remote, reach, client, fingerprint
        self.path = "" if is_pattern(remote.path) else remote.path

    async def stat(self) -> FileStat:
        try:
            self.path = self.path or newest(self.remote.path, await self._listed())
            return _stat(await self._answered(self.client.stat(self.path)), self.fingerprint)
        except (OSError, EOFError, asyncssh.Error) as wrong:
            raise failure_of(wrong) from None

    async def _listed(self) -> list[tuple[str, datetime | None]]:
        found = await self._answered(self.client.readdir(folder_of(self.remote.path)))
        files = [one for one in found if one.attrs.type in _FILES]
        return [(str(one.filename), _moment(one.attrs.mtime)) for one in files]

    async def fetch(self, spool: Spool) -> Downloaded:
        """After `stat`, which finds out which file it is. What is left open ends with the connection."""
        try:
            file = await self._answered(self.client.open(self.path, "rb"))
            while chunk := await self._answered(file.read(STEP, spool.size)):
                await asyncio.to_thread(spool.write, chunk if isinstance(chunk, bytes) else chunk.encode())
            await self._answered(file.close())
            return spool.finish(await self.stat())
        except (OSError, EOFError, asyncssh.Error) as wrong:
            raise failure_of(wrong) from None

    async def _answered(self, asked: Awaitable[T]) -> T:
        """A server that took a request and says nothing must not keep the feed's lock for ever."""
        async with asyncio.timeout(self.reach.idle_seconds):
            return await asked


def _stat(found: asyncssh.SFTPAttrs, fingerprint: str) -> FileStat:
    if found.type not in _FILES:
        raise Permanent("the path is not a file", code="NOT_A_FILE")
    return FileStat(_moment(found.mtime), found.size, fingerprint)


def _moment(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


@asynccontextmanager
async def open_sftp(remote: Remote, reach: Reach) -> AsyncIterator[SftpSession]:
    admitted = await admit(reach, remote.host, remote.dial_port)
    pin = _Pin(remote.host_key_fingerprint)
    sock = await connect(admitted, remote.dial_port, reach.connect_seconds)
    try:
        connection = await asyncssh.connect(
            remote.host or "",
            remote.dial_port,
            sock=sock,
            config=None,
            known_hosts=_NO_KNOWN_HOSTS,
            server_host_key_algs="default",
            client_factory=lambda: pin,
            agent_path=None,
            x509_trusted_certs=None,
            login_timeout=reach.connect_seconds,
            connect_timeout=reach.connect_seconds,
            **_login(remote),
        )
    except (OSError, EOFError, asyncssh.Error) as wrong:
        sock.close()
        raise await _refusal(wrong, pin, remote, reach) from None
    try:
        async with asyncio.timeout(reach.connect_seconds):
            client = await connection.start_sftp_client()
        yield SftpSession(remote, reach, client, pin.seen)
    except (OSError, EOFError, asyncssh.Error) as wrong:
        raise failure_of(wrong) from None
    finally:
        connection.abort()


def _login(remote: Remote) -> dict[str, object]:
    name = {"username": remote.username or ""}
    if remote.secret and remote.secret.lstrip().startswith("-----BEGIN"):
        try:
            return {**name, "client_keys": [asyncssh.import_private_key(remote.secret)], "password": None}
        except (asyncssh.KeyImportError, ValueError):
            raise Misconfigured(
                "the private key of the feed cannot be read", hint="store it unencrypted, in PEM"
            ) from None
    return {**name, "client_keys": None, "password": remote.secret}


async def _refusal(wrong: BaseException, pin: _Pin, remote: Remote, reach: Reach) -> FeedFailure:
    if isinstance(wrong, asyncssh.HostKeyNotVerifiable) and pin.seen and pin.seen != pin.expected:
        return HostKeyChanged(f"the host key is {pin.seen}, not {pin.expected}", hint=_KEY_HINT.format(pin.seen))
    if isinstance(wrong, asyncssh.PermissionDenied):
        return FeedLoginRefused("the server refused the user name or password")
    try:
        admitted = await admit(reach, remote.host, remote.dial_port)
        answer = await greeting(admitted, remote.dial_port, reach.connect_seconds)
    except FeedFailure:
        return failure_of(wrong)
    if answer and not answer.startswith(b"SSH-"):
        return Misconfigured("this port does not speak SSH", code="PROTOCOL_MISMATCH", hint="check transport and port")
    return failure_of(wrong)


def failure_of(wrong: BaseException) -> FeedFailure:
    if isinstance(wrong, asyncssh.SFTPNoSuchFile | asyncssh.SFTPNoSuchPath | asyncssh.SFTPNotADirectory):
        return FileMissing("the file is not there")
    if isinstance(wrong, asyncssh.SFTPPermissionDenied):
        return FileForbidden("the server does not allow this file to be read")
    if isinstance(wrong, asyncssh.PermissionDenied):
        return FeedLoginRefused("the server refused the user name or password")
    if isinstance(wrong, asyncssh.SFTPConnectionLost | asyncssh.SFTPNoConnection | asyncssh.ConnectionLost):
        return Transient("the connection was closed", code="ECONNRESET")
    if isinstance(wrong, asyncssh.ChannelOpenError):
        return Transient("the server lets us in and opens no SFTP session", code="SFTP_REFUSED")
    if isinstance(wrong, asyncssh.ProtocolNotSupported | asyncssh.KeyExchangeFailed):
        return Misconfigured(
            "no common SSH method with the server", code="SSH_INCOMPATIBLE", hint="the server is too old"
        )
    return network_failure(wrong)
