"""Credentials of a workspace: requested from the backend, cached in memory for a while, never logged.

    credential = await credentials.of("ws_1", "partner_portal", url)
    request = FetchRequest(url=…, headers=credential.headers())

Sent to the hosts listed for its provider only (DESIGN §11.35), over HTTPS, except on this machine (S-068). Kept in
memory for a few minutes (S-069), never in the database, a log or an error: `Credential` has no readable form. A backend
that is away is asked again after 1, 2 and 4 s (S-070).
"""

from __future__ import annotations

import asyncio
import base64
import re
import time
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote
from weakref import WeakValueDictionary

import aiohttp
import orjson
import structlog
from yarl import URL

from winnow.errors import CredentialNotFound, CredentialsUnavailable, InvalidInput
from winnow.fetch import credential_hosts
from winnow.fetch.settings import CredentialSettings

log = structlog.get_logger(__name__)

PREFIX = "/api/v1"  # backends write it at the end of their address, or leave it away
TIMEOUT_SECONDS = 10.0
MAX_CACHED = 10_000
MAX_ANSWER_BYTES = 64 * 1024
PROVIDER = r"[a-z0-9][a-z0-9_-]{0,62}"
_PROVIDER = re.compile(PROVIDER)
_TOKENS = ("access_token", "token", "api_key")
_SENDABLE = re.compile(r"[\t\x20-\x7e\x80-\xff]+")


class Credential:
    """Decrypted values, as the backend gave them."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = dict(values)

    def __repr__(self) -> str:
        return "Credential(***)"

    def __reduce__(self) -> str:
        raise TypeError("a credential does not leave this process")

    def headers(self) -> dict[str, str]:
        """As a request carries it: `headers` as they are, a token as bearer, a user and password as basic, a cookie."""
        found = self._build_headers()
        if not found or not all(isinstance(v, str) and _SENDABLE.fullmatch(v) for v in found.values()):
            raise CredentialsUnavailable("the credential holds nothing that can be sent with a request")
        return found

    def _build_headers(self) -> dict[str, str]:
        held = self._values
        if isinstance(held.get("headers"), dict):
            return dict(held["headers"])
        if token := next((held[name] for name in _TOKENS if isinstance(held.get(name), str)), None):
            return {"Authorization": f"Bearer {token}"}
        if isinstance(held.get("username"), str) and isinstance(held.get("password"), str):
            pair = base64.b64encode(f"{held['username']}:{held['password']}".encode()).decode()
            return {"Authorization": f"Basic {pair}"}
        return {"Cookie": held["cookie"]} if isinstance(held.get("cookie"), str) else {}


Key = tuple[str, str]


class Credentials:
    """`clock` is monotonic; `sleep` waits between attempts."""

    def __init__(
        self,
        settings: CredentialSettings,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Any] = asyncio.sleep,
    ) -> None:
        self._settings = settings
        self._hosts = settings.hosts_by_provider
        self._clock = clock
        self._sleep = sleep
        self._kept: dict[Key, tuple[float, Credential]] = {}
        self._asking: WeakValueDictionary[Key, asyncio.Lock] = WeakValueDictionary()
        self._session: aiohttp.ClientSession | None = None

    async def of(self, workspace_id: str, provider: str, url: str) -> Credential:
        """The credential for a request to `url`. Concurrent calls for the same credential share one request."""
        credential_hosts.check(self._hosts, check_provider(provider), url)
        key = (workspace_id, provider)
        lock = self._asking.setdefault(key, asyncio.Lock())
        async with lock:
            kept = self._kept.get(key)
            if kept is not None and self._clock() < kept[0]:
                return kept[1]
            self._kept.pop(key, None)
            found = await self._ask(*key)
            self._keep(key, found)
            return found

    def forget(self, workspace_id: str, provider: str) -> None:
        """It was changed, or a site did not accept it: the next task asks again."""
        self._kept.pop((workspace_id, provider), None)

    async def close(self) -> None:
        self._kept.clear()
        if self._session is not None:
            await self._session.close()

    def _keep(self, key: Key, found: Credential) -> None:
        if len(self._kept) >= MAX_CACHED:
            self._kept.pop(next(iter(self._kept)))
        self._kept[key] = (self._clock() + self._settings.credential_cache_ttl_seconds, found)

    async def _ask(self, workspace_id: str, provider: str) -> Credential:
        for attempt in range(self._settings.credential_max_retries + 1):
            if attempt:
                await self._sleep(2.0 ** (attempt - 1))
            try:
                return await self._attempt(workspace_id, provider)
            except (TimeoutError, aiohttp.ClientError) as away:
                # What the client says may name the address; the kind of error is enough.
                log.warning(
                    "credentials_unreachable", provider=provider, attempt=attempt + 1, error=type(away).__name__
                )
        raise CredentialsUnavailable("the backend does not answer for credentials")

    async def _attempt(self, workspace_id: str, provider: str) -> Credential:
        async with self._open().get(
            self._address(workspace_id, provider), headers=self._headers(), allow_redirects=False
        ) as answer:
            if answer.status == 404:
                raise CredentialNotFound(f"the backend has no credential of this workspace for {provider!r}")
            if answer.status >= 500 or answer.status == 429:
                raise aiohttp.ClientError(str(answer.status))
            if answer.status != 200:
                raise CredentialsUnavailable(f"the backend answers {answer.status} for credentials")
            return _parse(await _read_body(answer.content))

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                cookie_jar=aiohttp.DummyCookieJar(),
                trust_env=False,  # a proxy of the environment would read the answers
                timeout=aiohttp.ClientTimeout(total=TIMEOUT_SECONDS),
            )
        return self._session

    def _address(self, workspace_id: str, provider: str) -> URL:
        base = (self._settings.backend_api_url or "").rstrip("/").removesuffix(PREFIX)
        if not base:
            raise CredentialsUnavailable("SCRAPER_BACKEND_API_URL is not set")
        place = quote(workspace_id, safe="").replace(".", "%2E")  # `..` would be another place
        return URL(f"{base}{PREFIX}/workspaces/{place}/credentials/{provider}", encoded=True)

    def _headers(self) -> dict[str, str]:
        key = self._settings.backend_service_key
        return {} if key is None else {"X-Service-Key": key.get_secret_value()}


def check_provider(name: str) -> str:
    if not _PROVIDER.fullmatch(name):
        raise InvalidInput(f"{name!r} is no provider", "credential_provider")
    return name


async def _read_body(answer: aiohttp.StreamReader) -> bytes:
    """The whole body, within MAX_ANSWER_BYTES."""
    body = bytearray()
    async for piece in answer.iter_any():
        body += piece
        if len(body) > MAX_ANSWER_BYTES:
            raise CredentialsUnavailable("the backend's answer for credentials is too large to be one")
    return bytes(body)


def _parse(body: bytes) -> Credential:
    """The credential in the answer: the object itself, or its `data` member."""
    try:
        answer = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise CredentialsUnavailable("the backend's answer for credentials is no JSON") from None
    inner = answer.get("data") if isinstance(answer, dict) else None
    values = inner if isinstance(inner, dict) else answer
    if not isinstance(values, dict) or not values:
        raise CredentialsUnavailable("the backend's answer holds no credential")
    return Credential(values)
