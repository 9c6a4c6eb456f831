"""A loop around chores: calls them at an interval, survives a lost database, stops on a signal."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Awaitable, Callable

import structlog

from winnow.errors import DatabaseUnavailable

log = structlog.get_logger(__name__)


def stop_on_signals() -> asyncio.Event:
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, stopping.set)
    return stopping


async def run_periodically(stopping: asyncio.Event, seconds: float, *chores: Callable[[], Awaitable[object]]) -> None:
    """Call each chore on every beat. One that fails is logged and tried again on the next beat; the others go on."""
    while not stopping.is_set():
        for chore in chores:
            try:
                await chore()
            except DatabaseUnavailable as away:
                log.warning("chore_waits", chore=getattr(chore, "__name__", "?"), reason=str(away))
            except Exception:
                log.exception("chore_failed", chore=getattr(chore, "__name__", "?"))
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(stopping.wait(), seconds)
