"""Currencies: ISO 4217 codes, their decimals, and how amounts in them are written (`data/currencies.json`).

Signs that only one currency has, and who pays in which, come from CLDR (`data/cldr/currencies.json`). The decimals do
not: CLDR counts those that are used, for 13 currencies fewer than ISO 4217, by which amounts are stored.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import cache

import msgspec

from winnow.vocabulary.load import load
from winnow.vocabulary.phrases import any_word

Signs = tuple[str, ...]
LETTER = r"[^\W\d_]"
# Vowel signs of Hebrew, Arabic, Indian and Thai script: parts of words that the pattern of letters does not know.
VOWEL_SIGN = (
    r"[\u0591-\u05c7\u064b-\u065f\u0900-\u0903\u093a-\u094f\u0955-\u0957\u0981-\u0983\u09bc-\u09cd\u0a3c-\u0a4d"
    r"\u0abc-\u0acd\u0b3c-\u0b4d\u0bbe-\u0bcd\u0c3e-\u0c4d\u0cbc-\u0ccd\u0d3e-\u0d4d\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]"
)


class Currency(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All signs in small letters. `signs` are looked for everywhere, `words` only in the text of a price: on a page
    they are found too often as something else, or hardly ever. Both mean this currency unless the page says another
    that has them in `also`. `shared` and `shared_words` mean nothing until the page, the source or the locale says
    which. `column`: what it is called in a column of currencies beside its signs.

    `is_word`: the code is an English word. `small`: it is also written in small letters. `rare`: it is not looked for
    on pages. `decimal_comma`: the comma is the decimal sign, and the dot, if anything, groups thousands (the euro is
    written both ways). `large_units`: nothing costs less than a hundred, so three digits are always a group. `lakh`:
    12,34,567.
    """

    decimals: int = 2
    dollar: bool = False  # shares `$`, "dollar" and "¢" with the others
    signs: Signs = ()
    words: Signs = ()
    shared: Signs = ()
    shared_words: Signs = ()
    also: Signs = ()
    column: Signs = ()
    decimal_comma: bool = False
    large_units: bool = False
    lakh: bool = False
    is_word: bool = False
    small: bool = False
    rare: bool = False
    tenfold: Signs = ()  # words for ten of them
    withdrawn: bool = False  # and still on pages kept from before
    min_price: int = 0  # of a catalogue: a lower amount is one of the currency that replaced it


class Used(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What CLDR says."""

    countries: Signs
    symbols: Signs


DOLLAR, DOLLAR_WORDS, CENT = "$", ("dollar", "dollars"), "¢"


@cache
def currencies() -> dict[str, Currency]:
    return load("currencies", dict[str, Currency])


@cache
def _used() -> dict[str, Used]:
    return load("cldr/currencies", dict[str, Used])


@cache
def currency_of_country() -> dict[str, str]:
    return {country: code for code, used in _used().items() for country in used.countries}


@cache
def meanings() -> dict[str, str]:
    """Sign -> the currency it means when nothing else is said."""
    own = {sign: code for code, known in currencies().items() for sign in (*known.signs, *known.words, *known.tenfold)}
    return {symbol.lower(): code for code, used in _used().items() for symbol in used.symbols} | own


@cache
def possible_meanings() -> dict[str, frozenset[str]]:
    """Sign -> every currency that is written with it."""
    found: dict[str, set[str]] = {sign: {code} for sign, code in meanings().items()}
    for code, known in currencies().items():
        dollars = (DOLLAR, *DOLLAR_WORDS, CENT) if known.dollar else ()
        for sign in (*known.shared, *known.shared_words, *known.also, *dollars):
            found.setdefault(sign, set()).add(code)
    return {sign: frozenset(codes) for sign, codes in found.items()}


def tomans() -> list[str]:
    return [word for known in currencies().values() for word in known.tenfold]


@cache
def column_names() -> dict[str, str]:
    """What a column of currencies says, in small letters -> code; `Ft` only as it is written, for feet are `ft`. Two
    plain letters can be a language: `price_fr`."""
    found = {
        sign: code for sign, code in meanings().items() if len(sign) > 2 or not (sign.isascii() and sign.isalpha())
    }
    return found | {name: code for code, known in currencies().items() for name in known.column}


def signs_on_pages(codes: Iterable[str] | None = None) -> list[str]:
    """What is looked for on pages: signs and symbols, of all currencies or of some. Codes are not among them."""
    known = currencies()
    found = [sign for code in codes or known for sign in (*known[code].signs, *known[code].shared)]
    symbols = [symbol.lower() for code in codes or known if code in _used() for symbol in _used()[code].symbols]
    return list(dict.fromkeys([DOLLAR, *symbols, *found]))


def pattern_of(codes: Iterable[str]) -> str:
    """Finds these currencies beside an amount by their signs and codes, without regard to case. "Fr" is left out: it is
    a Friday as well."""
    signs = [sign for sign in signs_on_pages(codes) if sign != "fr"]
    plain = any_word(sign for sign in signs if not is_cased(sign))
    words = any_word([*filter(is_cased, signs), *(code.lower() for code in codes)])
    return rf"(?:{plain}|(?<!{LETTER})(?:{words})(?!{LETTER}))"


def is_cased(sign: str) -> bool:
    """Whether it has letters of an alphabet with capitals, and so can be a part of a word."""
    return any(unicodedata.category(letter) in ("Ll", "Lu") for letter in sign)
