"""The deadlines of all fetches, kept by one clock (R-16).

A timer per fetch and another per packet, which is what asyncio.timeout and aiohttp's sock_read cost, were a
tenth of the time of a fetch (33 of 316 µs, measured). Here one tick looks at all fetches under way: it ends the
one whose total time is over, and the one whose server has sent nothing for too long since it was asked. Connecting
has its own deadline in aiohttp, which costs only those who connect.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import monotonic
from types import TracebackType

from aiohttp import StreamReader

TICK_S = 0.05  # how late a deadline may be noticed


class IdleTimeout(Exception):
    """The server stopped sending."""


class FetchDeadline:
    """One fetch under way. Use it as `with`; it ends the block with TimeoutError or IdleTimeout.

    Like asyncio.timeout it cancels the task and takes the cancellation back when it was its own alone."""

    __slots__ = ("_cancelling", "_clock", "_content", "_over", "_received", "_since", "_task", "_until")

    def __init__(self, clock: Deadlines, total_s: float) -> None:
        self._clock = clock
        self._until = clock.now() + total_s
        self._since: float | None = None  # when the server last gave a sign; None while it has not been asked
        self._content: StreamReader | None = None
        self._received = 0
        self._over: Exception | None = None

    def asked(self) -> None:
        self._since, self._content, self._received = self._clock.now(), None, 0

    def receiving(self, content: StreamReader) -> None:
        self._since, self._content = self._clock.now(), content

    def waiting(self) -> None:
        """Suspend the idle limit while another party (ledger, proxy) is waited for."""
        self._since = None

    def __enter__(self) -> FetchDeadline:
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("a fetch needs a task")
        self._task, self._cancelling = task, task.cancelling()
        self._clock.add(self)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._clock.remove(self)
        if self._over is None:
            return
        ours_alone = self._task.uncancel() <= self._cancelling
        if ours_alone and kind is asyncio.CancelledError:
            raise self._over from error

    def check(self, at: float, idle_s: float) -> None:
        if self._content is not None and self._content.total_bytes != self._received:
            self._since, self._received = at, self._content.total_bytes
        if self._since is not None and at - self._since > idle_s:
            self._end(IdleTimeout())
        elif at > self._until:
            self._end(TimeoutError())

    def _end(self, why: Exception) -> None:
        self._clock.remove(self)
        self._over = why
        self._task.cancel()


class Deadlines:
    def __init__(self, idle_s: float, now: Callable[[], float] = monotonic) -> None:
        self.now = now
        self._watches: set[FetchDeadline] = set()
        self._idle_s = idle_s
        self._next: asyncio.TimerHandle | None = None

    def watch(self, total_s: float) -> FetchDeadline:
        return FetchDeadline(self, total_s)

    def add(self, watch: FetchDeadline) -> None:
        """Ticks only while there is something to watch."""
        self._watches.add(watch)
        if self._next is None:
            self._next = asyncio.get_running_loop().call_later(TICK_S, self._tick)

    def remove(self, watch: FetchDeadline) -> None:
        self._watches.discard(watch)

    def check(self) -> None:
        """End every watch whose time is over."""
        at = self.now()
        for watch in tuple(self._watches):
            watch.check(at, self._idle_s)

    def _tick(self) -> None:
        self._next = None
        self.check()
        if self._watches:
            self._next = asyncio.get_running_loop().call_later(TICK_S, self._tick)

    def stop(self) -> None:
        if self._next is not None:
            self._next.cancel()
            self._next = None
