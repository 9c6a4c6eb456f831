"""Waits for what a server, a process or a task will do.

The limit only ends a test that would hang; it says nothing about how fast a machine has to be.
"""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Callable
from typing import Any

LIMIT = 600.0  # seconds: below the limit of pytest, so that the test says what it waited for
PAUSE = 0.02


async def until(condition: Callable[[], Any], limit: float = LIMIT) -> Any:
    """What `condition` returns, directly or when awaited, once that is true."""
    async with asyncio.timeout(limit):
        while True:
            found = condition()
            if inspect.isawaitable(found):
                found = await found
            if found:
                return found
            await asyncio.sleep(PAUSE)


def wait_until(condition: Callable[[], Any], limit: float = LIMIT) -> Any:
    """The same without an event loop."""
    end = time.monotonic() + limit
    while not (found := condition()):
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(PAUSE)
    return found
