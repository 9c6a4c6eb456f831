"""`winnow api`: the API in a process of its own, with the console beside it unless told otherwise."""

from __future__ import annotations

import asyncio
import contextlib
import math
import signal
from collections.abc import Callable, Iterator

import uvicorn
from fastapi import FastAPI
from starlette.types import ASGIApp

from winnow.api.app import create_app
from winnow.api.prefix import Prefixed
from winnow.api.protocol import Protocol
from winnow.db.engine import Database
from winnow.run.listening import listening
from winnow.run.parts import Parts
from winnow.settings import Settings


class _Server(uvicorn.Server):
    """Signals are ours: uvicorn's own way ends the process before the database is let go."""

    def __init__(self, config: uvicorn.Config, api: FastAPI) -> None:
        super().__init__(config)
        self._api = api

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        for name in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(name, self._stop)
        yield

    def _stop(self) -> None:
        self._api.state.stopping = True
        self.should_exit = True


Beside = Callable[[FastAPI, Parts], ASGIApp]


async def serve(settings: Settings, beside: Beside | None = None) -> None:
    """`beside` stands another face beside the API, in the same process and on the same port."""
    with listening(settings) as listener:
        async with await Database.open(settings.db) as database:
            app = create_app(database, settings)
            config = uvicorn.Config(
                Prefixed(app if beside is None else beside(app, app.state.parts), settings.api.path_prefix),
                http=Protocol,
                log_config=None,  # ours stands already
                access_log=False,  # the transport logs each request, masked
                server_header=False,
                timeout_graceful_shutdown=math.ceil(settings.browser.graceful_shutdown_seconds),  # S-085
            )
            await _Server(config, app).serve(sockets=[listener])


def main(settings: Settings, beside: Beside | None = None) -> None:
    asyncio.run(serve(settings, beside))
