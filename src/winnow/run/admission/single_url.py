"""Fetches one URL through robots.txt, proxy and ledger without a task; it waits for its slot like any other request."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

from winnow.db.engine import Database
from winnow.errors import Conflict
from winnow.fetch.http.client import HttpFetcher
from winnow.fetch.outcome import FetchRequest, FetchResult
from winnow.fetch.page_actions import NO_ACTIONS, PageActions
from winnow.fetch.tiers import Way
from winnow.fetch.ways import Ways
from winnow.run.admission.gatekeeper import Gatekeeper
from winnow.run.admission.proxy_choice import Exits
from winnow.run.admission.robots import RobotsAnswer, RobotsBook
from winnow.schedule.ledger import limits, policies
from winnow.schedule.ledger.ledger import Ledger
from winnow.schedule.ledger.policy import Limits
from winnow.settings import Settings
from winnow.sources.domain import domain_of, origin_of

MAX_WAIT_SECONDS = 65.0  # the longest wait for the domain's next slot; a Crawl-delay is at most 60
NEAR_SECONDS = 3.0  # a slot this close is waited for with the connection open: the page's own deadline runs then
MAX_ROBOTS_TRIES = 3  # robots.txt that cannot be read is asked for three times (P-048)

Notify = Callable[[str], None]


class SingleUrl:
    """Fetches one URL for a caller who waits: `notify` is called for a long wait, too long a one is refused."""

    def __init__(
        self,
        database: Database,
        ledger: Ledger,
        settings: Settings,
        fetcher: HttpFetcher,
        exits: Exits,
        url: str,
        notify: Notify,
    ) -> None:
        self._notify = notify
        self._exits = exits
        self._database = database
        self._settings = settings
        self._url, self._domain, self._origin = url, domain_of(url), origin_of(url)
        self._ledger = ledger
        self._policies = policies.load(settings.schedule.domain_policies_path)
        self._book = RobotsBook(database, fetcher, settings.fetch, exits)
        self._gate = Gatekeeper(database, self._ledger, self._book, settings.schedule, self._policies, exits)
        self._respect_robots = True

    async def robots(self) -> RobotsAnswer:
        self._respect_robots = (await self._limits()).respect_robots_txt
        if not self._respect_robots:
            return RobotsAnswer(True, True, {"robots": "not respected: exception of the domain"})
        answer = await self._book.ask_origin(self._origin, self._url)
        for _ in range(MAX_ROBOTS_TRIES):
            if answer.known:
                break
            await asyncio.sleep(answer.wait_seconds)
            await self._book.refresh(self._origin, self._domain, self._gate.robots_hop(self._domain), self._granted)
            await self._limits()
            answer = await self._book.ask_origin(self._origin, self._url)
        return answer

    async def fetch(self, ways: Ways, way: Way, actions: PageActions = NO_ACTIONS) -> FetchResult:
        choice = await self._exits.choose(self._domain)
        limits = self._settings.fetch
        request = FetchRequest(
            url=self._url,
            timeout_ms=limits.fetch_timeout_ms,
            max_bytes=limits.fetch_max_bytes,
            actions=await self._gate.actions(self._domain, way, actions),
        )
        hop = self._gate.check_redirect(self._domain, respect_robots=self._respect_robots)
        await self._come_near()
        result = await ways.fetch(way, request, on_hop=hop, before=partial(self._slot, NEAR_SECONDS), proxy=choice)
        await self._exits.report(choice, result)
        await self._gate.apply_backoff(self._domain, result)
        return result

    async def _limits(self) -> Limits:
        return await limits.refresh(self._database, self._ledger, self._domain, self._settings.schedule, self._policies)

    async def _granted(self) -> bool:
        await self._slot()
        return True

    async def _come_near(self) -> None:
        """Wait until the next slot is close, so that our own wait does not use up the page's deadline."""
        state = await self._ledger.state(self._domain)
        if state is not None and state.paused:
            raise Conflict(f"{self._domain} is paused: `winnow domains resume {self._domain}` lets it go on")
        wait = 0.0 if state is None else state.next_slot_seconds
        if wait > MAX_WAIT_SECONDS:
            raise self._not_now(wait)
        if wait > NEAR_SECONDS:
            self._notify(f"{self._domain} may be asked again in {wait:.0f} s: waiting")
            await asyncio.sleep(wait)

    async def _slot(self, patience: float = MAX_WAIT_SECONDS) -> None:
        """Waits for it; never refuses, but gives up in the end."""
        waited = 0.0
        while (wait := (await self._ledger.take(self._domain)).wait) > 0:
            if waited + wait > patience:
                raise self._not_now(wait)
            waited += wait
            await asyncio.sleep(wait)

    def _not_now(self, wait: float) -> Conflict:
        return Conflict(f"{self._domain} may not be asked for another {wait:.0f} s; try again then")
