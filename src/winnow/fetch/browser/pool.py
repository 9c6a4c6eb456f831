"""Browsers, lent one task at a time (S-042…S-047).

    available → in use → available, or recycling (page limit, memory) → a new one available
                       ↘ crashed → a new one available

`start` reaps what a killed owner left, then launches `browser_pool_size` browsers. A browser that goes, for whatever
reason, is replaced in the background, so that the pool returns to its size. Each loan is one isolated tab behind its
own pinning proxy; giving it back leaves nothing of the task.
"""

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import structlog

from winnow.clock import Clock, now
from winnow.errors import WinnowError
from winnow.fetch.browser import orphans
from winnow.fetch.browser.chromium import MISSING, ChromiumMissing, find_chromium
from winnow.fetch.browser.instance import BrowserInstance, Loan, TabOptions
from winnow.fetch.browser.pinning_proxy import Dialler, PinningProxy, dial_direct
from winnow.fetch.browser.process import LaunchFailed, launch
from winnow.fetch.browser.profile import Profile, make_profile
from winnow.fetch.egress.guard import EgressGuard
from winnow.fetch.settings import BrowserSettings
from winnow.observe import metrics

RETRY_SECONDS = (0.5, 1.0, 2.0, 5.0, 15.0, 30.0)  # between attempts to start a browser that does not start
WATCH_SECONDS = 1.0  # how often memory is looked at
_log = structlog.get_logger("winnow.fetch.browser")


class PoolExhausted(WinnowError):
    """No browser became free in time (S-043)."""

    code = "pool_exhausted"


class BrowserPool:
    def __init__(
        self,
        settings: BrowserSettings,
        guard: EgressGuard,
        records: Path,
        *,
        clock: Clock = now,
        rng: random.Random | None = None,
    ) -> None:
        self._settings = settings
        self._guard = guard
        self._records = records
        self._clock = clock
        self._rng = rng or random.Random()
        self._all: set[BrowserInstance] = set()
        self._free: deque[BrowserInstance] = deque()
        self._waiting: deque[asyncio.Future[BrowserInstance]] = deque()
        self._chores: set[asyncio.Task[None]] = set()
        self._watching: asyncio.Task[None] | None = None
        self._program: Path | None = None
        self._nowhere: PinningProxy | None = None
        self._previous: Profile | None = None
        self._lent: set[BrowserInstance] = set()
        self._returned = asyncio.Event()
        self._over = asyncio.Event()

    @property
    def size(self) -> int:
        return len(self._all)

    @property
    def available(self) -> int:
        return len(self._free)

    @property
    def instances(self) -> list[BrowserInstance]:
        return list(self._all)

    # --- starting and stopping --------------------------------------------------------------------------

    async def start(self) -> None:
        self._program = find_chromium(self._settings.browser_executable)
        if self._program is None:
            raise ChromiumMissing(MISSING)
        if reaped := await asyncio.to_thread(orphans.reap, self._records):
            _log.info("browser_orphans_reaped", count=reaped)
        # Traffic of no task (there should be none) meets a proxy that lets nothing through.
        self._nowhere = await PinningProxy(EgressGuard(), dial=_dial_nothing).open()
        try:
            await asyncio.gather(*(self._add() for _ in range(self._settings.browser_pool_size)))
        except BaseException:
            await self.stop()
            raise
        self._watching = asyncio.create_task(self._watch())

    async def stop(self) -> None:
        """Nothing new; what is under way has its time (S-009), then every browser ends."""
        self._over.set()
        for waiting in self._waiting:
            if not waiting.done():
                waiting.set_exception(PoolExhausted("the browser pool is shutting down"))
        with suppress(TimeoutError):
            async with asyncio.timeout(self._settings.graceful_shutdown_seconds):
                await self._all_back()
        if self._watching is not None:
            self._watching.cancel()
        await asyncio.gather(*self._chores, return_exceptions=True)  # they see that it is over and end
        await asyncio.gather(*(browser.close() for browser in self._all))
        self._all.clear()
        self._free.clear()
        metrics.browsers(0, 0)
        if self._nowhere is not None:
            await self._nowhere.close()

    async def _all_back(self) -> None:
        while self._lent:
            self._returned.clear()
            await self._returned.wait()

    async def __aenter__(self) -> BrowserPool:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    # --- lending ----------------------------------------------------------------------------------------

    async def acquire(self) -> BrowserInstance:
        """An exclusive browser, within 10 s (S-043) or PoolExhausted."""
        if self._over.is_set() or self._program is None:
            raise PoolExhausted("the browser pool is not running")
        while self._free:
            browser = self._free.popleft()
            if browser.alive:
                return self._hand_over(browser)
        waiting: asyncio.Future[BrowserInstance] = asyncio.get_running_loop().create_future()
        self._waiting.append(waiting)
        try:
            async with asyncio.timeout(self._settings.browser_acquire_seconds):
                return self._hand_over(await waiting)
        except TimeoutError:
            self._give_up(waiting)
            raise PoolExhausted("no browser became free in time") from None
        except asyncio.CancelledError:
            self._give_up(waiting)
            raise

    def _hand_over(self, browser: BrowserInstance) -> BrowserInstance:
        self._lent.add(browser)
        self._count()
        return browser

    def _count(self) -> None:
        metrics.browsers(len(self._all | self._lent), len(self._lent))

    def _give_up(self, waiting: asyncio.Future[BrowserInstance]) -> None:
        """A browser handed over at the very moment its taker left goes to the next one."""
        if waiting in self._waiting:
            self._waiting.remove(waiting)
        elif waiting.done() and not waiting.cancelled() and waiting.exception() is None:
            self._offer(waiting.result())

    async def release(self, browser: BrowserInstance) -> None:
        """Counts the page; a worn or broken browser is replaced, not returned (property 12)."""
        browser.pages_processed += 1
        metrics.BROWSER_PAGES.inc()
        self._lent.discard(browser)
        self._count()
        self._returned.set()
        if browser not in self._all:
            return  # crashed meanwhile: its replacement is under way
        if not browser.alive or browser.needs_recycling(self._settings.browser_page_limit):
            self._retire(browser)
        else:
            self._offer(browser)

    @asynccontextmanager
    async def open_tab(self, wish: TabOptions, *, dial: Dialler = dial_direct) -> AsyncIterator[Loan]:
        """An isolated tab. `dial` takes its traffic through a proxy, whose region is part of the wish."""
        browser = await self.acquire()
        try:
            loan = await browser.take_prepared_tab(wish) or await browser.open(wish, *self._equipment(browser, wish))
            loan.proxy.dial = dial
            try:
                yield loan
            finally:
                await loan.close()
        finally:
            await self.release(browser)

    def prepare(self, browser: BrowserInstance, wish: TabOptions) -> None:
        """The browser's next tab, while its current page settles. Not for a browser that is about to go."""
        if browser.pages_processed + 1 < self._settings.browser_page_limit and not browser.too_large:
            browser.prepare(wish, *self._equipment(browser, wish))

    def _equipment(self, browser: BrowserInstance, wish: TabOptions) -> tuple[Profile, PinningProxy]:
        made = make_profile(browser.chromium.major, self._rng, region=wish.region, previous=self._previous)
        self._previous = made
        return made, PinningProxy(self._guard, byte_limit=self._settings.browser_task_bytes)

    # --- replacing --------------------------------------------------------------------------------------

    async def _add(self) -> None:
        assert self._program is not None
        assert self._nowhere is not None
        pictures = not self._settings.browser_block_resources
        chromium = await launch(self._program, proxy=self._nowhere.url, records=self._records, pictures=pictures)
        browser = BrowserInstance(chromium, self._clock())
        self._all.add(browser)
        self._count()
        chromium.devtools.gone.add_done_callback(lambda _: self._gone(browser))
        self._offer(browser)

    def _offer(self, browser: BrowserInstance) -> None:
        while self._waiting:
            waiting = self._waiting.popleft()
            if not waiting.done():
                waiting.set_result(browser)
                return
        self._free.append(browser)

    def _gone(self, browser: BrowserInstance) -> None:
        """The pipe ended without a close: a crash (S-045)."""
        if browser in self._all and not self._over.is_set():
            _log.warning("browser_crashed", browser=browser.id, pages=browser.pages_processed)
            self._retire(browser)

    def _retire(self, browser: BrowserInstance) -> None:
        """Ended completely before its replacement starts, so that there are never more than the pool's size."""
        self._all.discard(browser)
        reason = "crashed" if not browser.alive else "too_large" if browser.too_large else "page_limit"
        metrics.BROWSERS_REPLACED.labels(reason).inc()
        with suppress(ValueError):
            self._free.remove(browser)
        self._chore(self._replace(browser))

    async def _replace(self, browser: BrowserInstance) -> None:
        await browser.close()
        attempt = 0
        while not self._over.is_set():
            try:
                return await self._add()
            except (LaunchFailed, OSError) as error:
                _log.error("browser_launch_failed", error=str(error))
            with suppress(TimeoutError):
                async with asyncio.timeout(RETRY_SECONDS[min(attempt, len(RETRY_SECONDS) - 1)]):
                    await self._over.wait()
            attempt += 1

    def _chore(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._chores.add(task)
        task.add_done_callback(self._chores.discard)

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(WATCH_SECONDS)
            for browser in list(self._all):
                await self._weigh(browser)

    async def _weigh(self, browser: BrowserInstance) -> None:
        limit = self._settings.browser_memory_mb * 1024 * 1024
        held = await asyncio.to_thread(browser.chromium.private_memory)
        browser.too_large = held > limit
        if held > 2 * limit:  # a page is eating the machine; its task ends as a crash
            _log.warning("browser_too_large", browser=browser.id, megabytes=held >> 20)
            await browser.chromium.close()


async def _dial_nothing(_: object) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    raise ConnectionRefusedError
