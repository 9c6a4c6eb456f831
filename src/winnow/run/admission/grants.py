"""Checks grants before requests are sent: a grant is good for 100 ms of its holder's own clock, and a late one is
exchanged, never used."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial

import structlog

from winnow.clock import Monotonic
from winnow.fetch.failure import FailureCode
from winnow.fetch.outcome import BeforeSending, Refusal, refusal_of
from winnow.run.visit import Visit
from winnow.schedule.ledger.grant import GRANT_SECONDS, Grant
from winnow.schedule.ledger.ledger import Ledger, TakenGrants

log = structlog.get_logger(__name__)

HOP_WAIT = 10.0  # seconds a redirect may wait for another domain's slot before the task tries again later
MIN_WAIT_SECONDS = 0.05  # seconds before a ledger that had no room is asked again

_EXPIRED = refusal_of(FailureCode.GRANT_EXPIRED)


class Grants:
    def __init__(self, ledger: Ledger, monotonic: Monotonic = time.monotonic) -> None:
        self._ledger = ledger
        self._monotonic = monotonic
        self._regrants = Regrants(ledger, monotonic)

    def before_sending(self, visit: Visit) -> BeforeSending:
        """Check the grant once the request is ready: send, exchange the grant, or put the task back."""

        async def ask() -> Refusal | None:
            return None if await self.may_send(visit) else _EXPIRED

        return ask

    def before_showing(self, visit: Visit) -> BeforeSending:
        """The same for a browser: it takes long to start, so it waits for the domain's next slot, as a redirect
        does."""

        async def ask() -> Refusal | None:
            return await self._within_hop_wait(partial(self._wait_to_send, visit))

        return ask

    async def may_send(self, visit: Visit) -> bool:
        if await self._wait_to_send(visit) == 0:
            return True
        log.info("grant_expired", task_id=str(visit.task.id), lane=visit.task.lane)
        return False

    async def for_hop(self, domain: str, *, holding: bool = False) -> Refusal | None:
        """A request outside a claim, sent as soon as this says None. `holding`: the caller has a task of the domain in
        flight."""
        return await self._within_hop_wait(partial(self._wait_for_grant, domain, holding))

    async def _wait_to_send(self, visit: Visit) -> float:
        """0: the visit's grant is good. One that is too old is exchanged; one whose answer took too long is not
        used, and returned with the task or exchanged in turn."""
        if self._is_good(visit):
            return 0.0
        unused, visit.grant = visit.grant, None
        regrant = await self._regrants.ask(visit.task.lane, unused)
        visit.grant = regrant.grant
        return 0.0 if self._is_good(visit) else max(MIN_WAIT_SECONDS, regrant.wait)

    def _is_good(self, visit: Visit) -> bool:
        return visit.grant is not None and self._monotonic() <= visit.grant.good_until

    async def _within_hop_wait(self, ask: Callable[[], Awaitable[float]]) -> Refusal | None:
        """Ask again until a grant is there or the longest wait of a redirect is over."""
        waited = 0.0
        while (wait := await ask()) > 0:
            if waited + wait > HOP_WAIT:
                return refusal_of(FailureCode.HOP_BUSY, retry_after_s=wait)
            waited += wait
            await asyncio.sleep(wait)
        return None

    async def _wait_for_grant(self, domain: str, holding: bool) -> float:
        """0: it was granted just now. One whose answer took too long is not used."""
        good_until = self._monotonic() + GRANT_SECONDS
        taken = await self._ledger.take(domain, holding=holding)
        return taken.wait if self._monotonic() <= good_until else max(taken.wait, MIN_WAIT_SECONDS)


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
        """Exchange `unused`, which is gone whatever the answer is, for a grant that is good now. The caller holds a
        task of the lane."""
        mine: asyncio.Future[Regrant] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(lane, []).append((unused, mine))
        if lane not in self._asking:  # a task of its own: who waits may be cancelled, the others still get theirs
            self._asking[lane] = asyncio.create_task(self._ask(lane))
        return await mine

    async def _ask(self, lane: str) -> None:
        """Exchange grants until no visit waits; a visit that comes during a question is part of the next one."""
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


def _regrant(taken: TakenGrants, n: int, lane: str, unused: Grant | None, good_until: float) -> Regrant:
    """Return what the n-th waiting visit gets. A ledger that wrote nothing into PostgreSQL's log left what the claim
    wrote there."""
    if n >= taken.granted:
        return Regrant(None, taken.wait)
    granted_at = taken.granted_at or (unused.granted_at if unused is not None else None)
    return Regrant(Grant(lane, granted_at, taken.stamp, good_until))
