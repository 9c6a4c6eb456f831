"""The browser's only connection to the network (R-14): a proxy on loopback that dials only what the guard admitted.

Each task has a proxy of its own on a port of its own, for as long as the task lasts: it counts the task's bytes,
remembers why a host could not be reached, and when it closes, every connection of the task is cut. Chromium
resolves no names. Only requests are parsed; answers pass through as they come. One connection serves one host, so
that an answer of one host can never be taken for another's.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress

import msgspec

from winnow.errors import WinnowError
from winnow.fetch.egress.guard import Admitted, EgressGuard

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Dialler = Callable[[Admitted], Awaitable[Streams]]

CONNECT_SECONDS = 10.0  # the fetcher's connect deadline
MAX_HEAD = 256 * 1024  # what Chromium itself would send at most, cookies included
STEP = 64 * 1024
_ABSOLUTE = re.compile(rb"http://([^/?#\s]+)(\S*)", re.I)
_REFUSED = b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
_TUNNEL = b"HTTP/1.1 200 Connection established\r\n\r\n"


class NotForwarded(WinnowError):
    """A request that no browser sends."""


class RequestHead(msgspec.Struct, frozen=True):
    """`forwarded` is the head as the server gets it."""

    method: str
    authority: str
    forwarded: bytes
    body_length: int

    @property
    def tunnel(self) -> bool:
        return self.method == "CONNECT"


async def dial_direct(admitted: Admitted) -> Streams:
    """The first admitted address that answers."""
    last: OSError = OSError("no address")
    async with asyncio.timeout(CONNECT_SECONDS):
        for address in admitted.addresses:
            try:
                return await asyncio.open_connection(address, admitted.port)
            except OSError as error:
                last = error
    raise last


class PinningProxy:
    """`failures` says for each host (host:port as Chromium wrote it) why it was not reached."""

    def __init__(self, guard: EgressGuard, *, dial: Dialler = dial_direct, byte_limit: int | None = None) -> None:
        self._guard = guard
        self.dial = dial
        self._byte_limit = byte_limit
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self.failures: dict[str, BaseException] = {}
        self.received = 0
        self.overflowed = False

    @property
    def url(self) -> str:
        if self._server is None:
            raise RuntimeError("open() comes first")
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def open(self) -> PinningProxy:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, limit=MAX_HEAD)
        return self

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        for task in list(self._connections):
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._serve(reader, writer))
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            first = await _read_head(reader)
            if first is not None:
                await self._relay(first, reader, writer)
        except (OSError, NotForwarded):
            pass  # one side hung up, or it is not a browser: the connection ends, which is all it may know
        finally:
            writer.transport.abort() if self.overflowed else writer.close()

    async def _relay(self, head: RequestHead, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        upstream = await self._reach(head)
        if upstream is None:
            if head.tunnel:
                writer.write(_REFUSED)
            return  # a plain request gets no answer at all: a 403 of ours could pass for the site's
        if head.tunnel:
            writer.write(_TUNNEL)
            sending = _copy(reader, upstream[1])
        else:
            sending = _forward(head, reader, upstream[1])
        await self._both_ways(sending, self._receive(upstream[0], writer), upstream[1])

    async def _reach(self, head: RequestHead) -> Streams | None:
        scheme = "https" if head.tunnel else "http"
        try:
            admitted = await self._guard.admit(f"{scheme}://{head.authority}/")
            return await self.dial(admitted)
        except (WinnowError, OSError) as error:
            self.failures[head.authority] = error
            return None

    async def _both_ways(
        self, sending: Awaitable[None], receiving: Awaitable[None], upstream: asyncio.StreamWriter
    ) -> None:
        """Ends when the server has ended, or when the browser has."""
        ways = [asyncio.ensure_future(sending), asyncio.ensure_future(receiving)]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
            upstream.close()

    async def _receive(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(STEP):
            self.received += len(data)
            if self._byte_limit is not None and self.received > self._byte_limit:
                self.overflowed = True
                return
            writer.write(data)
            await writer.drain()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(STEP):
        writer.write(data)
        await writer.drain()


async def _forward(head: RequestHead, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Requests to one host, one after the other. One for another host ends the connection, before anything of it is
    sent: Chromium asks again on a new one."""
    current: RequestHead | None = head
    while current is not None and current.authority == head.authority and not current.tunnel:
        writer.write(current.forwarded)
        left = current.body_length
        while left and (data := await reader.read(min(left, STEP))):
            writer.write(data)
            left -= len(data)
            await writer.drain()
        await writer.drain()
        current = await _read_head(reader)


async def _read_head(reader: asyncio.StreamReader) -> RequestHead | None:
    try:
        raw = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    except asyncio.LimitOverrunError:
        raise NotForwarded("the head is too long") from None
    return parse_head(raw)


def parse_head(raw: bytes) -> RequestHead:
    line, *fields = raw[:-4].split(b"\r\n")
    parts = line.split(b" ")
    if len(parts) != 3 or not parts[0].isalpha():
        raise NotForwarded("not a request")
    method, target, version = parts
    kept, length = _fields(fields)
    if method == b"CONNECT":
        return RequestHead("CONNECT", _text(target), b"", 0)
    absolute = _ABSOLUTE.fullmatch(target)
    if absolute is None:
        raise NotForwarded("not a request for a proxy")
    path = absolute[2] if absolute[2].startswith(b"/") else b"/" + absolute[2]
    forwarded = b"\r\n".join([b" ".join([method, path, version]), *kept, b"", b""])
    return RequestHead(method.decode("ascii"), _text(absolute[1]), forwarded, length)


def _fields(fields: list[bytes]) -> tuple[list[bytes], int]:
    """Those that go to the server, and how long the body is."""
    kept, length = [], 0
    for field in fields:
        name, _, value = field.partition(b":")
        name = name.lower()
        if name == b"transfer-encoding":
            raise NotForwarded("Chromium sends no chunked requests over HTTP/1.1")
        if name == b"content-length":
            with suppress(ValueError):
                length = int(value)
        if not name.startswith(b"proxy-"):
            kept.append(field)
    return kept, length


def _text(authority: bytes) -> str:
    try:
        return authority.decode("ascii")
    except UnicodeDecodeError:
        raise NotForwarded("the host is not in ASCII") from None
