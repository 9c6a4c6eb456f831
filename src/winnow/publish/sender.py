"""Sends one message: through the egress guard, without following redirects, within ten seconds (S-074, R-10, R-24)."""

from __future__ import annotations

import asyncio
import ssl as tls
from time import monotonic

import aiohttp
from yarl import URL

from winnow.errors import HostUnresolved, UrlRefused
from winnow.fetch.egress.guard import Dial, EgressGuard
from winnow.observe import mask
from winnow.publish.attempt import ReceiverResponse

TIMEOUT_SECONDS = 10.0  # S-074
_MAX_ANSWER_BYTES = 512  # bytes of an answer: enough to say what went wrong
_MAX_ERROR_CHARS = 200  # characters of it that are kept


class Sender:
    def __init__(self, guard: EgressGuard, user_agent: str, *, ssl: tls.SSLContext | bool = True) -> None:
        self._guard = guard
        self._session = aiohttp.ClientSession(
            connector=guard.connector(ssl),
            cookie_jar=aiohttp.DummyCookieJar(),
            trust_env=False,  # a proxy of the environment would dial for us, unguarded
            timeout=aiohttp.ClientTimeout(total=TIMEOUT_SECONDS),
            headers={"User-Agent": user_agent, "Content-Type": "application/json", "Connection": "close"},
        )

    async def close(self) -> None:
        await self._session.close()

    async def send(self, url: str, body: bytes, headers: dict[str, str]) -> ReceiverResponse:
        """Never raises for what a receiver does: whatever happened is in the answer."""
        started = monotonic()
        answer = await self._attempt(url, body, headers)
        return ReceiverResponse(
            status_code=answer.status_code,
            error=answer.error,
            retry_after_s=answer.retry_after_s,
            refused=answer.refused,
            duration_ms=int((monotonic() - started) * 1000),
        )

    async def _attempt(self, url: str, body: bytes, headers: dict[str, str]) -> ReceiverResponse:
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                checked = self._guard.check(url)
                with Dial(await self._guard.admit(checked)):
                    return await self._post(checked.url, body, headers)
        except UrlRefused as refused:
            return ReceiverResponse(error=f"refused: {refused}", refused=True)
        except HostUnresolved as unresolved:
            return ReceiverResponse(error=str(unresolved))
        except TimeoutError:
            return ReceiverResponse(error=f"no answer within {TIMEOUT_SECONDS:g} s")
        except (aiohttp.ClientError, OSError, ValueError) as failed:
            return ReceiverResponse(error=f"could not be sent: {type(failed).__name__}")

    async def _post(self, url: str, body: bytes, headers: dict[str, str]) -> ReceiverResponse:
        async with self._session.post(
            URL(url, encoded=True), data=body, headers=headers, allow_redirects=False
        ) as response:
            body = await response.content.read(_MAX_ANSWER_BYTES)
            ok = 200 <= response.status < 300
            return ReceiverResponse(
                status_code=response.status,
                error=None if ok else _reason(response.status, body),
                retry_after_s=_seconds(response.headers.get("Retry-After")),
            )


def _reason(status: int, body: bytes) -> str:
    if 300 <= status < 400:
        return f"HTTP {status}: redirects are not followed"
    text = " ".join(body.decode("utf-8", "replace").replace("\x00", "").split())[:_MAX_ERROR_CHARS]
    return mask.text(f"HTTP {status}: {text}" if text else f"HTTP {status}")


def _seconds(text: str | None) -> float | None:
    """Retry-After in its number form; its date form is left alone."""
    return float(text) if text and text.isascii() and text.isdigit() and len(text) < 9 else None
