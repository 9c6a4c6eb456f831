"""Pages, robots.txt and sitemaps for discovery: each request asks the egress guard, robots.txt and the ledger, as a
visit of a source does, and waits for its turn."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from html import unescape
from urllib.parse import urljoin

from winnow.clock import now
from winnow.db.engine import Database
from winnow.errors import HostUnresolved, NoHealthyProxies, ProxiesCooling, ProxyFailed, UrlRefused
from winnow.extract.page import Page
from winnow.fetch.egress.allow import AllowList
from winnow.fetch.egress.guard import EgressGuard
from winnow.fetch.failure import FailureCode
from winnow.fetch.http.client import HttpFetcher
from winnow.fetch.outcome import FetchResult, Outcome, failed
from winnow.fetch.robots.rules import parse
from winnow.fetch.tiers import Way
from winnow.fetch.ways import Ways, open_ways
from winnow.kinds.agenda_survey import PageSurvey, says_agenda
from winnow.run.admission.proxy_choice import Exits
from winnow.run.admission.single_url import SingleUrl
from winnow.run.parsers import ParserPool
from winnow.schedule.ledger.ledger import Ledger
from winnow.schedule.ledger.ledgers import ledger_of
from winnow.settings import Settings
from winnow.sources.domain import domain_of, origin_of

MAX_SITEMAPS, MAX_SITEMAP_LINKS = 3, 10
_LOCATION = re.compile(rb"<(?:\w+:)?loc>\s*(?:<!\[CDATA\[)?\s*([^<\s\]]{8,2000})", re.IGNORECASE)
_BODY = "SELECT body FROM robots WHERE origin = %s"


class PageReader:
    """Reads one page after the other; made by `open_page_reader`."""

    def __init__(
        self, database: Database, settings: Settings, fetcher: HttpFetcher, ways: Ways, ledger: Ledger, exits: Exits,
        guard: EgressGuard, parsers: ParserPool,
    ) -> None:  # fmt: skip
        self._database, self._settings, self._fetcher, self._ways = database, settings, fetcher, ways
        self._ledger, self._exits, self._guard, self._parsers = ledger, exits, guard, parsers

    async def fetch(self, url: str) -> FetchResult:
        """Conflict: its domain's turn is too far away, or a person paused it."""
        try:
            self._guard.check(url)
            trip = SingleUrl(
                self._database, self._ledger, self._settings, self._fetcher, self._exits, url, lambda _: None
            )
            answer = await trip.robots()
            if not answer.allowed:
                return failed(url, FailureCode.ROBOTS, str(answer.why.get("robots", "")))
            return await trip.fetch(self._ways, Way.STATIC)
        except (UrlRefused, HostUnresolved, NoHealthyProxies, ProxiesCooling, ProxyFailed) as refused:
            return failed(url, FailureCode.INTERNAL, str(refused))

    async def survey(self, url: str) -> tuple[str, PageSurvey]:
        """Return the address it was found at after redirects, and what it says."""
        result = await self.fetch(url)
        if result.outcome is not Outcome.OK:
            return url, PageSurvey(failure=describe(result))
        page = Page(
            url=result.final_url,
            body=result.body or b"",
            fetched_at=now(),
            charset=result.charset,
            content_type=result.content_type or "text/html",
            status_code=result.status_code or 200,
        )
        return result.final_url, await self._parsers.survey(page)

    async def agendas_in_sitemaps(self, url: str) -> list[str]:
        """Pages of the site that its sitemaps list and whose address ends in a word for an agenda."""
        waiting = await self._sitemaps_of(url)
        found: list[str] = []
        for n in range(MAX_SITEMAPS):
            if n >= len(waiting):
                break
            result = await self.fetch(waiting[n])
            if result.outcome is not Outcome.OK or not result.body:
                continue
            inner = [unescape(match[1].decode("utf-8", "replace")) for match in _LOCATION.finditer(result.body)]
            if b"<sitemapindex" in result.body[:2_000]:
                waiting += [one for one in inner if one not in waiting]
            else:
                found += [one for one in inner if domain_of(one) == domain_of(url) and says_agenda(one)]
        shallow = sorted(dict.fromkeys(found), key=lambda one: (one.count("/"), len(one)))
        return shallow[:MAX_SITEMAP_LINKS]

    async def _sitemaps_of(self, url: str) -> list[str]:
        """Those that robots.txt names, else the usual place. robots.txt was asked for with the page itself."""
        async with self._database.connection() as conn:
            row = await (await conn.execute(_BODY, (origin_of(url),))).fetchone()
        named = parse(bytes(row[0])).sitemaps if row is not None and row[0] is not None else []
        return [urljoin(url, one) for one in named] or [urljoin(url, "/sitemap.xml")]


def describe(result: FetchResult) -> str:
    """Why there is no page, in one line."""
    code = result.error_class or result.outcome
    status = f" (HTTP {result.status_code})" if result.status_code else ""
    detail = f": {result.error}" if result.error else ""
    return f"{code}{status}{detail}"[:300]


@asynccontextmanager
async def open_page_reader(database: Database, settings: Settings) -> AsyncIterator[PageReader]:
    guard = EgressGuard(AllowList(settings.fetch.egress_allow))
    fetcher = HttpFetcher(settings.fetch, guard)
    ways = open_ways(settings.browser, fetcher, guard, settings.db.folder / "browsers")
    ledger, parsers = ledger_of(database, settings.schedule), ParserPool(settings.run)
    await fetcher.open()
    try:
        exits = Exits(database, settings.db, settings.fetch, guard)
        yield PageReader(database, settings, fetcher, ways, ledger, exits, guard, parsers)
    finally:
        await parsers.close()
        await ways.close()
        await fetcher.close()
        await ledger.close()
