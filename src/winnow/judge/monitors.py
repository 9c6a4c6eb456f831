"""Does a run look like the ones before it? Decided from one reading a run and from those before (C-069). Pure.

Drift asks whether an adapter still reads its site; a monitor asks whether what it reads is still like what it was: as
many items, as complete, at such prices, as seldom held. What was found wrong is no example of what is usual, so an
alert stays until a run is as usual again, or a person accepts it as the new usual.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from enum import StrEnum
from statistics import median
from typing import Any

import msgspec

from winnow.normalise.money.display import decimal_text

MIN_RUNS = 3  # as many as drift wants for its baseline (P-091)
RECENT = 10  # runs that say what is usual
MIN_ITEMS = 10  # fewer say nothing about shares and prices


class Monitor(StrEnum):
    ITEMS = "items"
    COVERAGE = "coverage"
    PRICES = "prices"
    HELD = "held"


class MonitorState(StrEnum):
    """`learning`: too little is known to judge."""

    OK = "ok"
    BROKEN = "broken"
    LEARNING = "learning"
    OFF = "off"


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """`items_share`: fewer items than this share of the usual; `coverage_points`: a field's share fell by more;
    `price_factor`: the middle price moved by more; `held_points`: the share of held records rose by more."""

    enabled: bool = True
    items_share: float
    coverage_points: float
    price_factor: float
    held_points: float
    accepted_at: datetime | None = None


class Result(msgspec.Struct, frozen=True, kw_only=True):
    monitor: Monitor
    state: MonitorState
    sentence: str = ""


class RunReading(msgspec.Struct, frozen=True, kw_only=True):
    """What one run brought. `starts` are the pages it began with; `coverage` is the share of offers or events with a
    value, by field; prices are of the most frequent currency."""

    run_id: int
    source_id: int
    source_name: str
    kind: str
    taken_at: datetime
    starts: int
    items: int
    held: int
    seen: int
    coverage: dict[str, float] = {}
    price_median: int | None = None
    currency: str | None = None
    exponent: int | None = None
    results: list[dict[str, Any]] = []

    @property
    def items_per_start(self) -> float:
        return self.items / max(1, self.starts)

    @property
    def held_share(self) -> float:
        return self.held / max(1, self.items + self.held)

    def state_of(self, monitor: Monitor) -> str:
        return next((r["state"] for r in self.results if r["monitor"] == monitor), MonitorState.LEARNING)


def judge(reading: RunReading, before: Sequence[RunReading], limits: Limits) -> list[Result]:
    """`before` newest first."""
    if not limits.enabled:
        return [Result(monitor=monitor, state=MonitorState.OFF) for monitor in Monitor]
    return [_judge(monitor, reading, before, limits) for monitor in Monitor]


def _judge(monitor: Monitor, reading: RunReading, before: Sequence[RunReading], limits: Limits) -> Result:
    usual = usual_of(monitor, before, limits)
    if len(usual) < MIN_RUNS:
        return Result(monitor=monitor, state=MonitorState.LEARNING)
    problem = _CHECKS[monitor](reading, usual, limits)
    if problem is None:
        return Result(monitor=monitor, state=MonitorState.OK)
    return Result(monitor=monitor, state=MonitorState.BROKEN, sentence=f"{reading.source_name}: {problem}")


def usual_of(monitor: Monitor, before: Sequence[RunReading], limits: Limits) -> list[RunReading]:
    """The newest readings in which this monitor found nothing, since a person last accepted one."""
    fine = [r for r in before if r.state_of(monitor) != MonitorState.BROKEN]
    return [r for r in fine if limits.accepted_at is None or r.taken_at >= limits.accepted_at][:RECENT]


def _items(reading: RunReading, usual: Sequence[RunReading], limits: Limits) -> str | None:
    per_start = median(r.items_per_start for r in usual)
    expected = per_start * reading.starts
    if expected < 1 or reading.items_per_start >= per_start * limits.items_share:
        return None
    return f"{reading.items:,} items in run {reading.run_id}, usually about {expected:,.0f}"


def _coverage(reading: RunReading, usual: Sequence[RunReading], limits: Limits) -> str | None:
    if reading.seen < MIN_ITEMS:
        return None
    fallen = []
    for field, share in sorted(reading.coverage.items()):
        known = [r.coverage[field] for r in usual if field in r.coverage and r.seen >= MIN_ITEMS]
        if len(known) >= MIN_RUNS and share < median(known) - limits.coverage_points:
            fallen.append(f"{field} on {share:.0%}, usually {median(known):.0%}")
    return f"of {reading.seen:,} read in run {reading.run_id}: {'; '.join(fallen)}" if fallen else None


def _prices(reading: RunReading, usual: Sequence[RunReading], limits: Limits) -> str | None:
    known = [r.price_median for r in usual if r.currency == reading.currency and r.price_median]
    if not reading.price_median or reading.seen < MIN_ITEMS or len(known) < MIN_RUNS:
        return None
    middle = median(known)
    moved = max(reading.price_median / middle, middle / reading.price_median)
    if moved <= limits.price_factor:
        return None
    now, then = (decimal_text(round(minor), reading.exponent or 0) for minor in (reading.price_median, middle))
    return f"the middle price in run {reading.run_id} is {now} {reading.currency}, usually {then}"


def _held(reading: RunReading, usual: Sequence[RunReading], limits: Limits) -> str | None:
    share = median(r.held_share for r in usual)
    if reading.items + reading.held < MIN_ITEMS or reading.held_share <= share + limits.held_points:
        return None
    return f"{reading.held_share:.0%} of the records of run {reading.run_id} are held, usually {share:.0%}"


_CHECKS: dict[Monitor, Callable[[RunReading, Sequence[RunReading], Limits], str | None]] = {
    Monitor.ITEMS: _items,
    Monitor.COVERAGE: _coverage,
    Monitor.PRICES: _prices,
    Monitor.HELD: _held,
}
