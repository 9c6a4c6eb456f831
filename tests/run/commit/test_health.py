"""Which answers count against a domain, and which visits against a source (S-063, E-085)."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from winnow.fetch.failure import FailureCode
from winnow.fetch.outcome import FetchResult, Outcome
from winnow.judge.verdict import Reject
from winnow.kinds.registry import all_kinds
from winnow.run import endings
from winnow.run.commit import health
from winnow.run.visit import Ending
from winnow.schedule.circuits import CircuitAnswer
from winnow.schedule.queue.task import Stage, Status
from winnow.schedule.source_circuits import VisitEnd

AT = datetime(2026, 1, 1, tzinfo=UTC)
URL = "https://www.shop.com/1"


def result(outcome: Outcome, word: str | None = None, status: int | None = None, **more: Any) -> FetchResult:
    given = {"url": URL, "final_url": URL, "duration_ms": 1, **more}
    return FetchResult(
        outcome=outcome, error_class=None if word is None else FailureCode(word), status_code=status, **given
    )


def answered(status: int, outcome: Outcome = Outcome.ERROR) -> FetchResult:
    return result(outcome, f"http_{status}", status)


HEALTHY = [
    result(Outcome.OK, status=200),
    result(Outcome.OK, status=304, not_modified=True),
    answered(404),
    answered(410),
    answered(400),
    result(Outcome.TOO_LARGE, "too_large", 200),
    result(Outcome.ERROR, "encoding", 200),
    result(Outcome.ERROR, "redirect_loop", 302),
    result(Outcome.ERROR, "too_many_redirects", 302),
]
FAILING = [
    answered(500),
    answered(503),
    answered(429),
    answered(403, Outcome.BLOCKED),
    result(Outcome.BLOCKED, "challenge", 200),
    result(Outcome.INCOMPLETE, "incomplete", 200),
    *[result(Outcome.ERROR, word) for word in ("dns", "connect", "reset", "tls", "protocol")],
    *[result(Outcome.TIMEOUT, word) for word in ("connect_timeout", "idle_timeout", "total_timeout")],
]
SILENT = [
    result(Outcome.ROBOTS_BLOCKED, "robots", 302),
    result(Outcome.REFUSED, "refused"),
    result(Outcome.ERROR, "hop_busy", 302),
    result(Outcome.ERROR, "robots_unknown", 302),
]


@pytest.mark.parametrize(
    ("found", "healthy"),
    [*((r, True) for r in HEALTHY), *((r, False) for r in FAILING), *((r, None) for r in SILENT)],
    ids=lambda value: value.error_class or value.outcome if isinstance(value, FetchResult) else None,
)
def test_s063_what_counts_against_a_domain(found: FetchResult, healthy: bool | None):
    assert health.is_healthy(found) is healthy


def visit(found: FetchResult | None, source_id: int | None = 7, kind: str = "event", crawl: str | None = None) -> Any:
    task = SimpleNamespace(lane="shop.com", granted_at=AT, source_id=source_id, run_id=3, kind=kind)
    brief = SimpleNamespace(crawl_scope=None if crawl is None else {"domain": crawl})
    return SimpleNamespace(fetch=found, task=task, kind=all_kinds().get(kind), brief=brief)


def test_an_answer_belongs_to_the_domain_that_gave_it():
    assert health.of_domain(visit(None)) == []
    assert health.of_domain(visit(answered(500))) == [CircuitAnswer("shop.com", False, AT)]
    elsewhere = {"redirects": ["https://other.org/x"], "final_url": "https://other.org/x"}
    moved = result(Outcome.TIMEOUT, "total_timeout", **elsewhere)
    assert health.of_domain(visit(moved)) == [CircuitAnswer("shop.com", True, AT), CircuitAnswer("other.org", False)]
    busy = result(Outcome.ERROR, "hop_busy", **elsewhere)
    assert health.of_domain(visit(busy)) == [CircuitAnswer("shop.com", True, AT)]
    own = result(Outcome.TIMEOUT, "total_timeout", redirects=["https://shop.com/2"], final_url="https://shop.com/2")
    assert health.of_domain(visit(own)) == [CircuitAnswer("shop.com", False, AT)]


def end(status: Status, outcome: str, reason: str | None = None) -> Ending:
    return Ending(status=status, stage=Stage.DONE, outcome=outcome, reason=reason)


@pytest.mark.parametrize(
    ("ending", "ok"),
    [
        (end(Status.DONE, endings.ACCEPTED), True),
        (end(Status.DONE, endings.UNCHANGED), True),
        (end(Status.DONE, endings.HELD, "ZERO_PRICE_EXTRACTED"), True),
        (end(Status.DONE, endings.REJECTED, Reject.OOS_NO_PRICE), True),
        (end(Status.FAILED, "timeout", "total_timeout"), False),
        (end(Status.FAILED, endings.EXTRACT_FAILED, "NO_DATA"), False),
        (end(Status.DONE, endings.REJECTED, Reject.UNKNOWN_AVAILABILITY), False),
        (end(Status.DONE, endings.ROBOTS_BLOCKED, Reject.BLOCKED_BY_ROBOTS_TXT), None),
        (end(Status.FAILED, endings.INTERNAL, "KeyError"), None),
    ],
    ids=lambda value: value.reason or value.outcome if isinstance(value, Ending) else None,
)
def test_e085_what_counts_for_a_source(ending: Ending, ok: bool | None):
    expected = None if ok is None else VisitEnd(7, ok, AT, 3)
    assert health.of_source(visit(None), ending) == expected
    assert health.of_source(visit(None, source_id=None), ending) is None


def test_p084_an_offer_page_that_cannot_be_read_is_the_adapters_matter_not_its_sources():
    for ending in (
        end(Status.FAILED, endings.EXTRACT_FAILED, "PRICE_NOT_FOUND"),
        end(Status.DONE, endings.REJECTED, Reject.UNKNOWN_AVAILABILITY),
    ):
        assert health.of_source(visit(None, kind="offer"), ending) is None
    timeout = end(Status.FAILED, "timeout", "total_timeout")
    assert health.of_source(visit(None, kind="offer"), timeout) == VisitEnd(7, False, AT, 3)


def test_what_a_crawl_finds_says_nothing_about_its_source():
    assert health.of_source(visit(None, crawl="shop.com"), end(Status.FAILED, "error", "http_404")) is None
