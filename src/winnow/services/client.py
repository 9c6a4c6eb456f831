"""One JSON call to an outside service: guarded, granted by the ledger, bounded in time and size.

    client = ServiceClient(guard, user_agent, ledger, grants.for_hop)
    answer = await client.post(url, {"model": …}, headers, seconds=60)      # or ServiceFailed, with what to do about it

What the service says about our pace (429, Retry-After) goes into the ledger, so it holds for every process.
"""

from __future__ import annotations

import asyncio
import ssl as tls
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import urlencode

import aiohttp
import orjson
from yarl import URL

from winnow.errors import HostUnresolved, ServiceFailed, Trouble, UrlRefused
from winnow.fetch.egress.guard import Dial, EgressGuard, NotSent
from winnow.fetch.outcome import Refusal
from winnow.observe import mask
from winnow.schedule.ledger.ledger import Ledger
from winnow.sources.domain import domain_of_host

MAX_ANSWER_BYTES = 4 * 1024 * 1024
MAX_ERROR_CHARS = 300
GRANT_SECONDS = 15.0  # beside the answer's own time: a grant is waited for with the connection open
# 402, and words of a 403 or 429: the account has nothing left, which does not pass in a minute.
_SPENT_WORDS = ("insufficient_quota", "quota", "billing", "credit")

AskGrant = Callable[[str], Awaitable[Refusal | None]]


class ServiceClient:
    """`grant` is asked when a request stands ready (run/admission/grants.py: for_hop)."""

    def __init__(
        self,
        guard: EgressGuard,
        user_agent: str,
        ledger: Ledger,
        grant: AskGrant,
        *,
        ssl: tls.SSLContext | bool = True,
    ) -> None:
        self._guard = guard
        self._ledger = ledger
        self._grant = grant
        self._headers = {"User-Agent": user_agent, "Accept": "application/json"}
        self._ssl = ssl
        self._session: aiohttp.ClientSession | None = None

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()

    async def get(
        self, url: str, query: Mapping[str, str], headers: Mapping[str, str] | None = None, *, seconds: float
    ) -> Any:
        return await self._call("GET", f"{url}?{urlencode(query)}", None, headers or {}, seconds)

    async def post(self, url: str, body: object, headers: Mapping[str, str] | None = None, *, seconds: float) -> Any:
        given = {"Content-Type": "application/json"} | dict(headers or {})
        return await self._call("POST", url, orjson.dumps(body), given, seconds)

    async def _call(self, method: str, url: str, body: bytes | None, headers: Mapping[str, str], seconds: float) -> Any:
        try:
            checked = self._guard.check(url)
            lane = domain_of_host(checked.host, checked.port)
            admitted = await self._guard.admit(checked)
            deadline = asyncio.timeout(GRANT_SECONDS + seconds)
            async with deadline:
                loop = asyncio.get_running_loop()

                async def before() -> Refusal | None:
                    refusal = await self._grant(lane)
                    deadline.reschedule(loop.time() + seconds)  # waiting for our own turn is not the service's fault
                    return refusal

                with Dial(admitted, before=before):
                    status, answered, text = await self._send(method, checked.url, body, headers)
        except UrlRefused as refused:
            raise ServiceFailed(Trouble.REFUSED, f"the egress guard refuses it: {refused}") from None
        except HostUnresolved as unresolved:
            raise ServiceFailed(Trouble.AWAY, str(unresolved)) from None
        except NotSent as unsent:
            raise ServiceFailed(
                Trouble.BUSY, "its domain has no free slot right now", unsent.refusal.retry_after_s
            ) from None
        except TimeoutError:
            raise ServiceFailed(Trouble.AWAY, f"no answer within {seconds:g} s") from None
        except (aiohttp.ClientError, OSError, ValueError) as failed:
            raise ServiceFailed(Trouble.AWAY, f"no answer: {type(failed).__name__}") from None
        if status != 200:
            raise await self._failure(lane, status, answered, text)
        return _decode(text)

    async def _send(
        self, method: str, url: str, body: bytes | None, headers: Mapping[str, str]
    ) -> tuple[int, Mapping[str, str], bytes]:
        async with self._open().request(
            method, URL(url, encoded=True), data=body, headers=dict(headers), allow_redirects=False
        ) as response:
            text = bytearray()
            async for chunk in response.content.iter_any():
                text += chunk
                if len(text) > MAX_ANSWER_BYTES:
                    raise ServiceFailed(Trouble.NONSENSE, f"its answer is longer than {MAX_ANSWER_BYTES} bytes")
            return response.status, response.headers, bytes(text)

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=self._guard.connector(self._ssl),
                cookie_jar=aiohttp.DummyCookieJar(),
                trust_env=False,  # a proxy of the environment would dial for us, unguarded
                timeout=aiohttp.ClientTimeout(total=None),  # the deadline above is the one that counts
                headers=self._headers,
            )
            self._session._retry_connection = False  # aiohttp sends a lost GET again: unbooked, and on one grant
        return self._session

    async def _failure(self, lane: str, status: int, headers: Mapping[str, str], body: bytes) -> ServiceFailed:
        text = " ".join(body[:2_000].decode("utf-8", "replace").replace("\x00", "").split())
        wait = _seconds(headers.get("Retry-After"))
        trouble = _trouble(status, text.lower())
        if status == 429:
            await self._ledger.slow_down(lane)
        if wait and trouble is not Trouble.SPENT:
            await self._ledger.hold(lane, wait)
        return ServiceFailed(trouble, mask.text(f"HTTP {status}: {text[:MAX_ERROR_CHARS]}"), wait)


def _trouble(status: int, text: str) -> Trouble:
    if status == 402 or (status in (403, 429) and any(word in text for word in _SPENT_WORDS)):
        return Trouble.SPENT
    if status in (408, 429):
        return Trouble.BUSY
    if status >= 500:
        return Trouble.AWAY
    return Trouble.REFUSED  # a wrong key, a wrong address, a redirect: asking again does not help


def _decode(text: bytes) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        raise ServiceFailed(Trouble.NONSENSE, "its answer is no JSON") from None


def _seconds(text: str | None) -> float | None:
    """Retry-After in its number form; its date form is left alone."""
    return float(text) if text and text.isascii() and text.isdigit() and len(text) < 9 else None
