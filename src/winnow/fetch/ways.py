"""The ways to fetch a page, behind one call that returns a page or a typed failure.

    ways = open_ways(settings, http, guard, records)
    result = await ways.fetch(Way.DYNAMIC, request, on_hop=…, before=…)

Whatever the way, walls are recognised (fetch/blocked/walls.py). The browser starts with the first page that needs it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

import msgspec

from winnow.fetch.blocked import walls
from winnow.fetch.browser.fetcher import BrowserFetcher
from winnow.fetch.browser.pinning_proxy import dial_direct
from winnow.fetch.egress.guard import EgressGuard
from winnow.fetch.failure import FailureCode
from winnow.fetch.http.client import HttpFetcher, OnHop
from winnow.fetch.outcome import BeforeSending, FetchRequest, FetchResult, failed
from winnow.fetch.proxies.tunnel import Tunnel
from winnow.fetch.scraping_api import ScrapingApi
from winnow.fetch.settings import BrowserSettings
from winnow.fetch.tiers import Ladder, Way


class ProxyExit(Protocol):
    """The exit a request takes (run/admission/proxy_choice.py): a browser looks as if it were in its region (S-107)."""

    @property
    def region(self) -> str | None: ...
    @property
    def tunnel(self) -> Tunnel: ...


class Ways:
    def __init__(self, http: HttpFetcher, browser: BrowserFetcher, api: ScrapingApi | None, *, fallback: bool) -> None:
        self._http = http
        self._browser = browser
        self._api = api
        self._fallback = fallback

    @property
    def available(self) -> Ladder:
        """The ways that may be tried without a configuration that asks for them."""
        dynamic = (Way.DYNAMIC,) if self._fallback and self._browser.is_available else ()
        return (Way.STATIC, *dynamic, *((Way.SCRAPINGBEE,) if self._api is not None else ()))

    async def fetch(
        self,
        way: Way,
        request: FetchRequest,
        *,
        on_hop: OnHop | None = None,
        before: BeforeSending | None = None,
        proxy: ProxyExit | None = None,
    ) -> FetchResult:
        """`before` is asked when everything is ready to send."""
        if way is Way.STATIC:
            return walls.mark_blocked(await self._fetch_plain(request, on_hop, before, proxy))
        # The validators of the plain page do not hold for what its scripts render.
        request = msgspec.structs.replace(request, etag=None, last_modified=None)
        if way is Way.DYNAMIC:
            result = await self._fetch_in_browser(request, on_hop, before, proxy)
        else:
            result = await self._fetch_by_api(request, on_hop, before)
        return walls.mark_blocked(msgspec.structs.replace(result, etag=None, last_modified=None))

    async def _fetch_plain(
        self, request: FetchRequest, on_hop: OnHop | None, before: BeforeSending | None, proxy: ProxyExit | None
    ) -> FetchResult:
        through = None if proxy is None else proxy.tunnel
        return await self._http.fetch(request, on_hop=on_hop, through=through, before=before)

    async def _fetch_in_browser(
        self, request: FetchRequest, on_hop: OnHop | None, before: BeforeSending | None, proxy: ProxyExit | None
    ) -> FetchResult:
        if proxy is None:
            return await self._browser.fetch(request, on_hop=on_hop, before=before, dial=dial_direct)
        return await self._browser.fetch(request, on_hop=on_hop, before=before, region=proxy.region, dial=proxy.tunnel)

    async def _fetch_by_api(
        self, request: FetchRequest, on_hop: OnHop | None, before: BeforeSending | None
    ) -> FetchResult:
        if self._api is None:
            return failed(request.url, FailureCode.API_MISSING)
        return await self._api.fetch(request, on_hop=on_hop, before=before)

    async def close(self) -> None:
        """Lets running fetches finish (S-009). The caller closes the HTTP fetcher."""
        await self._browser.close()


def open_ways(settings: BrowserSettings, http: HttpFetcher, guard: EgressGuard, records: Path) -> Ways:
    """Builds the ways without starting a browser. `records`: the folder of running browsers (browser/orphans.py)."""
    browser = BrowserFetcher(settings, guard, records=records)
    key = settings.scrapingbee_api_key
    api = None if key is None else ScrapingApi(settings.scrapingbee_api_url, key.get_secret_value(), http, guard)
    return Ways(http, browser, api, fallback=settings.browser_fallback)
