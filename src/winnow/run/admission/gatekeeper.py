"""May this request be sent, now? Asked before every page and every redirect to another origin.

The claim has granted the slot; what is left is the robots answer, the freshness of the grant, and
what the site said the last time (429, Retry-After). A no is always an ending with its reason.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import partial

import structlog

from winnow.clock import Monotonic
from winnow.db.engine import Database
from winnow.fetch.failure import Failure
from winnow.fetch.http.client import OnHop
from winnow.fetch.outcome import BeforeSending, FetchResult, Outcome, Refusal, refusal_of
from winnow.fetch.url import CheckedUrl
from winnow.run import endings
from winnow.run.admission.proxy_choice import ANY, Exits, Wish
from winnow.run.admission.regrants import Regrants
from winnow.run.admission.robots import Refreshed, RobotsBook
from winnow.run.visit import Ending, Visit
from winnow.schedule.ledger import limits
from winnow.schedule.ledger.grant import GRANT_SECONDS
from winnow.schedule.ledger.ledger import Ledger
from winnow.schedule.ledger.policies import Policies
from winnow.schedule.queue.task import RESUME_LANE
from winnow.schedule.settings import ScheduleSettings
from winnow.sources.domain import domain_of, domain_of_host, origin_of

log = structlog.get_logger(__name__)

HOP_WAIT = 10.0  # seconds a redirect may wait for another domain's slot before the task tries again later
SHORTEST_WAIT = 0.05  # seconds before a ledger that had no room is asked again

_EXPIRED = refusal_of(Failure.GRANT_EXPIRED)


class Gatekeeper:
    def __init__(
        self,
        database: Database,
        ledger: Ledger,
        robots: RobotsBook,
        settings: ScheduleSettings,
        policies: Policies,
        exits: Exits,
        monotonic: Monotonic = time.monotonic,
    ) -> None:
        self._exits = exits
        self._database = database
        self._ledger = ledger
        self._robots = robots
        self._settings = settings
        self._policies = policies
        self._monotonic = monotonic
        self._regrants = Regrants(ledger, monotonic)

    async def admit(self, visit: Visit) -> Ending | None:
        """None: robots.txt allows it."""
        task = visit.task
        if task.lane == RESUME_LANE:
            return endings.lost_page()
        answer = await self._robots.ask(task, visit.brief, visit.url)
        visit.why = {"lane": task.lane, "granted_at": task.granted_at.isoformat(), **answer.why}
        if not answer.known:
            if answer.wait_seconds:
                return endings.postponed(Failure.ROBOTS_RETRY, answer.wait_seconds)
            return await self._learn_robots(visit)
        if not answer.allowed:
            return endings.robots_blocked(str(answer.why.get("robots", "")))
        visit.exit = await self._exits.choose(task.lane, visit.brief.exit)
        if visit.exit is not None:
            visit.why["proxy"] = visit.exit.id
        return None

    async def _learn_robots(self, visit: Visit) -> Ending | None:
        """Spends this task's grant on robots.txt; the task takes the next one."""
        task, grant = visit.task, partial(self._may_send, visit)
        done = await self._robots.refresh(task.origin, task.lane, self.robots_hop(task.lane), grant, visit.brief.exit)
        if done is Refreshed.BY_OTHERS:
            return endings.postponed(Failure.ROBOTS_BEING_FETCHED)
        if done is Refreshed.NOT_NOW:
            return endings.postponed(Failure.GRANT_EXPIRED)
        if done is Refreshed.UNASKED:  # the grant is spent: what left through a proxy is not known for sure
            return endings.postponed(Failure.PROXY_FAILED)
        await limits.refresh(self._database, self._ledger, task.lane, self._settings, self._policies)
        return endings.postponed(Failure.ROBOTS_FETCHED)

    def before_sending(self, visit: Visit) -> BeforeSending:
        """Asked when the request stands ready: the grant holds, or another is there, or the task comes again."""

        async def ask() -> Refusal | None:
            return None if await self._may_send(visit) else _EXPIRED

        return ask

    def before_showing(self, visit: Visit) -> BeforeSending:
        """The same for what takes its time to get ready and is worth keeping then: a browser waits for the domain's
        next slot, as a redirect does."""

        async def ask() -> Refusal | None:
            return await self._within_hop_wait(partial(self._wait_to_send, visit))

        return ask

    async def _may_send(self, visit: Visit) -> bool:
        if await self._wait_to_send(visit) == 0:
            return True
        log.info("grant_expired", task_id=str(visit.task.id), lane=visit.task.lane)
        return False

    async def _wait_to_send(self, visit: Visit) -> float:
        """0: the visit's grant is good. One that is too old is exchanged; one whose answer took too long is not
        used, and returned with the task or exchanged in turn."""
        if self._is_good(visit):
            return 0.0
        unused, visit.grant = visit.grant, None
        regrant = await self._regrants.ask(visit.task.lane, unused)
        visit.grant = regrant.grant
        return 0.0 if self._is_good(visit) else max(SHORTEST_WAIT, regrant.wait)

    def _is_good(self, visit: Visit) -> bool:
        return visit.grant is not None and self._monotonic() <= visit.grant.good_until

    async def heed(self, lane: str, result: FetchResult) -> None:
        """What the site said about our pace holds for everybody, at once (S-059, DESIGN §4). Where a redirect
        led to another domain, that one said it; a hop that was refused by us is nobody's word."""
        if not result.ended_by_status and result.outcome is not Outcome.BLOCKED:
            return
        said_by = domain_of(result.final_url) if result.redirects else lane
        if result.status_code == 429:
            await self._ledger.slow(said_by)
        if result.retry_after_s:
            await self._ledger.hold(said_by, result.retry_after_s)

    def hop(self, lane: str, *, respect_robots: bool = True, wish: Wish = ANY) -> OnHop:
        """Every redirect hop to another domain needs that domain's grant, and every hop to another URL the
        robots answer of its origin (DESIGN §11.12). `lane` is the domain the request holds a slot of."""

        async def ask(url: CheckedUrl) -> Refusal | None:
            domain = domain_of_host(url.host, url.port)
            if respect_robots or domain != lane:  # an exception is one domain's own (DESIGN §11.4)
                refusal = await self._robots_of_hop(origin_of(url.url), url.url, domain, lane, wish)
                if refusal is not None:
                    return refusal
            return None if domain == lane else await self._grant_for_hop(domain, holding=False)

        return ask

    def robots_hop(self, lane: str) -> OnHop:
        """The same for robots.txt itself, which is not subject to robots.txt."""

        async def ask(url: CheckedUrl) -> Refusal | None:
            domain = domain_of_host(url.host, url.port)
            return None if domain == lane else await self._grant_for_hop(domain, holding=False)

        return ask

    async def _robots_of_hop(self, origin: str, url: str, domain: str, lane: str, wish: Wish) -> Refusal | None:
        answer = await self._robots.ask_origin(origin, url)
        if not answer.known:
            refusals: list[Refusal | None] = []

            async def grant() -> bool:
                refusals.append(await self._grant_for_hop(domain, holding=domain == lane))
                return refusals[-1] is None

            done = await self._robots.refresh(origin, domain, self.robots_hop(domain), grant, wish)
            if done is Refreshed.NOT_NOW:
                return refusals[-1]
            await limits.refresh(self._database, self._ledger, domain, self._settings, self._policies)
            answer = await self._robots.ask_origin(origin, url)
        if not answer.known:
            return refusal_of(Failure.ROBOTS_UNKNOWN, retry_after_s=2.0)
        if not answer.allowed:
            return refusal_of(Failure.ROBOTS, f"redirected to a forbidden page: {answer.why.get('robots')}")
        return None

    async def _grant_for_hop(self, domain: str, *, holding: bool) -> Refusal | None:
        return await self._within_hop_wait(partial(self._wait_for_grant, domain, holding))

    async def _within_hop_wait(self, ask: Callable[[], Awaitable[float]]) -> Refusal | None:
        """Asks until there is nothing to wait for."""
        waited = 0.0
        while (wait := await ask()) > 0:
            if waited + wait > HOP_WAIT:
                return refusal_of(Failure.HOP_BUSY, retry_after_s=wait)
            waited += wait
            await asyncio.sleep(wait)
        return None

    async def _wait_for_grant(self, domain: str, holding: bool) -> float:
        """0: it was granted just now. One whose answer took too long is not used."""
        good_until = self._monotonic() + GRANT_SECONDS
        taken = await self._ledger.take(domain, holding=holding)
        return taken.wait if self._monotonic() <= good_until else max(taken.wait, SHORTEST_WAIT)
