"""Patterns that find cart buttons and stock lines. Whether a line says something is read in `normalise/`."""

from __future__ import annotations

import re

from winnow.vocabulary.lazy_pattern import lazy_pattern
from winnow.vocabulary.phrases import any_of
from winnow.vocabulary.stock import phrases


def _anywhere(*keys: str) -> re.Pattern[str]:
    """Without borders: what begins or ends in the middle of a word is found as well."""
    return lazy_pattern(any_of(phrase.rstrip("*") for phrase in phrases(*keys)), re.IGNORECASE)


CART_LABELS = _anywhere("cart")
TICKET_LABELS = _anywhere("ticket")
SOLD_OUT_LABELS = _anywhere("sold_out", "sold_out_button")
ORDERED_LATER = _anywhere("later", "later_button")
STOCK_LABEL = re.compile(rf"(?:{any_of(phrases('label'))})[^:：]{{0,12}}[:：]", re.IGNORECASE)
STOCKISH = _anywhere("stems", "sold_out", "sold_out_button")
