"""Signs and words people write instead of an ISO code.

A sign names a set of currencies and sometimes the one it means when nothing else is said. `$`, `kr`, `¥`
and `Rs` mean nothing by themselves: the page, the source or the locale has to say which.
"""

from __future__ import annotations

import re

from winnow.normalise.money.currencies import CODES, local_currency, read_currency
from winnow.normalise.record import Problem, Trouble

_DOLLARS = (
    "USD CAD AUD NZD HKD SGD TWD MXN ARS CLP COP UYU BBD BMD BND BSD BZD FJD GYD JMD KYD LRD NAD SBD SRD TTD XCD "
    "DOP CUP"
)
_SHARED = {
    "$": _DOLLARS,
    "dollar": _DOLLARS,
    "dollars": _DOLLARS,
    "peso": "MXN ARS CLP COP PHP UYU DOP CUP",
    "pesos": "MXN ARS CLP COP PHP UYU DOP CUP",
    "¥": "JPY CNY",
    "kr": "SEK NOK DKK ISK",
    "rs": "INR PKR LKR NPR MUR SCR",
    "रु": "INR NPR",
    "br": "BYN ETB",
    "bs": "BOB VES",
    "cfa": "XOF XAF",
    "fcfa": "XOF XAF",
    "₨": "INR PKR LKR NPR MUR SCR",
    "dh": "AED MAD",
}
_SINGLE = {
    "€": "EUR", "euro": "EUR", "euros": "EUR", "£": "GBP", "₹": "INR", "₽": "RUB", "руб": "RUB", "₴": "UAH",
    "грн": "UAH", "₺": "TRY", "tl": "TRY", "₩": "KRW", "원": "KRW", "₪": "ILS", "฿": "THB", "₫": "VND", "đ": "VND",
    "₱": "PHP", "₦": "NGN", "₵": "GHS", "₡": "CRC", "₲": "PYG", "₸": "KZT", "₾": "GEL", "₼": "AZN", "zł": "PLN",
    "zl": "PLN", "kč": "CZK", "ft": "HUF", "lei": "RON", "лв": "BGN", "chf": "CHF", "sfr": "CHF", "fr": "CHF",
    "元": "CNY", "rmb": "CNY", "円": "JPY", "dhs": "AED", "rm": "MYR", "rp": "IDR", "r$": "BRL", "us$": "USD",
    "$us": "USD", "$ca": "CAD", "u$s": "USD", "ca$": "CAD", "c$": "CAD", "cdn$": "CAD", "a$": "AUD", "au$": "AUD",
    "nz$": "NZD",
    "hk$": "HKD", "s$": "SGD", "sg$": "SGD", "nt$": "TWD", "mx$": "MXN", "mex$": "MXN", "ar$": "ARS", "clp$": "CLP",
    "col$": "COP", "j$": "JMD", "tt$": "TTD", "s/": "PEN", "rd$": "DOP", "r": "ZAR", "kd": "KWD", "din": "RSD",
    "¢": "USD", "лева": "BGN", "kn": "HRK", "тг": "KZT", "ksh": "KES", "tk": "BDT", "৳": "BDT", "nis": "ILS",
    "ש\"ח": "ILS",
    "cn¥": "CNY", "jp¥": "JPY", "د.إ": "AED", "ر.س": "SAR", "ر.ق": "QAR", "د.ك": "KWD", "ر.ع": "OMR", "باهت": "THB",
    "บาท": "THB",
    "р": "RUB", "рублей": "RUB", "рубля": "RUB", "рубль": "RUB", "б.р": "BYN", "бел.руб": "BYN", "тенге": "KZT",
    "сум": "UZS", "so'm": "UZS", "сом": "KGS", "ден": "MKD", "дин": "RSD", "dinara": "RSD", "lek": "ALL", "lari": "GEL",
    "ლარი": "GEL", "ლ": "GEL", "֏": "AMD", "₮": "MNT", "₭": "LAK", "៛": "KHR", "؋": "AFN", "hrn": "UAH", "₤": "GBP",
    "yen": "JPY", "yuan": "CNY", "人民币": "CNY", "र": "INR", "ரூ": "INR", "රු": "LKR", "baht": "THB", "rupiah": "IDR",
    "ringgit": "MYR", "forint": "HUF", "reais": "BRL", "tsh": "TZS", "ush": "UGX", "kshs": "KES", "frw": "RWF",
    "km": "BAM", "fbu": "BIF", "fdj": "DJF", "b/.": "PAB", "can$": "CAD", "bz$": "BZD", "gy$": "GYD", "mop$": "MOP",
    "t$": "TOP",
    "$u": "UYU", "dt": "TND", "bd": "BHD", "ש״ח": "ILS", "ש'ח": "ILS", "ریال": "IRR", "جنيه": "EGP", "ج.م": "EGP",
    "د.ب": "BHD", "د.ت": "TND", "د.ج": "DZD", "دج": "DZD", "د.م": "MAD", "د.ا": "JOD", "د.أ": "JOD", "د.ع": "IQD",
    "ع.د": "IQD", "ل.د": "LYD", "د.ل": "LYD", "ل.ل": "LBP", "ل.س": "SYP", "ج.س": "SDG", "ر.ي": "YER",
    "تومان": "IRR", "ريال": "SAR", "درهم": "AED", "php": "PHP", "vnđ": "VND", "gh₵": "GHS", "e£": "EGP",
}  # fmt: skip
# £ is also written for a few other pounds; they count only when the page says so.
_ALSO = {
    "£": "EGP LBP SYP SDG FKP GIP",
    "¢": _DOLLARS,
    "din": "MKD DZD",
    "дин": "MKD",
    "р": "BYN",
    "руб": "BYN",
    "рублей": "BYN",
    "рубля": "BYN",
    "рубль": "BYN",
    "₤": "TRY EGP LBP SYP",
    "جنيه": "SDG",
    "ریال": "SAR QAR OMR YER",  # what ﷼ is normalised to
    "lei": "MDL",
    "元": "TWD HKD",
    "ريال": "YER OMR QAR",
    "درهم": "MAD",
}

# Codes that are English words stand for a currency only when the page states them as such elsewhere.
_WORDLIKE = {"ALL", "TOP", "CUP", "MOP", "PEN", "SOS", "GEL", "LAK", "ANG", "BAM"}
_TEXT_CODES = CODES - _WORDLIKE
# Codes that no language has as a word are written small, too.
_LOWER_CODES = (
    "(?i:usd|eur|gbp|pln|czk|huf|chf|nzd|aud|cad|rsd|mkd|uah|rub|inr|jpy|cny|krw|twd|sgd|hkd|thb|myr|idr|vnd|zar|brl|"
    "mxn|ars|clp|bgn|hrk)"
)


def _pattern() -> re.Pattern[str]:
    signs = sorted([*_SHARED, *_SINGLE], key=len, reverse=True)
    words = [s for s in signs if s[-1].isalpha() and s not in ("r", "km")]
    begun = r"(?<![^\W\d_])"  # the "s/" of "brutos/año" is no sol
    marks = [(begun if s[-1] in "/." and s[0].isalpha() else "") + re.escape(s) for s in signs if not s[-1].isalpha()]
    spaced = [rf"(?<![^\W\d_]){s[:-1]}\s\$" for s in signs if re.fullmatch(r"[a-z]{2,3}\$", s)]
    alternatives = [
        rf"(?<![^\W\d_])(?i:{'|'.join(map(re.escape, words))})(?![^\W\d_])",
        rf"(?<![^\W\d_])(?:{'|'.join(sorted(_TEXT_CODES))}|{_LOWER_CODES})(?![^\W\d_])",
        r"(?<![^\W\d_])KM(?![^\W\d_])",
        r"\$\s?(?:US|CA)(?![^\W\d_])",
        rf"(?i:{'|'.join(spaced + marks)})",
        r"(?<![^\W\d_])R(?=\s?\d)",
    ]
    return re.compile("|".join(alternatives))


SIGN = _pattern()


def _key(sign: str) -> str:
    return sign.lower().replace(" ", "")


def _meaning(sign: str) -> frozenset[str]:
    key = _key(sign)
    if key in _SHARED:
        return frozenset(_SHARED[key].split())
    if key in _SINGLE:
        return frozenset([_SINGLE[key], *_ALSO.get(key, "").split()])
    return frozenset([sign.upper()])


def _default(sign: str) -> str | None:
    return _SINGLE.get(_key(sign))


def decide_currency(signs: list[str], hint: str | None, locale: str | None) -> str | Problem:
    """All signs found in one text, what the page says elsewhere, and the locale as the last word."""
    stated = read_currency(hint)
    if not signs:
        return stated or Problem(Trouble.CURRENCY_UNKNOWN, "no currency stated")
    possible = frozenset.intersection(*map(_meaning, signs))
    if not possible or (stated and stated not in possible):
        return Problem(Trouble.CURRENCY_CONFLICT, f"{' '.join(signs)} is not {stated or 'one currency'}")
    return _pick(possible, [stated, *map(_default, signs), local_currency(locale)], signs)


def _pick(possible: frozenset[str], wishes: list[str | None], signs: list[str]) -> str | Problem:
    if len(possible) == 1:
        return next(iter(possible))
    for wish in wishes:
        if wish in possible:
            return wish
    return Problem(Trouble.CURRENCY_UNKNOWN, f"{' '.join(signs)} can mean several currencies")
