"""Minor units never reach a person (DESIGN §11.38): one module writes amounts, and nothing else formats them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import winnow
from winnow.normalise.money.display import decimal_text, format_money

SRC = Path(winnow.__file__).parent
# An f-string that puts minor units between its braces: f"{price.minor} {price.currency}".
RAW_AMOUNT = re.compile(r"f\"[^\"]*\{[\w.\[\]']*(?:\.minor|_minor(?:'\])?)\}[^\"]*\"")


@pytest.mark.parametrize(
    ("minor", "currency", "text"),
    [
        (12900, "EUR", "129.00 EUR"), (129000, "EUR", "1290.00 EUR"), (500, "JPY", "500 JPY"), (5, "USD", "0.05 USD"),
        (1234, "KWD", "1.234 KWD"), (-1999, "GBP", "-19.99 GBP"), (0, "EUR", "0.00 EUR"),
    ],
)  # fmt: skip
def test_an_amount_is_written_with_the_decimals_of_its_currency(minor: int, currency: str, text: str) -> None:
    assert format_money(minor, currency) == text


def test_large_amounts_are_exact() -> None:
    assert decimal_text(10**20 + 1, 2) == "1000000000000000000.01"


def test_no_other_module_formats_minor_units() -> None:
    found = {
        f"{path.relative_to(SRC)}: {match[0]}"
        for path in SRC.rglob("*.py")
        for match in RAW_AMOUNT.finditer(path.read_text())
    }
    assert found == set()
