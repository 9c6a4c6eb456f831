"""May an offer be trusted. Each gate is a question with one possible finding; all are asked.

A rejection decides over a hold: what may not be stored at all is not worth a person's time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

import msgspec

from winnow.judge.verdict import Decision, Finding, Hold, Reject, Verdict
from winnow.normalise.money.currencies import LARGE_UNITS, exponent
from winnow.normalise.money.display import format_money
from winnow.normalise.record import Availability, Money, Offer, Problem, Trouble

MIN_MINOR = 1  # P-033
MAX_MINOR = 99_999_999  # P-033: 999 999.99 USD
# Currencies whose unit is worth about a hundredth of a dollar or less need the same room in value.
_SMALL_UNIT_CODES = "VND PYG UGX GNF KRW KZT AMD ARS AOA YER PKR LKR NPR BDT INR DZD KES RSD RUB"
_SMALL_UNITS = LARGE_UNITS | frozenset(_SMALL_UNIT_CODES.split())
_SMALL_UNIT_FACTOR = 1_000

# A price that falls by 60 % or rises to two and a half times (the same step upwards) between two visits is more often a
# misread separator, a unit price or a wrong variant than a price change; a second visit that sees it again confirms it.
MIN_PERCENT_OF_LAST = 40

_UNDECIDED = frozenset(
    [
        Trouble.RANGE,
        Trouble.FROM_PRICE,
        Trouble.PER_UNIT,
        Trouble.NET,
        Trouble.SEVERAL,
        Trouble.SEPARATOR,
        Trouble.CHOICE,
    ]
)
_UNREADABLE = frozenset([Trouble.CURRENCY_UNKNOWN, Trouble.CURRENCY_CONFLICT, Trouble.TOO_LONG])


class PriceHistory(msgspec.Struct, frozen=True):
    """`last` accepted price, and what was read since then without being believed: a price in `held` that is seen
    again is confirmed, unless a person `refused` it. `crowd`: so many offers of the source changed like this at once,
    or its adapter failed so much, that it is the page and not the prices; only a person can say otherwise."""

    last: Money | None = None
    held: list[Money] = []
    refused: list[Money] = []
    crowd: bool = False


def valid_url(offer: Offer) -> Finding | None:
    if offer.canonical_url:
        return None
    return Finding("valid_url", Reject.INVALID_URL, offer.url[:200])


def required_fields(offer: Offer) -> Finding | None:
    """P-015. Price and availability have gates of their own that say more."""
    needed = {"title": offer.title, "adapter_version": offer.adapter_version, "identity": offer.identity.value}
    missing = [field for field, value in needed.items() if not value]
    if offer.price is None and "price" not in offer.problems:
        missing.append("price")
    if not missing or (missing == ["price"] and offer.availability is Availability.OUT_OF_STOCK):
        return None
    return Finding("required_fields", Reject.MISSING_REQUIRED_FIELD, ", ".join(missing))


def out_of_stock_without_price(offer: Offer) -> Finding | None:
    """P-030: expected, and never counted as drift (P-089)."""
    absent = offer.price is None and "price" not in offer.problems
    if not absent or offer.availability is not Availability.OUT_OF_STOCK:
        return None
    return Finding("out_of_stock_without_price", Reject.OOS_NO_PRICE)


def readable_price(offer: Offer) -> Finding | None:
    """R-20: NaN, 1e999, other scripts' digits and negative amounts reject this offer only."""
    problem = offer.problems.get("price")
    if problem is None or problem.code in _UNDECIDED or problem.code in _UNREADABLE:
        return None
    return Finding("readable_price", Reject.INVALID_PRICE, f"{problem.code}: {problem.details}")


def price_bounds(offer: Offer) -> Finding | None:
    """P-033; zero has its own gate."""
    if offer.price is None or offer.price.minor == 0:
        return None
    if MIN_MINOR <= offer.price.minor <= max_minor(offer.price.currency):
        return None
    return Finding("price_bounds", Reject.INVALID_PRICE, format_money(offer.price.minor, offer.price.currency))


def max_minor(currency: str) -> int:
    scaled = MAX_MINOR * (10 if exponent(currency) == 3 else 1)
    return scaled * (_SMALL_UNIT_FACTOR if currency in _SMALL_UNITS else 1)


def known_availability(offer: Offer) -> Finding | None:
    """P-090: no signal is no data."""
    if offer.availability is not Availability.UNKNOWN:
        return None
    return Finding("known_availability", Reject.UNKNOWN_AVAILABILITY, _STOCK_DETAILS)


_STOCK_DETAILS = (
    "the page says nothing about stock: where that means in stock, use `winnow sources set SOURCE --assume-in-stock`"
)


def agreed_availability(offer: Offer) -> Finding | None:
    """P-009: data for machines that say "in stock" while the page says otherwise are not believed."""
    problem = offer.problems.get("availability")
    if problem is None:
        return None
    return Finding("agreed_availability", Hold.VALIDATION_FAILED, f"{problem.code}: {problem.details}")


def zero_price(offer: Offer) -> Finding | None:
    """Holds a price of zero: nothing is sold for nothing, and pages say 0 when they mean "ask us" (P-034)."""
    if offer.price is None or offer.price.minor != 0:
        return None
    return Finding("zero_price", Hold.ZERO_PRICE_EXTRACTED)


def clear_price(offer: Offer) -> Finding | None:
    """Holds a price that the page states in several ways that disagree (P-029)."""
    problem = offer.problems.get("price")
    if problem is None or problem.code not in _UNDECIDED:
        return None
    return Finding("clear_price", Hold.AMBIGUOUS_PRICE, f"{problem.code}: {problem.details}")


def known_currency(offer: Offer) -> Finding | None:
    problem = offer.problems.get("price")
    if problem is None or problem.code not in _UNREADABLE:
        return None
    return Finding("known_currency", Hold.NORMALIZATION_FAILED, _currency_details(problem))


def _currency_details(problem: Problem) -> str:
    if problem.code is not Trouble.CURRENCY_UNKNOWN:
        return f"{problem.code}: {problem.details}"
    sign = next((sign for sign in _SHARED_SIGNS if sign in problem.details), "")
    named = f"the currency of `{sign}` is not known" if sign else "the page names no currency"
    return f"{problem.code}: {named}: set it with `winnow sources set SOURCE --currency CODE`"


_SHARED_SIGNS = ("$", "kr", "¥", "£", "Rs", "₨", "﷼")  # of several currencies


def expected_currency(offer: Offer, expected: Collection[str] | None) -> Finding | None:
    if not expected or offer.price is None or offer.price.currency in expected:
        return None
    details = f"{offer.price.currency}, expected {' or '.join(sorted(expected))}"
    return Finding("expected_currency", Hold.VALIDATION_FAILED, details)


def plausible_change(offer: Offer, history: PriceHistory | None) -> Finding | None:
    """Against the offer's own history. Availability may change as it likes."""
    price, last = offer.price, history.last if history else None
    if history is None or price is None or last is None or is_plausible(price, last):
        return None
    before, now = (format_money(money.minor, money.currency) for money in (last, price))
    details = f"{before} became {now}"
    if history.crowd:
        return Finding(
            "plausible_change", Hold.DRIFT_DETECTED, f"{details}, and the pages of the source may have changed"
        )
    if price in history.refused:
        return Finding("plausible_change", Hold.IMPLAUSIBLE_PRICE, f"{details}, which a person rejected")
    return None if price in history.held else Finding("plausible_change", Hold.IMPLAUSIBLE_PRICE, details)


def is_plausible(price: Money, last: Money) -> bool:
    """Zero is another gate's business."""
    if not price.minor or not last.minor:
        return True
    low, high = sorted((price.minor, last.minor))
    return price.currency == last.currency and low * 100 > high * MIN_PERCENT_OF_LAST


def duplicate_in_run(offer: Offer, seen: Collection[str]) -> Finding | None:
    """P-026. `seen` holds identity keys and canonical URLs of the run so far."""
    if offer.identity.key not in seen and offer.canonical_url not in seen:
        return None
    return Finding("duplicate_in_run", Reject.DUPLICATE_WITHIN_RUN, offer.identity.key)


REJECTING: tuple[Callable[[Offer], Finding | None], ...] = (
    valid_url,
    out_of_stock_without_price,
    required_fields,
    readable_price,
    price_bounds,
    known_availability,
)
HOLDING: tuple[Callable[[Offer], Finding | None], ...] = (
    zero_price,
    clear_price,
    known_currency,
    agreed_availability,
)


def judge_offer(
    offer: Offer,
    expected_currencies: Collection[str] | None = None,
    history: PriceHistory | None = None,
) -> Verdict:
    rejections = [finding for gate in REJECTING if (finding := gate(offer))]
    holds = [finding for gate in HOLDING if (finding := gate(offer))]
    holds += [f for f in (expected_currency(offer, expected_currencies), plausible_change(offer, history)) if f]
    if rejections:
        return Verdict(Decision.REJECT, rejections + holds)
    return Verdict(Decision.HOLD if holds else Decision.ACCEPT, holds)
