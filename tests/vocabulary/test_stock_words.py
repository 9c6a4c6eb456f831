"""Words about stock: one list for pages, buttons and catalogues."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest

from winnow.extract.dom.stock_words import CART_LABELS, ORDERED_LATER, SOLD_OUT_LABELS, STOCKISH
from winnow.extract.fast.visible_stock import may_contradict_stock
from winnow.extract.page import Page
from winnow.feeds.read.values import read_stock
from winnow.normalise.record import Availability
from winnow.normalise.stock import read_availability
from winnow.vocabulary.phrases import literals, pattern
from winnow.vocabulary.stock import StockWords, stock_words

LANGUAGES = stock_words().items()


def spellings(phrases: tuple[str, ...]) -> list[str]:
    return [spelling for phrase in phrases for spelling in literals(phrase.replace("#", "3"))]


@pytest.mark.parametrize(("language", "words"), LANGUAGES)
def test_every_language_says_what_is_required_of_it(language: str, words: StockWords) -> None:
    assert words.sold_out
    assert words.cart
    assert words.in_stock or words.promised
    assert all(re.compile(pattern(phrase)) for key in words.__struct_fields__ for phrase in getattr(words, key))


@pytest.mark.parametrize(("language", "words"), LANGUAGES)
def test_a_phrase_stands_once(language: str, words: StockWords) -> None:
    told = [*words.sold_out, *words.sold_out_button, *words.sold_out_line, *words.later, *words.later_button]
    told += [*words.later_line, *words.in_stock, *words.promised]
    assert len(told) == len(set(told)), language


@pytest.mark.parametrize(("language", "words"), LANGUAGES)
def test_p009_sold_out_is_understood_by_every_reader(language: str, words: StockWords) -> None:
    for phrase in spellings(words.sold_out):
        assert read_availability(phrase) is Availability.OUT_OF_STOCK, phrase
        assert read_stock(phrase) == (False, True), phrase
        assert SOLD_OUT_LABELS.search(phrase.upper()), phrase
        assert STOCKISH.search(phrase), phrase
        page = Page("https://shop.example/", f"<h1>x</h1><p>{phrase}</p>".encode(), datetime(2026, 1, 1, tzinfo=UTC))
        assert may_contradict_stock(page, language), phrase


@pytest.mark.parametrize(("language", "words"), LANGUAGES)
def test_p009_what_is_in_stock_or_comes_later_is_understood(language: str, words: StockWords) -> None:
    for phrase in spellings((*words.in_stock, *words.promised)):
        assert read_availability(phrase) is Availability.IN_STOCK, phrase
    for phrase in spellings((*words.later, *words.later_button, *words.later_line)):
        assert read_availability(phrase) is Availability.BACKORDER, phrase
    assert all(ORDERED_LATER.search(phrase) for phrase in spellings((*words.later, *words.later_button)))
    assert not any(SOLD_OUT_LABELS.search(pattern(phrase)) for phrase in words.cart)


@pytest.mark.parametrize(("language", "words"), LANGUAGES)
def test_f081_cells_of_a_stock_column_are_understood(language: str, words: StockWords) -> None:
    assert all(read_stock(word) == (True, True) for word in words.cell_yes)
    assert all(read_stock(word) == (False, True) for word in words.cell_no)


def test_a_catalogue_that_says_not_in_store_is_not_in_stock() -> None:
    """Two lists had disagreed: the page reader took the end of "nicht lagernd" for "lagernd"."""
    assert read_availability("Nicht lagernd") is Availability.OUT_OF_STOCK
    assert CART_LABELS.search("In den Warenkorb")
