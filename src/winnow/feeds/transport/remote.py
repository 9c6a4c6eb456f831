"""The location of a feed's file, its size and time on the server, and the result of fetching it."""

from __future__ import annotations

import ssl as tls
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from winnow.fetch.egress.guard import EgressGuard

MAX_FILE_BYTES = 500 * 1000 * 1000  # F-072
DEFAULT_PORTS = {"SFTP": 22, "FTP": 21, "FTPS": 21, "HTTPS": 443}  # F-092

Progress = Callable[[int, int | None], None]  # bytes so far, bytes in all where known


class Remote(msgspec.Struct, frozen=True, kw_only=True):
    """`secret` is the decrypted password, or a private key in PEM for SFTP; no repr shows it (F-101)."""

    transport: str  # SFTP, FTPS, FTP, HTTPS, FILE
    path: str  # for HTTPS the whole URL or the path on `host`; for FILE relative to the allow-listed folder
    host: str | None = None
    port: int | None = None
    username: str | None = None
    secret: str | None = None
    host_key_fingerprint: str | None = None  # SFTP: the key seen first, "SHA256:…" as ssh-keygen shows it
    max_bytes: int = MAX_FILE_BYTES

    @property
    def dial_port(self) -> int:
        return self.port or DEFAULT_PORTS.get(self.transport, 0)

    def __repr__(self) -> str:
        return f"Remote({self.transport} {self.host}:{self.dial_port} {self.path})"

    __str__ = __repr__

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return [("at", repr(self))]


class FileStat(msgspec.Struct, frozen=True):
    """Size and modification time of the remote file; either may be unknown."""

    mtime: datetime | None = None
    size: int | None = None
    host_key_fingerprint: str | None = None


class Downloaded(msgspec.Struct, frozen=True):
    path: Path
    size: int
    sha256: str  # of the bytes as sent, still packed (F-095)
    compression: str  # NONE, GZIP or ZIP, by the first bytes
    stat: FileStat = FileStat()
    resumed_at: int = 0  # bytes that were there from an attempt before


class Reach(msgspec.Struct, frozen=True, kw_only=True):
    """What the process may reach, and how patiently."""

    guard: EgressGuard
    allow_plain_ftp: bool = False  # F-093
    folder: Path | None = None  # FILE: nothing outside it is read
    connect_seconds: float = 20.0  # name, TCP, TLS or SSH handshake and login, each
    idle_seconds: float = 60.0  # longest silence of a server that is sending
    whole_seconds: float = 3_600.0  # a whole attempt: 500 MB at 140 kB a second, and what came is kept for the next one
    ssl: tls.SSLContext | bool = True
