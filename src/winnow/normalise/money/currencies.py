"""ISO 4217: which codes exist, how many decimals each has, and how people write amounts in them."""

from __future__ import annotations

from winnow.vocabulary.currencies import currencies, currency_of_country

_KNOWN = currencies()
CODES = frozenset(_KNOWN)
COMMA_DECIMAL = frozenset(code for code, known in _KNOWN.items() if known.decimal_comma)
LARGE_UNITS = frozenset(code for code, known in _KNOWN.items() if known.large_units)
INDIAN_GROUPING = frozenset(code for code, known in _KNOWN.items() if known.lakh)
_EXPONENTS = {code: known.decimals for code, known in _KNOWN.items()}
DEFAULT_EXPONENT = 2
_MIN_PRICES = {code: known.min_price for code, known in _KNOWN.items() if known.min_price}

# Countries whose currency has a sign that others use too. More of them are not read from an address: `/na/` and `/as/`
# are seldom Namibia and American Samoa.
_REGIONS = "US CA AU NZ HK SG TW MX AR CL CO UY SE NO DK IS JP CN IN PK LK NP EG GB"
REGION_CURRENCY = {region: currency_of_country()[region] for region in _REGIONS.split()}
_HOME = {"sv": "SE", "nb": "NO", "nn": "NO", "no": "NO", "da": "DK", "is": "IS", "ja": "JP", "zh": "CN"}
LANGUAGE_CURRENCY = {language: REGION_CURRENCY[region] for language, region in _HOME.items()}


def exponent(currency: str) -> int:
    return _EXPONENTS.get(currency, DEFAULT_EXPONENT)


def min_minor(currency: str) -> int:
    """The lowest plausible price in a currency that was redenominated by thousands; 0 for others."""
    return _MIN_PRICES.get(currency, 0) * int(10 ** exponent(currency))


def read_currency(text: str | None) -> str | None:
    """The ISO code a page states, or None when it states none that exists."""
    code = (text or "").strip().upper()
    return code if code in CODES else None


def local_currency(locale: str | None) -> str | None:
    """What people of a locale pay in, for signs that several currencies share."""
    language, _, region = (locale or "").replace("_", "-").partition("-")
    region = region.rpartition("-")[2].upper()
    if region in REGION_CURRENCY:
        return REGION_CURRENCY[region]
    return None if region else LANGUAGE_CURRENCY.get(language.lower())
