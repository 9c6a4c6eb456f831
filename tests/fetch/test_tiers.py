"""E-033 … E-043: which way a page is fetched, and which way next, as tables."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from winnow.fetch.failure import FailureCode
from winnow.fetch.outcome import FetchResult, Outcome
from winnow.fetch.tiers import (
    LADDER,
    Known,
    Ladder,
    Route,
    Way,
    alternative,
    comes_again,
    first_way,
    ladder_of,
    next_way,
    route_of,
    timeout_ms,
    url_of,
    way_to_remember,
)

S, D, B = LADDER
NOW, WEEK = datetime(2026, 5, 1, tzinfo=UTC), timedelta(days=7)
RECENTLY, LONG_AGO = NOW - timedelta(days=1), NOW - timedelta(days=8)


def result(outcome: str = "ok", error: str | None = None) -> FetchResult:
    return FetchResult(
        outcome=Outcome(outcome), url="u", final_url="u", duration_ms=1, error_class=error and FailureCode(error)
    )


LADDERS: dict[str, tuple[Known, Ladder, Ladder]] = {
    "all that is there": (Known(), (S, D, B), (S, D, B)),
    "no browser here": (Known(), (S, B), (S, B)),
    "nothing but plain HTTP": (Known(), (S,), (S,)),
    "a person said http": (Known(configured="http"), (S, D, B), (S,)),
    "a person said playwright": (Known(configured="playwright"), (S, D, B), (D, B)),
    "… and there is none: the fetch says so": (Known(configured="playwright"), (S,), (D,)),
    "a person said scrapingbee": (Known(configured="scrapingbee"), (S,), (B,)),
    "a word nobody knows decides nothing": (Known(configured="pigeon"), (S, D), (S, D)),
    "an adapter needs a browser": (Known(needs_browser=True), (S, D, B), (D, B)),
    "… and there is none": (Known(needs_browser=True), (S,), (D,)),
    "the source may not use the API": (Known(tiers=["static", "dynamic"]), (S, D, B), (S, D)),
    "the source skips the browser": (Known(tiers=["static", "scrapingbee"]), (S, D, B), (S, B)),
    "nonsense leaves plain HTTP": (Known(tiers=["x"]), (S, D), (S,)),
}


@pytest.mark.parametrize("name", LADDERS)
def test_the_ladder(name: str) -> None:
    known, there, expected = LADDERS[name]
    assert ladder_of(known, there) == expected


FIRST: dict[str, tuple[Known, Ladder, Way]] = {
    "nothing known": (Known(), (S, D), S),
    "e036 what worked": (Known(preferred="dynamic", learnt_at=RECENTLY), (S, D), D),
    "… long ago: plain HTTP is tried again": (Known(preferred="dynamic", learnt_at=LONG_AGO), (S, D), S),
    "… on another machine, which had a browser": (Known(preferred="dynamic", learnt_at=RECENTLY), (S,), S),
    "the task stands higher": (Known(route=Route(B), preferred="dynamic", learnt_at=RECENTLY), (S, D, B), B),
    "the task stood where nothing is any more": (Known(route=Route(D)), (S,), S),
    "without a time nothing was learnt": (Known(preferred="dynamic"), (S, D), S),
}


@pytest.mark.parametrize("name", FIRST)
def test_the_first_way(name: str) -> None:
    known, ladder, expected = FIRST[name]
    assert first_way(known, ladder, NOW, WEEK) is expected


# outcome, error class, the way, attempts on it -> the next way
NEXT: list[tuple[str, str | None, Way, int, Way | None]] = [
    ("blocked", "challenge", S, 1, D),
    ("blocked", "captcha", S, 1, D),
    ("blocked", "empty_shell", S, 1, D),
    ("blocked", "empty_shell", D, 1, B),
    ("blocked", "challenge", D, 1, B),
    ("blocked", "captcha", B, 1, None),
    ("blocked", "login_wall", S, 3, None),
    ("blocked", "consent_wall", S, 3, None),
    ("blocked", "http_401", S, 3, None),
    ("blocked", "http_403", S, 1, None),
    ("blocked", "http_403", S, 2, None),
    ("blocked", "http_403", S, 3, D),
    ("blocked", "access_denied", S, 3, D),
    ("error", "http_429", S, 2, None),
    ("error", "http_429", S, 3, D),
    ("error", "http_429", D, 3, B),
    ("timeout", "total_timeout", S, 2, None),
    ("timeout", "connect_timeout", S, 3, D),
    ("error", "http_404", S, 3, None),
    ("error", "http_500", S, 3, None),
    ("error", "dns", S, 3, None),
    ("error", "tls", S, 3, None),
    ("too_large", "too_large", S, 3, None),
    ("refused", "refused", S, 3, None),
    ("robots_blocked", "robots", S, 3, None),
    ("ok", None, S, 3, None),
]


@pytest.mark.parametrize(("outcome", "error", "way", "attempts", "expected"), NEXT)
def test_e034_the_next_way(outcome: str, error: str | None, way: Way, attempts: int, expected: Way | None) -> None:
    assert next_way(result(outcome, error), way, LADDER, attempts, 3) is expected
    assert next_way(result(outcome, error), way, (way,), attempts, 3) is None


def test_e034_a_task_of_one_attempt_goes_on_after_it() -> None:
    assert next_way(result("timeout", "total_timeout"), S, LADDER, 1, 1) is D


def test_e034_a_403_is_tried_again_only_where_that_leads_somewhere() -> None:
    denied = result("blocked", "http_403")
    assert comes_again(denied, S, (S, D))
    assert not comes_again(denied, S, (S,))
    assert not comes_again(denied, D, (S, D))
    assert not comes_again(result("blocked", "login_wall"), S, (S, D))


def test_e040_after_a_timeout_there_is_twice_the_time() -> None:
    assert [timeout_ms(30_000, last) for last in (None, "error", "timeout")] == [30_000, 30_000, 60_000]


LEARNT: dict[str, tuple[Known, Way, Ladder, Way | None]] = {
    "the usual way worked": (Known(), S, (S, D), None),
    "another way worked": (Known(route=Route(D)), D, (S, D), D),
    "what is known worked again": (Known(preferred="dynamic", learnt_at=RECENTLY), D, (S, D), None),
    "plain HTTP works again": (Known(preferred="dynamic", learnt_at=LONG_AGO), S, (S, D), S),
    "it still does not": (Known(route=Route(D), preferred="dynamic", learnt_at=LONG_AGO), D, (S, D), D),
    "a person decided": (Known(configured="playwright", route=Route(D)), D, (D, B), None),
    "the adapter decided": (Known(needs_browser=True), D, (D, B), None),
    "there is only one": (Known(preferred="dynamic"), S, (S,), None),
}


@pytest.mark.parametrize("name", LEARNT)
def test_e036_what_is_remembered(name: str) -> None:
    known, way, ladder, expected = LEARNT[name]
    assert way_to_remember(known, way, ladder) is expected


def test_e037_events_are_looked_for_at_four_other_paths() -> None:
    tried, route = [], Route(D)
    while (path := alternative("https://town.example/", "event", route)) is not None:
        tried.append(path)
        route = Route(route.way, path)
    assert tried == ["/agenda", "/evenementen", "/programma", "/events"]
    assert url_of("https://town.example/?x=1#y", Route(path="/agenda")) == "https://town.example/agenda"
    assert alternative("https://town.example/", "offer", Route()) is None
    assert alternative("https://town.example/calendar/may", "event", Route()) is None, "a page somebody chose"


def test_a_route_is_stored_as_little_as_possible() -> None:
    assert route_of(None) == Route()
    assert route_of({"way": "dynamic"}) == Route(D)
    assert route_of({"path": "/agenda"}) == Route(None, "/agenda")
