"""`winnow scrape URL`: one page through the pipeline without a queue; nothing about it is stored.

The same guard, the same robots.txt, the same ledger as a worker's: asking by hand takes a slot like
any other request and waits for it, so that a person is never less polite than the platform.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from winnow.clock import now
from winnow.db.engine import Database
from winnow.extract.adapter import Adapter, Context
from winnow.extract.page import Page
from winnow.extract.target_choice import Choice
from winnow.fetch.egress.allow import AllowList
from winnow.fetch.egress.guard import EgressGuard
from winnow.fetch.failure import FailureCode
from winnow.fetch.http.client import HttpFetcher
from winnow.fetch.outcome import FetchResult, Outcome, failed
from winnow.fetch.page_actions import actions_of
from winnow.fetch.tiers import Way
from winnow.fetch.ways import open_ways
from winnow.kinds.adapters import choose, registry
from winnow.kinds.assess import Assessment, assess
from winnow.kinds.generic import GenericAdapter
from winnow.kinds.kind import Kind
from winnow.kinds.offer import GENERIC
from winnow.kinds.registry import all_kinds
from winnow.run.admission.proxy_choice import Exits
from winnow.run.admission.single_url import Notify, SingleUrl
from winnow.run.parsers import ParserPool
from winnow.schedule.ledger.ledgers import ledger_of
from winnow.settings import Settings
from winnow.sources.domain import domain_of


def ignore(_: str) -> None:
    """Drop progress messages: the default where no person watches."""


class Scraped(msgspec.Struct, frozen=True, kw_only=True):
    """`robots` is the rule that decided; `assessment` is None when there was no page, `kind` is what it was read as."""

    result: FetchResult
    robots: str
    assessment: Assessment | None = None
    kind: str | None = None


async def scrape(
    database: Database,
    settings: Settings,
    url: str,
    *,
    currency: str | None = None,
    adapter_id: str | None = None,
    way: Way = Way.STATIC,
    notify: Notify = ignore,
) -> Scraped:
    """Fetch one page and read its offer."""
    adapter = adapter_for(settings, url, adapter_id)
    found = await fetch(database, settings, url, adapter, way, notify)
    if found.result.outcome is not Outcome.OK:
        return found
    page = page_of(found.result)
    kind = all_kinds().get(adapter.kind)
    seen = assess(page, adapter, kind, context_of(url, page, currency))
    return msgspec.structs.replace(found, assessment=seen, kind=kind.name)


async def scrape_kind(
    database: Database,
    settings: Settings,
    url: str,
    kind: Kind,
    requested: Sequence[str] | None = None,
    way: Way = Way.STATIC,
    notify: Notify = ignore,
) -> Scraped:
    """The page read as `kind`, by the domain's own adapter for it where there is one."""
    adapter = registry(settings.run.adapters_dir).for_domain(domain_of(url), kind.name) or GenericAdapter(kind)
    found = await fetch(database, settings, url, adapter, way, notify)
    if found.result.outcome is not Outcome.OK:
        return found
    page = page_of(found.result)
    context = context_of(url, page, fields=requested)
    seen = assess(page, adapter, kind, context)
    return msgspec.structs.replace(found, assessment=seen, kind=kind.name)


async def preview(database: Database, settings: Settings, url: str, currency: str | None = None) -> Scraped:
    """Show what watching a URL would bring, before anything is saved: one polite fetch, read and judged like a visit.
    The page is read in a process of its own, which can be stopped (R-17): a face serves many people at once. It waits
    for the domain's next slot like everybody; Conflict when that is too far away."""
    adapter = adapter_for(settings, url, None)
    found = await fetch(database, settings, url, adapter)
    if found.result.outcome is not Outcome.OK:
        return found
    page = page_of(found.result)
    parsers = ParserPool(settings.run)
    try:
        seen = await parsers.assess(page, adapter.id, context_of(url, page, currency), adapter.kind)
    finally:
        await parsers.close()
    return msgspec.structs.replace(found, assessment=seen, kind=adapter.kind)


async def read_again(
    settings: Settings, url: str, scraped: Scraped, currency: str | None, choice: Choice | None
) -> Scraped:
    """The page of a preview read with a choice; it is not fetched again."""
    adapter, page = adapter_for(settings, url, None), page_of(scraped.result)
    context = msgspec.structs.replace(context_of(url, page, currency), choice=choice or None)
    parsers = ParserPool(settings.run)
    try:
        seen = await parsers.assess(page, adapter.id, context, adapter.kind)
    finally:
        await parsers.close()
    return msgspec.structs.replace(scraped, assessment=seen)


async def fetch(
    database: Database,
    settings: Settings,
    url: str,
    adapter: Adapter,
    way: Way = Way.STATIC,
    notify: Notify = ignore,
) -> Scraped:
    """The page alone, not read yet, by `way` or as its adapter needs it. `notify` is called before a long wait for the
    domain's turn."""
    way = Way.DYNAMIC if adapter.needs_browser else way
    guard = _guard_for(settings, url)
    fetcher = HttpFetcher(settings.fetch, guard)
    ways = open_ways(settings.browser, fetcher, guard, settings.db.folder / "browsers")
    ledger = ledger_of(database, settings.schedule)
    await fetcher.open()
    try:
        exits = Exits(database, settings.db, settings.fetch, guard)
        trip = SingleUrl(database, ledger, settings, fetcher, exits, url, notify)
        answer = await trip.robots()
        rule = str(answer.why.get("robots", "unknown"))
        if not answer.allowed:
            return Scraped(result=_blocked(url, rule), robots=rule)
        result = await trip.fetch(ways, way, actions_of(adapter))
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


def _blocked(url: str, rule: str) -> FetchResult:
    return failed(url, FailureCode.ROBOTS, rule)


def adapter_for(settings: Settings, url: str, which: str | None) -> Adapter:
    """The one that is named, else the domain's own, else the generic one."""
    _guard_for(settings, url)
    adapters = registry(settings.run.adapters_dir)
    if which:
        return choose(adapters, which)
    return adapters.for_domain(domain_of(url), "offer") or choose(adapters, GENERIC)


def page_of(result: FetchResult) -> Page:
    return Page(
        url=result.final_url,
        body=result.body or b"",
        fetched_at=now(),
        charset=result.charset,
        content_type=result.content_type or "text/html",
        status_code=result.status_code or 200,
    )


def context_of(url: str, page: Page, currency: str | None = None, fields: Sequence[str] | None = None) -> Context:
    return Context(
        source_id="", retailer_id="", run_id="", target_id="", url=url, now=page.fetched_at, currency=currency,
        fields=None if fields is None else list(fields),
    )  # fmt: skip
