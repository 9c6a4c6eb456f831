"""Whole pages in the shapes of real shops: page -> accepted offer. The figures in floor.json may only rise.

DESIGN §11.25: accuracy counts accepted values; a held value is a miss for recall and no error for precision.
"""

from __future__ import annotations

import json
from pathlib import Path

from tests.kinds.reading import GENERIC, assess, assess_fast
from tests.product_pages import context, page
from tests.quality.shop_pages import Case, cases
from winnow.judge.verdict import Decision
from winnow.normalise.record import Offer

FLOOR = json.loads((Path(__file__).parent / "floor.json").read_text())["pages"]


def _accepted(case: Case) -> Offer | None:
    found = assess(page(case.html, case.url), GENERIC, context(case.url))
    return found.offer if found.verdict and found.verdict.decision is Decision.ACCEPT else None


def _is_right(case: Case, offer: Offer) -> bool:
    truth = case.truth
    if truth is None or offer.price is None:
        return False
    read = (offer.title, offer.price.minor, offer.price.currency, offer.availability)
    return read == (truth.name, truth.minor, truth.currency, truth.stock)


def test_accepted_offers_are_right_and_enough_are_accepted() -> None:
    results = [(case, _accepted(case)) for case in cases()]
    assert len(results) >= FLOOR["pages"]
    wrong = [(case.shape, offer) for case, offer in results if offer is not None and not _is_right(case, offer)]
    assert len(wrong) <= FLOOR["wrong"], wrong
    priced = [(case, offer) for case, offer in results if case.truth is not None]
    missed = [(case.shape, case.url) for case, offer in priced if offer is None]
    assert 1 - len(missed) / len(priced) >= FLOOR["recall"], missed


def test_the_fast_path_never_contradicts_the_whole_waterfall() -> None:
    answered = 0
    for case in cases():
        quick = assess_fast(page(case.html, case.url), GENERIC, context(case.url))
        answered += quick is not None
        assert quick is None or quick == assess(page(case.html, case.url), GENERIC, context(case.url)), case.shape
    assert answered >= FLOOR["fast"]
