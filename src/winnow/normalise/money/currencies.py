"""ISO 4217: which codes exist, how many decimals each has, and how people write amounts in them."""

from __future__ import annotations

# Active codes of ISO 4217 list one, without funds, metals and testing codes.
_ALL_CODES = """
    AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF
    CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD
    HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD
    MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN
    PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY
    TTD TWD TZS UAH UGX USD UYU UZS VED VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG
"""
# Withdrawn, and still on pages kept from before: Croatia (2023), Lithuania (2015), Latvia (2014), Estonia (2011).
_WITHDRAWN = "HRK LTL LVL EEK"
CODES = frozenset(f"{_ALL_CODES} {_WITHDRAWN}".split())

_NO_DECIMALS = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF"
_THREE_DECIMALS = "BHD IQD JOD KWD LYD OMR TND"
_EXPONENTS = dict.fromkeys(_NO_DECIMALS.split(), 0) | dict.fromkeys(_THREE_DECIMALS.split(), 3)
DEFAULT_EXPONENT = 2

# Where the comma is the decimal sign and the dot, if anything, groups thousands (CLDR number patterns of
# the countries that use the currency). The euro is written both ways and is decided by its style.
_COMMA_DECIMAL_CODES = """
    ARS AZN BAM BGN BRL BYN CLP COP CRC CZK DKK DZD GEL HUF IDR ISK KZT MAD MDL MKD NOK PLN PYG RON RSD RUB SEK
    TND TRY UAH UYU UZS VES VND XAF XOF XPF AOA MZN CVE HRK LTL LVL EEK
"""
COMMA_DECIMAL = frozenset(_COMMA_DECIMAL_CODES.split())
# Officially two decimals, but nothing costs less than a hundred units: three digits are always a group.
_LARGE_UNIT_CODES = """
    IDR COP IRR LBP UZS MMK KHR LAK MNT IQD SYP TZS MWK SLE STN NGN CRC HUF
"""
LARGE_UNITS = frozenset(_LARGE_UNIT_CODES.split())
# Lakh and crore: 12,34,567.
INDIAN_GROUPING = frozenset(["INR", "PKR", "NPR", "LKR", "BDT", "BTN"])

REGION_CURRENCY = {
    "US": "USD", "CA": "CAD", "AU": "AUD", "NZ": "NZD", "HK": "HKD", "SG": "SGD", "TW": "TWD", "MX": "MXN",
    "AR": "ARS", "CL": "CLP", "CO": "COP", "UY": "UYU", "SE": "SEK", "NO": "NOK", "DK": "DKK", "IS": "ISK",
    "JP": "JPY", "CN": "CNY", "IN": "INR", "PK": "PKR", "LK": "LKR", "NP": "NPR", "EG": "EGP", "GB": "GBP",
}  # fmt: skip
LANGUAGE_CURRENCY = {
    "sv": "SEK", "nb": "NOK", "nn": "NOK", "no": "NOK", "da": "DKK", "is": "ISK", "ja": "JPY", "zh": "CNY",
}  # fmt: skip


def exponent(currency: str) -> int:
    return _EXPONENTS.get(currency, DEFAULT_EXPONENT)


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
