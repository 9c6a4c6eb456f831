"""Writes `src/winnow/vocabulary/data/cldr` anew, from the CLDR of `babel`. No process of Winnow needs babel.

python -m tools.cldr
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from datetime import date
from typing import Any

from babel import Locale, localedata
from babel.core import get_global
from babel.numbers import get_territory_currencies

from tools.vocabulary import DATA, formatted

DAY = date(2026, 1, 1)  # which currencies are in use; later when a country changes hers
SHARED = frozenset("$£¥₤")  # several currencies are written with them
# Languages of the date reader.
_LANGUAGES = """
    ar be bg bs ca cs da de el en es et eu fi fr gl he hr hu id is it ja ko lt lv mk ms nb nl nn pl pt ro ru sk sl sr
    sr_Latn sv tr uk vi zh
"""
LANGUAGES = _LANGUAGES.split()
_MORE_LANGUAGES = ("bn", "en_IN", "fa", "hi", "ka", "kk", "mr", "sw", "ta", "te", "th", "ur", "uz")  # of large numbers
_FIRST_CHINESE = "\u3000"
_UNITS = ("minute", "hour", "day", "week", "month", "year")
_COUNTRY = re.compile(r"[A-Z]{2}")
_SYMBOL = re.compile(r"[A-Z]{0,3}(.)", re.DOTALL)


def main() -> None:
    for subject, content in generated().items():
        (DATA / "cldr" / f"{subject}.json").write_text(formatted(content), encoding="utf-8")


def generated() -> dict[str, dict[str, Any]]:
    return {
        "currencies": currencies(),
        "dates": {language: dates(language) for language in LANGUAGES},
        "multipliers": {language: multipliers(language) for language in sorted([*LANGUAGES, *_MORE_LANGUAGES])},
    }


def currencies() -> dict[str, dict[str, list[str]]]:
    """Currency -> the countries in which it is paid, and signs that are its own."""
    own = symbols()
    used: dict[str, list[str]] = {}
    for country, code in countries().items():
        used.setdefault(code, []).append(country)
    return {code: {"countries": used[code], "symbols": own.get(code, [])} for code in sorted(used)}


def countries() -> dict[str, str]:
    """Country -> the currency that is paid in there. Of two, the country's own."""
    found = {}
    for territory in sorted(get_global("territory_currencies")):
        used = get_territory_currencies(territory, DAY) if _COUNTRY.fullmatch(territory) else []
        if used:
            found[territory] = next((code for code in used if code.startswith(territory)), used[0])
    return found


def symbols() -> dict[str, list[str]]:
    """Of each currency those that no other has: `₹`, `NT$`. Letters alone are left out: they mean other things too."""
    found: dict[str, set[str]] = {}
    for name in localedata.locale_identifiers():
        for code, symbol in Locale.parse(name).currency_symbols.items():
            if _is_own(symbol, code) and (symbol[:-1] == "" or name.startswith("en")):
                found.setdefault(code, set()).add(symbol)
    several = {symbol for one in found for other in found if one != other for symbol in found[one] & found[other]}
    return {code: sorted(own - several) for code, own in found.items()}


def _is_own(symbol: str, code: str) -> bool:
    found = _SYMBOL.fullmatch(symbol)
    return found is not None and unicodedata.category(found[1]) == "Sc" and symbol not in SHARED and symbol != code


def dates(language: str) -> dict[str, Any]:
    """Names of months and weekdays, and how "3 days ago" and "in 3 days" are written, with {0} for the number."""
    locale = Locale.parse(language)
    fields: Any = locale._data["date_fields"]  # babel has no public way to them
    return {
        "months": _names(locale.months, "wide", range(1, 13)),
        "short_months": _names(locale.months, "abbreviated", range(1, 13)),
        "weekdays": _names(locale.days, "wide", range(7)),
        "short_weekdays": _names(locale.days, "abbreviated", range(7)),
        "ago": {unit: _templates(fields, unit, "past") for unit in _UNITS},
        "ahead": {unit: _templates(fields, unit, "future") for unit in _UNITS},
    }


def _names(known: Any, width: str, keys: Iterable[int]) -> list[str]:
    """One text for each key: its names with spaces between them."""
    forms = [known[context][width] for context in ("format", "stand-alone") if width in known[context]]
    return [" ".join(sorted({_bare(form[key]) for form in forms} - {""})) for key in keys]


def _bare(name: str) -> str:
    """Small letters, no dot, no "de" before it; numbered months ("thg 1") and phrases are no names."""
    word = re.sub(r"^(?:de |d[’'])", "", name.lower()).rstrip(".")
    return "" if re.search(r"[\d\s,]", word) else word


def _templates(fields: Any, unit: str, direction: str) -> list[str]:
    found = [fields[name][direction].values() for name in (unit, f"{unit}-short") if direction in fields.get(name, {})]
    return sorted({" ".join(each.lower().split()) for templates in found for each in templates if "{0}" in each})


def multipliers(language: str) -> dict[str, list[str]]:
    """Factor -> the words and abbreviations that stand for it behind a number: thousand, Mio., 万. Single letters of
    alphabets mean too much else and are left out."""
    found: dict[int, set[str]] = {}
    formats = Locale.parse(language).compact_decimal_formats
    patterns = [
        pair for width in ("short", "long") for known in formats.get(width, {}).values() for pair in known.items()
    ]
    for size, pattern in patterns:
        text = str(pattern.pattern)
        zeros = re.search("0+", text)
        word = re.sub(r"[0'.¤\s\u200f]+", " ", text).strip().lower()
        if zeros and len(word) > (1 if word < _FIRST_CHINESE else 0) and not re.search(r"[;(]", word):
            found.setdefault(int(size) // 10 ** (len(zeros[0]) - 1), set()).add(word)
    return {str(factor): sorted(found[factor]) for factor in sorted(found)}


if __name__ == "__main__":
    main()
