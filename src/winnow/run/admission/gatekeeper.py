"""Admits the request of a visit, or ends the visit with the reason why it may not be sent."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from urllib.parse import urljoin

import msgspec

from winnow.clock import Monotonic
from winnow.db.engine import Database
from winnow.fetch.failure import FailureCode
from winnow.fetch.http.client import OnHop
from winnow.fetch.outcome import BeforeSending, FetchResult, Outcome, Refusal, refusal_of
from winnow.fetch.page_actions import NO_ACTIONS, PageActions
from winnow.fetch.tiers import Way
from winnow.fetch.url import CheckedUrl
from winnow.run import endings
from winnow.run.admission.grants import Grants
from winnow.run.admission.proxy_choice import ANY, Exits, ProxyChoice, ProxyWish
from winnow.run.admission.robots import Refreshed, RobotsBook
from winnow.run.visit import Ending, Visit
from winnow.schedule.ledger import limits
from winnow.schedule.ledger.ledger import Ledger
from winnow.schedule.ledger.policies import Policies
from winnow.schedule.queue.task import RESUME_LANE
from winnow.schedule.settings import ScheduleSettings
from winnow.sources.domain import domain_of, domain_of_host, origin_of

MAX_SITEMAPS = 100  # of one robots.txt


@dataclass(frozen=True, slots=True)
class Admission:
    """How a request goes out: through `proxy` (None: directly). `before` is asked when it is ready to be sent,
    `on_hop` before every redirect is followed; `actions` is what a browser does on the page."""

    before: BeforeSending
    on_hop: OnHop
    proxy: ProxyChoice | None
    actions: PageActions = NO_ACTIONS


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
        self._grants = Grants(ledger, monotonic)

    async def admit(self, visit: Visit) -> Admission | Ending:
        """Check robots.txt and choose the proxy; the grant is checked when the request is ready to be sent."""
        task = visit.task
        if task.lane == RESUME_LANE:
            return endings.lost_page()
        answer = await self._robots.ask(task, visit.brief, visit.url)
        visit.why = {"lane": task.lane, "granted_at": task.granted_at.isoformat(), **answer.why}
        if not answer.known:
            if answer.wait_seconds:
                return endings.postponed(FailureCode.ROBOTS_RETRY, answer.wait_seconds)
            return await self._learn_robots(visit)
        if not answer.allowed:
            return endings.robots_blocked(str(answer.why.get("robots", "")))
        visit.exit = await self._exits.choose(task.lane, visit.brief.exit)
        if visit.exit is not None:
            visit.why["proxy"] = visit.exit.id
        grants, brief = self._grants, visit.brief
        before = (grants.before_sending if visit.plan.way is Way.STATIC else grants.before_showing)(visit)
        hop = self.check_redirect(task.lane, respect_robots=brief.respect_robots, wish=brief.exit)
        return Admission(before, hop, visit.exit, await self.actions(task.lane, visit.plan.way, visit.plan.actions))

    async def sitemaps(self, url: str) -> list[str]:
        """The sitemaps of a page's origin as its robots.txt names them, or the usual place where it names none."""
        named = await self._robots.sitemaps(origin_of(url))
        return [urljoin(url, sitemap) for sitemap in named[:MAX_SITEMAPS]] or [urljoin(url, "/sitemap.xml")]

    async def actions(self, domain: str, way: Way, wanted: PageActions) -> PageActions:
        """What a browser does on the page, with the domain's delays between two actions (S-057, S-109)."""
        if way is not Way.DYNAMIC or not wanted:
            return NO_ACTIONS
        async with self._database.connection() as conn:
            found = await limits.limits_of(conn, domain, self._settings, self._policies)
        return msgspec.structs.replace(wanted, min_delay_ms=found.min_delay_ms, max_delay_ms=found.max_delay_ms)

    async def answered(self, visit: Visit, result: FetchResult) -> None:
        """Record the proxy's health and the pace that the site asked for."""
        if result.error_class is not None and result.error_class.meaning.unsent:
            await self._exits.give_back(visit.exit, visit.task.lane)
        else:
            await self._exits.report(visit.exit, result)
        await self.apply_backoff(visit.task.lane, result)

    async def _learn_robots(self, visit: Visit) -> Ending:
        """Spends this task's grant on robots.txt; the task takes the next one."""
        task, grant = visit.task, partial(self._grants.may_send, visit)
        done = await self._robots.refresh(task.origin, task.lane, self.robots_hop(task.lane), grant, visit.brief.exit)
        if done is Refreshed.BY_OTHERS:
            return endings.postponed(FailureCode.ROBOTS_BEING_FETCHED)
        if done is Refreshed.NOT_NOW:
            return endings.postponed(FailureCode.GRANT_EXPIRED)
        if done is Refreshed.UNASKED:  # the grant is spent: what left through a proxy is not known for sure
            return endings.postponed(FailureCode.PROXY_FAILED)
        await limits.refresh(self._database, self._ledger, task.lane, self._settings, self._policies)
        return endings.postponed(FailureCode.ROBOTS_FETCHED)

    async def apply_backoff(self, lane: str, result: FetchResult) -> None:
        """Apply 429 and Retry-After to the whole domain at once (S-059, DESIGN §4). Where a redirect
        led to another domain, they count for that one; a hop that we refused says nothing about a site."""
        if not result.ended_by_status and result.outcome is not Outcome.BLOCKED:
            return
        said_by = domain_of(result.final_url) if result.redirects else lane
        if result.status_code == 429:
            await self._ledger.slow_down(said_by)
        if result.retry_after_s:
            await self._ledger.hold(said_by, result.retry_after_s)

    def check_redirect(self, lane: str, *, respect_robots: bool = True, wish: ProxyWish = ANY) -> OnHop:
        """Admit a redirect: a hop to another domain needs a grant of that domain, a hop to another URL the robots
        answer of its origin (DESIGN §11.12). `lane` is the domain the request holds a slot of."""

        async def ask(url: CheckedUrl) -> Refusal | None:
            domain = domain_of_host(url.host, url.port)
            if respect_robots or domain != lane:  # an exception is one domain's own (DESIGN §11.4)
                refusal = await self._robots_of_hop(origin_of(url.url), url.url, domain, lane, wish)
                if refusal is not None:
                    return refusal
            return None if domain == lane else await self._grants.for_hop(domain)

        return ask

    def robots_hop(self, lane: str) -> OnHop:
        """The same for the request of robots.txt itself, which is not subject to robots.txt."""

        async def ask(url: CheckedUrl) -> Refusal | None:
            domain = domain_of_host(url.host, url.port)
            return None if domain == lane else await self._grants.for_hop(domain)

        return ask

    async def _robots_of_hop(self, origin: str, url: str, domain: str, lane: str, wish: ProxyWish) -> Refusal | None:
        answer = await self._robots.ask_origin(origin, url)
        if not answer.known:
            refusals: list[Refusal | None] = []

            async def grant() -> bool:
                refusals.append(await self._grants.for_hop(domain, holding=domain == lane))
                return refusals[-1] is None

            done = await self._robots.refresh(origin, domain, self.robots_hop(domain), grant, wish)
            if done is Refreshed.NOT_NOW:
                return refusals[-1]
            await limits.refresh(self._database, self._ledger, domain, self._settings, self._policies)
            answer = await self._robots.ask_origin(origin, url)
        if not answer.known:
            return refusal_of(FailureCode.ROBOTS_UNKNOWN, retry_after_s=2.0)
        if not answer.allowed:
            return refusal_of(FailureCode.ROBOTS, f"redirected to a forbidden page: {answer.why.get('robots')}")
        return None
