"""A page as a browser shows it: one guarded, bounded navigation, ended by the same typed outcomes as plain HTTP.

    fetcher = BrowserFetcher(browser_settings, guard, records=data_folder / "browsers")
    await fetcher.open()
    result = await fetcher.fetch(FetchRequest(url=…), on_hop=ask_ledger_and_robots)

The body is the rendered HTML in UTF-8; a document that is no page (JSON, text, a feed) comes as the server sent it.
Without a Chromium on this machine every fetch ends `error`, `browser_missing`.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any

from winnow.clock import Clock, now
from winnow.errors import HostUnresolved, UrlRefused
from winnow.fetch.blocked.detect import WallKind, recognise
from winnow.fetch.browser.answer import BrowserAnswer, NavigationFailed, Unchanged
from winnow.fetch.browser.chromium import ChromiumMissing, find_chromium
from winnow.fetch.browser.devtools import BrowserGone, CommandFailed
from winnow.fetch.browser.instance import Loan, TabOptions
from winnow.fetch.browser.navigation import Navigation, patterns
from winnow.fetch.browser.pages import action_delay_ms, scroll_for_content, wait_for_content
from winnow.fetch.browser.pinning_proxy import Dialler, dial_direct
from winnow.fetch.browser.pool import BrowserPool, PoolExhausted
from winnow.fetch.browser.process import LaunchFailed
from winnow.fetch.browser.tab import Tab
from winnow.fetch.egress.guard import EgressGuard
from winnow.fetch.exceptions import failure_of
from winnow.fetch.failure import FailureCode, of_status
from winnow.fetch.http.client import OnHop
from winnow.fetch.http.headers import kept_headers, validator
from winnow.fetch.outcome import BeforeSending, FetchRequest, FetchResult, Outcome
from winnow.fetch.page_actions import PageActions
from winnow.fetch.settings import BrowserSettings
from winnow.fetch.url import CheckedUrl
from winnow.vocabulary.encodings.web_page import charset_of

QUIET_SECONDS = 0.15  # nothing under way for this long after data was loaded: the page is done
MAX_ERROR_BODY = 256 * 1024  # of a page that came with a status other than 2xx: enough to tell a wall by
SCREENSHOT_SECONDS = 3.0  # what a failed page looks like is worth this much, no more


MISSING_SECONDS = 60.0  # before a browser that did not start is tried again


class BrowserFetcher:
    def __init__(
        self,
        settings: BrowserSettings,
        guard: EgressGuard,
        *,
        records: Path,
        clock: Clock = now,
        pool: BrowserPool | None = None,
        rng: random.Random | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._rng = rng or random.Random()
        self._sleep = sleep
        self._settings = settings
        self._guard = guard
        self._clock = clock
        self._patterns = patterns(settings.browser_block_resources)
        self._installed = find_chromium(settings.browser_executable) is not None
        self._missing: FailureCode | None = None
        self._missing_until = 0.0
        self._opening = asyncio.Lock()
        self._open = pool is not None  # a pool that was passed in is already running
        self._records = records
        self.pool = pool or self._new_pool()

    def _new_pool(self) -> BrowserPool:
        return BrowserPool(self._settings, self._guard, self._records, clock=self._clock)

    @property
    def is_available(self) -> bool:
        """Whether there is a browser to try; a program that did not start is given up for a minute."""
        return self._installed and monotonic() >= self._missing_until

    async def open(self) -> None:
        """Starts the pool, once; the first fetch does it otherwise. Never fails for want of a browser: fetches say
        so instead."""
        async with self._opening:
            if self._open or monotonic() < self._missing_until:
                return
            try:
                await self.pool.start()
                self._open, self._missing = True, None
            except (ChromiumMissing, LaunchFailed) as error:
                self._missing, self._missing_until = FailureCode(error.code), monotonic() + MISSING_SECONDS
                self.pool = self._new_pool()

    async def close(self) -> None:
        async with self._opening:
            if self._open:
                await self.pool.stop()

    async def fetch(
        self,
        request: FetchRequest,
        *,
        on_hop: OnHop | None = None,
        before: BeforeSending | None = None,
        region: str | None = None,
        dial: Dialler = dial_direct,
    ) -> FetchResult:
        """`before` is asked when the request stands ready to be sent: a grant is for sending at once."""
        progress = _Progress(request)
        await self.open()
        if self._missing is not None:
            return progress.ended(self._missing)
        try:
            first = self._guard.check(request.url)
            await self._guard.admit(first)
            return await self._in_a_tab(progress, first, on_hop, before, TabOptions(self._patterns, region), dial)
        except (UrlRefused, HostUnresolved) as error:
            return progress.ended(failure_of(error))
        except PoolExhausted as error:
            return progress.ended(FailureCode(error.code), str(error))
        except (BrowserGone, CommandFailed):
            return progress.ended(FailureCode.BROWSER_CRASHED)

    async def _in_a_tab(
        self,
        progress: _Progress,
        first: CheckedUrl,
        on_hop: OnHop | None,
        before: BeforeSending | None,
        wish: TabOptions,
        dial: Dialler,
    ) -> FetchResult:
        async with self.pool.open_tab(wish, dial=dial) as loan:
            idle = self._settings.browser_idle_timeout_ms / 1000
            navigation = Navigation(
                progress.request, first, loan.tab, loan.proxy, self._guard, on_hop, before, idle, self._clock
            )
            progress.navigation = navigation
            try:
                return await self._navigated(progress, navigation, loan, wish)
            finally:
                navigation.stop()

    async def _navigated(
        self, progress: _Progress, navigation: Navigation, loan: Loan, wish: TabOptions
    ) -> FetchResult:
        seconds = min(progress.request.timeout_ms, self._settings.navigation_timeout_ms) / 1000
        try:
            async with asyncio.timeout(seconds) as limit:
                later = asyncio.get_running_loop().time
                navigation.waits = lambda begins: limit.reschedule(None if begins else later() + seconds)
                await navigation.arrive()
                self.pool.prepare(loan.browser, wish)
                if progress.request.actions:
                    limit.reschedule(later() + seconds + progress.request.actions.longest_seconds)
                return await self._read(progress, navigation, loan.tab)
        except TimeoutError:
            return progress.ended(FailureCode.TOTAL_TIMEOUT, screenshot=await _screenshot(loan.tab))
        except Unchanged as unchanged:
            return progress.unchanged(unchanged.answer)
        except NavigationFailed as ended:
            if ended.retry_after_s is not None:
                navigation.wait_s = ended.retry_after_s
            return progress.ended(ended.failure, str(ended))

    async def _read(self, progress: _Progress, navigation: Navigation, tab: Tab) -> FetchResult:
        answer = await self._settled(navigation)
        if not answer.is_page:
            body = await navigation.body()
            if answer.ok:
                return progress.ok(answer, body, charset_of(body, answer.charset))
            return progress.failed(answer, error_body=body[:MAX_ERROR_BODY])
        if answer.ok and progress.request.actions:
            await self._act(tab, progress.request.actions)
            answer = await self._settled(navigation)
        html = await tab.html(progress.request.max_bytes)
        if await self._has_more(navigation, tab, answer, html):
            answer = await self._settled(navigation)
            html = await tab.html(progress.request.max_bytes)
        page = None if html is None else html.encode("utf-8", "replace")
        if not answer.ok:
            return progress.failed(answer, error_body=(page or b"")[:MAX_ERROR_BODY], screenshot=await _screenshot(tab))
        if page is None or len(page) > progress.request.max_bytes:
            raise NavigationFailed(FailureCode.TOO_LARGE)
        wall = recognise(answer.status, answer.headers, page)
        return progress.ok(answer, page, "utf-8", screenshot=None if wall is None else await _screenshot(tab))

    async def _act(self, tab: Tab, actions: PageActions) -> None:
        """What its adapter wants done on the page. An element that never comes is for the reader to miss."""

        async def pause() -> None:
            await self._sleep(action_delay_ms(self._rng, actions.min_delay_ms, actions.max_delay_ms) / 1000)

        with suppress(CommandFailed):  # the page is another one by now
            if actions.wait_for:
                await wait_for_content(tab, actions.wait_for)
            if actions.scrolls:
                await pause()
                await scroll_for_content(tab, pause, actions.scrolls)

    async def _settled(self, navigation: Navigation) -> BrowserAnswer:
        return await navigation.settle(self._settings.browser_wait_ms / 1000, QUIET_SECONDS)

    async def _has_more(self, navigation: Navigation, tab: Tab, answer: BrowserAnswer, html: str | None) -> bool:
        """A shell may be filled late, and a challenge that only wants a browser lets one pass: both get their time."""
        found = None if html is None else recognise(answer.status, answer.headers, html.encode("utf-8", "replace"))
        patience = self._settings.browser_wait_ms / 1000
        if found is None or found.kind not in (WallKind.EMPTY_SHELL, WallKind.CHALLENGE):
            return False
        if found.kind is WallKind.CHALLENGE:
            return await navigation.sent_on(patience)
        with suppress(CommandFailed):  # the page is another one by now
            await wait_for_content(tab, timeout_s=patience)
        return True  # also with little text: what is there by now is what the page says


async def _screenshot(tab: Tab) -> bytes | None:
    with suppress(TimeoutError, BrowserGone, CommandFailed):
        async with asyncio.timeout(SCREENSHOT_SECONDS):
            return await tab.screenshot()
    return None


class _Progress:
    """How far one fetch has come: the final URL, status and timings of its result."""

    def __init__(self, request: FetchRequest) -> None:
        self.request = request
        self.navigation: Navigation | None = None
        self._started = monotonic()

    def result(self, outcome: Outcome, **more: Any) -> FetchResult:
        navigation = self.navigation
        return FetchResult(
            outcome=outcome,
            url=self.request.url,
            final_url=navigation.url.url if navigation else self.request.url,
            duration_ms=int((monotonic() - self._started) * 1000),
            status_code=navigation.status if navigation else None,
            retry_after_s=navigation.wait_s if navigation else None,
            redirects=navigation.redirects if navigation else [],
            **more,
        )

    def ended(self, failure: FailureCode, error: str | None = None, **more: Any) -> FetchResult:
        meaning = failure.meaning
        return self.result(meaning.outcome, error_class=failure, error=error or meaning.sentence, **more)

    def failed(self, answer: BrowserAnswer, **more: Any) -> FetchResult:
        more |= {"kept": kept_headers(answer.headers), "content_type": answer.media}
        return self.ended(of_status(answer.status), **more)

    def unchanged(self, answer: BrowserAnswer) -> FetchResult:
        etag = validator(answer.headers.get("etag")) or self.request.etag
        modified = validator(answer.headers.get("last-modified")) or self.request.last_modified
        return self.result(Outcome.OK, not_modified=True, etag=etag, last_modified=modified)

    def ok(self, answer: BrowserAnswer, body: bytes, charset: str, **more: Any) -> FetchResult:
        return self.result(
            Outcome.OK,
            kept=kept_headers(answer.headers),
            **more,
            body=body,
            charset=charset,
            content_type=answer.media or "text/html",
            etag=validator(answer.headers.get("etag")),
            last_modified=validator(answer.headers.get("last-modified")),
        )
