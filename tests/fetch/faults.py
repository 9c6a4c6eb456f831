"""Misbehaviours of web servers: the request they answer, how they can, and the list of them by path."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

PAGE = b"<html><head><title>ok</title></head><body>" + b"<p>A page like any other.</p>" * 40 + b"</body></html>"
MEGABYTE = 1024 * 1024
DRIP_SECONDS = 0.05


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]


class Server(Protocol):
    requests: list[Request]
    connections: int

    def url(self, path: str, host: str = "127.0.0.1") -> str: ...


@dataclass
class Call:
    """One request and the way to answer it."""

    request: Request
    writer: asyncio.StreamWriter
    server: Server

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


Behaviour = Callable[[Call], Awaitable[None]]
BEHAVIOURS: dict[str, Behaviour] = {}


def behaviour(function: Behaviour) -> Behaviour:
    BEHAVIOURS["/" + function.__name__] = function
    return function


async def not_found(call: Call) -> None:
    await call.answer(b"no such page", "404 Not Found")
