"""What the monitors of a source say of a run, from the runs before it (C-069)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from winnow.judge.monitors import Limits, Monitor, MonitorState, RunReading, judge

DAY = datetime(2026, 3, 1, tzinfo=UTC)
LIMITS = Limits(items_share=0.5, coverage_points=0.2, price_factor=2.0, held_points=0.2)


def reading(run_id: int = 99, **given: Any) -> RunReading:
    usual: dict[str, Any] = {
        "source_id": 1, "source_name": "Shop", "kind": "offer", "starts": 100,
        "taken_at": DAY + timedelta(hours=run_id), "items": 95, "held": 1, "seen": 95,
        "coverage": {"brand": 0.95, "image": 1.0}, "price_median": 5_000,
        "currency": "EUR", "exponent": 2,
    }  # fmt: skip
    return RunReading(run_id=run_id, **usual | given)


def before(n: int = 5, **given: Any) -> list[RunReading]:
    return [reading(run_id, **given) for run_id in range(n, 0, -1)]


def states(now: RunReading, earlier: list[RunReading], limits: Limits = LIMITS) -> dict[Monitor, MonitorState]:
    return {result.monitor: result.state for result in judge(now, earlier, limits)}


def sentence(now: RunReading, earlier: list[RunReading]) -> str:
    (found,) = [result.sentence for result in judge(now, earlier, LIMITS) if result.state is MonitorState.BROKEN]
    return found


def test_a_run_like_the_others_is_fine() -> None:
    assert set(states(reading(), before()).values()) == {MonitorState.OK}


def test_c069_each_monitor_says_what_is_unusual_in_a_sentence() -> None:
    assert sentence(reading(items=40), before()) == "Shop: 40 items in run 99, usually about 95"
    assert sentence(reading(coverage={"brand": 0.1, "image": 1.0}), before()) == (
        "Shop: of 95 read in run 99: brand on 10%, usually 95%"
    )
    assert sentence(reading(price_median=50), before()) == "Shop: the middle price in run 99 is 0.50 EUR, usually 50.00"
    assert sentence(reading(held=95), before()) == "Shop: 50% of the records of run 99 are held, usually 1%"


@pytest.mark.parametrize(
    "now",
    [
        reading(items=48),  # a little more than half
        reading(coverage={"brand": 0.76, "image": 1.0}),
        reading(price_median=10_000),  # exactly twice
        reading(price_median=2_500),
        reading(held=20),
        reading(starts=3, items=3, seen=3),  # a small run, as good as a large one
        reading(seen=9, coverage={"brand": 0.0}, price_median=1),  # too few to say anything
        reading(currency="USD", price_median=1),  # never seen in this currency
        reading(price_median=None, currency=None, exponent=None),
    ],
)
def test_what_is_within_the_limits_or_says_nothing_is_fine(now: RunReading) -> None:
    assert MonitorState.BROKEN not in states(now, before()).values()


def test_nothing_is_judged_before_three_runs_are_known() -> None:
    assert set(states(reading(items=0), before(2)).values()) == {MonitorState.LEARNING}


def test_what_was_unusual_does_not_become_usual_by_itself() -> None:
    broken = [{"monitor": "items", "state": "broken", "sentence": "x"}]
    bad = [reading(run_id, items=10, results=broken) for run_id in range(40, 5, -1)]
    assert states(reading(items=10), [*bad, *before()])[Monitor.ITEMS] is MonitorState.BROKEN


def test_a_person_accepts_what_is_usual_from_now_on() -> None:
    few = [reading(run_id, items=10) for run_id in range(13, 10, -1)]
    accepted = Limits(
        items_share=0.5, coverage_points=0.2, price_factor=2.0, held_points=0.2, accepted_at=few[-1].taken_at
    )
    assert states(reading(items=10), [*few, *before()], accepted)[Monitor.ITEMS] is MonitorState.OK


def test_a_source_can_be_left_alone() -> None:
    off = Limits(enabled=False, items_share=0.5, coverage_points=0.2, price_factor=2.0, held_points=0.2)
    assert set(states(reading(items=0), before(), off).values()) == {MonitorState.OFF}
