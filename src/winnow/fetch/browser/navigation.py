"""One URL in one tab, until its document is there or it has ended otherwise.

Requests of the main frame are stopped twice, before they are sent and when their answer begins. So every hop is asked
for before it goes out (DESIGN §11.12), whether the server or a script redirects, and an answer that is no page goes
no further. The document's bytes are counted after decoding, and Chromium says whether they came complete.
Everything else goes its way, through the pinning proxy, counted in the task's total.
"""

from __future__ import annotations

import asyncio
import base64
from collections import Counter
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

from winnow.clock import Clock
from winnow.errors import HostUnresolved, UrlRefused
from winnow.fetch.browser.answer import BrowserAnswer, NavigationFailed, NavigationOver, check
from winnow.fetch.browser.devtools import BrowserGone, CommandFailed
from winnow.fetch.browser.failure import failure_of_net_error
from winnow.fetch.browser.pinning_proxy import PinningProxy
from winnow.fetch.browser.tab import Tab
from winnow.fetch.egress.guard import EgressGuard
from winnow.fetch.exceptions import failure_of
from winnow.fetch.failure import FailureCode
from winnow.fetch.http.client import OnHop
from winnow.fetch.http.headers import own_headers, retry_after_s
from winnow.fetch.http.redirect import MAX_REDIRECTS, REDIRECTS, next_url
from winnow.fetch.outcome import BeforeSending, FetchRequest
from winnow.fetch.url import CheckedUrl

MAX_SAME = 2  # a gate may send a visitor back to the same page with a cookie; a third time is a circle
# Pictures are not asked for in the first place (chromium.py): stopping each of them would cost more than it saves.
_BLOCKED = ("Media", "Font", "Ping")
# Waited for: what can still change the text of the page.
_AWAITED = frozenset({"Document", "Script", "XHR", "Fetch", "Stylesheet", "Preflight"})


def patterns(block_resources: bool) -> tuple[tuple[str, str], ...]:
    """What Chromium has to stop for us."""
    blocked = tuple((kind, "Request") for kind in _BLOCKED) if block_resources else ()
    return (("Document", "Request"), ("Document", "Response"), *blocked)


class Navigation:
    def __init__(
        self,
        request: FetchRequest,
        first: CheckedUrl,
        tab: Tab,
        proxy: PinningProxy,
        guard: EgressGuard,
        on_hop: OnHop | None,
        before: BeforeSending | None,
        idle_s: float,
        clock: Clock,
    ) -> None:
        self._request = request
        self._tab = tab
        self._proxy = proxy
        self._guard = guard
        self._on_hop = on_hop
        self._before = before
        self._idle_s = idle_s
        self._clock = clock
        self._tasks: set[asyncio.Task[None]] = set()
        self._asked_for: Counter[str] = Counter()
        self._changed = asyncio.Event()
        self._ended: NavigationOver | None = None
        self._failed: Exception | None = None  # of those who were asked: the ledger, robots.txt
        self._document = ""  # the number of the main frame's newest document, as request and as loader
        self._received = 0
        self._complete = False
        self._silent_since: float | None = None  # set while a server owes us bytes
        self._in_flight: set[str] = set()
        self._loads_data = False  # a page whose scripts have asked for something may ask again
        self._loader = ""
        self._lifecycle: set[str] = set()
        self.url = first
        self.redirects: list[str] = []
        self.status: int | None = None
        self.wait_s: float | None = None
        self.answer: BrowserAnswer | None = None
        self.waits: Callable[[bool], None] = lambda _: None  # called when it starts and stops waiting for its grant
        tab.listener = self._on_event

    # --- driving ------------------------------------------------------------------------------------------

    async def arrive(self) -> BrowserAnswer:
        """Until the document is complete and, when it is a page, parsed. Ended, BrowserGone or the answer."""
        navigation = self._tab.send("Page.navigate", url=self.url.url)
        navigation.add_done_callback(self._navigated)
        await self._until(self._parsed)
        assert self.answer is not None
        return self.answer

    async def settle(self, longest_s: float, quiet_s: float) -> BrowserAnswer:
        """Until nothing that could change the text has been under way for `quiet_s`, or `longest_s` have passed. A page
        that sends itself on is followed. What is no page is settled as it is."""
        with suppress(TimeoutError):
            async with asyncio.timeout(longest_s):
                await self._until(self._is_parsed)
                while await self._busy(quiet_s if self._loads_data else quiet_s / 3):
                    await self._until(lambda: self._parsed() and not self._in_flight)
        await self._until(self._parsed)
        assert self.answer is not None
        return self.answer

    async def sent_on(self, longest_s: float) -> bool:
        """Whether the page sends itself on before the time is over."""
        return await self._within(longest_s, lambda: not self._parsed())

    async def _busy(self, quiet_s: float) -> bool:
        return await self._within(quiet_s, lambda: bool(self._in_flight) or not self._parsed())

    async def _within(self, seconds: float, reached: Callable[[], bool]) -> bool:
        try:
            async with asyncio.timeout(seconds):
                await self._until(reached)
        except TimeoutError:
            return False
        return True

    async def body(self) -> bytes:
        """The document as the server sent it, decoded."""
        kept = await self._tab.send("Network.getResponseBody", requestId=self._document)
        return base64.b64decode(kept["body"]) if kept["base64Encoded"] else kept["body"].encode("utf-8", "replace")

    async def _until(self, reached: Callable[[], bool]) -> None:
        while True:
            self._look()
            if reached():
                return
            self._changed.clear()
            loop = asyncio.get_running_loop()
            silence = loop.call_later(self._idle_left(), self._changed.set)
            try:
                await self._changed.wait()
            finally:
                silence.cancel()

    def _look(self) -> None:
        if self._failed is not None:
            raise self._failed
        if self._ended is not None:
            raise self._ended
        if self._tab.crashed.done():
            raise BrowserGone("the page's process crashed")
        if self._proxy.overflowed:
            raise NavigationFailed(FailureCode.TOO_LARGE)
        if self._silent_since is not None and self._idle_left() <= 0:
            raise NavigationFailed(FailureCode.IDLE_TIMEOUT)

    def _idle_left(self) -> float:
        if self._silent_since is None:
            return self._idle_s
        return self._silent_since + self._idle_s - asyncio.get_running_loop().time()

    def _is_parsed(self) -> bool:
        return self._parsed() and (self.answer is None or not self.answer.is_page or "load" in self._lifecycle)

    def _parsed(self) -> bool:
        if self.answer is None or not self._complete:
            return False
        return not self.answer.is_page or (self._loader == self._document and "DOMContentLoaded" in self._lifecycle)

    def stop(self) -> None:
        for task in self._tasks:
            task.cancel()

    # --- events -------------------------------------------------------------------------------------------

    def _on_event(self, method: str, params: dict[str, Any]) -> None:
        if method == "Fetch.requestPaused":
            self._paused(params)
        elif method == "Network.dataReceived":
            self._data(params)
        elif method == "Network.requestWillBeSent":
            if params.get("type") in _AWAITED:
                self._in_flight.add(params["requestId"])
                self._loads_data |= params["type"] in ("XHR", "Fetch")
        elif method in ("Network.loadingFinished", "Network.loadingFailed"):
            self._loaded(params)
        elif method == "Page.lifecycleEvent":
            self._reached(params)
        elif method != "Inspector.targetCrashed":
            return
        self._changed.set()

    def _data(self, params: dict[str, Any]) -> None:
        if params["requestId"] == self._document:
            self._received += params["dataLength"]
            self._silent_since = asyncio.get_running_loop().time()
            if self._received > self._request.max_bytes:
                self._end(NavigationFailed(FailureCode.TOO_LARGE))

    def _loaded(self, params: dict[str, Any]) -> None:
        self._in_flight.discard(params["requestId"])
        if params["requestId"] != self._document or params.get("canceled"):
            return
        self._silent_since = None
        if "errorText" in params:
            self._end(self._net_error(params["errorText"]))
        else:
            self._complete = True

    def _reached(self, params: dict[str, Any]) -> None:
        if params["frameId"] != self._tab.frame:
            return
        if params["name"] == "init":
            self._loader, self._lifecycle = params["loaderId"], set()
        elif params["loaderId"] == self._loader:
            self._lifecycle.add(params["name"])

    def _navigated(self, navigation: asyncio.Future[dict[str, Any]]) -> None:
        if navigation.cancelled() or navigation.exception() is not None:
            self._end(NavigationFailed(FailureCode.BROWSER_CRASHED))
        elif text := navigation.result().get("errorText"):
            self._end(self._net_error(text))
        elif navigation.result().get("isDownload"):
            self._end(NavigationFailed(FailureCode.DOWNLOAD))

    def _net_error(self, text: str) -> NavigationFailed:
        reason = self._proxy.failures.get(_authority(self.url))
        return NavigationFailed(failure_of_net_error(text, reason))

    def _end(self, ended: NavigationOver) -> None:
        if self._ended is None:
            self._ended = ended
        self._changed.set()

    def _paused(self, params: dict[str, Any]) -> None:
        request, kind = params["requestId"], params["resourceType"]
        answered = "responseStatusCode" in params or "responseErrorReason" in params
        if kind != "Document":
            self._tab.send("Fetch.failRequest", requestId=request, errorReason="BlockedByClient")
        elif params["frameId"] != self._tab.frame:
            self._tab.send("Fetch.continueResponse" if answered else "Fetch.continueRequest", requestId=request)
        else:
            self._run(self._answered(params) if answered else self._asked(params))

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(self._guarded(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _guarded(self, work: Coroutine[Any, Any, None]) -> None:
        """Whatever goes wrong here ends the navigation; nothing is let through by an error."""
        try:
            await work
        except NavigationOver as over:
            self._end(over)
        except (UrlRefused, HostUnresolved) as error:
            self._end(NavigationFailed(failure_of(error)))
        except CommandFailed:
            self._end(NavigationFailed(FailureCode.BROWSER))
        except BrowserGone:
            self._end(NavigationFailed(FailureCode.BROWSER_CRASHED))
        except Exception as error:  # noqa: BLE001 - whoever waits for the page has to hear of it
            self._failed = error
            self._changed.set()

    # --- the main frame -----------------------------------------------------------------------------------

    async def _asked(self, params: dict[str, Any]) -> None:
        """Before a request of the main frame is sent."""
        request, more = params["request"], {}
        self._complete, self._received, self._silent_since = False, 0, None
        if not self._asked_for:
            self._asked_for[self.url.url] += 1
            await self._first()
            if own := self._own_headers():
                more["headers"] = [{"name": name, "value": value} for name, value in (request["headers"] | own).items()]
        else:
            await self._hop(self._guard.check(request["url"].partition("#")[0]))
        self._document = params.get("networkId", "")
        self._silent_since = asyncio.get_running_loop().time()
        self._tab.send("Fetch.continueRequest", requestId=params["requestId"], **more)

    async def _first(self) -> None:
        """Everything is ready to send: the moment a grant is for (DESIGN §11.11)."""
        if self._before is None:
            return
        self.waits(True)
        refusal = await self._before()
        self.waits(False)
        if refusal is not None:
            raise NavigationFailed(refusal.error_class, refusal.error, refusal.retry_after_s)

    def _own_headers(self) -> dict[str, str]:
        """The source's, for the first request only: none of it follows to another place (R-13)."""
        own = own_headers(self._request.headers)
        if self._request.etag:
            own["If-None-Match"] = self._request.etag
        if self._request.last_modified:
            own["If-Modified-Since"] = self._request.last_modified
        return own

    async def _hop(self, to: CheckedUrl) -> None:
        self.redirects.append(to.url)
        self.url = to
        self._asked_for[to.url] += 1
        if self._asked_for[to.url] > MAX_SAME:
            raise NavigationFailed(FailureCode.REDIRECT_LOOP)
        if len(self.redirects) > MAX_REDIRECTS:
            raise NavigationFailed(FailureCode.TOO_MANY_REDIRECTS)
        await self._guard.admit(to)
        refusal = await self._on_hop(to) if self._on_hop is not None else None
        if refusal is not None:
            raise NavigationFailed(refusal.error_class, refusal.error, refusal.retry_after_s)

    async def _answered(self, params: dict[str, Any]) -> None:
        """When the answer to a request of the main frame begins."""
        if "responseStatusCode" in params:
            self._silent_since = asyncio.get_running_loop().time()
            headers = {field["name"].lower(): field["value"] for field in params.get("responseHeaders", [])}
            self._judge(BrowserAnswer(params["responseStatusCode"], headers))
        # Otherwise it broke: Chromium tells the precise error when the request goes on.
        self._tab.send("Fetch.continueResponse", requestId=params["requestId"])

    def _judge(self, answer: BrowserAnswer) -> None:
        """Ended when nothing of this answer is wanted. Nothing of it has reached the page yet."""
        self.status = answer.status
        if answer.status in REDIRECTS and "location" in answer.headers:
            next_url(self.url.url, answer.headers["location"])  # refuses what only looks like a URL
            return
        self.wait_s = retry_after_s(answer.headers.get("retry-after"), self._clock())
        check(answer, self._request)
        if not answer.is_page:
            # Kept by Chromium for body(); pages are read from the tab instead.
            size = self._request.max_bytes * 2
            self._tab.send("Network.enable", maxTotalBufferSize=size, maxResourceBufferSize=size)
        self.answer = answer


def _authority(url: CheckedUrl) -> str:
    """As Chromium writes it to the proxy: with the port in a CONNECT, without the default one otherwise."""
    return f"{url.netloc}:{url.port}" if url.scheme == "https" and ":" not in url.netloc else url.netloc
