"""Grants that were not used in time, asked for again: one question per lane for all who wait."""

from __future__ import annotations

import asyncio
import time

from winnow.schedule.ledger.ledger import Ledger


class Regrants:
    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._waiting: dict[str, list[asyncio.Future[float | None]]] = {}

    async def ask(self, lane: str) -> float | None:
        """The monotonic time just before the new grant was asked for, or None: there was no room."""
        mine: asyncio.Future[float | None] = asyncio.get_running_loop().create_future()
        if lane in self._waiting:
            self._waiting[lane].append(mine)
        else:
            self._waiting[lane] = [mine]
            await self._take(lane)
        return await mine

    async def _take(self, lane: str) -> None:
        """Asks until nobody waits; who comes while a question is under way is part of the next one."""
        while self._waiting[lane]:
            asking, self._waiting[lane] = self._waiting[lane], []
            asked_at = time.monotonic()
            try:
                taken = await self._ledger.take(lane, len(asking), holding=True)
            except BaseException as failed:  # noqa: BLE001 - whoever waits has to hear of it
                for future in [*asking, *self._waiting.pop(lane)]:
                    if not future.done():
                        future.set_exception(failed)
                return
            for n, future in enumerate(asking):
                if not future.done():
                    future.set_result(asked_at if n < taken.granted else None)
        del self._waiting[lane]
