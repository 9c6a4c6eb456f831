"""Single values of a row: price, currency, stock, GTIN. Pure; what repeats in a file is read once.

Prices go through normalise/money/read.py. A plain decimal is what nearly all of them are, and that reader has its own
short way for it; the tables here only save asking again.
"""

from __future__ import annotations

import re
from functools import partial
from html import unescape

from winnow.normalise.gtin import has_valid_check_digit, read_gtin
from winnow.normalise.money.currencies import CODES, COMMA_DECIMAL, LARGE_UNITS, exponent
from winnow.normalise.record import Availability, Money, Problem, Trouble
from winnow.normalise.stock import read_availability
from winnow.vocabulary.currencies import column_names
from winnow.vocabulary.stock import phrases

# How files write "nothing" into a column of numbers or codes.
_NOTHING = (
    r". ? - -- – — N/A n/a NA N.A. n.a. NULL null Null (null) <null> NONE None none NaN nan #N/A #VALUE! #REF! #NULL!"
    r" #NAME? #DIV/0! #NUM! nil Nil NIL undefined \N"
)
EMPTY = frozenset(_NOTHING.split()) | {""}
LONGEST_EMPTY = max(map(len, EMPTY))
# In a column of sale prices; a currency without a number is what a template leaves where there is no sale.
NO_SALE = frozenset(["false", "False", "FALSE", "no", "No", "NO"]) | CODES
MAX_REMEMBERED = 200_000
NO_PRICE = "there is no price"

_PLAIN = re.compile(r"\d+(?:\.\d+)?", re.ASCII)
_IN_BRACKETS = re.compile(r"\(.*\d.*\)")  # how accountants write a negative amount
_WITH_TAX = "inc inclusive including included dahil mwst ust tva iva btw moms dph alv kdv ндс gst hst 税込 税込み"
_PRICE_WORDS = frozenset(_WITH_TAX.split())
_CENT_WORDS = frozenset(["p", "c", "ct", "cent", "cents", "¢"])
_CENTS = re.compile(r"\d{1,2}\s?(?:p|c|ct|cents?|¢)", re.IGNORECASE)
# What makes another amount of the one that is written: a tax that comes on top, a limit, a guess.
_NOT_QUITE = re.compile(
    r"[~?<>≈≤≥±@#^]|\d\s*\+|^\s*[–—]\s?\d|\bnet(?:to)?\b|^\W*(?:tax|vat|mwst|ust|tva|iva|btw)\b", re.IGNORECASE
)
# 12.990 EUR: three decimals, as some databases print them, or thousands, as half of Europe writes them.
_THOUSANDS = re.compile(r"[1-9]\d{0,2}\.\d{3}")
_GROUP_OR_DECIMALS = re.compile(r"(?:([A-Z]{3})\s?)?[1-9]\d{0,2}\.\d\d0(?:\s?([A-Z]{3}))?")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
_MARKUP = re.compile(r"</?(?:b|i|u|em|strong|span|font|small|sup|sub)\b[^<>]*>", re.IGNORECASE)
_BREAKS = re.compile(r"(?:\s*</?(?:br|p|div)\b[^<>]*>)+\s*", re.IGNORECASE)
_ROUNDED = re.compile(r"\d[.,]\d+[eE]\+\d+")  # 1.23E+11: a long number that a spreadsheet has rounded
_WRAPPED = re.compile(r'=?\s*["\'](.*?)["\']?|\'(.*)')  # ="0123" and '0123: how spreadsheets keep zeros
_SAID_TWICE = re.compile(r"\s*[()\[\]/]\s*|\s+[-–]\s+|\s+(?=\S{1,3}$)")
DOLLARS = frozenset(["USD", "CAD", "AUD", "NZD", "SGD", "HKD", "MXN"])

_IN = "y|yes|true|1|in stock|instock|available|low stock|lowstock|low_stock|limited"
_OUT = "n|no|false|0|out of stock|outofstock|unavailable|backordered|preorder|pre-order|sold out|discontinued"
IN_STOCK_WORDS, OUT_OF_STOCK_WORDS = frozenset(_IN.split("|")), frozenset(_OUT.split("|"))  # F-081, F-082
# Beyond the list: Rakuten's IN and OUT, Awin's and Google's words, yes and no in other languages.
_MORE = dict.fromkeys(phrases("cell_yes"), True) | dict.fromkeys(phrases("cell_no", "cell_gone"), False)
_PIECES = r"(?:stk?|szt|шт)\.?|stück|stuks|pcs?|pieces?|units?|items?|ks|db|pz|pezzi|pièces?|unidades|adet|kpl"
_QUANTITY = re.compile(rf"(?:>=?\s?)?(-?\d{{1,3}}(?:,\d{{3}})+|-?\d{{1,9}})(?:[.,]0+)?\s?(?:\+|{_PIECES})?", re.ASCII)

_GTIN_GAPS = re.compile(r"[\s\-–]")
_GTIN_LABEL = re.compile(r"(?:gtin|ean|upc|isbn)(?:-?1[0-4]|-?8|-?a)?[:#\s]*(?=\d)", re.IGNORECASE)
_FLOATED = re.compile(r"(\d+)[.,]0+", re.ASCII)
_WHOLE_FLOAT = re.compile(r"(\d)\.(\d+)[eE]\+?(\d{1,2})", re.ASCII)  # Java's way to write a number of 13 digits
MIN_GTIN, MAX_GTIN = 6, 14  # UPC-E printed short is the shortest code in use, GTIN-14 the longest


class Prices(dict[str, "tuple[int, str] | str"]):
    """Text of a price -> minor units and currency, or why not. One table for one stated currency."""

    def __init__(self, stated: str | None, default: str) -> None:
        self.stated, self.default = stated, default
        self.currency = stated or default
        self.two_places = exponent(self.currency) == 2

    def __missing__(self, text: str) -> tuple[int, str] | str:
        if len(self) >= MAX_REMEMBERED:
            self.clear()
        self[text] = answer = self._read(text)
        return answer

    def _read(self, text: str) -> tuple[int, str] | str:
        if not text:
            return NO_PRICE
        whole, _, cents = text.partition(".")
        digits = whole + cents
        if len(cents) == 2 and self.two_places and 0 < len(whole) < 12 and digits.isdigit() and digits.isascii():
            return int(digits), self.currency  # the fast path; a test proves that it agrees with the reader
        found = read_price(text, self.stated, self.default)
        return _refused(found, text) if isinstance(found, Problem) else (found.minor, found.currency)


def read_price(text: str, stated: str | None, default: str) -> Money | Problem:
    """What the text itself says (`19.99 EUR`) wins over a mere default, but may not contradict what the row states."""
    from winnow.normalise.money.price_phrases import unknown_words
    from winnow.normalise.money.read import parse_money, parse_number  # 80 ms to load; plain prices do without

    currency = stated or default
    if len(text) > 4 and _means_two_things(text, currency):
        return Problem(Trouble.SEPARATOR, text)
    if _PLAIN.fullmatch(text) and not (_THOUSANDS.fullmatch(text) and _has_no_cents(currency)):
        return parse_number(text, currency)
    text = decoded(text)
    if _IN_BRACKETS.fullmatch(text):
        return Problem(Trouble.NEGATIVE, text[:40])
    words = set(unknown_words(text, len(text))) - _PRICE_WORDS  # in a cell, unlike on a page, none is decoration
    cents = words <= _CENT_WORDS and _CENTS.fullmatch(text)
    if _NOT_QUITE.search(text) or ((words or "¢" in text) and not cents):
        return Problem(Trouble.NOTATION, text[:40])
    found = parse_money(text, currency)
    if stated is None and isinstance(found, Problem) and found.code is Trouble.CURRENCY_CONFLICT:
        return parse_money(text, None)
    return found


def _has_no_cents(currency: str) -> bool:
    return currency in COMMA_DECIMAL and (currency in LARGE_UNITS or exponent(currency) == 0)


def _means_two_things(text: str, currency: str) -> bool:
    found = _GROUP_OR_DECIMALS.fullmatch(text)
    code = (found[1] or found[2] or currency) if found else ""
    return code == "EUR" or (code in COMMA_DECIMAL - LARGE_UNITS and 0 < exponent(code) < 3)


_WHY = {
    Trouble.RANGE: "it is a range",
    Trouble.FROM_PRICE: "it is the lowest of several",
    Trouble.PER_UNIT: "it is the price of a unit",
    Trouble.SEVERAL: "it holds several numbers",
    Trouble.SEPARATOR: "its separator can mean two things",
    Trouble.NO_NUMBER: "there is no number in it",
    Trouble.DIGITS: "its digits are not 0 to 9",
    Trouble.NEGATIVE: "it is negative",
    Trouble.PRECISION: "it has too many decimals",
    Trouble.TOO_LARGE: "it is too large",
    Trouble.TOO_LONG: "it is too long",
    Trouble.NOTATION: "it is not written like one",
    Trouble.CURRENCY_UNKNOWN: "its currency is not known",
    Trouble.CURRENCY_CONFLICT: "it names another currency than the row or the feed",
}


def _refused(problem: Problem, text: str) -> str:
    return f"{text[:60]!r} is not a price: {_WHY.get(problem.code, problem.code)}"


def read_currency(text: str) -> str | None:
    """ISO code of a currency column; None when it is none. It may be said twice: `Euro (EUR)`, `USD $`."""
    if code := _one_currency(text):
        return code
    codes = {_one_currency(part) or part for part in _SAID_TWICE.split(text) if part.strip(" .")}
    if codes & DOLLARS:
        codes.discard("$")
    return codes.pop() if len(codes) == 1 and codes <= CODES else None


def _one_currency(text: str) -> str | None:
    name = text.strip(" .")
    return code if (code := name.upper()) in CODES else column_names().get(name) or column_names().get(name.lower())


class Currencies(dict[str, "str | None"]):
    """What a currency column says -> ISO code. A bare dollar sign is the feed's own dollar, if it has one."""

    def __init__(self, default: str) -> None:
        if default in DOLLARS:
            self["$"] = default

    def __missing__(self, text: str) -> str | None:
        if len(self) >= MAX_REMEMBERED:
            self.clear()
        self[text] = code = read_currency(text)
        return code


class StockValues(dict[str, "tuple[bool, bool]"]):
    """A stock word -> (in stock, recognised)."""

    def __missing__(self, text: str) -> tuple[bool, bool]:
        if len(self) >= MAX_REMEMBERED:
            self.clear()
        self[text] = answer = read_stock(text)
        return answer


def read_stock(text: str) -> tuple[bool, bool]:
    """F-081, F-082; what is not recognised counts as in stock, and is counted (FN-17)."""
    word = " ".join(text.lower().split())
    if word in IN_STOCK_WORDS:
        return True, True
    if word in OUT_OF_STOCK_WORDS:
        return False, True
    if word in _MORE:
        return _MORE[word], True
    quantity = _QUANTITY.fullmatch(word)
    if quantity:
        return int(quantity[1].replace(",", "")) > 0, True
    found = read_availability(word)
    return found in (Availability.IN_STOCK, Availability.UNKNOWN), found is not Availability.UNKNOWN


decoded = partial(_ENTITY.sub, lambda found: unescape(found[0]))  # `Tom &amp; Jerry`, once


def plain(text: str) -> str:
    """A name without the markup of the page it was taken from."""
    return _BREAKS.sub(" ", _MARKUP.sub("", text)).strip()


def is_rounded(text: str) -> bool:
    return _ROUNDED.fullmatch(text) is not None


def unwrap(text: str) -> str:
    """`="00123"` and `'00123` without what a spreadsheet put around them."""
    found = _WRAPPED.fullmatch(text)
    return (found[1] or found[2] or "").strip() if found else text


def _as_float(code: str) -> str:
    """The digits of a code that went through a floating-point number, if all of them are still there."""
    plain, exponential = _FLOATED.fullmatch(code), _WHOLE_FLOAT.fullmatch(code)
    if plain:
        return plain[1]
    whole = exponential is not None and len(exponential[2]) == int(exponential[3])
    return exponential[1] + exponential[2] if exponential and whole else ""


def read_upc(text: str) -> tuple[str | None, str | None]:
    """F-078: digits only, leading zeros kept. (value, None), or (None, why it was set aside)."""
    code = _GTIN_LABEL.sub("", _GTIN_GAPS.sub("", unwrap(text)), count=1)
    if code in EMPTY or not code.strip("0"):
        return None, None
    if code.isascii() and code.isdigit():
        return (code, None) if MIN_GTIN <= len(code) <= MAX_GTIN else (None, f"{code[:40]!r} has {len(code)} digits")
    floated = _as_float(code)
    if len(floated) in (8, 12, 13, 14) and has_valid_check_digit(floated):
        return floated, None
    isbn = read_gtin(code) if code[-1:] in "xX" else None
    return (isbn, None) if isbn else (None, f"{text[:40]!r} is not a product code")
