"""What the answer to a request for robots.txt means, whatever it is (R-22, P-048, PN-08)."""

from __future__ import annotations

import pytest

from tests.fetch.fault_server import FaultServer
from tests.fetch.fetching import LONG_MS, SHORT_MS, Fetch
from winnow.fetch.failure import FailureCode
from winnow.fetch.outcome import FetchResult, Outcome, failed
from winnow.fetch.robots.rules import (
    CACHE_S,
    MAX_BYTES,
    RobotsKind,
    RobotsState,
    parse,
    refresh_in_s,
    robots_url,
    state_of,
)

# --- what an answer means ---------------------------------------------------------------------------------


def answer(outcome: Outcome, **more: object) -> FetchResult:
    return FetchResult(outcome=outcome, url="u", final_url="u", duration_ms=1, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("code", [401, 403, 407, 408, 425, 429, 451, 500, 501, 502, 503, 504, 520, 302, 304])
async def test_r22_these_answers_close_the_domain(fetch: Fetch, code: int) -> None:
    path = "/no_location" if code == 302 else f"/status?code={code}"
    state = state_of(await fetch(path))
    assert (state.kind, state.reason, state.body) == (RobotsKind.UNREACHABLE, f"http_{code}", None)


@pytest.mark.parametrize("code", [400, 404, 405, 410, 414])
async def test_pn08_there_is_none_means_allowed_unless_configured(fetch: Fetch, code: int) -> None:
    result = await fetch(f"/status?code={code}")
    assert state_of(result).kind is RobotsKind.ALLOW_ALL
    assert state_of(result, missing_blocks=True).kind is RobotsKind.UNREACHABLE


@pytest.mark.parametrize(
    "path",
    [
        "/chain?n=6",
        "/loop_a",
        "/silent",
        "/drip",
        "/reset",
        "/truncated",
        "/garbage",
        "/endless",
        "/gzip_bomb",
        "/not_gzip",
        "/part",
        "/to?url=http%253A//169.254.169.254/",
        "/to?url=file%253A///x",
    ],
)
async def test_r22_network_trouble_redirects_and_excess_close_the_domain(fetch: Fetch, path: str) -> None:
    timeout_ms = SHORT_MS if path in ("/silent", "/drip") else LONG_MS
    assert state_of(await fetch(path, timeout_ms=timeout_ms)).kind is RobotsKind.UNREACHABLE


@pytest.mark.parametrize("word", ["dns", "tls", "connect", "connect_timeout"])
def test_r22_no_connection_closes_the_domain(word: str) -> None:
    assert state_of(failed("u", FailureCode(word))).kind is RobotsKind.UNREACHABLE


async def test_r22_a_redirected_answer_counts_for_the_origin_that_asked(fetch: Fetch, faults: FaultServer) -> None:
    state = state_of(await fetch("/chain?n=5"))
    assert state.kind is RobotsKind.RULES
    assert parse(state.body or b"").decide("/x", "a").allowed
    assert state_of(await fetch("/to?url=/nowhere")).kind is RobotsKind.ALLOW_ALL


def test_a_status_met_on_the_way_is_not_the_answer() -> None:
    cut_short = answer(Outcome.INCOMPLETE, status_code=404, error_class=FailureCode.INCOMPLETE)
    assert state_of(cut_short).kind is RobotsKind.UNREACHABLE


def test_the_stored_body_is_no_larger_than_what_is_parsed() -> None:
    state = state_of(answer(Outcome.OK, body=b"user-agent: *\n" + b"#" * MAX_BYTES))
    assert len(state.body or b"") == len("user-agent: *\n")


def test_p048_three_tries_then_minutes_and_never_before_retry_after() -> None:
    gone = RobotsState(RobotsKind.UNREACHABLE, "http_503")
    assert [refresh_in_s(gone, n) for n in (1, 2, 3, 4, 5, 6, 7, 50)] == [1, 2, 300, 600, 1200, 2400, 3600, 3600]
    asked = RobotsState(RobotsKind.UNREACHABLE, "http_429", retry_after_s=900.0)
    assert refresh_in_s(asked, 1) == 900
    assert refresh_in_s(RobotsState(RobotsKind.RULES, "ok", b""), 0) == CACHE_S == 86_400
    assert refresh_in_s(RobotsState(RobotsKind.ALLOW_ALL, "http_404"), 0) == CACHE_S


def test_robots_are_asked_for_per_origin() -> None:
    assert robots_url("https://example.com:8443") == "https://example.com:8443/robots.txt"


def test_r22_a_page_served_as_robots_txt_holds_no_rules() -> None:
    assert parse(b"<!doctype html><html><body>Not found</body></html>").decide_both("/x", "winnow").allowed
