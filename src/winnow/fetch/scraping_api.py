"""A scraping API that speaks ScrapingBee's protocol: GET ?api_key=…&url=…, the page comes back as the body (E-035).

It is asked through our own guarded fetcher, and only for URLs the guard itself would let through. Answers about the
page carry `Spb-Initial-Status-Code`, the ones about the account do not: that is how a site's 429 and the service's are
told apart. It follows redirects by itself, so where it ended up is asked for afterwards, and a page that robots.txt or
the ledger would not have allowed is thrown away.
"""

from __future__ import annotations

from urllib.parse import urlencode

import msgspec

from winnow.errors import HostUnresolved, UrlRefused
from winnow.fetch.egress.guard import EgressGuard
from winnow.fetch.exceptions import failure_of
from winnow.fetch.failure import FailureCode
from winnow.fetch.http.client import HttpFetcher, OnHop
from winnow.fetch.outcome import BeforeSending, FetchRequest, FetchResult, Outcome, Refusal, failed

MAX_TIMEOUT_MS = 140_000  # the service's own limit
_GRACE_MS = 5_000  # what its answer may take longer than the page
_SPENT = (b"limit", b"credit", b"quota")  # in its 401, which otherwise means a wrong key
_REFUSALS = {401: FailureCode.API_KEY, 402: FailureCode.API_QUOTA, 429: FailureCode.API_BUSY}
STATUS, RESOLVED = "spb-initial-status-code", "spb-resolved-url"


class ScrapingApi:
    def __init__(self, endpoint: str, key: str, fetcher: HttpFetcher, guard: EgressGuard) -> None:
        self._endpoint = endpoint
        self._key = key
        self._fetcher = fetcher
        self._guard = guard

    async def fetch(
        self,
        request: FetchRequest,
        *,
        on_hop: OnHop | None = None,
        before: BeforeSending | None = None,
    ) -> FetchResult:
        try:
            await self._guard.admit(request.url)
        except (UrlRefused, HostUnresolved) as error:
            return failed(request.url, failure_of(error))
        refusal = await before() if before is not None else None
        if refusal is not None:
            return refused(request.url, refusal)
        answer = await self._fetcher.fetch(self._question(request))
        return await self._landed(_about_page(answer, request.url), on_hop)

    def _question(self, request: FetchRequest) -> FetchRequest:
        timeout_ms = min(request.timeout_ms, MAX_TIMEOUT_MS)
        asked = {
            "api_key": self._key,
            "url": request.url,
            "render_js": "true",
            "transparent_status_code": "true",
            "timeout": str(timeout_ms),
        }
        return FetchRequest(
            url=f"{self._endpoint}?{urlencode(asked)}",
            timeout_ms=timeout_ms + _GRACE_MS,
            max_bytes=request.max_bytes,
            keep=(STATUS, RESOLVED),
        )

    async def _landed(self, result: FetchResult, on_hop: OnHop | None) -> FetchResult:
        if not result.redirects or on_hop is None:
            return result
        try:
            refusal = await on_hop(self._guard.check(result.final_url))
        except UrlRefused as error:
            return failed(result.url, failure_of(error))
        return result if refusal is None else refused(result.url, refusal)


def _about_page(answer: FetchResult, url: str) -> FetchResult:
    """The API's answer as if the page had been fetched from its site."""
    if answer.status_code is None or STATUS not in answer.kept:
        return _about_account(answer, url)
    final = answer.kept.get(RESOLVED) or url
    moved = [final] if final.rstrip("/") != url.rstrip("/") else []
    return msgspec.structs.replace(
        answer, url=url, final_url=final, redirects=moved, etag=None, last_modified=None, retry_after_s=None
    )


def _about_account(answer: FetchResult, url: str) -> FetchResult:
    if answer.outcome in (Outcome.TIMEOUT, Outcome.TOO_LARGE):
        return failed(url, answer.error_class or FailureCode.API_ERROR, answer.error, answer.duration_ms)
    text = (answer.error_body or answer.body or b"")[:2_000].lower()
    failure = _REFUSALS.get(answer.status_code or 0, FailureCode.API_ERROR)
    if failure is FailureCode.API_KEY and any(word in text for word in _SPENT):
        failure = FailureCode.API_QUOTA
    return failed(url, failure, duration_ms=answer.duration_ms)


def refused(url: str, refusal: Refusal) -> FetchResult:
    result = failed(url, refusal.error_class, refusal.error)
    return msgspec.structs.replace(result, retry_after_s=refusal.retry_after_s)
