"""`winnow api`: the API in a process of its own, with the console beside it unless that is switched off."""

from __future__ import annotations

import asyncio
import contextlib
import math
import signal
import socket
import time
from collections.abc import Callable, Iterator

import psycopg
import uvicorn
from fastapi import FastAPI
from starlette.types import ASGIApp

from winnow.actions.parts import Parts
from winnow.api.app import create_app
from winnow.api.prefix import Prefixed
from winnow.api.protocol import Protocol
from winnow.db.engine import Database
from winnow.errors import DatabaseUnavailable
from winnow.run import garbage_collection
from winnow.run.bind import listening
from winnow.schedule.queue import queue
from winnow.schedule.queue.task import Producer
from winnow.settings import Settings

TICK = 0.1  # seconds between looks at whether something is still under way


class _Server(uvicorn.Server):
    """Handles signals itself: uvicorn would end the process before the database connections are closed."""

    def __init__(self, config: uvicorn.Config, api: FastAPI, grace: float) -> None:
        super().__init__(config)
        self._api = api
        self._grace = grace
        self._hurry = asyncio.Event()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        for name in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(name, self._stop)
        yield

    def _stop(self) -> None:
        """A second signal does not wait for anything."""
        if self.should_exit:
            self._hurry.set()
        self._api.state.stopping = True
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """S-085: until running requests have ended, tasks can still be read, and new ones are refused with 503."""
        until = time.monotonic() + self._grace
        while time.monotonic() < until and not self._hurry.is_set() and await under_way(self._api.state.parts):
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._hurry.wait(), TICK)
        left = 0.0 if self._hurry.is_set() else until - time.monotonic()
        self.config.timeout_graceful_shutdown = max(1, math.ceil(left))
        await super().shutdown(sockets)


Beside = Callable[[FastAPI, Parts], ASGIApp]


async def serve(settings: Settings, beside: Beside | None = None) -> None:
    """`beside` stands another face beside the API, in the same process and on the same port."""
    with listening(settings) as listener:
        async with await Database.open(settings.db) as database:
            app = create_app(database, settings)
            _ = app.state.parts.scrape_rules  # an address that cannot be used stops the start, not a call
            config = uvicorn.Config(
                Prefixed(app if beside is None else beside(app, app.state.parts), settings.api.path_prefix),
                http=Protocol,
                log_config=None,  # ours stands already
                access_log=False,  # the transport logs each request, masked
                server_header=False,
            )
            garbage_collection.reduce_collections()
            await _Server(config, app, settings.browser.graceful_shutdown_seconds).serve(sockets=[listener])


async def under_way(parts: Parts) -> bool:
    """Whether a request waits for an answer here, or a worker runs a task of this service."""
    if parts.arrivals.anybody():
        return True
    try:
        async with asyncio.timeout(1.0), parts.database.connection() as conn:
            return await queue.any_running(conn, Producer.ENRICHMENT)
    except (TimeoutError, DatabaseUnavailable, psycopg.Error):
        return False


def main(settings: Settings, beside: Beside | None = None) -> None:
    asyncio.run(serve(settings, beside))
