"""Replays that a face starts and somebody looks at later (C-069). Reading pages takes a processor: one at a time."""

from __future__ import annotations

import asyncio
from datetime import datetime

import structlog

from winnow.actions import replay
from winnow.actions.replay import Order
from winnow.db.engine import Database
from winnow.errors import Conflict, NotFound
from winnow.extract.adapter import Registry
from winnow.kinds.adapters import choose
from winnow.settings import Settings

log = structlog.get_logger(__name__)


class ReplayDesk:
    def __init__(self, database: Database, settings: Settings, registry: Registry) -> None:
        self._database = database
        self._settings = settings
        self._registry = registry
        self._running: set[asyncio.Task[None]] = set()

    async def start(
        self,
        actor: str,
        adapter_id: str,
        version: str | None = None,
        *,
        source_id: int | None = None,
        since: datetime | None = None,
        limit: int = 1_000,
    ) -> int:
        """The replay's id; it goes on in the background. Conflict: another one is under way."""
        self.registered(adapter_id)
        candidate = choose(self._registry, adapter_id, version)
        if self._running:
            raise Conflict("another replay is under way: ask again when it is done")
        live = choose(self._registry, adapter_id).version
        order = Order(candidate=candidate, live=live, source_id=source_id, since=since, limit=limit)
        replay_id = await replay.begin(self._database, actor, order)
        task = asyncio.create_task(self._replay(replay_id, order))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return replay_id

    def registered(self, adapter_id: str) -> None:
        """Files are for the command line: whoever asks over the net names what is registered."""
        if adapter_id not in self._registry.list():
            raise NotFound(f"there is no adapter {adapter_id!r} (known: {', '.join(self._registry.list())})")

    async def _replay(self, replay_id: int, order: Order) -> None:
        try:
            await replay.replay(self._database, self._settings, replay_id, order)
        except Exception:
            log.exception("replay_failed", replay_id=replay_id)
