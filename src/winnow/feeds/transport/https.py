"""A catalogue behind a URL: HTTPS only, redirects checked one by one, resumed by Range where the server can."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC
from email.utils import parsedate_to_datetime

import aiohttp
from yarl import URL

from winnow.errors import HostUnresolved, UrlRefused
from winnow.feeds.failures import (
    FeedFailure,
    FeedLoginRefused,
    FileForbidden,
    FileMissing,
    Misconfigured,
    Permanent,
    Transient,
)
from winnow.feeds.transport.dial import network_failure, tls_failure
from winnow.feeds.transport.remote import Downloaded, FileStat, Reach, Remote
from winnow.feeds.transport.spool import Spool
from winnow.fetch.egress.guard import Dial
from winnow.fetch.http.redirect import MAX_REDIRECTS, REDIRECTS, next_url
from winnow.fetch.url import CheckedUrl

STEP = 256 << 10
_NO_HEAD = (400, 403, 405, 501)  # servers that answer GET only


class HttpsSession:
    def __init__(self, remote: Remote, reach: Reach, session: aiohttp.ClientSession) -> None:
        self.remote, self.reach, self.session = remote, reach, session
        self.url = _url(remote)

    async def stat(self) -> FileStat:
        async with self._request("HEAD", {}) as answer:
            if answer.status in _NO_HEAD:
                return FileStat()
            _check(answer.status)
            return _stat(answer)

    async def fetch(self, spool: Spool) -> Downloaded:
        headers = {"Range": f"bytes={spool.offset}-"} if spool.offset else {}
        async with self._request("GET", headers) as answer:
            if answer.status == 416:
                spool.discard()
            _check(answer.status)
            if answer.status == 206 and not _goes_on(answer, spool):
                spool.discard()
                raise Transient("the file changed between two attempts", code="CHANGED_WHILE_READ")
            if answer.status != 206:
                spool.restart()
            await self._receive(answer, spool)
            return spool.finish()

    async def _receive(self, answer: aiohttp.ClientResponse, spool: Spool) -> None:
        try:
            async for chunk in answer.content.iter_chunked(STEP):
                await asyncio.to_thread(spool.write, chunk)
        except (aiohttp.ClientError, OSError) as wrong:
            raise failure_of(wrong) from None

    @asynccontextmanager
    async def _request(self, method: str, headers: dict[str, str]) -> AsyncIterator[aiohttp.ClientResponse]:
        """R-13: the login goes only to the origin it was given for."""
        url, first = self.url, self._admissible(self.url)
        for _ in range(MAX_REDIRECTS + 1):
            checked = self._admissible(url)
            async with self._once(method, checked, headers, checked.origin == first.origin) as answer:
                location = answer.headers.get("Location")
                if answer.status not in REDIRECTS or not location:
                    yield answer
                    return
            url = _follow(checked.url, location)
        raise Permanent("the server redirects without end", code="TOO_MANY_REDIRECTS")

    @asynccontextmanager
    async def _once(
        self, method: str, url: CheckedUrl, headers: dict[str, str], login: bool
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        if login and self.remote.username:
            secret = aiohttp.encode_basic_auth(self.remote.username, self.remote.secret or "")
            headers = headers | {"Authorization": secret}
        try:
            with Dial(await self.reach.guard.admit(url)):
                target = URL(url.url, encoded=True)
                answer = await self.session.request(method, target, headers=headers, allow_redirects=False)
        except UrlRefused as refused:
            raise Misconfigured(str(refused), code="HOST_REFUSED") from None
        except HostUnresolved as unresolved:
            raise Transient(str(unresolved), code="ENOTFOUND") from None
        except (aiohttp.ClientError, OSError) as wrong:
            raise failure_of(wrong) from None
        async with answer:
            yield answer

    def _admissible(self, url: str) -> CheckedUrl:
        try:
            checked = self.reach.guard.check(url)
        except UrlRefused as refused:
            raise Misconfigured(str(refused), code="HOST_REFUSED") from None
        if checked.scheme != "https":
            raise Misconfigured(
                "only https:// addresses are fetched", code="NOT_HTTPS", hint="use the https:// address"
            )
        return checked


@asynccontextmanager
async def open_https(remote: Remote, reach: Reach) -> AsyncIterator[HttpsSession]:
    timeout = aiohttp.ClientTimeout(total=None, sock_connect=reach.connect_seconds, sock_read=reach.idle_seconds)
    headers = {"Accept-Encoding": "identity", "User-Agent": "Winnow/1.0"}
    connector = reach.guard.connector(reach.ssl)
    async with aiohttp.ClientSession(
        connector=connector, timeout=timeout, headers=headers, auto_decompress=False, trust_env=False
    ) as session:
        yield HttpsSession(remote, reach, session)


def _url(remote: Remote) -> str:
    if "://" in remote.path:
        return remote.path
    port = f":{remote.port}" if remote.port else ""
    return f"https://{remote.host}{port}/{remote.path.lstrip('/')}"


def _follow(current: str, location: str) -> str:
    try:
        return next_url(current, location)
    except UrlRefused as refused:
        raise Misconfigured(str(refused), code="HOST_REFUSED") from None


def _stat(answer: aiohttp.ClientResponse) -> FileStat:
    length = answer.headers.get("Content-Length", "")
    plain = answer.headers.get("Content-Encoding", "identity") == "identity"
    size = int(length) if length.isdecimal() and plain and answer.status == 200 else None
    try:
        mtime = parsedate_to_datetime(answer.headers["Last-Modified"])
    except (KeyError, ValueError):
        return FileStat(None, size)
    return FileStat(mtime if mtime.tzinfo else mtime.replace(tzinfo=UTC), size)


def _goes_on(answer: aiohttp.ClientResponse, spool: Spool) -> bool:
    """Whether a part is the one that was asked for, of the file that was begun (RFC 9110 §14.4): another one would make
    a file nobody wrote."""
    begins = answer.headers.get("Content-Range", "").replace(" ", "").startswith(f"bytes{spool.offset}-")
    return begins and spool.offset > 0 and _stat(answer).mtime == spool.stat.mtime


def _check(status: int) -> None:
    if status in (200, 206):
        return
    if status in (401, 407):
        raise FeedLoginRefused("the server refused the user name or password")
    if status in (403, 451):
        raise FileForbidden("the server does not allow this file to be read")
    if status in (404, 410):
        raise FileMissing("the file is not there")
    if status in (408, 416, 425, 429) or status >= 500:
        raise Transient(f"the server answered {status}", code=f"HTTP_{status}")
    raise Permanent(f"the server answered {status}", code=f"HTTP_{status}")


def failure_of(wrong: BaseException) -> FeedFailure:
    if isinstance(wrong, aiohttp.ClientSSLError):
        return tls_failure("the certificate cannot be verified or the handshake failed")
    if isinstance(wrong, aiohttp.ClientPayloadError | aiohttp.ServerDisconnectedError):
        return Transient("the connection was closed", code="ECONNRESET")
    if isinstance(wrong, aiohttp.ClientConnectorError):
        return network_failure(wrong.os_error)
    return network_failure(wrong)
