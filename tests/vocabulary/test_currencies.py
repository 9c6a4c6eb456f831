"""Currencies: one table of signs for pages, prices and catalogues."""

from __future__ import annotations

import re
import unicodedata

import pytest

from winnow.extract.dom.signs import SIGNS
from winnow.feeds.read.values import read_currency
from winnow.normalise.money.signs import SIGN, decide_currency
from winnow.vocabulary.currencies import (
    currencies,
    currency_of_country,
    meanings,
    pattern_of,
    possible_meanings,
    signs_on_pages,
)

MEANINGS = meanings().items()


def test_every_currency_in_use_is_known() -> None:
    unused = {code for code, known in currencies().items() if known.withdrawn} | {"ANG", "SVC", "VED"}
    assert set(currencies()) == set(currency_of_country().values()) | unused


def test_a_sign_means_one_currency_or_is_shared() -> None:
    for code, known in currencies().items():
        own = {*known.signs, *known.words}
        assert own.isdisjoint([*known.shared, *known.shared_words, *known.also]), code
        assert all(meanings()[sign] == code for sign in own), code
        assert all(sign == unicodedata.normalize("NFC", sign).lower() for sign in own), code


@pytest.mark.parametrize(("sign", "code"), MEANINGS)
def test_p032_a_sign_beside_an_amount_is_read(sign: str, code: str) -> None:
    written = sign.upper() if sign in ("r", "km") else sign
    found = SIGN.search(f"{written} 12")
    assert found is not None
    assert decide_currency([found[0]], None, None) == code
    assert code in possible_meanings()[sign]


@pytest.mark.parametrize("sign", signs_on_pages())
def test_signs_are_found_on_pages_but_not_inside_of_words(sign: str) -> None:
    assert SIGNS.search(f"{sign.upper()} 12")
    if sign.isalpha() and sign.upper() != sign.lower():
        assert SIGNS.match(f"{sign}x 12") is None


def test_f080_a_column_of_currencies_knows_the_signs_of_pages() -> None:
    assert [read_currency(text) for text in ("Zł", "Kč", "R$", "원", "лв.", "Ft")] == [
        "PLN", "CZK", "BRL", "KRW", "BGN", "HUF",
    ]  # fmt: skip
    assert [read_currency(text) for text in ("fr", "kr", "r", "$")] == [None] * 4


def test_a_pattern_of_some_currencies_finds_no_others() -> None:
    found = re.compile(pattern_of(["EUR", "PLN"]), re.IGNORECASE)
    assert [bool(found.search(text)) for text in ("12 €", "EUR 12", "12 ZŁ", "12 PLN", "£ 12", "neuro 12")] == [
        True, True, True, True, False, False,
    ]  # fmt: skip
    assert re.search(pattern_of(["CHF"]), "fr 24.12.") is None
