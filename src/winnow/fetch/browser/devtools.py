"""Chromium's DevTools protocol over the pipe it was started with: one JSON message between two NUL bytes.

Commands can be sent without waiting for the answers of earlier ones; Chromium works them off in order.
When the pipe ends, Chromium is gone: every open command fails with `BrowserGone`, and whoever watches
`gone` learns of it. The other way round, Chromium ends itself when our end of the pipe closes, however we died.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import Any

import orjson

from winnow.errors import WinnowError

Event = Callable[[str, dict[str, Any]], None]

MAX_MESSAGE = 256 * 1024 * 1024  # beyond any page we would accept, screenshots included


class BrowserGone(WinnowError):
    """The browser crashed, was killed or was closed."""

    code = "browser_crashed"


class CommandFailed(WinnowError):
    """Chromium refused the command."""

    code = "browser_command"


class DevTools:
    def __init__(self, transport: asyncio.WriteTransport) -> None:
        self._transport = transport
        self._last = 0
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._listeners: dict[str, Event] = {}
        self.gone: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def send(self, method: str, session: str | None = None, **params: Any) -> asyncio.Future[dict[str, Any]]:
        """Sends now; awaiting the result is up to the caller. A failure that is not awaited is not an error."""
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        answer.add_done_callback(_seen)
        if self.gone.done():
            answer.set_exception(BrowserGone("the browser is gone"))
            return answer
        self._last += 1
        message: dict[str, Any] = {"id": self._last, "method": method, "params": params}
        if session is not None:
            message["sessionId"] = session
        self._waiting[self._last] = answer
        self._transport.write(orjson.dumps(message) + b"\0")
        return answer

    def listen(self, session: str, event: Event) -> None:
        self._listeners[session] = event

    def forget(self, session: str) -> None:
        self._listeners.pop(session, None)

    def close(self) -> None:
        self.lost()

    def lost(self) -> None:
        if not self._transport.is_closing():
            self._transport.abort()
        if not self.gone.done():
            self.gone.set_result(None)
        waiting, self._waiting = self._waiting, {}
        for answer in waiting.values():
            if not answer.done():
                answer.set_exception(BrowserGone("the browser is gone"))

    def received(self, raw: bytes) -> None:
        message: dict[str, Any] = orjson.loads(raw)
        if "id" not in message:
            listener = self._listeners.get(message.get("sessionId", ""))
            if listener is not None:
                listener(message["method"], message.get("params", {}))
            return
        answer = self._waiting.pop(message["id"], None)
        if answer is None or answer.done():
            return
        if "error" in message:
            answer.set_exception(CommandFailed(str(message["error"].get("message", ""))[:300]))
        else:
            answer.set_result(message["result"])


def _seen(answer: asyncio.Future[Any]) -> None:
    if not answer.cancelled():
        answer.exception()


class _PipeReader(asyncio.Protocol):
    def __init__(self) -> None:
        self.devtools: DevTools | None = None
        self._parts: list[bytes] = []
        self._size = 0

    def data_received(self, data: bytes) -> None:
        *whole, rest = data.split(b"\0")
        for piece in whole:
            message, self._parts, self._size = b"".join([*self._parts, piece]), [], 0
            if self.devtools is not None and message:
                self.devtools.received(message)
        if rest:
            self._parts.append(rest)
            self._size += len(rest)
        if self._size > MAX_MESSAGE and self.devtools is not None:
            self.devtools.close()

    def connection_lost(self, exc: Exception | None) -> None:
        if self.devtools is not None:
            self.devtools.lost()


async def connect(write_fd: int, read_fd: int) -> DevTools:
    """Takes over both ends; they are closed with the transports."""
    loop = asyncio.get_running_loop()
    writing, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, os.fdopen(write_fd, "wb", 0))
    reading = _PipeReader()
    devtools = DevTools(writing)
    reading.devtools = devtools
    transport, _ = await loop.connect_read_pipe(lambda: reading, os.fdopen(read_fd, "rb", 0))
    devtools.gone.add_done_callback(lambda _: transport.close())
    return devtools
