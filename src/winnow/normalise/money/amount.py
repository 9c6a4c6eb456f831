"""A written number -> integer minor units. No float, and no guess about what a separator means.

Two digits after the last separator are decimals, three are a thousands group, and the one spelling that
can be either ("1.299") is settled by how the currency or the locale is written, or stays a problem.
"""

from __future__ import annotations

import re
from enum import StrEnum

from winnow.normalise.money.currencies import COMMA_DECIMAL, INDIAN_GROUPING, LARGE_UNITS, exponent
from winnow.normalise.record import Trouble

# bigint holds 18 whole digits; nothing sold anywhere needs 16 (the gate of P-033 is far below).
MAX_DIGITS = 15

# Languages that write 1.299,00 or 1 299,00 (CLDR).
_COMMA_LANGUAGE_CODES = """
    de fr es it nl pt pl cs sk da sv nb nn no fi ru uk be tr el hu ro bg hr sr sl et lv lt id vi is ca gl eu mk
    sq az kk
"""
_COMMA_LANGUAGES = frozenset(_COMMA_LANGUAGE_CODES.split())
_DOT_REGIONS = frozenset(["MX", "US", "CH", "LI", "PE", "GT", "HN", "NI", "PA", "PR", "SV", "DO"])
GROUPED = re.compile(r"\d{1,3}(?:[.,' ]\d{3})+")
_ONE_GROUP = re.compile(r"\d{1,3}[.,]\d{3}")
_MIN_WORD_FACTOR = 100  # the factor of 10 between toman and rial changes nothing about how numbers are written
_INDIAN = re.compile(r"\d{1,2}(?:,\d{2})*,\d{3}")


class Style(StrEnum):
    """How the text around a number is written, as far as that says something about separators."""

    BARE = "bare"  # no currency sign: looks like a data field, where a dot should be the decimal point
    SIGN_FIRST = "sign_first"
    SIGN_LAST = "sign_last"


def comma_decimal(locale: str | None) -> bool | None:
    """Whether the locale writes decimals with a comma; None when there is no locale."""
    if not locale:
        return None
    language, _, region = locale.replace("_", "-").partition("-")
    if region.upper() in _DOT_REGIONS:
        return False
    return language.lower() in _COMMA_LANGUAGES


def read_amount(token: str, currency: str, style: Style, locale: str | None = None, factor: int = 1) -> int | Trouble:
    """Minor units of `currency`. `token` holds ASCII digits, dots, commas, apostrophes and spaces only; `factor` is
    what a multiplier word behind it means."""
    if sum(c.isdigit() for c in token) > 2 * MAX_DIGITS:
        return Trouble.TOO_LARGE
    if factor >= _MIN_WORD_FACTOR and _ONE_GROUP.fullmatch(token):
        return Trouble.SEPARATOR  # "1.250 Mio." is written with decimals and with groups
    parts = _split(token, currency, style, locale)
    return parts if isinstance(parts, Trouble) else to_minor(*_multiplied(*parts, factor), exponent(currency))


def _multiplied(whole: str, fraction: str, factor: int) -> tuple[str, str]:
    if factor == 1:
        return whole, fraction
    digits = str(int(whole + fraction) * factor).zfill(len(fraction) + 1)
    return (digits[: -len(fraction)], digits[-len(fraction) :]) if fraction else (digits, "")


def read_plain(token: str, currency: str) -> int | Trouble:
    """A number of a data format: the dot is the decimal point, but three decimals ("1.226" in a currency
    with two) are how a badly formatted thousand looks, so they are not believed either."""
    whole, _, fraction = token.partition(".")
    if len(fraction) == 3 and fraction[-1] != "0" and exponent(currency) < 3:
        return Trouble.SEPARATOR
    return to_minor(whole, fraction, exponent(currency))


def to_minor(whole: str, fraction: str, places: int) -> int | Trouble:
    if len(whole.lstrip("0")) > MAX_DIGITS:
        return Trouble.TOO_LARGE
    kept, rest = fraction[:places].ljust(places, "0"), fraction[places:]
    carry = _rounding(rest)
    if carry is None:
        return Trouble.PRECISION
    return int((whole or "0") + kept) + carry


def _rounding(rest: str) -> int | None:
    """Digits beyond the minor unit are allowed as padding (19.9900) and as the noise a binary fraction
    leaves behind (24.990000000000002, 24.989999999999998); anything else is precision nobody pays."""
    if not rest.strip("0"):
        return 0
    if len(rest) >= 4 and rest.startswith("000"):
        return 0
    return 1 if len(rest) >= 4 and rest.startswith("999") else None


def _split(token: str, currency: str, style: Style, locale: str | None) -> tuple[str, str] | Trouble:
    """Whole and fractional digits of a token."""
    separators = re.findall(r"[.,' ]", token)
    if not separators:
        return token, ""
    last = separators[-1]
    head, _, tail = token.rpartition(last)
    if last in "' " or separators.count(last) > 1:
        return _whole(token, currency)
    if len(separators) == 1 and _could_be_group(head, tail):
        return _one_separator(last, head, tail, currency, style, locale)
    whole = _whole(head, currency)
    return whole if isinstance(whole, Trouble) else (whole[0], tail)


def _whole(text: str, currency: str) -> tuple[str, str] | Trouble:
    """A whole number, its groups checked: one kind of separator, three digits each (or lakh grouping)."""
    marks = set(re.findall(r"[.,' ]", text))
    digits = re.sub(r"\D", "", text)
    if not marks:
        return digits, ""
    if len(marks) > 1:
        return Trouble.SEPARATOR
    if GROUPED.fullmatch(text) or (currency in INDIAN_GROUPING and _INDIAN.fullmatch(text)):
        return digits, ""
    return Trouble.SEPARATOR


def _could_be_group(head: str, tail: str) -> bool:
    return len(tail) == 3 and 1 <= len(head) <= 3 and not head.startswith("0")


def _one_separator(
    mark: str, head: str, tail: str, currency: str, style: Style, locale: str | None
) -> tuple[str, str] | Trouble:
    """`1.299` or `1,299`: a group if the currency's or the locale's way of writing makes it one."""
    comma = comma_decimal(locale)
    if exponent(currency) == 3:
        decimal = "," if comma else "."
        return (head, tail) if mark == decimal else Trouble.SEPARATOR
    if exponent(currency) == 0 or currency in LARGE_UNITS or _groups_with(mark, currency, style, comma):
        return head + tail, ""
    return Trouble.SEPARATOR


def _groups_with(mark: str, currency: str, style: Style, comma: bool | None) -> bool:
    if style is Style.BARE and mark == ".":
        return False
    if comma is not None and (mark == ".") == comma:
        return True
    if currency == "EUR":  # 1.299 € and € 1.299 on the continent, €1,299 in Ireland and on English pages
        return mark == "." or style is Style.SIGN_FIRST
    return (mark == ".") == (currency in COMMA_DECIMAL)
