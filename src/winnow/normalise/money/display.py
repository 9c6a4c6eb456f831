"""How money is written for people: 129.00 EUR, never 12900. The one place that turns minor units into text."""

from __future__ import annotations

from winnow.normalise.money.currencies import exponent


def decimal_text(minor: int, digits: int) -> str:
    """1999 and 2 give 19.99, exactly: no float on the way."""
    sign, text = ("-", str(-minor)) if minor < 0 else ("", str(minor))
    if digits <= 0:
        return sign + text
    text = text.zfill(digits + 1)
    return f"{sign}{text[:-digits]}.{text[-digits:]}"


def format_money(minor: int, currency: str) -> str:
    """12900 and EUR give 129.00 EUR; 500 and JPY give 500 JPY."""
    return f"{decimal_text(minor, exponent(currency))} {currency}"
