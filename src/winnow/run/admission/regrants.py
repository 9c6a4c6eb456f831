"""Grants that were not used in time, exchanged for new ones: one question per lane for all who wait."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from winnow.clock import Monotonic
from winnow.schedule.ledger.grant import GRANT_SECONDS, Grant
from winnow.schedule.ledger.ledger import Ledger, Taken


@dataclass(frozen=True, slots=True)
class Regrant:
    """`grant` None: there was no room, and after `wait` seconds it is worth asking again."""

    grant: Grant | None
    wait: float = 0.0


_Waiting = tuple[Grant | None, asyncio.Future[Regrant]]


class Regrants:
    def __init__(self, ledger: Ledger, monotonic: Monotonic) -> None:
        self._ledger = ledger
        self._monotonic = monotonic
        self._waiting: dict[str, list[_Waiting]] = {}
        self._asking: dict[str, asyncio.Task[None]] = {}

    async def ask(self, lane: str, unused: Grant | None) -> Regrant:
        """A grant now for `unused`, which is gone whatever the answer is. The caller holds a task of the lane."""
        mine: asyncio.Future[Regrant] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(lane, []).append((unused, mine))
        if lane not in self._asking:  # a task of its own: who waits may be cancelled, the others still get theirs
            self._asking[lane] = asyncio.create_task(self._ask(lane))
        return await mine

    async def _ask(self, lane: str) -> None:
        """Asks until nobody waits; who comes while a question is under way is part of the next one."""
        try:
            while waiting := self._waiting.pop(lane, []):
                await self._exchange(lane, waiting)
        finally:
            del self._asking[lane]

    async def _exchange(self, lane: str, waiting: list[_Waiting]) -> None:
        good_until = self._monotonic() + GRANT_SECONDS
        try:
            taken = await self._ledger.exchange(lane, [g for g, _ in waiting if g is not None], len(waiting))
        except Exception as failed:  # noqa: BLE001 - whoever waits has to hear of it
            for _, future in waiting:
                if not future.done():
                    future.set_exception(failed)
            return
        present = [(unused, future) for unused, future in waiting if not future.done()]
        for n, (unused, future) in enumerate(present):
            future.set_result(_regrant(taken, n, lane, unused, good_until))


def _regrant(taken: Taken, n: int, lane: str, unused: Grant | None, good_until: float) -> Regrant:
    """What the n-th of those who waited gets. A ledger that wrote nothing into PostgreSQL's log left what the claim
    wrote there."""
    if n >= taken.granted:
        return Regrant(None, taken.wait)
    granted_at = taken.granted_at or (unused.granted_at if unused is not None else None)
    return Regrant(Grant(lane, granted_at, taken.stamp, good_until))
