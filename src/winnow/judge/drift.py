"""Does an adapter still read its site? Decided after each batch (= run), from its counters alone (P-083 … P-091). Pure.

Out of stock without a price and robots blocks say nothing about the adapter and are left out everywhere (P-089, PN-06);
availability UNKNOWN is a failure (P-090). A batch of fewer than 20 telling URLs proves nothing: it changes no counter.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from statistics import median

import msgspec

MIN_URLS = 20  # P-083 … P-086
CONSECUTIVE_RUNS = 2  # P-084 … P-086
MIN_RUNS = 3  # P-091
BASELINE_DAYS = 7  # P-091
# P-091 names no threshold. Below half of the baseline an alert is raised, without a verdict.
YIELD_SHARE = 0.5


class Sign(StrEnum):
    """What a batch may show. The first three disable the adapter when two batches in a row show them."""

    FAILURE_RATE = "failure_rate"
    NO_OFFERS = "no_offers"
    ZERO_PRICE = "zero_price"
    LOW_YIELD = "low_yield"
    FIRST_RUN = "first_run"


class RunCounters(msgspec.Struct, frozen=True, kw_only=True):
    """The counters of one run. `neutral` pages say nothing about the adapter (empty, links only, further pages of a
    list), `yielding` ones have an accepted record: one page may have many. `watched`: the first run since the adapter
    was enabled again (P-087)."""

    attempted: int
    failed: int = 0
    robots_blocked: int = 0
    oos: int = 0
    unknown_availability: int = 0
    extracted: int = 0
    valid: int = 0
    zero_price: int = 0
    neutral: int = 0
    yielding: int = 0
    watched: bool = False

    @property
    def informative_pages(self) -> int:
        """URLs that say something about the adapter (PN-03)."""
        return self.attempted - self.oos - self.robots_blocked - self.neutral

    @property
    def failures(self) -> int:
        return self.failed + self.unknown_availability

    @property
    def failure_rate(self) -> float:
        return self.failures / self.informative_pages if self.informative_pages else 0.0

    @property
    def yield_rate(self) -> float:
        return self.yielding / self.informative_pages if self.informative_pages else 0.0

    @property
    def counts(self) -> bool:
        return self.informative_pages >= MIN_URLS


class Baseline(msgspec.Struct, frozen=True):
    """Medians of the last seven days. With fewer than three runs there is none (P-091)."""

    failure_rate: float
    yield_rate: float
    runs: int

    @property
    def established(self) -> bool:
        return self.runs >= MIN_RUNS


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """Batches in a row that showed a sign (PN-04)."""

    failed_batches: int = 0
    no_offer_runs: int = 0
    zero_price_runs: int = 0


class Assessed(msgspec.Struct, frozen=True, kw_only=True):
    """`signs` are worth an alert; `disable` names the one that stops the adapter. `quarantined`: the run crossed a
    threshold (PN-10)."""

    standing: Standing
    signs: list[Sign]
    disable: Sign | None = None

    @property
    def quarantined(self) -> bool:
        return Sign.FAILURE_RATE in self.signs or Sign.NO_OFFERS in self.signs or self.disable is not None


def after(batch: RunCounters, before: Standing, baseline: Baseline | None = None) -> Assessed:
    standing = _counted(batch, before)
    signs = _signs(batch, baseline)
    in_a_row = {
        Sign.FAILURE_RATE: standing.failed_batches,
        Sign.NO_OFFERS: standing.no_offer_runs,
        Sign.ZERO_PRICE: standing.zero_price_runs,
    }
    disable = next((sign for sign, times in in_a_row.items() if times >= CONSECUTIVE_RUNS and sign in signs), None)
    return Assessed(standing=standing, signs=signs, disable=disable if batch.counts else None)


def _signs(batch: RunCounters, baseline: Baseline | None) -> list[Sign]:
    signs = {
        Sign.FAILURE_RATE: batch.counts and _fails(batch),
        Sign.NO_OFFERS: batch.counts and batch.extracted == 0,
        Sign.ZERO_PRICE: batch.zero_price > 0,  # P-086, PN-09: at any size
        Sign.LOW_YIELD: batch.counts and not _fails(batch) and _yields_less(batch, baseline),
        Sign.FIRST_RUN: batch.watched and _fails(batch),  # P-087: watched closely, so at any size
    }
    return [sign for sign, seen in signs.items() if seen]


def _counted(batch: RunCounters, before: Standing) -> Standing:
    if not batch.counts:
        return before
    return Standing(
        failed_batches=before.failed_batches + 1 if _fails(batch) else 0,
        no_offer_runs=before.no_offer_runs + 1 if batch.extracted == 0 else 0,
        zero_price_runs=before.zero_price_runs + 1 if batch.zero_price else 0,
    )


def _fails(batch: RunCounters) -> bool:
    """More than half; exactly half is no drift (P-083)."""
    return batch.failures * 2 > batch.informative_pages


def _yields_less(batch: RunCounters, baseline: Baseline | None) -> bool:
    return baseline is not None and baseline.established and batch.yield_rate < baseline.yield_rate * YIELD_SHARE


def baseline_of(batches: Sequence[RunCounters]) -> Baseline | None:
    """Of the successful runs of the last seven days, newest or not (P-091)."""
    telling = [batch for batch in batches if batch.counts]
    if not telling:
        return None
    return Baseline(median(b.failure_rate for b in telling), median(b.yield_rate for b in telling), len(telling))
