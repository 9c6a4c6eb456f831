"""How a price page is fetched, row by row of the list (P-035 … P-038)."""

from __future__ import annotations

import hashlib
import inspect

from tests.fetch.fetching import SHORT_MS, Fetch
from winnow.extract.adapter import Adapter
from winnow.fetch.http.client import HttpFetcher
from winnow.fetch.outcome import FetchRequest, Outcome


def test_p035_an_adapter_is_given_a_page_and_never_a_fetcher() -> None:
    for name in ("fast", "extract"):
        assert list(inspect.signature(getattr(Adapter, name)).parameters) == ["self", "page", "ctx"]
    assert list(inspect.signature(HttpFetcher.fetch).parameters)[:2] == ["self", "request"]


def test_p036_thirty_seconds_and_ten_megabytes_unless_said_otherwise() -> None:
    request = FetchRequest(url="https://shop.example/")
    assert (request.timeout_ms, request.max_bytes, request.headers) == (30_000, 10 * 1024 * 1024, {})


async def test_p036_the_headers_of_a_source_are_sent(fetch: Fetch) -> None:
    answer = await fetch("/echo", headers={"X-Shop": "blue"})
    assert b"blue" in (answer.body or b"")


async def test_p037_a_result_has_its_outcome_hash_and_time(fetch: Fetch) -> None:
    listed = {"ok", "error", "blocked", "timeout", "too_large", "robots_blocked"}
    assert listed <= {outcome.value for outcome in Outcome}
    good, bad = await fetch("/ok"), await fetch("/status?code=500")
    assert (good.outcome, good.status_code) == (Outcome.OK, 200)
    assert good.content_hash == hashlib.sha256(good.body or b"").hexdigest()
    assert (bad.outcome, bad.body, bad.error_class) == (Outcome.ERROR, None, "http_500")
    assert good.duration_ms >= 0
    assert bad.duration_ms >= 0


async def test_p038_too_large_ends_while_streaming_and_too_slow_is_a_timeout(fetch: Fetch) -> None:
    endless, slow = await fetch("/endless"), await fetch("/drip", timeout_ms=SHORT_MS)
    assert (endless.outcome, endless.body) == (Outcome.TOO_LARGE, None)
    assert (slow.outcome, slow.body) == (Outcome.TIMEOUT, None)
