"""Two bad batches disable an adapter; what does not count, does not (P-083 … P-091). Tables of the pure decision."""

from __future__ import annotations

import pytest

from winnow.judge.drift import Assessed, Baseline, RunCounters, Sign, Standing, after, baseline_of

FRESH = Standing()


def batch(attempted: int = 40, failed: int = 0, **more) -> RunCounters:
    read = attempted - failed - more.get("oos", 0) - more.get("robots_blocked", 0)
    unknown = more.get("unknown_availability", 0)
    valid = more.get("valid", read - unknown)
    return RunCounters(
        **{"attempted": attempted, "failed": failed, "extracted": read, "valid": valid, "yielding": valid, **more}
    )


def history(*batches: RunCounters) -> Assessed:
    """One after the other; the last decision."""
    standing = FRESH
    for one in batches:
        found = after(one, standing)
        standing = found.standing
    return found


@pytest.mark.parametrize(
    ("attempted", "failed", "alerted"),
    [
        (20, 11, True),
        (20, 10, False),  # exactly half
        (19, 19, False),  # too few to tell
        (21, 11, True),
        (40, 20, False),
        (40, 21, True),
        (1000, 501, True),
        (0, 0, False),
    ],
)
def test_p083_more_than_half_of_20_urls_alerts_and_nothing_else_does(attempted: int, failed: int, alerted: bool):
    found = after(batch(attempted, failed), FRESH)
    assert (Sign.FAILURE_RATE in found.signs) is alerted
    assert found.disable is None
    assert found.standing.failed_batches == int(alerted)


def test_p084_two_bad_batches_disable_the_adapter():
    bad, good, small = batch(40, 30), batch(40, 5), batch(10, 10)
    assert history(bad, bad).disable is Sign.FAILURE_RATE
    assert history(bad, good, bad).disable is None
    assert history(bad, small, bad).disable is Sign.FAILURE_RATE, "a small batch neither counts nor forgives"
    assert history(bad, small).disable is None
    assert history(small, small, small).disable is None


def test_p085_no_offers_in_two_batches_disable_the_adapter():
    """Every page was fetched and read, and none of them gave an offer."""
    empty = batch(25, 0, extracted=0, valid=0)
    assert after(empty, FRESH).signs == [Sign.NO_OFFERS]
    assert history(empty, empty).disable is Sign.NO_OFFERS
    assert history(empty, batch(25), empty).disable is None
    assert history(*[batch(19, 0, extracted=0, valid=0)] * 3).disable is None


def test_p086_pn09_zero_prices_alert_at_any_size_and_disable_after_two_batches():
    small, large = batch(5, zero_price=1), batch(30, zero_price=1)
    assert after(small, FRESH).signs == [Sign.ZERO_PRICE]
    assert history(small, small, small).disable is None
    assert after(large, FRESH).disable is None
    assert history(large, large).disable is Sign.ZERO_PRICE
    assert history(large, batch(30), large).disable is None


def test_p087_the_first_run_after_enabling_is_watched_at_any_size():
    assert Sign.FIRST_RUN in after(batch(4, 3, watched=True), FRESH).signs
    assert after(batch(4, 2, watched=True), FRESH).signs == []
    assert after(batch(4, 3), FRESH).signs == []


def test_p089_pn03_out_of_stock_without_a_price_is_in_no_figure():
    all_oos = batch(40, oos=40, extracted=0, valid=0)
    assert after(all_oos, FRESH).signs == [], "an all-OOS run is no run without offers"
    assert after(batch(40, 15, oos=10), FRESH).signs == [], "15 of 30 is half"
    assert after(batch(40, 16, oos=10), FRESH).signs == [Sign.FAILURE_RATE]
    assert after(batch(40, 19, oos=21), FRESH).signs == [], "19 telling URLs are too few"


def test_pn06_robots_blocks_are_in_no_figure():
    assert after(batch(40, 15, robots_blocked=10), FRESH).signs == []
    assert after(batch(40, 11, robots_blocked=20), FRESH).signs == [Sign.FAILURE_RATE]


def test_p090_unknown_availability_counts_as_a_failure():
    assert after(batch(40, 0, unknown_availability=21), FRESH).signs == [Sign.FAILURE_RATE]
    assert history(*[batch(40, 10, unknown_availability=11)] * 2).disable is Sign.FAILURE_RATE


def test_p091_the_baseline_is_the_median_of_batches_that_count():
    batches = [batch(20, 2), batch(20, 4), batch(20, 18), batch(19, 19)]
    assert baseline_of(batches) == Baseline(0.2, 0.8, 3)
    assert baseline_of([batch(19)] * 5) is None
    assert baseline_of([]) is None
    assert not Baseline(0.1, 0.9, 2).established


def test_p091_only_an_established_baseline_is_compared_with():
    poor = batch(40, 0, valid=15)  # everything read, most of it held
    assert after(poor, FRESH, Baseline(0.0, 0.9, 3)).signs == [Sign.LOW_YIELD]
    assert after(poor, FRESH, Baseline(0.0, 0.9, 2)).signs == []
    assert after(poor, FRESH, Baseline(0.0, 0.7, 3)).signs == []
    assert after(poor, FRESH, None).signs == []
    assert after(poor, FRESH, Baseline(0.0, 0.9, 3)).disable is None


def test_pn10_a_run_that_crosses_a_threshold_is_quarantined():
    assert after(batch(40, 30), FRESH).quarantined
    assert after(batch(40, 0, extracted=0, valid=0), FRESH).quarantined
    assert not after(batch(40, 5, zero_price=1), FRESH).quarantined
    assert history(*[batch(40, 5, zero_price=1)] * 2).quarantined
