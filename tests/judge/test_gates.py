"""May an offer be trusted (P-013 … P-015, P-026, P-029 … P-034, P-090)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from winnow.judge.gates import PriceHistory, duplicate_in_run, judge_offer
from winnow.judge.verdict import Decision, Hold, Reject, Verdict
from winnow.normalise.record import Availability, Identity, Money, Offer, Problem, Trouble

OFFER = Offer(
    url="https://shop.example/a",
    canonical_url="https://shop.example/a",
    observed_at=datetime(2026, 3, 1, tzinfo=UTC),
    adapter_id="generic",
    adapter_version="1.0.0",
    identity=Identity("SKU", "A1"),
    title="Red Shoe",
    price=Money(1999, "USD"),
    availability=Availability.IN_STOCK,
)


def offer(**changes: Any) -> Offer:
    return msgspec.structs.replace(OFFER, **changes)


def undecided(code: Trouble) -> Offer:
    return offer(price=None, problems={"price": Problem(code, "x")})


def test_a_complete_offer_is_accepted() -> None:
    assert judge_offer(OFFER) == Verdict(Decision.ACCEPT)


@pytest.mark.parametrize(
    "changes",
    [{"title": None}, {"title": ""}, {"price": None}, {"adapter_version": ""}, {"identity": Identity("SKU", "")}],
)
def test_p015_a_missing_required_field_rejects(changes: dict[str, Any]) -> None:
    verdict = judge_offer(offer(**changes))
    assert (verdict.decision, verdict.reason) == (Decision.REJECT, Reject.MISSING_REQUIRED_FIELD)
    assert next(iter(changes)) in verdict.findings[0].details


def test_p013_a_url_that_may_not_be_stored_rejects() -> None:
    assert judge_offer(offer(canonical_url="")).reason == Reject.INVALID_URL


@pytest.mark.parametrize(
    ("money", "decision"),
    [
        (Money(1, "USD"), Decision.ACCEPT),
        (Money(99_999_999, "USD"), Decision.ACCEPT),
        (Money(100_000_000, "USD"), Decision.REJECT),
        (Money(-1, "USD"), Decision.REJECT),
        (Money(99_999_999, "JPY"), Decision.ACCEPT),
        (Money(2_500_000_00, "IDR"), Decision.ACCEPT),
        (Money(25_000_000, "VND"), Decision.ACCEPT),
        (Money(2_800_000_00, "RUB"), Decision.ACCEPT),
        (Money(10**15, "VND"), Decision.REJECT),
    ],
)
def test_p033_price_bounds(money: Money, decision: Decision) -> None:
    verdict = judge_offer(offer(price=money))
    assert verdict.decision is decision
    assert verdict.reason in (None, Reject.INVALID_PRICE)


def test_p034_a_zero_price_is_held() -> None:
    verdict = judge_offer(offer(price=Money(0, "USD")))
    assert (verdict.decision, verdict.reason) == (Decision.HOLD, Hold.ZERO_PRICE_EXTRACTED)


@pytest.mark.parametrize(
    "code", [Trouble.RANGE, Trouble.FROM_PRICE, Trouble.PER_UNIT, Trouble.SEVERAL, Trouble.SEPARATOR]
)
def test_p029_an_ambiguous_price_is_held(code: Trouble) -> None:
    verdict = judge_offer(undecided(code))
    assert (verdict.decision, verdict.reason) == (Decision.HOLD, Hold.AMBIGUOUS_PRICE)


@pytest.mark.parametrize(
    "code",
    [Trouble.NO_NUMBER, Trouble.DIGITS, Trouble.NEGATIVE, Trouble.PRECISION, Trouble.TOO_LARGE, Trouble.NOTATION],
)
def test_r20_an_impossible_price_rejects(code: Trouble) -> None:
    verdict = judge_offer(undecided(code))
    assert (verdict.decision, verdict.reason) == (Decision.REJECT, Reject.INVALID_PRICE)


@pytest.mark.parametrize("code", [Trouble.CURRENCY_UNKNOWN, Trouble.CURRENCY_CONFLICT])
def test_a_price_without_a_clear_currency_is_held(code: Trouble) -> None:
    assert judge_offer(undecided(code)).reason == Hold.NORMALIZATION_FAILED


def test_every_trouble_keeps_an_offer_from_being_accepted() -> None:
    for code in Trouble:
        assert judge_offer(undecided(code)).decision is not Decision.ACCEPT


def test_p090_unknown_availability_rejects() -> None:
    verdict = judge_offer(offer(availability=Availability.UNKNOWN))
    assert (verdict.decision, verdict.reason) == (Decision.REJECT, Reject.UNKNOWN_AVAILABILITY)


def test_p090_a_rejection_decides_over_a_hold_and_both_are_told() -> None:
    verdict = judge_offer(offer(availability=Availability.UNKNOWN, price=Money(0, "USD")))
    assert verdict.decision is Decision.REJECT
    assert [f.reason for f in verdict.findings] == [Reject.UNKNOWN_AVAILABILITY, Hold.ZERO_PRICE_EXTRACTED]


def test_p030_out_of_stock_without_a_price() -> None:
    verdict = judge_offer(offer(availability=Availability.OUT_OF_STOCK, price=None))
    assert (verdict.decision, verdict.reason) == (Decision.REJECT, Reject.OOS_NO_PRICE)


def test_out_of_stock_with_a_price_is_accepted() -> None:
    assert judge_offer(offer(availability=Availability.OUT_OF_STOCK)).decision is Decision.ACCEPT


def test_an_unexpected_currency_is_held() -> None:
    assert judge_offer(OFFER, expected_currencies=["USD"]).decision is Decision.ACCEPT
    assert judge_offer(OFFER, expected_currencies=["EUR"]).reason == Hold.VALIDATION_FAILED


@pytest.mark.parametrize(
    ("last", "held"),
    [(1999, False), (3999, False), (4997, False), (4998, True), (19990, True), (800, False), (799, True)],
)
def test_an_implausible_change_is_held(last: int, held: bool) -> None:
    verdict = judge_offer(OFFER, history=PriceHistory(Money(last, "USD")))
    assert verdict.decision is (Decision.HOLD if held else Decision.ACCEPT)
    assert verdict.reason in (None, Hold.IMPLAUSIBLE_PRICE)


def test_a_held_change_is_described_in_money_and_not_in_minor_units() -> None:
    found = judge_offer(offer(price=Money(129000, "EUR")), history=PriceHistory(Money(12900, "EUR")))
    assert [finding.details for finding in found.findings] == ["129.00 EUR became 1290.00 EUR"]
    (bounds,) = judge_offer(offer(price=Money(10**15, "VND"))).findings
    assert bounds.details == "1000000000000000 VND"


@pytest.mark.parametrize(("before", "now", "held"), [(1000, 400, True), (1000, 401, False), (400, 1000, True)])
def test_a_drop_of_60_percent_is_held_and_so_is_the_way_back(before: int, now: int, held: bool) -> None:
    verdict = judge_offer(offer(price=Money(now, "USD")), history=PriceHistory(Money(before, "USD")))
    assert verdict.decision is (Decision.HOLD if held else Decision.ACCEPT)


def test_what_a_person_refused_is_not_confirmed_by_seeing_it_again() -> None:
    seen = Money(1999, "USD")
    history = PriceHistory(Money(199900, "USD"), held=[seen], refused=[seen])
    assert judge_offer(OFFER, history=history).reason == Hold.IMPLAUSIBLE_PRICE


def test_when_most_offers_of_a_source_change_at_once_it_is_drift() -> None:
    history = PriceHistory(Money(199900, "USD"), held=[Money(1999, "USD")], crowd=True)
    assert judge_offer(OFFER, history=history).reason == Hold.DRIFT_DETECTED
    assert judge_offer(OFFER, history=PriceHistory(Money(1999, "USD"), crowd=True)).decision is Decision.ACCEPT


def test_stock_may_change_as_it_likes() -> None:
    for stock in (Availability.OUT_OF_STOCK, Availability.BACKORDER):
        found = judge_offer(offer(availability=stock), history=PriceHistory(Money(1999, "USD")))
        assert found.decision is Decision.ACCEPT


def test_an_implausible_change_seen_again_is_confirmed() -> None:
    history = PriceHistory(Money(199900, "USD"), held=[Money(1999, "USD")])
    assert judge_offer(OFFER, history=history).decision is Decision.ACCEPT


def test_a_changed_currency_is_held() -> None:
    assert judge_offer(OFFER, history=PriceHistory(Money(1999, "EUR"))).reason == Hold.IMPLAUSIBLE_PRICE


def test_a_first_price_has_nothing_to_be_compared_with() -> None:
    assert judge_offer(OFFER, history=PriceHistory()).decision is Decision.ACCEPT


def test_p026_the_same_identity_or_url_twice_in_a_run() -> None:
    for seen in ({"SKU:A1"}, {"https://shop.example/a"}):
        finding = duplicate_in_run(OFFER, seen)
        assert finding is not None
        assert finding.reason == Reject.DUPLICATE_WITHIN_RUN
    assert duplicate_in_run(OFFER, {"SKU:A2"}) is None
