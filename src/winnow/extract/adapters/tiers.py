"""Quantity breaks: the price of one (P-028).

    1-4 $25.00 / 5-9 $24.00 / 10+ $23.00   ->   $25.00

A table that does not say what one costs gives no price, unless every quantity costs the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from winnow.errors import InvalidInput
from winnow.extract.adapters.rules import check_selector, text_of
from winnow.extract.css_selectors import Scope, select, select_first
from winnow.extract.draft import Strategy, Value

# "1", "1-4", "1 – 4", "1+", "1 to 4", "1 or more", "Buy 1", "Qty 1-4"; not the 1 of "10" or of "1,000".
_RANGE = re.compile(r"(?<![\d.,])(\d{1,6})(?![\d.,]*\d)(?:\s*(?:-|–|—|to|bis|tot|à)\s*(\d{1,6}))?")
_MONEY = re.compile(r"\d[\d.,\s]*")


class Tiers(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`rows` finds the tiers, `quantity` and `price` stand inside each."""

    rows: str
    quantity: str
    price: str


def tiers_of(given: Any, where: str) -> Tiers:
    try:
        tiers = msgspec.convert(given, Tiers)
    except msgspec.ValidationError as wrong:
        raise InvalidInput(f"{where}, tiers: {wrong}") from None
    for css in (tiers.rows, tiers.quantity, tiers.price):
        check_selector(css, f"{where}, tiers")
    return tiers


def with_tiers(values: dict[str, list[Value]], scope: Scope, tiers: Tiers) -> dict[str, list[Value]]:
    """Where there is a table, it is what the shop charges: a headline beside it may be the best price, or a case's. A
    table that does not say what one costs leaves the price undecided (P-029)."""
    found = _read(scope, tiers)
    single = price_of_one(found)
    if not found:
        return values
    others = {field: of for field, of in values.items() if field != "price"}
    field, text = ("price_from", found[0][1]) if single is None else ("price", single)
    return {**others, field: [Value(text, Strategy.ADAPTER, tiers.rows)]}


def _read(scope: Scope, tiers: Tiers) -> list[tuple[str, str]]:
    """(quantity, price) of each row that has an amount; heading rows have none."""
    found = []
    for row in select(scope, tiers.rows):
        quantity, price = select_first(row, tiers.quantity), select_first(row, tiers.price)
        if quantity is not None and price is not None:
            found.append((text_of(quantity), text_of(price)))
    return [(quantity, price) for quantity, price in found if _MONEY.search(price)]


def price_of_one(tiers: Sequence[tuple[str, str]]) -> str | None:
    """The text of the price, of (quantity, price) texts as the page has them."""
    ones = [price for quantity, price in tiers if _holds_one(quantity)]
    if len(ones) == 1:
        return ones[0]
    same = {_amount(price) for _, price in tiers}
    return tiers[0][1] if len(same) == 1 else None


def _holds_one(quantity: str) -> bool:
    match = _RANGE.search(quantity)
    return match is not None and int(match[1]) == 1


def _amount(price: str) -> str:
    match = _MONEY.search(price)
    return "".join(match[0].split()) if match else ""
