"""Two real proxies on loopback: HTTP (CONNECT and absolute form) and SOCKS5 (RFC 1928, 1929).
They note what they were asked for and can be told to misbehave."""

from __future__ import annotations

import asyncio
import base64
import ssl
from contextlib import suppress
from dataclasses import dataclass, field
from ipaddress import ip_address

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@dataclass
class ProxyServer:
    """`names` is its own name server: what an absolute-form request for a host is sent to."""

    login: tuple[str, str] | None = None
    answer: bytes | None = None  # said instead of doing anything
    silent: bool = False
    tunnels: bool = True
    tls: ssl.SSLContext | None = None
    names: dict[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    connections: int = 0
    port: int = 0
    _server: asyncio.Server | None = None
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    async def start(self, port: int = 0) -> ProxyServer:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", port, ssl=self.tls)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def stop(self) -> None:
        assert self._server is not None
        self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.create_task(self._served(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _served(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            if self.silent:
                await asyncio.Event().wait()
            await self.serve(reader, writer)
        writer.close()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        raise NotImplementedError

    async def relay(self, near: Streams, far: Streams) -> None:
        ways = [asyncio.ensure_future(_copy(near[0], far[1])), asyncio.ensure_future(_copy(far[0], near[1]))]
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        for way in ways:
            way.cancel()
        far[1].close()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()


class HttpProxy(ProxyServer):
    scheme = "http"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        if self.answer is not None:
            writer.write(self.answer)
            await writer.drain()
            return
        line, *fields = head[:-4].decode("latin-1").split("\r\n")
        given = dict(f.split(": ", 1) for f in fields)
        if self.login and given.get("Proxy-Authorization") != _basic(self.login):
            writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
            return
        method, target, _ = line.split(" ")
        self.asked.append(f"{method} {target}")
        if method == "CONNECT":
            await self._tunnel(target, (reader, writer))
        elif target.startswith("http://"):
            await self._forward(method, target, fields, (reader, writer))
        else:
            writer.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")

    async def _tunnel(self, target: str, near: Streams) -> None:
        host, _, port = target.rpartition(":")
        if not self.tunnels:
            near[1].write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
            return
        try:
            far = await asyncio.open_connection(host.strip("[]"), int(port))
        except OSError:
            near[1].write(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
            return
        near[1].write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        await self.relay(near, far)

    async def _forward(self, method: str, target: str, fields: list[str], near: Streams) -> None:
        authority, _, path = target.removeprefix("http://").partition("/")
        host, _, port = authority.partition(":")
        far = await asyncio.open_connection(self.names.get(host, host), int(port or 80))
        kept = [f for f in fields if not f.lower().startswith("proxy-")]
        far[1].write("\r\n".join([f"{method} /{path} HTTP/1.1", *kept, "", ""]).encode("latin-1"))
        await self.relay(near, far)


def _basic(login: tuple[str, str]) -> str:
    return "Basic " + base64.b64encode(":".join(login).encode()).decode()


class SocksProxy(ProxyServer):
    scheme = "socks5"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        _, count = await reader.readexactly(2)
        methods = await reader.readexactly(count)
        if self.answer is not None:
            writer.write(self.answer)
            await writer.drain()
            return
        wanted = 2 if self.login else 0
        if wanted not in methods:
            writer.write(b"\x05\xff")
            return
        writer.write(bytes([5, wanted]))
        if self.login and not await self._logged_in(reader, writer):
            return
        await self._connect((reader, writer))

    async def _logged_in(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        _, length = await reader.readexactly(2)
        user = await reader.readexactly(length)
        password = await reader.readexactly((await reader.readexactly(1))[0])
        right = self.login == (user.decode(), password.decode())
        writer.write(b"\x01\x00" if right else b"\x01\x01")
        return right

    async def _connect(self, near: Streams) -> None:
        _, _, _, kind = await near[0].readexactly(4)
        if kind == 3:
            host = (await near[0].readexactly((await near[0].readexactly(1))[0])).decode()
        else:
            host = str(ip_address(await near[0].readexactly(4 if kind == 1 else 16)))
        port = int.from_bytes(await near[0].readexactly(2), "big")
        self.asked.append(f"{host}:{port}")
        try:
            far = await asyncio.open_connection(host, port)
        except OSError:
            near[1].write(b"\x05\x05\x00\x01\x00\x00\x00\x00\x00\x00")
            return
        near[1].write(b"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")
        await self.relay(near, far)
