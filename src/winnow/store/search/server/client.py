"""JSON over HTTP to an OpenSearch or Elasticsearch server.

Not through the egress guard: like the database and Redis it is the operator's own, usually at a private address, and
its address comes from the settings alone. Redirects are not followed, so nothing else is ever asked.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Sequence
from typing import Any

import aiohttp
import orjson

from winnow.errors import ConfigError, SearchServerFailed
from winnow.observe import mask
from winnow.store.settings import SearchSettings

MAX_ANSWER_BYTES = 32 * 1024 * 1024
MAX_ERROR_CHARS = 300
BULK_SECONDS = 60.0


class SearchServer:
    def __init__(self, settings: SearchSettings) -> None:
        assert settings.search_url is not None
        self.settings = settings
        self._url = settings.search_url.rstrip("/")
        self._ssl = _trusted(settings.search_ca_file)
        self._headers = _headers(settings)
        self._session: aiohttp.ClientSession | None = None

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def ask(self, method: str, path: str, body: object = None, *, seconds: float | None = None) -> Any:
        """The decoded answer; SearchServerFailed says what went wrong, `status` 0 when there was no answer."""
        data = None if body is None else orjson.dumps(body)
        return await self._send(method, path, data, "application/json", seconds or self.settings.search_timeout_seconds)

    async def bulk(self, lines: Sequence[object]) -> Any:
        data = b"".join(orjson.dumps(line) + b"\n" for line in lines)
        return await self._send("POST", "/_bulk?require_alias=true", data, "application/x-ndjson", BULK_SECONDS)

    async def _send(self, method: str, path: str, data: bytes | None, content_type: str, seconds: float) -> Any:
        try:
            async with asyncio.timeout(seconds):
                status, text = await self._exchange(method, path, data, content_type)
        except TimeoutError:
            raise SearchServerFailed(f"the search server gave no answer within {seconds:g} s") from None
        except (aiohttp.ClientError, OSError) as failed:
            raise SearchServerFailed(f"the search server cannot be reached ({type(failed).__name__})") from None
        answer = _decode(text)
        if status >= 400 and not (method == "HEAD" and status == 404):
            raise SearchServerFailed(f"the search server answers HTTP {status}: {_reason(answer, text)}", status)
        return answer

    async def _exchange(self, method: str, path: str, data: bytes | None, content_type: str) -> tuple[int, bytes]:
        headers = {**self._headers, "Content-Type": content_type}
        async with self._open().request(
            method, self._url + path, data=data, headers=headers, allow_redirects=False
        ) as response:
            text = bytearray()
            async for chunk in response.content.iter_any():
                text += chunk
                if len(text) > MAX_ANSWER_BYTES:
                    raise SearchServerFailed(f"an answer of the search server is longer than {MAX_ANSWER_BYTES} bytes")
            return response.status, bytes(text)

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(ssl=self._ssl),
                cookie_jar=aiohttp.DummyCookieJar(),
                trust_env=False,
                timeout=aiohttp.ClientTimeout(total=None),  # the deadline of each request is the one that counts
            )
        return self._session


def server_of(settings: SearchSettings) -> SearchServer | None:
    return None if settings.search_url is None else SearchServer(settings)


def _trusted(ca_file: str | None) -> ssl.SSLContext | bool:
    if ca_file is None:
        return True
    try:
        return ssl.create_default_context(cafile=ca_file)
    except (OSError, ssl.SSLError) as failed:
        raise ConfigError(f"WINNOW_SEARCH_CA_FILE: {ca_file} cannot be read ({failed})") from None


def _headers(settings: SearchSettings) -> dict[str, str]:
    if settings.search_key is not None:
        return {"Authorization": f"ApiKey {settings.search_key.get_secret_value()}"}
    if settings.search_user is not None and settings.search_password is not None:
        basic = aiohttp.BasicAuth(settings.search_user, settings.search_password.get_secret_value(), "utf-8")
        return {"Authorization": basic.encode()}
    return {}


def _decode(text: bytes) -> Any:
    try:
        return orjson.loads(text) if text else {}
    except orjson.JSONDecodeError:
        return None


def _reason(answer: Any, text: bytes) -> str:
    error = answer.get("error") if isinstance(answer, dict) else None
    if isinstance(error, dict):
        error = f"{error.get('type')}: {error.get('reason')}"
    plain = str(error) if error else text[:2_000].decode("utf-8", "replace")
    return mask.text(" ".join(plain.replace("\x00", "").split())[:MAX_ERROR_CHARS])
