"""`winnow scrape URL`: one page through the pipeline without a queue; nothing about it is stored.

The same guard, the same robots.txt, the same ledger as a worker's: asking by hand takes a slot like
any other request and waits for it, so that a person is never less polite than the platform.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import msgspec

from winnow.clock import now
from winnow.db.engine import Database
from winnow.errors import Conflict
from winnow.extract.adapter import Adapter, Context
from winnow.extract.page import Page
from winnow.fetch.egress.allow import AllowList
from winnow.fetch.egress.guard import EgressGuard
from winnow.fetch.failure import Failure
from winnow.fetch.http.client import HttpFetcher
from winnow.fetch.outcome import FetchRequest, FetchResult, Outcome, failed
from winnow.fetch.tiers import Way
from winnow.fetch.ways import Ways, open_ways
from winnow.judge.assess import Assessment, assess
from winnow.judge.target_read import TargetRead, read_target
from winnow.judge.target_type import TargetType
from winnow.run.adapters import choose, registry
from winnow.run.admission.gatekeeper import Gatekeeper
from winnow.run.admission.proxy_choice import Exits
from winnow.run.admission.robots import Answer, RobotsBook
from winnow.schedule.ledger import limits, policies
from winnow.schedule.ledger.ledger import Ledger
from winnow.schedule.ledger.ledgers import ledger_of
from winnow.schedule.ledger.policy import Limits
from winnow.settings import Settings
from winnow.sources.domain import domain_of, origin_of

PATIENCE = 65.0  # seconds a person waits for the domain's next slot before being told so; a Crawl-delay is at most 60
NEAR = 3.0  # a slot this close is waited for with the connection open: the page's own deadline runs then
TRIES = 3  # robots.txt that cannot be read is asked for three times (P-048)


Tell = Callable[[str], None]


def nobody(_: str) -> None:
    """Nobody sits and waits."""


class Scraped(msgspec.Struct, frozen=True, kw_only=True):
    """`robots` is the rule that decided; `assessment` (or `read`, of a target type) is None when there was no page."""

    result: FetchResult
    robots: str
    assessment: Assessment | None = None
    read: TargetRead | None = None


async def scrape(
    database: Database,
    settings: Settings,
    url: str,
    *,
    currency: str | None = None,
    adapter_id: str | None = None,
    way: Way = Way.STATIC,
    tell: Tell = nobody,
) -> Scraped:
    """The page's offer."""
    adapter = adapter_for(settings, url, adapter_id)
    found = await fetch(database, settings, url, Way.DYNAMIC if adapter.needs_browser else way, tell)
    if found.result.outcome is not Outcome.OK:
        return found
    return msgspec.structs.replace(found, assessment=_assess(adapter, page_of(found.result), url, currency))


async def scrape_type(
    database: Database,
    settings: Settings,
    url: str,
    target: TargetType,
    requested: Sequence[str] | None = None,
    way: Way = Way.STATIC,
    tell: Tell = nobody,
) -> Scraped:
    """What a target type reads from the page."""
    found = await fetch(database, settings, url, way, tell)
    if found.result.outcome is not Outcome.OK:
        return found
    page = page_of(found.result)
    return msgspec.structs.replace(found, read=read_target(target, page, context_of(url, page), requested))


async def fetch(
    database: Database, settings: Settings, url: str, way: Way = Way.STATIC, tell: Tell = nobody
) -> Scraped:
    """The page alone, not read yet. `tell` hears of a long wait for the domain's turn."""
    guard = _guard_for(settings, url)
    fetcher = HttpFetcher(settings.fetch, guard)
    ways = open_ways(settings.browser, fetcher, guard, settings.db.folder / "browsers")
    ledger = ledger_of(database, settings.schedule)
    await fetcher.open()
    try:
        exits = Exits(database, settings.db, settings.fetch, guard)
        trip = _Trip(database, ledger, settings, fetcher, exits, url, tell)
        answer = await trip.robots()
        rule = str(answer.why.get("robots", "unknown"))
        if not answer.allowed:
            return Scraped(result=_blocked(url, rule), robots=rule)
        result = await trip.fetch(ways, way)
    finally:
        await ways.close()
        await fetcher.close()
        await ledger.close()
    return Scraped(result=result, robots=rule)


def _guard_for(settings: Settings, url: str) -> EgressGuard:
    """UrlRefused says why a URL cannot be fetched, before anything asks what its domain is."""
    guard = EgressGuard(AllowList(settings.fetch.egress_allow))
    guard.check(url)
    return guard


class _Trip:
    """The way of one URL through robots and ledger."""

    def __init__(
        self,
        database: Database,
        ledger: Ledger,
        settings: Settings,
        fetcher: HttpFetcher,
        exits: Exits,
        url: str,
        tell: Tell,
    ) -> None:
        self._tell = tell
        self._exits = exits
        self._database = database
        self._settings = settings
        self._url, self._domain, self._origin = url, domain_of(url), origin_of(url)
        self._ledger = ledger
        self._policies = policies.load(settings.schedule.domain_policies_path)
        self._book = RobotsBook(database, fetcher, settings.fetch, exits)
        self._gate = Gatekeeper(database, self._ledger, self._book, settings.schedule, self._policies, exits)
        self._respect_robots = True

    async def robots(self) -> Answer:
        self._respect_robots = (await self._limits()).respect_robots_txt
        if not self._respect_robots:
            return Answer(True, True, {"robots": "not respected: exception of the domain"})
        answer = await self._book.ask_origin(self._origin, self._url)
        for _ in range(TRIES):
            if answer.known:
                break
            await asyncio.sleep(answer.wait_seconds)
            await self._book.refresh(self._origin, self._domain, self._gate.robots_hop(self._domain), self._granted)
            await self._limits()
            answer = await self._book.ask_origin(self._origin, self._url)
        return answer

    async def fetch(self, ways: Ways, way: Way) -> FetchResult:
        choice = await self._exits.choose(self._domain)
        request = FetchRequest(url=self._url, timeout_ms=self._settings.fetch.fetch_timeout_ms)
        hop = self._gate.hop(self._domain, respect_robots=self._respect_robots)
        await self._come_near()
        result = await ways.fetch(way, request, on_hop=hop, before=partial(self._slot, NEAR), proxy=choice)
        await self._exits.report(choice, result)
        await self._gate.heed(self._domain, result)
        return result

    async def _limits(self) -> Limits:
        return await limits.refresh(self._database, self._ledger, self._domain, self._settings.schedule, self._policies)

    async def _granted(self) -> bool:
        await self._slot()
        return True

    async def _come_near(self) -> None:
        """Waits until the next slot is close: a wait of ours must not use up the page's deadline and look like the
        site's fault."""
        state = await self._ledger.state(self._domain)
        if state is not None and state.paused:
            raise Conflict(f"{self._domain} is paused: `winnow domains resume {self._domain}` lets it go on")
        wait = 0.0 if state is None else state.next_slot_seconds
        if wait > PATIENCE:
            raise self._not_now(wait)
        if wait > NEAR:
            self._tell(f"{self._domain} may be asked again in {wait:.0f} s: waiting")
            await asyncio.sleep(wait)

    async def _slot(self, patience: float = PATIENCE) -> None:
        """Waits for it; never refuses, but gives up in the end."""
        waited = 0.0
        while (wait := (await self._ledger.take(self._domain)).wait) > 0:
            if waited + wait > patience:
                raise self._not_now(wait)
            waited += wait
            await asyncio.sleep(wait)

    def _not_now(self, wait: float) -> Conflict:
        return Conflict(f"{self._domain} may not be asked for another {wait:.0f} s; try again then")


def _blocked(url: str, rule: str) -> FetchResult:
    return failed(url, Failure.ROBOTS, rule)


def adapter_for(settings: Settings, url: str, which: str | None) -> Adapter[Any]:
    """The one that is named, else the domain's own, else the generic one."""
    _guard_for(settings, url)
    adapters = registry(settings.run.adapters_dir)
    if which:
        return choose(adapters, which)
    return adapters.for_domain(domain_of(url), "offer") or choose(adapters, "generic")


def page_of(result: FetchResult) -> Page:
    return Page(
        url=result.final_url,
        body=result.body or b"",
        fetched_at=now(),
        charset=result.charset,
        content_type=result.content_type or "text/html",
        status_code=result.status_code or 200,
    )


def _assess(adapter: Adapter[Any], page: Page, url: str, currency: str | None) -> Assessment:
    return assess(page, adapter, context_of(url, page, currency))


def context_of(url: str, page: Page, currency: str | None = None) -> Context:
    return Context(
        source_id="", retailer_id="", run_id="", target_id="", url=url, now=page.fetched_at, currency=currency
    )
