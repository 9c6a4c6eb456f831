"""A web server that misbehaves on purpose: one path per misbehaviour.

Raw sockets, because a proper HTTP library would not let it be this wrong. `requests` and `connections`
count what really arrived, which is what "nothing was sent" is proved with.

    python tests/fetch/fault_server.py        prints its address and every path it knows
"""

from __future__ import annotations

import asyncio
import gzip
import socket
import ssl
import struct
import zlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import cache
from urllib.parse import parse_qs, unquote_to_bytes

import brotli
from backports import zstd

PAGE = b"<html><head><title>ok</title></head><body>" + b"<p>A page like any other.</p>" * 40 + b"</body></html>"
MEGABYTE = 1024 * 1024
DRIP_SECONDS = 0.05


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]


@dataclass
class Call:
    """One request and the way to answer it."""

    request: Request
    writer: asyncio.StreamWriter
    server: FaultServer

    async def head(self, status: str = "200 OK", **headers: object) -> None:
        lines = [f"HTTP/1.1 {status}", *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items())]
        await self.raw("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n")

    async def raw(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def answer(self, body: bytes = PAGE, status: str = "200 OK", **headers: object) -> None:
        headers.setdefault("Content_Type", "text/html; charset=utf-8")
        await self.head(status, Content_Length=len(body), **headers)
        await self.raw(body)

    async def redirect(self, to: str, status: str = "302 Found", **headers: object) -> None:
        await self.answer(b"moved", status, Location=to, **headers)

    def cut(self) -> None:
        """Closes without another byte."""
        self.writer.close()

    def reset(self) -> None:
        """A TCP reset instead of an orderly end."""
        sock = self.writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()


class NotHttp(Exception):
    """Somebody speaks TLS to a server that does not."""


Behaviour = Callable[[Call], Awaitable[None]]
BEHAVIOURS: dict[str, Behaviour] = {}


def behaviour(function: Behaviour) -> Behaviour:
    BEHAVIOURS["/" + function.__name__] = function
    return function


@dataclass
class FaultServer:
    tls: ssl.SSLContext | None = None
    requests: list[Request] = field(default_factory=list)
    connections: int = 0
    port: int = 0
    _server: asyncio.Server | None = None
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    async def start(self) -> FaultServer:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self.tls)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def stop(self) -> None:
        assert self._server is not None
        self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        return f"{'https' if self.tls else 'http'}://{host}:{self.port}{path}"

    def paths(self) -> list[str]:
        return [request.path for request in self.requests]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            while request := await _read(reader):
                self.requests.append(request)
                await BEHAVIOURS.get(request.path, not_found)(Call(request, writer, self))
        except NotHttp:
            writer.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        except (OSError, asyncio.CancelledError):
            pass  # the client has gone, or the test is over
        finally:
            self._tasks.discard(task)
            writer.close()


async def _read(reader: asyncio.StreamReader) -> Request | None:
    first = await reader.read(1)
    if not first:
        return None
    if not first.isupper():
        raise NotHttp
    method, target, _ = (first + await reader.readline()).decode("latin-1").split(" ", 2)
    headers = {}
    while (raw := await reader.readline()) not in (b"\r\n", b""):
        name, _, value = raw.decode("latin-1").partition(":")
        headers[name.strip().lower()] = value.strip()
    path, _, query = target.partition("?")
    return Request(method, path, {k: v[0] for k, v in parse_qs(query).items()}, headers)


# --- well behaved -----------------------------------------------------------------------------------


async def not_found(call: Call) -> None:
    await call.answer(b"no such page", "404 Not Found")


@behaviour
async def ok(call: Call) -> None:
    await call.answer()


@behaviour
async def large(call: Call) -> None:
    """As many kilobytes as asked for, different for every number."""
    size = int(call.request.query["kb"])
    await call.answer((b"%08d" % size) * (size * 128))


@behaviour
async def status(call: Call) -> None:
    code = call.request.query["code"]
    extra = {"Retry_After": call.request.query["after"]} if "after" in call.request.query else {}
    if code == "304":
        await call.head("304 Not Modified", **extra)
    else:
        await call.answer(b"", f"{code} Status", **extra)


@behaviour
async def echo(call: Call) -> None:
    body = "\n".join(f"{name}: {value}" for name, value in call.request.headers.items())
    await call.answer(body.encode(), Content_Type="text/plain")


@behaviour
async def conditional(call: Call) -> None:
    if call.request.headers.get("if-none-match") == '"v1"' or "if-modified-since" in call.request.headers:
        await call.head("304 Not Modified", ETag='"v1"')
    else:
        await call.answer(ETag='"v1"', Last_Modified="Wed, 21 Oct 2015 07:28:00 GMT")


@behaviour
async def chunked(call: Call) -> None:
    await call.head(Transfer_Encoding="chunked", Content_Type="text/html")
    for start in range(0, len(PAGE), 100):
        piece = PAGE[start : start + 100]
        await call.raw(b"%x\r\n%b\r\n" % (len(piece), piece))
    await call.raw(b"0\r\n\r\n")


@behaviour
async def until_close(call: Call) -> None:
    await call.head(Content_Type="text/html", Connection="close")
    await call.raw(PAGE)
    call.cut()


# --- encodings --------------------------------------------------------------------------------------


@behaviour
async def gzip_page(call: Call) -> None:
    await call.answer(gzip.compress(PAGE), Content_Encoding="gzip")


@behaviour
async def gzip_members(call: Call) -> None:
    await call.answer(gzip.compress(PAGE[:500]) + gzip.compress(PAGE[500:]), Content_Encoding="x-gzip")


@behaviour
async def gzip_trailing_junk(call: Call) -> None:
    await call.answer(gzip.compress(PAGE) + b"\0" * 100, Content_Encoding="gzip")


@behaviour
async def deflate(call: Call) -> None:
    await call.answer(zlib.compress(PAGE), Content_Encoding="deflate")


@behaviour
async def deflate_raw(call: Call) -> None:
    packer = zlib.compressobj(wbits=-15)
    await call.answer(packer.compress(PAGE) + packer.flush(), Content_Encoding="deflate")


@behaviour
async def brotli_page(call: Call) -> None:
    await call.answer(brotli.compress(PAGE), Content_Encoding="br")


@behaviour
async def zstd_page(call: Call) -> None:
    await call.answer(zstd.compress(PAGE), Content_Encoding="zstd")


@behaviour
async def double_gzip(call: Call) -> None:
    await call.answer(gzip.compress(gzip.compress(PAGE)), Content_Encoding="gzip, gzip")


@behaviour
async def triple_gzip(call: Call) -> None:
    body = gzip.compress(gzip.compress(gzip.compress(PAGE)))
    await call.answer(body, Content_Encoding="gzip, gzip, gzip")


@cache
def bomb(kind: str) -> bytes:
    """100 MB of zeros, packed."""
    zeros = bytes(100 * MEGABYTE)
    pack = {"gzip": gzip.compress, "br": lambda z: brotli.compress(z, quality=1), "zstd": zstd.compress}
    return pack[kind](zeros)  # type: ignore[operator]


@behaviour
async def gzip_bomb(call: Call) -> None:
    await call.answer(bomb("gzip"), Content_Encoding="gzip")


@behaviour
async def gzip_bomb_in_gzip(call: Call) -> None:
    await call.answer(gzip.compress(bomb("gzip")), Content_Encoding="gzip, gzip")


@behaviour
async def brotli_bomb(call: Call) -> None:
    await call.answer(bomb("br"), Content_Encoding="br")


@behaviour
async def zstd_bomb(call: Call) -> None:
    await call.answer(bomb("zstd"), Content_Encoding="zstd")


@behaviour
async def gzip_truncated(call: Call) -> None:
    await call.answer(gzip.compress(PAGE)[:-30], Content_Encoding="gzip")


@behaviour
async def not_gzip(call: Call) -> None:
    await call.answer(PAGE, Content_Encoding="gzip")


@behaviour
async def unknown_encoding(call: Call) -> None:
    await call.answer(PAGE, Content_Encoding="compress")


@behaviour
async def wrong_charset(call: Call) -> None:
    """Says UTF-8, sends windows-1252."""
    body = "<html><body>Caf\u00e9 \u20ac 12,50 \u2013 d\u00e9j\u00e0 vu</body></html>".encode("cp1252")
    await call.answer(body, Content_Type="text/html; charset=utf-8")


# --- bodies that do not end well ----------------------------------------------------------------------


@behaviour
async def truncated(call: Call) -> None:
    await call.head(Content_Length=len(PAGE) + 1000, Content_Type="text/html")
    await call.raw(PAGE)
    call.cut()


@behaviour
async def longer_than_said(call: Call) -> None:
    await call.head(Content_Length=100, Content_Type="text/html")
    await call.raw(PAGE)


@behaviour
async def chunked_truncated(call: Call) -> None:
    await call.head(Transfer_Encoding="chunked", Content_Type="text/html")
    await call.raw(b"%x\r\n%b\r\n" % (len(PAGE), PAGE))
    call.cut()


@behaviour
async def chunked_broken(call: Call) -> None:
    await call.head(Transfer_Encoding="chunked", Content_Type="text/html")
    await call.raw(b"zz\r\nnot a chunk\r\n")


@behaviour
async def length_and_chunked(call: Call) -> None:
    await call.head(Transfer_Encoding="chunked", Content_Length=5, Content_Type="text/html")
    await call.raw(b"%x\r\n%b\r\n0\r\n\r\n" % (len(PAGE), PAGE))


@behaviour
async def reset_in_body(call: Call) -> None:
    await call.head(Content_Length=MEGABYTE, Content_Type="text/html")
    await call.raw(PAGE)
    await asyncio.sleep(DRIP_SECONDS)
    call.reset()


@behaviour
async def endless(call: Call) -> None:
    await call.head(Content_Type="text/html")
    while True:
        await call.raw(b"<p>and on</p>" * 1000)


@behaviour
async def endless_chunked(call: Call) -> None:
    await call.head(Transfer_Encoding="chunked", Content_Type="text/html")
    while True:
        await call.raw(b"2000\r\n" + b"x" * 0x2000 + b"\r\n")


@behaviour
async def huge_length(call: Call) -> None:
    await call.head(Content_Length=10 * 1024 * MEGABYTE, Content_Type="text/html")
    await call.raw(PAGE)


@behaviour
async def part(call: Call) -> None:
    await call.answer(PAGE[:100], "206 Partial Content", Content_Range=f"bytes 0-99/{len(PAGE)}")


# --- slowness -----------------------------------------------------------------------------------------


@behaviour
async def silent(call: Call) -> None:
    await asyncio.sleep(3600)


@behaviour
async def drip(call: Call) -> None:
    """One byte at a time, for ever within the idle limit."""
    await call.head(Content_Length=MEGABYTE, Content_Type="text/html")
    while True:
        await call.raw(b"x")
        await asyncio.sleep(DRIP_SECONDS)


@behaviour
async def drip_head(call: Call) -> None:
    await call.raw(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    while True:
        await call.raw(b"x")
        await asyncio.sleep(DRIP_SECONDS)


@behaviour
async def stalls(call: Call) -> None:
    await call.head(Content_Length=MEGABYTE, Content_Type="text/html")
    await call.raw(PAGE)
    await asyncio.sleep(3600)


@behaviour
async def endless_hints(call: Call) -> None:
    while True:
        await call.raw(b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n")
        await asyncio.sleep(DRIP_SECONDS)


# --- connections and protocol -------------------------------------------------------------------------


@behaviour
async def reset(call: Call) -> None:
    call.reset()


@behaviour
async def hang_up(call: Call) -> None:
    call.cut()


@behaviour
async def ok_then_hang_up(call: Call) -> None:
    """Promises to keep the connection and closes it."""
    await call.answer()
    call.cut()


@behaviour
async def garbage(call: Call) -> None:
    await call.raw(b"\x16\x03\x01 this is not HTTP\r\n\r\n")
    call.cut()


@behaviour
async def bad_length(call: Call) -> None:
    await call.head(Content_Length="-5", Content_Type="text/html")
    await call.raw(PAGE)


@behaviour
async def endless_head(call: Call) -> None:
    await call.raw(b"HTTP/1.1 200 OK\r\n")
    while True:
        await call.raw(b"X-More: " + b"x" * 1000 + b"\r\n")


@behaviour
async def huge_header(call: Call) -> None:
    await call.answer(X_Huge="x" * 200_000)


@behaviour
async def large_cookie(call: Call) -> None:
    await call.answer(Set_Cookie="a=" + "x" * 12_000)


# --- redirects ----------------------------------------------------------------------------------------


@behaviour
async def to(call: Call) -> None:
    """Wherever the query says, byte for byte: the value is percent-encoded twice, so that it may be any."""
    location = unquote_to_bytes(call.request.query.get("url", "")).decode("latin-1")
    await call.redirect(location, call.request.query.get("status", "302") + " Moved")


@behaviour
async def loop_a(call: Call) -> None:
    await call.redirect("/loop_b")


@behaviour
async def loop_b(call: Call) -> None:
    await call.redirect("/loop_a")


@behaviour
async def loop_self(call: Call) -> None:
    await call.redirect("/loop_self")


@behaviour
async def chain(call: Call) -> None:
    left = int(call.request.query["n"])
    await call.redirect(f"/chain?n={left - 1}" if left > 1 else "/ok")


@behaviour
async def cookie_gate(call: Call) -> None:
    if "pass=yes" in call.request.headers.get("cookie", ""):
        await call.answer()
    else:
        await call.redirect("/cookie_gate", Set_Cookie="pass=yes; Path=/; HttpOnly")


@behaviour
async def cookie_treadmill(call: Call) -> None:
    """A new cookie each time, so it is never quite the same request."""
    await call.redirect("/cookie_treadmill", Set_Cookie=f"n={len(call.server.requests)}")


@behaviour
async def no_location(call: Call) -> None:
    await call.answer(b"where to?", "302 Found")


@behaviour
async def split_location(call: Call) -> None:
    await call.raw(b"HTTP/1.1 302 Found\r\nLocation: /ok\r\n X-Injected: 1\r\nContent-Length: 0\r\n\r\n")


@behaviour
async def redirect_endless_body(call: Call) -> None:
    await call.head("302 Found", Location="/ok", Transfer_Encoding="chunked")
    while True:
        await call.raw(b"5\r\nhello\r\n")
        await asyncio.sleep(0)


async def _main() -> None:
    server = await FaultServer().start()
    print(server.url(""), *sorted(BEHAVIOURS), sep="\n  ", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(_main())
