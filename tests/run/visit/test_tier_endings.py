"""What a tier's answer does to its task: again, another way, another path, or the end (E-034 … E-043). Pure."""

from __future__ import annotations

from typing import Any

import pytest

from winnow.fetch.blocked.detect import WallKind
from winnow.fetch.failure import FailureCode
from winnow.fetch.outcome import FetchResult, Outcome
from winnow.fetch.tiers import LADDER, Known, Route, Way
from winnow.run import endings
from winnow.run.brief import Brief
from winnow.run.commit import accounts, health
from winnow.run.visit import Ending, FetchPlan, Visit
from winnow.schedule.queue.task import Claimed, Stage, Status, new_id

S, D, B = LADDER


def task(**more: Any) -> Claimed:
    given = dict.fromkeys(
        ("source_id", "target_id", "run_id", "job_id", "adapter_id", "page_id", "payload", "granted_at"), None
    )
    fixed = {
        "fence": 1,
        "producer": "prices",
        "lane": "x",
        "origin": "",
        "url": "u",
        "stage": "fetch",
        "trigger": "MANUAL",
    }
    return Claimed(**{**given, **fixed, "id": new_id(), "kind": "offer", "attempts": 1, "max_attempts": 3, **more})


def result(outcome: Outcome, error: str, **more: Any) -> FetchResult:
    return FetchResult(
        outcome=outcome, url="u", final_url="u", duration_ms=1, error_class=error and FailureCode(error), **more
    )


def test_another_way_is_a_turn_more_with_all_its_attempts() -> None:
    end = endings.of_fetch(task(), result(Outcome.BLOCKED, "empty_shell"), FetchPlan(Known(), (S, D), S))
    assert end is not None
    assert (end.status, end.stage, end.route, end.final) == (Status.QUEUED, Stage.FETCH, Route(D), False)
    assert not end.unused_grant, "a request was made"


def test_e034_three_403_lead_to_a_browser_and_one_ends_it_where_there_is_none() -> None:
    denied = result(Outcome.BLOCKED, "http_403", status_code=403)
    ends = [endings.of_fetch(task(attempts=n), denied, FetchPlan(Known(), (S, D), S)) for n in (1, 2, 3)]
    assert [(e.status, e.route) for e in ends if e] == [(Status.QUEUED, r) for r in (None, None, Route(D))]
    alone = endings.of_fetch(task(), denied, FetchPlan(Known(), (S,), S))
    assert alone is not None
    assert (alone.status, alone.outcome, alone.reason, alone.dead) == (Status.FAILED, "blocked", "http_403", False)


@pytest.mark.parametrize("word", ["grant_expired", "pool_exhausted"])
def test_what_was_never_sent_is_nobodys_fault(word: str) -> None:
    end = endings.of_fetch(task(), result(Outcome.ERROR, word), FetchPlan(Known(), (S, D), D))
    assert end is not None
    assert (end.status, end.refund, end.unused_grant, end.route) == (Status.QUEUED, True, True, None)


@pytest.mark.parametrize("word", ["browser_missing", "api_missing", "api_quota", "api_key"])
def test_what_is_missing_on_our_side_is_kept_for_later_and_blames_no_page(word: str) -> None:
    failed = result(Outcome.ERROR, word)
    end = endings.of_fetch(task(), failed, FetchPlan(Known(), (D,), D))
    assert end is not None
    assert (end.status, end.reason, end.dead) == (Status.FAILED, word, True)
    assert accounts.failure_of(end) is None
    assert health.is_healthy(failed) is None


@pytest.mark.parametrize(
    ("kind", "healthy"),
    [
        (WallKind.CHALLENGE, False),
        (WallKind.CAPTCHA, False),
        (WallKind.ACCESS_DENIED, False),
        (WallKind.LOGIN_WALL, True),
        (WallKind.CONSENT_WALL, True),
        (WallKind.EMPTY_SHELL, True),
    ],
)
def test_e039_a_block_is_a_failure_of_the_domain_and_a_shell_is_an_answer(kind: WallKind, healthy: bool) -> None:
    assert health.is_healthy(result(Outcome.BLOCKED, kind.value, status_code=200)) is healthy


NOTHING = Ending(status=Status.FAILED, stage=Stage.EXTRACT, outcome=endings.EXTRACT_FAILED, reason="PRICE_NOT_FOUND")
READ: dict[str, tuple[str, FetchPlan, bool, Route | None]] = {
    "scripts may bring it": ("offer", FetchPlan(Known(), (S, D), S), True, Route(D)),
    "no scripts at work": ("offer", FetchPlan(Known(), (S, D), S), False, None),
    "no browser here": ("offer", FetchPlan(Known(), (S,), S), True, None),
    "a browser has looked": ("offer", FetchPlan(Known(route=Route(D)), (S, D), D), True, None),
    "plain HTTP is known to do": ("offer", FetchPlan(Known(preferred="static"), (S, D), S), True, None),
    "e037 events stand elsewhere": ("event", FetchPlan(Known(), (S,), S), False, Route(None, "/agenda")),
    "… the browser's way too": ("event", FetchPlan(Known(route=Route(D)), (S, D), D), True, Route(D, "/agenda")),
    "… one after the other": (
        "event",
        FetchPlan(Known(route=Route(None, "/agenda")), (S,), S),
        False,
        Route(None, "/evenementen"),
    ),
    "… and nowhere": ("event", FetchPlan(Known(route=Route(None, "/events")), (S,), S), False, None),
}


@pytest.mark.parametrize("name", READ)
def test_what_was_not_found_is_looked_for_another_way(name: str) -> None:
    kind, plan, driven, route = READ[name]
    end = endings.read_another_way(NOTHING, kind, "https://town.example/", plan, driven)
    assert (None if end is None else end.route) == route
    assert end is None or (end.status, end.stage) == (Status.QUEUED, Stage.FETCH)


@pytest.mark.parametrize(
    ("reason", "flagged"), [("dns", True), ("tls", True), ("api_quota", True), ("http_404", False)]
)
def test_e041_e042_e043_a_person_is_asked_to_look(reason: str, flagged: bool) -> None:
    visit = Visit(task(source_id=7), Brief(id=new_id()))
    end = Ending(status=Status.FAILED, stage=Stage.FETCH, outcome="error", reason=reason)
    assert (accounts.review(visit, end) is not None) is flagged


def test_the_url_of_a_visit_is_the_one_of_its_route() -> None:
    plan = FetchPlan(Known(route=Route(path="/agenda")), (Way.STATIC,), Way.STATIC)
    visit = Visit(task(url="https://town.example/"), Brief(id=new_id()), plan=plan)
    assert visit.url == "https://town.example/agenda"
