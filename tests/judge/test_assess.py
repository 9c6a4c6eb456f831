"""Page -> verdict in one pure call that can cross a process border."""

from __future__ import annotations

import msgspec
import pytest

from tests.kinds.reading import GENERIC, OfferRead, assess, assess_fast
from tests.product_pages import context, ld, offer, page, product
from winnow.extract.draft import Reason, Strategy
from winnow.judge.verdict import Decision, Hold, Reject
from winnow.normalise.record import Money


def test_a_clean_page_is_accepted_without_a_dom() -> None:
    found = assess_fast(ld(product(sku="A1")), GENERIC, context())
    assert found is not None
    assert found.offer is not None
    assert found.verdict is not None
    assert (found.offer.price, found.verdict.decision) == (Money(1999, "USD"), Decision.ACCEPT)
    assert found.strategy is Strategy.JSON_LD
    assert found == assess(ld(product(sku="A1")), GENERIC, context())


@pytest.mark.parametrize(
    "body",
    [
        ld(product()),
        ld(product(offers=[offer("1"), offer("2")])),
        page(""),
        ld(product(offers=offer("0"))),
        ld(product(offers=offer("NaN"))),
    ],
)
def test_an_assessment_survives_msgpack(body: object) -> None:
    found = assess(body, GENERIC, context())  # type: ignore[arg-type]
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(found), type=OfferRead) == found


@pytest.mark.parametrize(
    ("sold", "decision", "reason"),
    [
        (offer(), Decision.ACCEPT, None),
        (offer("0.00"), Decision.HOLD, Hold.ZERO_PRICE_EXTRACTED),
        (offer(0), Decision.HOLD, Hold.ZERO_PRICE_EXTRACTED),
        ([offer("10"), offer("12")], Decision.HOLD, Hold.AMBIGUOUS_PRICE),
        ([offer("10"), offer("10.00")], Decision.ACCEPT, None),
        (
            {**offer(None), "@type": "AggregateOffer", "lowPrice": "1", "highPrice": "9"},
            Decision.HOLD,
            Hold.AMBIGUOUS_PRICE,
        ),
        (offer("$19.99 - $29.99"), Decision.HOLD, Hold.AMBIGUOUS_PRICE),
        (offer("1.299", priceCurrency="EUR"), Decision.HOLD, Hold.AMBIGUOUS_PRICE),
        (offer(availability=None), Decision.REJECT, Reject.UNKNOWN_AVAILABILITY),
        (offer(availability="https://schema.org/Perhaps"), Decision.REJECT, Reject.UNKNOWN_AVAILABILITY),
        (offer("1e999"), Decision.REJECT, Reject.INVALID_PRICE),
        (offer("-5"), Decision.REJECT, Reject.INVALID_PRICE),
        (offer("٣٤"), Decision.REJECT, Reject.INVALID_PRICE),
        (offer(priceCurrency=None), Decision.HOLD, Hold.NORMALIZATION_FAILED),
        (offer("99999999"), Decision.REJECT, Reject.INVALID_PRICE),
    ],
)
def test_what_a_page_says_decides_its_verdict(sold: object, decision: Decision, reason: str | None) -> None:
    found = assess(ld(product(offers=sold)), GENERIC, context())
    assert found.verdict is not None, found
    assert (found.verdict.decision, found.verdict.reason) == (decision, reason)


def test_p030_out_of_stock_without_price_is_a_failure_of_its_own() -> None:
    found = assess(ld(product(offers=offer(None, availability="OutOfStock"))), GENERIC, context())
    assert (found.failure, found.offer, found.verdict) == (Reason.OOS_NO_PRICE, None, None)


def test_p011_every_page_ends_in_a_failure_or_a_verdict() -> None:
    for body in (page(""), page("<p>x"), ld("{"), ld(product()), ld({"@type": "Product"}), page(b"\xff\x00<script>")):
        found = assess(body, GENERIC, context())
        assert (found.failure is None) == (found.verdict is not None)


def test_a_price_in_another_currency_than_the_source_sells_in_is_held() -> None:
    assert _decided(assess(ld(product()), GENERIC, context(currency="USD"))) == (Decision.ACCEPT, None)
    held = (Decision.HOLD, Hold.VALIDATION_FAILED)
    assert _decided(assess(ld(product()), GENERIC, context(currency="EUR"))) == held
    assert _decided(assess_fast(ld(product(sku="A1")), GENERIC, context(currency="EUR"))) == held


def _decided(found: OfferRead | None) -> tuple[Decision, str | None]:
    assert found is not None
    assert found.verdict is not None
    return found.verdict.decision, found.verdict.reason
