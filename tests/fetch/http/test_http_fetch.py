"""P-035…P-039, R-13, R-15, R-16: every ending of a fetch is typed, in time, and without a body unless it is ok."""

from __future__ import annotations

import asyncio
import datetime
import hashlib
import socket
import ssl
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.fetch.fault_server import FaultServer
from tests.fetch.faults import BEHAVIOURS, PAGE
from tests.fetch.fetching import LONG_MS, SHORT_MS, Fetch, Open
from winnow.fetch.failure import FailureCode
from winnow.fetch.outcome import FetchRequest, FetchResult, Outcome

GOOD_WORDS = """
ok chunked until_close gzip_page gzip_members gzip_trailing_junk deflate deflate_raw brotli_page zstd_page
double_gzip large_cookie ok_then_hang_up cookie_gate redirect_endless_body chain?n=5
"""
GOOD = GOOD_WORDS.split()
ENDINGS = {
    "triple_gzip": ("error", "encoding"),
    "not_gzip": ("error", "encoding"),
    "unknown_encoding": ("error", "encoding"),
    "gzip_bomb": ("too_large", "too_large"),
    "gzip_bomb_in_gzip": ("too_large", "too_large"),
    "brotli_bomb": ("too_large", "too_large"),
    "zstd_bomb": ("too_large", "too_large"),
    "endless": ("too_large", "too_large"),
    "endless_chunked": ("too_large", "too_large"),
    "huge_length": ("too_large", "too_large"),
    "gzip_truncated": ("incomplete", "incomplete"),
    "truncated": ("incomplete", "incomplete"),
    "chunked_truncated": ("incomplete", "incomplete"),
    "reset_in_body": ("incomplete", "incomplete"),
    "part": ("incomplete", "incomplete"),
    "silent": ("timeout", "idle_timeout"),
    "stalls": ("timeout", "idle_timeout"),
    "drip": ("timeout", "total_timeout"),
    "drip_head": ("timeout", "idle_timeout"),
    "endless_hints": ("timeout", "idle_timeout"),
    "reset": ("error", "reset"),
    "hang_up": ("error", "reset"),
    "garbage": ("error", "protocol"),
    "bad_length": ("error", "protocol"),
    "longer_than_said": ("error", "protocol"),
    "chunked_broken": ("error", "protocol"),
    "length_and_chunked": ("error", "protocol"),
    "endless_head": ("error", "protocol"),
    "huge_header": ("error", "protocol"),
    "loop_a": ("error", "redirect_loop"),
    "loop_b": ("error", "redirect_loop"),
    "loop_self": ("error", "redirect_loop"),
    "cookie_treadmill": ("error", "too_many_redirects"),
    "chain?n=6": ("error", "too_many_redirects"),
    "no_location": ("error", "http_302"),
    "split_location": ("refused", "refused"),
    "nowhere": ("error", "http_404"),
}
SHOWN_ELSEWHERE = {"large", "status", "echo", "conditional", "wrong_charset", "to", "chain"}


def test_every_misbehaviour_has_its_ending_here() -> None:
    known = {name.strip("/") for name in BEHAVIOURS}
    assert known - SHOWN_ELSEWHERE <= set(GOOD) | set(ENDINGS)
    assert len(known) >= 25


@pytest.mark.parametrize("path", GOOD)
async def test_good_pages_arrive_whole(fetch: Fetch, path: str) -> None:
    result = await fetch("/" + path)
    assert (result.outcome, result.status_code, result.body, result.error_class) == (Outcome.OK, 200, PAGE, None)
    assert result.content_hash == hashlib.sha256(PAGE).hexdigest()
    assert (result.charset, result.content_type) == ("utf-8", "text/html")


async def test_every_body_gets_its_own_hash(fetch: Fetch) -> None:
    """Large ones are hashed in batches beside the loop."""
    results = await asyncio.gather(*(fetch(f"/large?kb={kb}") for kb in range(1, 120, 3)))
    assert [r.content_hash for r in results] == [hashlib.sha256(r.body or b"").hexdigest() for r in results]
    assert len({r.content_hash for r in results}) == 40


async def test_a_fetcher_can_be_opened_again(faults: FaultServer, open_fetcher: Open) -> None:
    fetcher = await open_fetcher(f"127.0.0.1:{faults.port}")
    for _ in range(2):
        assert (await fetcher.fetch(FetchRequest(url=faults.url("/large?kb=50")))).outcome is Outcome.OK
        await fetcher.close()
        await fetcher.open()


@pytest.mark.parametrize(("path", "ending"), ENDINGS.items(), ids=ENDINGS)
async def test_r16_every_misbehaviour_ends_typed_and_in_time(
    fetch: Fetch, fetch_in_haste: Fetch, path: str, ending: tuple[str, str]
) -> None:
    if ending == ("timeout", "idle_timeout"):
        result = await fetch_in_haste("/" + path)
    else:
        result = await fetch("/" + path, timeout_ms=SHORT_MS if "total_timeout" in ending else LONG_MS)
    assert (result.outcome.value, result.error_class) == ending
    assert result.body is None
    assert result.content_hash is None
    assert 0 <= result.duration_ms < LONG_MS
    assert result.error
    assert "127.0.0.1" not in result.error


@pytest.mark.parametrize("limit", [len(PAGE), len(PAGE) + 1])
@pytest.mark.parametrize("path", ["/ok", "/chunked", "/gzip_page", "/double_gzip", "/brotli_page", "/zstd_page"])
async def test_r15_a_page_of_exactly_the_limit_is_accepted(fetch: Fetch, path: str, limit: int) -> None:
    assert (await fetch(path, max_bytes=limit)).body == PAGE


@pytest.mark.parametrize(
    "path", ["/ok", "/chunked", "/gzip_page", "/double_gzip", "/brotli_page", "/zstd_page", "/until_close"]
)
async def test_r15_one_byte_more_is_too_large(fetch: Fetch, path: str) -> None:
    result = await fetch(path, max_bytes=len(PAGE) - 1)
    assert (result.outcome, result.body) == (Outcome.TOO_LARGE, None)


# --- what a status means --------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [401, 403, 407, 451])
async def test_a_site_that_says_no_is_blocked(fetch: Fetch, code: int) -> None:
    result = await fetch(f"/status?code={code}")
    assert (result.outcome, result.error_class, result.status_code) == (Outcome.BLOCKED, f"http_{code}", code)
    assert not result.may_pass


@pytest.mark.parametrize("code", [300, 304, 400, 404, 410, 418, 429, 500, 501, 502, 503, 504, 520])
async def test_other_statuses_are_errors(fetch: Fetch, code: int) -> None:
    result = await fetch(f"/status?code={code}")
    assert (result.outcome, result.error_class, result.status_code) == (Outcome.ERROR, f"http_{code}", code)
    assert result.may_pass == (code in (429, 500, 502, 503, 504)), "P-039"


@pytest.mark.parametrize("code", [201, 202, 203])
async def test_other_successes_are_ok(fetch: Fetch, code: int) -> None:
    assert (await fetch(f"/status?code={code}")).outcome is Outcome.OK


@pytest.mark.parametrize(
    ("after", "seconds"),
    [("120", 120.0), ("0", 0.0), ("1.5", 1.5), ("-5", 0.0), ("999999999", 86_400.0), ("1e400", 86_400.0),
     ("soon", None), ("nan", None), ("\u0663", None), ("Fri, 02 Jan 2026 00:01:30 GMT", 90.0),
     ("Thu, 01 Jan 2026 00:00:00 GMT", 0.0), ("Fri, 99 Jan 2026 00:00:00 GMT", None)],
)  # fmt: skip
async def test_retry_after_in_seconds_and_as_a_date(
    faults: FaultServer, open_fetcher: Open, after: str, seconds: float | None
) -> None:
    at = datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC)
    fetcher = await open_fetcher(f"127.0.0.1:{faults.port}", clock=lambda: at)
    url = faults.url("/status?code=429&after=" + after.replace(" ", "%20").replace("\u0663", "%D9%A3"))
    assert (await fetcher.fetch(FetchRequest(url=url))).retry_after_s == seconds


async def test_a_conditional_request_may_be_told_not_modified(fetch: Fetch) -> None:
    first = await fetch("/conditional")
    assert (first.etag, first.last_modified) == ('"v1"', "Wed, 21 Oct 2015 07:28:00 GMT")
    again = await fetch("/conditional", etag=first.etag, last_modified=first.last_modified)
    assert (again.outcome, again.not_modified, again.body, again.etag) == (Outcome.OK, True, None, '"v1"')
    assert again.last_modified == first.last_modified
    moved = await fetch("/to?url=/conditional", etag=first.etag)
    assert moved.not_modified


@pytest.mark.parametrize(
    ("outcome", "word", "retryable"),
    [
        (Outcome.TIMEOUT, "total_timeout", True),
        (Outcome.TIMEOUT, "connect_timeout", True),
        (Outcome.ERROR, "reset", True),
        (Outcome.ERROR, "connect", True),
        (Outcome.ERROR, "dns", True),
        (Outcome.INCOMPLETE, "incomplete", True),
        (Outcome.ERROR, "tls", False),
        (Outcome.TOO_LARGE, "too_large", False),
        (Outcome.REFUSED, "refused", False),
        (Outcome.ERROR, "redirect_loop", False),
        (Outcome.ERROR, "encoding", False),
        (Outcome.ERROR, "protocol", False),
        (Outcome.ROBOTS_BLOCKED, "robots", False),
        (Outcome.OK, None, False),
    ],
)
def test_p039_what_is_worth_another_attempt(outcome: Outcome, word: str | None, retryable: bool) -> None:
    result = FetchResult(
        outcome=outcome,
        url="u",
        final_url="u",
        duration_ms=1,
        error_class=None if word is None else FailureCode(word),
        status_code=302,
    )
    assert result.may_pass is retryable


# --- headers, connections -------------------------------------------------------------------------------


async def test_the_user_agent_is_honest_and_framing_is_ours(fetch: Fetch, faults: FaultServer) -> None:
    forged = {"User-Agent": "Mozilla/5.0", "Host": "internal", "Content-Length": "5", "Transfer-Encoding": "chunked"}
    await fetch("/ok", headers={**forged, "Accept-Language": "nl"})
    sent = faults.requests[0].headers
    assert (sent["user-agent"], sent["host"], sent["accept-language"]) == (
        "Winnow/1.0",
        f"127.0.0.1:{faults.port}",
        "nl",
    )
    assert "content-length" not in sent
    assert "transfer-encoding" not in sent


@pytest.mark.parametrize("name", ["X-Evil", "X\r\nHost"])
async def test_a_header_that_would_split_the_request_is_not_sent(fetch: Fetch, faults: FaultServer, name: str) -> None:
    result = await fetch("/ok", headers={name: "a\r\nHost: b"})
    assert (result.outcome, result.error_class, faults.requests) == (Outcome.ERROR, "protocol", [])


async def test_connections_are_kept_and_reused(fetch: Fetch, faults: FaultServer) -> None:
    for path in ("/ok", "/gzip_page", "/chunked", "/status?code=404", "/to?url=/ok", "/echo"):
        await fetch(path)
    assert faults.connections == 1


async def test_a_kept_connection_the_server_closed_is_replaced(fetch: Fetch, faults: FaultServer) -> None:
    assert [(await fetch("/ok_then_hang_up")).outcome for _ in range(3)] == [Outcome.OK] * 3
    assert len(faults.requests) == 3


@pytest.mark.parametrize("path", ["/reset", "/hang_up", "/garbage", "/silent"])
async def test_a_failed_request_is_not_repeated_without_a_grant(
    fetch_in_haste: Fetch, faults: FaultServer, path: str
) -> None:
    await fetch_in_haste(path)
    assert faults.paths() == [path]


async def test_a_failed_request_on_a_kept_connection_is_made_once_more(fetch: Fetch, faults: FaultServer) -> None:
    """It cannot be told apart from a connection that was closed before; the new connection settles it."""
    await fetch("/ok")
    assert (await fetch("/hang_up")).error_class == "reset"
    assert faults.paths() == ["/ok", "/hang_up", "/hang_up"]


async def test_connect_refused_is_typed(open_fetcher: Open) -> None:
    fetcher = await open_fetcher("127.0.0.1")
    with socket.socket() as bound:  # nobody else gets the port, and nobody listens
        bound.bind(("127.0.0.1", 0))
        refused = await fetcher.fetch(FetchRequest(url=f"http://127.0.0.1:{bound.getsockname()[1]}/"))
    assert (refused.outcome, refused.error_class, refused.may_pass) == (Outcome.ERROR, "connect", True)


@pytest.fixture
def full_house() -> Iterator[int]:
    """A port whose queue of waiting connections is full, so that one more gets no answer at all."""
    with ExitStack() as stack:
        listener = stack.enter_context(socket.socket())
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for _ in range(4):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(listener.getsockname())
        yield listener.getsockname()[1]


async def test_r16_connecting_has_its_own_deadline(open_fetcher: Open, full_house: int) -> None:
    fetcher = await open_fetcher("127.0.0.1", limits={"fetch_connect_timeout_ms": SHORT_MS})
    result = await fetcher.fetch(FetchRequest(url=f"http://127.0.0.1:{full_house}/", timeout_ms=LONG_MS))
    assert (result.outcome, result.error_class) == (Outcome.TIMEOUT, "connect_timeout")
    assert SHORT_MS <= result.duration_ms < LONG_MS


async def test_r16_a_handshake_that_never_ends_is_a_connect_timeout(open_fetcher: Open) -> None:
    listener = socket.create_server(("127.0.0.1", 0))  # the kernel accepts, nobody answers
    fetcher = await open_fetcher("127.0.0.1", limits={"fetch_connect_timeout_ms": SHORT_MS})
    result = await fetcher.fetch(FetchRequest(url=f"https://127.0.0.1:{listener.getsockname()[1]}/"))
    listener.close()
    assert (result.outcome, result.error_class) == (Outcome.TIMEOUT, "connect_timeout")


async def test_a_cancelled_fetch_is_cancelled(fetch: Fetch, faults: FaultServer) -> None:
    task = asyncio.ensure_future(fetch("/silent"))
    while not faults.requests:
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_dns_failure_is_typed(open_fetcher: Open) -> None:
    async def nothing(host: str, port: int) -> list[str]:
        return []

    fetcher = await open_fetcher(resolve=nothing)
    result = await fetcher.fetch(FetchRequest(url="http://gone.example/"))
    assert (result.outcome, result.error_class, result.status_code) == (Outcome.ERROR, "dns", None)


async def test_a_refused_url_is_a_result_not_an_exception(fetch: Fetch) -> None:
    result = await fetch("http://[::1]:99999/ nonsense")
    assert (result.outcome, result.error_class, result.final_url) == (Outcome.REFUSED, "refused", result.url)


# --- TLS ------------------------------------------------------------------------------------------------


async def test_tls_an_unknown_certificate_is_refused_and_a_trusted_one_works(
    certificate: Path, open_fetcher: Open
) -> None:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    server = await FaultServer(tls=context).start()
    allow = f"127.0.0.1:{server.port}"
    untrusting = await open_fetcher(allow)
    trusting = await open_fetcher(allow, ssl=ssl.create_default_context(cafile=str(certificate)))
    refused = await untrusting.fetch(FetchRequest(url=server.url("/ok")))
    trusted = await trusting.fetch(FetchRequest(url=server.url("/ok")))
    requests = server.paths()
    await server.stop()
    assert (refused.outcome, refused.error_class) == (Outcome.ERROR, "tls")
    assert (trusted.outcome, requests) == (Outcome.OK, ["/ok"])


async def test_tls_against_a_server_that_speaks_none(faults: FaultServer, open_fetcher: Open) -> None:
    fetcher = await open_fetcher(f"127.0.0.1:{faults.port}")
    result = await fetcher.fetch(FetchRequest(url=faults.url("/ok").replace("http:", "https:"), timeout_ms=LONG_MS))
    assert (result.outcome, result.error_class, result.body) == (Outcome.ERROR, "tls", None)
