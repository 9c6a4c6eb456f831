"""Generated pages of many shops and countries: page -> accepted offer. The figures in floor.json may only rise.

DESIGN §11.25: accuracy counts accepted values; a held value is a miss for recall and no error for precision.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest

from tests.kinds.reading import GENERIC, assess_fast
from tests.product_pages import context, page
from tests.quality.measure import Score, judged, score
from tests.quality.shops.pages import SHAPES, pages

FLOOR = json.loads((Path(__file__).parent / "floor.json").read_text())["shops"]


@cache
def _scored() -> Score:
    return score(pages())


def test_p027_p034_what_is_accepted_is_right() -> None:
    found = _scored()
    wrong = [(m.shape, m.variant, m.spec.country.lang, m.spec.minor, a.offer) for m, a in found.wrong]
    assert found.pages >= FLOOR["pages"]
    assert found.precision >= FLOOR["precision"], wrong


def test_enough_is_accepted() -> None:
    found = _scored()
    missed = [(m.shape, m.variant, m.spec.country.lang, a.failure or a.verdict) for m, a in found.missed]
    assert found.recall >= FLOOR["recall"], missed


def test_no_carousel_or_list_price_is_ever_accepted() -> None:
    for made, found in _scored().wrong:
        assert found.offer is not None
        assert found.offer.price is not None
        assert found.offer.price.minor not in (made.spec.list_minor, *made.spec.others), made


@pytest.mark.parametrize("shape", [shape.__name__ for shape in SHAPES])
def test_every_shape_of_shop_is_read(shape: str) -> None:
    assert _scored().shapes[shape] >= FLOOR["right_per_shape"]


def test_the_fast_path_says_what_the_whole_waterfall_says() -> None:
    generic = GENERIC
    for made in pages(rounds=1):
        quick = assess_fast(page(made.html, made.spec.url), generic, context(made.spec.url))
        assert quick is None or quick == judged(made), (made.shape, made.variant)
