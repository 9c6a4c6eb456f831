"""One TCP connection through the egress guard, and what its failures mean for a feed (F-116 … F-118)."""

from __future__ import annotations

import asyncio
import errno
import socket
import ssl as tls

from winnow.errors import HostUnresolved, UrlRefused
from winnow.feeds.failures import FeedFailure, Misconfigured, Transient
from winnow.feeds.transport.remote import Reach
from winnow.fetch.egress.guard import Admitted


async def admit(reach: Reach, host: str | None, port: int) -> Admitted:
    if not host:
        raise Misconfigured("the feed has no host", hint="set the host of the feed")
    try:
        return await reach.guard.admit_host(host, port)
    except UrlRefused as refused:
        hint = "use a public host, or open this one with WINNOW_EGRESS_ALLOW"
        raise Misconfigured(f"{host}: {refused}", code="HOST_REFUSED", hint=hint) from None
    except HostUnresolved as unresolved:
        raise Transient(f"{host}: {unresolved}", code="ENOTFOUND") from None


async def connect(admitted: Admitted, port: int, seconds: float) -> socket.socket:
    """To one of the admitted addresses and no other."""
    last: BaseException | None = None
    for address in admitted.addresses:
        try:
            return await _connect(address, port, seconds)
        except OSError as wrong:  # TimeoutError is one
            last = wrong
    raise network_failure(last or OSError("no address"))


async def _connect(address: str, port: int, seconds: float) -> socket.socket:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    sock.setblocking(False)
    try:
        async with asyncio.timeout(seconds):
            await asyncio.get_running_loop().sock_connect(sock, (address, port))
    except BaseException:
        sock.close()
        raise
    return sock


def network_failure(wrong: BaseException) -> FeedFailure:
    """Classify a network error (F-116, F-118). Unknown errors are retried."""
    if isinstance(wrong, FeedFailure):
        return wrong
    if isinstance(wrong, tls.SSLError):
        return tls_failure("the handshake failed")
    if isinstance(wrong, TimeoutError):
        return Transient("the server did not answer in time", code="ETIMEDOUT")
    if isinstance(wrong, ConnectionResetError | BrokenPipeError | EOFError):
        return Transient("the connection was closed", code="ECONNRESET")
    if isinstance(wrong, OSError) and wrong.errno:
        return Transient(_plain(wrong), code=errno.errorcode.get(wrong.errno, "NETWORK_ERROR"))
    return Transient(f"the transfer failed: {type(wrong).__name__}", code="NETWORK_ERROR")


def tls_failure(what: str) -> Misconfigured:
    hint = "the server's certificate must be valid for its name; renew it, or ask the network for another host"
    return Misconfigured(f"TLS: {what}", code="TLS_ERROR", hint=hint)


_NO_ROOM = "there is no room on the disk of this machine"
_WORDS = {
    errno.ECONNREFUSED: "the connection was refused",
    errno.EHOSTUNREACH: "there is no way to the server",
    errno.ENETUNREACH: "there is no way to the server",
    errno.ENOSPC: _NO_ROOM,
    errno.EDQUOT: _NO_ROOM,
}


def _plain(wrong: OSError) -> str:
    return _WORDS.get(wrong.errno or 0, f"the connection failed ({wrong.errno})")


async def greeting(admitted: Admitted, port: int, seconds: float) -> bytes:
    """What a server says first; b"" when it waits for us. To tell a wrong port from a server that is away."""
    sock = await connect(admitted, port, seconds)
    try:
        async with asyncio.timeout(min(seconds, 3.0)):
            return await asyncio.get_running_loop().sock_recv(sock, 64)
    except OSError:
        return b""
    finally:
        sock.close()
