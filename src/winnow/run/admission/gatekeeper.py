"""May this request be sent, now? Asked before every page and every redirect to another origin.

The claim has granted the slot; what is left is the robots answer, the freshness of the grant, and
what the site said the last time (429, Retry-After). A no is always an ending with its reason.
"""

from __future__ import annotations

import asyncio
import time

import structlog

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
from winnow.schedule.ledger.ledger import GRANT_SECONDS, Ledger
from winnow.schedule.ledger.policies import Policies
from winnow.schedule.queue.task import RESUME_LANE, Claimed
from winnow.schedule.settings import ScheduleSettings
from winnow.sources.domain import domain_of, domain_of_host, origin_of

log = structlog.get_logger(__name__)

HOP_WAIT = 10.0  # seconds a redirect may wait for another domain's slot before the task tries again later


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
    ) -> None:
        self._exits = exits
        self._database = database
        self._ledger = ledger
        self._robots = robots
        self._settings = settings
        self._policies = policies
        self._regrants = Regrants(ledger)

    async def admit(self, visit: Visit, claimed_at: float) -> Ending | None:
        """None: robots.txt allows it. `claimed_at` is the monotonic time just before the claim was made."""
        task = visit.task
        if task.lane == RESUME_LANE:
            return endings.lost_page()
        answer = await self._robots.ask(task, visit.brief, visit.url)
        visit.why = {"lane": task.lane, "granted_at": task.granted_at.isoformat(), **answer.why}
        if not answer.known:
            if answer.wait_seconds:
                return endings.postponed(Failure.ROBOTS_RETRY, answer.wait_seconds)
            return await self._learn_robots(visit, claimed_at)
        if not answer.allowed:
            return endings.robots_blocked(str(answer.why.get("robots", "")))
        visit.exit = await self._exits.choose(task.lane, visit.brief.exit)
        if visit.exit is not None:
            visit.why["proxy"] = visit.exit.id
        return None

    async def _learn_robots(self, visit: Visit, claimed_at: float) -> Ending | None:
        """Spends this task's grant on robots.txt; the task takes the next one."""
        task = visit.task

        async def grant() -> bool:
            return await self._is_fresh(task, claimed_at)

        done = await self._robots.refresh(task.origin, task.lane, self.robots_hop(task.lane), grant, visit.brief.exit)
        if done is Refreshed.BY_OTHERS:
            return endings.postponed(Failure.ROBOTS_BEING_FETCHED)
        if done is Refreshed.NOT_NOW:
            return endings.postponed(Failure.GRANT_EXPIRED)
        if done is Refreshed.UNASKED:  # the grant is spent: what left through a proxy is not known for sure
            return endings.postponed(Failure.PROXY_FAILED)
        await limits.refresh(self._database, self._ledger, task.lane, self._settings, self._policies)
        return endings.postponed(Failure.ROBOTS_FETCHED)

    def before_sending(self, task: Claimed, claimed_at: float) -> BeforeSending:
        """Asked when the request stands ready: the grant holds, or another is there, or the task comes again."""

        async def ask() -> Refusal | None:
            return None if await self._is_fresh(task, claimed_at) else _EXPIRED

        return ask

    def before_showing(self, task: Claimed, claimed_at: float) -> BeforeSending:
        """The same for what takes its time to get ready and is worth keeping then: a browser waits for the domain's
        next slot, as a redirect does."""

        async def ask() -> Refusal | None:
            if time.monotonic() - claimed_at <= GRANT_SECONDS:
                return None
            asked_at = time.monotonic()
            if (await self._ledger.renew(task)).granted and time.monotonic() - asked_at <= GRANT_SECONDS:
                return None
            return await self._grant_for_hop(task.lane, holding=True)

        return ask

    async def _is_fresh(self, task: Claimed, claimed_at: float) -> bool:
        """A grant is for sending within 100 ms (DESIGN §11.11). A later one is asked for anew."""
        if time.monotonic() - claimed_at <= GRANT_SECONDS:
            return True
        granted_at = await self._regrants.ask(task.lane)
        if granted_at is not None and time.monotonic() - granted_at <= GRANT_SECONDS:
            return True
        log.info("grant_expired", task_id=str(task.id), lane=task.lane)
        return False

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
        waited = 0.0
        while (wait := await self._wait_for_grant(domain, holding)) > 0:
            if waited + wait > HOP_WAIT:
                return refusal_of(Failure.HOP_BUSY, retry_after_s=wait)
            waited += wait
            await asyncio.sleep(wait)
        return None

    async def _wait_for_grant(self, domain: str, holding: bool) -> float:
        """0: it was granted just now. One whose answer took too long is not used."""
        asked_at = time.monotonic()
        taken = await self._ledger.take(domain, holding=holding)
        late = time.monotonic() - asked_at > GRANT_SECONDS
        return max(taken.wait, 0.05) if late else taken.wait
