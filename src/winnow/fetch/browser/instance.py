"""One browser of the pool (S-047), and the loans it gives: isolated tabs, each behind a way out of its own."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import datetime
from uuid import uuid4

import msgspec

from winnow.errors import WinnowError
from winnow.fetch.browser.devtools import BrowserGone, CommandFailed
from winnow.fetch.browser.pinning_proxy import PinningProxy
from winnow.fetch.browser.process import Chromium
from winnow.fetch.browser.profile import Profile
from winnow.fetch.browser.tab import Tab, open_tab


class TabOptions(msgspec.Struct, frozen=True):
    """What a tab is opened with. Two equal wishes can be served by the same kind of tab."""

    patterns: tuple[tuple[str, str], ...] = ()  # resource type and stage of the requests Chromium stops for us
    region: str | None = None


class Loan:
    """A tab and its way out, until it is given back."""

    def __init__(self, browser: BrowserInstance, tab: Tab, proxy: PinningProxy, profile: Profile) -> None:
        self.browser = browser
        self.tab = tab
        self.proxy = proxy
        self.profile = profile

    async def close(self) -> None:
        """Cookies, storage, cache and pages go with the context (S-044), connections with the proxy."""
        try:
            await self.tab.close()
        except (BrowserGone, CommandFailed, TimeoutError):
            self.browser.broken = True
        except asyncio.CancelledError:
            self.browser.broken = True
            raise
        finally:
            await self.proxy.close()


class BrowserInstance:
    def __init__(self, chromium: Chromium, created_at: datetime) -> None:
        self.id = uuid4().hex[:12]
        self.chromium = chromium
        self.created_at = created_at
        self.pages_processed = 0
        self.too_large = False
        self.broken = False
        self._spare: tuple[TabOptions, asyncio.Task[Loan]] | None = None

    @property
    def alive(self) -> bool:
        return not self.broken and not self.chromium.devtools.gone.done()

    def needs_recycling(self, max_pages: int) -> bool:
        return self.too_large or self.pages_processed >= max_pages

    def prepare(self, wish: TabOptions, profile: Profile, proxy: PinningProxy) -> None:
        """Opens the next task's tab while this one's page settles: starting its process is a quarter of the time."""
        if self._spare is None and self.alive:
            self._spare = wish, asyncio.create_task(self.open(wish, profile, proxy))

    async def take_prepared_tab(self, wish: TabOptions) -> Loan | None:
        """The tab prepared for such a wish, if there is one; any other is thrown away."""
        if self._spare is None:
            return None
        (prepared, opening), self._spare = self._spare, None
        try:
            loan = await opening
        except WinnowError:
            return None
        except asyncio.CancelledError:
            opening.cancel()
            self.broken = True
            raise
        if prepared == wish:
            return loan
        await loan.close()
        return None

    async def open(self, wish: TabOptions, profile: Profile, proxy: PinningProxy) -> Loan:
        patterns = [{"urlPattern": "*", "resourceType": kind, "requestStage": stage} for kind, stage in wish.patterns]
        await proxy.open()
        try:
            tab = await open_tab(self.chromium.devtools, profile, proxy.url, patterns)
        except BaseException:  # also a deadline: half a tab may be open, so the browser cannot be lent again
            self.broken = True
            await proxy.close()
            raise
        return Loan(self, tab, proxy, profile)

    async def close(self) -> None:
        if self._spare is not None:
            (_, opening), self._spare = self._spare, None
            opening.cancel()
            with suppress(asyncio.CancelledError, WinnowError):
                await (await opening).proxy.close()
        await self.chromium.close()
