"""Writes `src/winnow/vocabulary/data/cldr` anew, from the CLDR of `babel`. No process of Winnow needs babel.

python -m tools.cldr
"""

from __future__ import annotations

import re
import unicodedata
from datetime import date
from typing import Any

from babel import Locale, localedata
from babel.core import get_global
from babel.numbers import get_territory_currencies

from tools.vocabulary import DATA, formatted

DAY = date(2026, 1, 1)  # which currencies are in use; later when a country changes hers
SHARED = frozenset("$£¥₤")  # several currencies are written with them
_COUNTRY = re.compile(r"[A-Z]{2}")
_SYMBOL = re.compile(r"[A-Z]{0,3}(.)", re.DOTALL)


def main() -> None:
    for subject, content in generated().items():
        (DATA / "cldr" / f"{subject}.json").write_text(formatted(content), encoding="utf-8")


def generated() -> dict[str, dict[str, Any]]:
    return {"currencies": currencies()}


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


if __name__ == "__main__":
    main()
