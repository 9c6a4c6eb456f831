"""Plain HTTP: one guarded, bounded, polite GET, ended by exactly one typed outcome.

    fetcher = HttpFetcher(settings, guard)
    await fetcher.open()
    result = await fetcher.fetch(FetchRequest(url=…), on_hop=ask_ledger_and_robots)

The caller holds the grant and the robots answer for the first URL; `on_hop` is asked before every
redirect (DESIGN §11.12). Nothing is retried here except a request that met a kept-alive connection the
server had already closed: that one reached nobody.
"""

from __future__ import annotations

import asyncio
import ssl as tls
from collections.abc import Awaitable, Callable
from contextlib import suppress
from time import monotonic
from typing import Any

import aiohttp
from aiohttp import hdrs
from yarl import URL

from winnow.clock import Clock, now
from winnow.fetch.blocked.detect import may_be_wall
from winnow.fetch.deadline import Deadlines, FetchDeadline
from winnow.fetch.egress.guard import Dial, EgressGuard, Exit, NotSent
from winnow.fetch.exceptions import EXPECTED, failure_of
from winnow.fetch.failure import FailureCode, of_status
from winnow.fetch.http.decode import STEP, BadEncoding, BodyDecoder, BodyTooLarge, BodyTruncated
from winnow.fetch.http.headers import (
    content_type_of,
    default_headers,
    is_text,
    kept_headers,
    own_headers,
    retry_after_s,
    validator,
)
from winnow.fetch.http.redirect import MAX_REDIRECTS, REDIRECTS, cookies_after, next_url
from winnow.fetch.outcome import BeforeSending, FetchRequest, FetchResult, Outcome, Refusal
from winnow.fetch.settings import FetchSettings
from winnow.fetch.url import CheckedUrl
from winnow.vocabulary.encodings.web_page import charset_of

OnHop = Callable[[CheckedUrl], Awaitable[Refusal | None]]

_MAX_HEADER = 32 * 1024  # aiohttp's 8 KiB is less than some shops' cookies and policies
_DRAIN_SECONDS = 1.0
_MAX_DRAINED = STEP  # an unwanted body up to this size is read, so that its connection can be used again
_ERROR_BODY_SECONDS, _MAX_ERROR_BODY = 5.0, 256 * 1024  # walls are small and arrive at once


_NONE: dict[str, str] = {}  # shared, never changed


class _Trip:
    """How far one fetch has come; every ending is reported with it."""

    __slots__ = (
        "before", "cookies", "own", "redirects", "request", "seen", "started", "status", "through", "url", "wait_s",
        "watch",
    )  # fmt: skip

    def __init__(
        self, request: FetchRequest, watch: FetchDeadline, through: Exit | None, before: BeforeSending | None
    ) -> None:
        self.request = request
        self.before = before
        self.through = through
        self.watch = watch
        self.started = monotonic()
        self.url: CheckedUrl | None = None
        self.own = own_headers(request.headers) if request.headers else _NONE
        self.cookies = _NONE
        self.seen: tuple[tuple[str, str], ...] = ()
        self.redirects: list[str] = []
        self.status: int | None = None
        self.wait_s: float | None = None

    def headers(self) -> dict[str, str] | None:
        """Beyond the defaults. Validators go along on every hop: the last page is the one that gave them."""
        request = self.request
        if not (self.own or self.cookies or request.etag or request.last_modified):
            return None
        headers = dict(self.own)
        if self.cookies:
            pairs = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
            headers["Cookie"] = f"{headers['Cookie']}; {pairs}" if "Cookie" in headers else pairs
        if request.etag:
            headers["If-None-Match"] = request.etag
        if request.last_modified:
            headers["If-Modified-Since"] = request.last_modified
        return headers

    def move_to(self, url: CheckedUrl, set_cookie: list[str]) -> None:
        if self.url is not None and url.origin == self.url.origin:
            self.cookies = cookies_after(self.cookies, set_cookie)
        else:  # credentials and cookies are not sent to another scheme, host or port
            self.own, self.cookies = _NONE, _NONE
        self.url = url
        self.redirects.append(url.url)

    def result(self, outcome: Outcome, **more: Any) -> FetchResult:
        return FetchResult(
            outcome=outcome,
            url=self.request.url,
            final_url=self.url.url if self.url else self.request.url,
            duration_ms=int((monotonic() - self.started) * 1000),
            status_code=self.status,
            retry_after_s=more.pop("retry_after_s", self.wait_s),
            redirects=self.redirects,
            **more,
        )

    def failed(self, failure: FailureCode, error: str | None = None, **more: Any) -> FetchResult:
        meaning = failure.meaning
        return self.result(meaning.outcome, error_class=failure, error=error or meaning.sentence, **more)

    def refused(self, refusal: Refusal) -> FetchResult:
        return self.failed(refusal.error_class, refusal.error, retry_after_s=refusal.retry_after_s)


class HttpFetcher:
    def __init__(
        self,
        settings: FetchSettings,
        guard: EgressGuard,
        *,
        clock: Clock = now,
        ssl: tls.SSLContext | bool = True,
    ) -> None:
        self._settings = settings
        self._guard = guard
        self._clock = clock
        self._ssl = ssl
        self._deadlines = Deadlines(settings.fetch_idle_timeout_ms / 1000)
        self._session: aiohttp.ClientSession | None = None
        self._exits: aiohttp.ClientSession | None = None

    async def open(self) -> None:
        self._session = self._open_session(self._guard.connector(self._ssl))
        self._exits = self._open_session(self._guard.exit_connector(self._ssl))

    def _open_session(self, connector: aiohttp.TCPConnector) -> aiohttp.ClientSession:
        session = aiohttp.ClientSession(
            connector=connector,
            headers=default_headers(self._settings),
            cookie_jar=aiohttp.DummyCookieJar(),  # cookies are never shared between sources
            auto_decompress=False,  # decoded by us, in bounded steps
            trust_env=False,  # a proxy of the environment would dial for us, unguarded
            timeout=aiohttp.ClientTimeout(
                total=None,  # this one and the longest silence are kept by Deadlines
                connect=self._settings.fetch_connect_timeout_ms / 1000,
            ),
            max_line_size=_MAX_HEADER,
            max_field_size=_MAX_HEADER,
        )
        # aiohttp would repeat a GET after any broken connection, which no grant covers (DESIGN §11.12).
        session._retry_connection = False
        return session

    async def close(self) -> None:
        self._deadlines.stop()
        for session in (self._session, self._exits):
            if session is not None:
                await session.close()
        self._session = self._exits = None

    async def fetch(
        self,
        request: FetchRequest,
        *,
        on_hop: OnHop | None = None,
        through: Exit | None = None,
        before: BeforeSending | None = None,
    ) -> FetchResult:
        """`through` is the proxy every hop goes through; None dials directly. `before` is asked once the first
        connection is there and nothing has been sent: a grant is for sending at once."""
        trip = _Trip(request, self._deadlines.watch(request.timeout_ms / 1000), through, before)
        try:
            with trip.watch:
                trip.url = self._guard.check(request.url)
                return await self._follow(trip, on_hop)
        except NotSent as stopped:
            return trip.refused(stopped.refusal)
        except EXPECTED as error:
            return trip.failed(failure_of(error))

    async def _follow(self, trip: _Trip, on_hop: OnHop | None) -> FetchResult:
        while True:
            response = await self._send(trip)
            try:
                location = response.headers.get(hdrs.LOCATION) if response.status in REDIRECTS else None
                if location is None:
                    return await self._arrive(trip, response)
                ended = await self._hop(trip, response, location, on_hop)
                if ended is not None:
                    return ended
                await _drain(response)
            finally:
                if response.connection is not None:
                    response.close()  # returns nothing to the pool that still has bytes to send

    async def _send(self, trip: _Trip) -> aiohttp.ClientResponse:
        session = self._session if trip.through is None else self._exits
        if session is None or trip.url is None:
            raise RuntimeError("open() comes before fetch()")
        admitted = await self._guard.admit(trip.url)
        url, headers = URL(trip.url.url, encoded=True), trip.headers()
        before = None if trip.redirects else trip.before
        with Dial(admitted, trip.watch.asked, trip.through, before) as dial:
            while True:
                try:
                    response = await session.get(url, headers=headers, allow_redirects=False)
                except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError):
                    if dial.dialled:
                        raise
                    continue  # a pooled connection the server had closed; it is out of the pool now
                trip.status = response.status
                trip.watch.receiving(response.content)
                return response

    async def _hop(
        self, trip: _Trip, response: aiohttp.ClientResponse, location: str, on_hop: OnHop | None
    ) -> FetchResult | None:
        """Takes the trip one redirect further, or ends it."""
        assert trip.url is not None
        trip.seen += ((trip.url.url, repr(trip.cookies)),)
        url = self._guard.check(next_url(trip.url.url, location))
        trip.move_to(url, response.headers.getall(hdrs.SET_COOKIE, []))
        if (url.url, repr(trip.cookies)) in trip.seen:  # with a new cookie it is not a loop yet
            return trip.failed(FailureCode.REDIRECT_LOOP)
        if len(trip.redirects) > MAX_REDIRECTS:
            return trip.failed(FailureCode.TOO_MANY_REDIRECTS)
        trip.watch.waiting()
        refusal = await on_hop(url) if on_hop is not None else None
        return None if refusal is None else trip.refused(refusal)

    async def _arrive(self, trip: _Trip, response: aiohttp.ClientResponse) -> FetchResult:
        status, request = response.status, trip.request
        if 200 <= status < 300 and status != 206:
            return await self._receive(trip, response)
        trip.wait_s = retry_after_s(response.headers.get(hdrs.RETRY_AFTER), self._clock())
        error_body = await _read_error_body(response) if status >= 400 and may_be_wall(status) else None
        if error_body is None:
            await _drain(response)
        if status == 304 and (request.etag or request.last_modified):
            etag = validator(response.headers.get(hdrs.ETAG)) or request.etag
            modified = validator(response.headers.get(hdrs.LAST_MODIFIED)) or request.last_modified
            return trip.result(Outcome.OK, not_modified=True, etag=etag, last_modified=modified)
        if status == 206:  # no range was requested
            return trip.failed(FailureCode.INCOMPLETE)
        media, label = content_type_of(response.headers.get(hdrs.CONTENT_TYPE, ""))
        return trip.failed(
            of_status(status),
            error_body=error_body,
            kept=kept_headers(response.headers, request.keep),
            content_type=media,
            charset=label or "utf-8",
        )

    async def _receive(self, trip: _Trip, response: aiohttp.ClientResponse) -> FetchResult:
        headers = response.headers
        body = await _read_body(response, trip.request.max_bytes)
        media, label = content_type_of(headers.get(hdrs.CONTENT_TYPE, ""))
        return trip.result(
            Outcome.OK,
            body=body,
            charset=charset_of(body, label) if is_text(media) else "utf-8",
            content_type=media,
            etag=validator(headers.get(hdrs.ETAG)),
            last_modified=validator(headers.get(hdrs.LAST_MODIFIED)),
            kept=kept_headers(headers, trip.request.keep),
        )


async def _read_body(response: aiohttp.ClientResponse, limit: int) -> bytes:
    """The decoded body, within the limit on the wire and after decoding, or an error and nothing."""
    headers, content, length = response.headers, response.content, response.content_length
    if length is not None and length > limit:
        raise BodyTooLarge("the body announces more than allowed")
    encoding = headers.get(hdrs.CONTENT_ENCODING, "")
    if not encoding and length is not None and hdrs.TRANSFER_ENCODING not in headers:
        return await content.read()  # the parser itself ends it at the announced length
    decoder = BodyDecoder(encoding, limit)
    while data := await content.read(STEP):
        decoder.feed(data)
    return decoder.finish()


async def _read_error_body(response: aiohttp.ClientResponse) -> bytes | None:
    """The body of an error answer, to recognise walls; None when it is broken, slow or too large."""
    taken: list[bytes] = []
    with suppress(aiohttp.ClientError, TimeoutError, BodyTooLarge, BadEncoding, BodyTruncated, ValueError):
        decoder = BodyDecoder(response.headers.get(hdrs.CONTENT_ENCODING, ""), _MAX_ERROR_BODY)
        async with asyncio.timeout(_ERROR_BODY_SECONDS):
            while data := await response.content.read(STEP):
                decoder.feed(data)
        taken.append(decoder.finish())
    return taken[0] if taken else None


async def _drain(response: aiohttp.ClientResponse) -> None:
    """Reads a small unwanted body so that its connection can be reused; errors and timeouts are ignored."""
    length = response.content_length
    if length is not None and length <= _MAX_DRAINED and hdrs.TRANSFER_ENCODING not in response.headers:
        with suppress(aiohttp.ClientError, TimeoutError):
            async with asyncio.timeout(_DRAIN_SECONDS):
                await response.content.read()
