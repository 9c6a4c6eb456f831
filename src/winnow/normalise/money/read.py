"""Price text -> Money, or the reason why not. Integer minor units, never a float (P-032, R-20)."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from winnow.normalise.money.amount import GROUPED, Style, read_amount, read_plain, to_minor
from winnow.normalise.money.currencies import CODES, exponent
from winnow.normalise.money.multipliers import take_multiplier
from winnow.normalise.money.price_phrases import (
    ASIDE,
    BETWEEN,
    FROM,
    INSTALMENT,
    MULTIBUY,
    NET_IN_BRACKETS,
    NET_PRICE,
    NUMBER,
    PAID_IN_PARTS,
    PERCENT,
    QUANTITY,
    REGULAR,
    UNIT_PRICE,
    unknown_words,
)
from winnow.normalise.money.signs import SIGN, decide_currency
from winnow.normalise.record import Money, Problem, Trouble
from winnow.vocabulary.lazy_pattern import lazy_pattern

MAX_TEXT = 200  # a price with all its small print fits; a longer text is a paragraph, not a price

_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉", "01234567890123456789")
_RAISED_CENTS = re.compile(r"(?<=\d)\s?[.,]?\s?([⁰¹²³⁴⁵⁶⁷⁸⁹]{2}|[₀₁₂₃₄₅₆₇₈₉]{2})(?![⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉\d])")
_NO_CENTS = re.compile(r"(?<=\d)\s?[.,:]\s?(?:-{1,2}|[–—−])(?!\d)")
_SIGN_AS_POINT = lazy_pattern(rf"(?<=\d)(?:{SIGN.pattern})(?=\d{{2}}(?![\d.,]))|(?<=\d) ?€ ?(?=\d{{2}}$)")
_COLON_CENTS = re.compile(r"(?<=\d):(?=\d\d(?:\D|$))")  # as Swedes write kronor
_FOOTNOTE = re.compile(r"(?<=[^\d\s])\s?[¹²³](?!\w)")
# "$ 8. 94", "118, 99 TL": an amount and nothing else, its cents an element further on.
_PARTED_CENTS = lazy_pattern(rf"((?:{SIGN.pattern})?\s?\d+(?:[.,' ]\d{{3}})*[.,]) (\d\d\s?(?:{SIGN.pattern})?\.?)")
_SPACED_CENTS = lazy_pattern(rf"\s*((?:{SIGN.pattern})?)\s?(\d+(?:[.,' ]\d{{3}})*) (\d\d)\s?((?:{SIGN.pattern})?)\s*")
# A dash before a number is a minus at the start, after a sign and after a word; between numbers it is a range.
_NEGATIVE = lazy_pattern(
    rf"^\W?[-−]\s?(?:(?:{SIGN.pattern})\s?)?\d"
    rf"|[^\W\d][:\s]\s?[-−](?:{SIGN.pattern})?\d"
    rf"|(?:^|[^\d\s]\s?)(?:{SIGN.pattern})\s?[-−]\s?\d"
)
_SCIENTIFIC = re.compile(r"\d[eE][+-]?\d")
_NUMBER = re.compile(rf"(?<!\d)(?<!\d[.,])(?:(?<![^\W_])(?<!\.)\.\d{{2}}(?!\d|[.,]\d)|{NUMBER})")
_PENCE = re.compile(r"\s*(\d{1,2})\s?(p|¢|c|ct|cent|cents)\s*", re.IGNORECASE)
_LONE_FRACTION = re.compile(r"\.\.\d|(?<![\w.,])(?:[.,]\d(?!\d)|,\d\d(?!\d))")
_TRAILING_MINUS = re.compile(r"\d[.,]\d\d\s?[-−]\s*$")
# Numbers that name things: a bare one after such a word is no price.
_NAMED_NUMBER = re.compile(
    r"(?<![^\W_])(?:ean|gtin|upc|isbn|asin|sku|mpn|art(?:ikel)?(?:nr|-nr|ikelnummer)?|ref|model|item|code|id|tel|phone|fax|"
    r"qty|quantity|menge|aantal|order|заказ|size|größe|maat|taille|rating|reviews?|stars?|year|jahr|nr|no)(?![^\W_])[.:#\s]*\d",
    re.IGNORECASE,
)
# "July, 2004" is a date.
_MONTH = re.compile(
    r"(?<![^\W_])(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]{0,6}\.?,? (?:\d\d?,? )?(?:19|20)\d\d\b",
    re.IGNORECASE,
)
# Digits that compatibility normalisation would turn into plain ones (①, ⑴, 🄁, Ⅻ, 𝟏): ornaments, not prices.
_CIRCLED = re.compile(
    "[\u2150-\u218f\u2460-\u24ff\u2776-\u2793\u3220-\u3229\u3280-\u32b0\U0001d7ce-\U0001d7ff\U0001f100-\U0001f10c]"
)
_KEYCAP = "\u20e3"  # makes an emoji of the digit before it
_EURO_CENTS = ["EUR"]
_DOLLAR_CENTS = ["USD", "CAD", "AUD", "NZD"]
_PENCE_CURRENCIES = {
    "p": ["GBP"],
    "¢": _DOLLAR_CENTS,
    "c": [*_DOLLAR_CENTS, *_EURO_CENTS, "ZAR"],
    "ct": _EURO_CENTS,
    "cent": [*_EURO_CENTS, *_DOLLAR_CENTS],
    "cents": [*_DOLLAR_CENTS, *_EURO_CENTS],
}
_PLAIN = re.compile(r"\d+(?:\.\d+)?")
# What most structured data holds. One or two digits after a dot can be nothing but decimals, in any locale.
_UNMISTAKABLE = re.compile(r"(\d+)(?:\.(\d\d?))?", re.ASCII)
# Bidirectional marks and zero-width characters stand invisibly inside prices of right-to-left shops.
_APOSTROPHES = re.compile(r"[’‘`´′]")  # before normalising, which makes a space and an accent of ´
_INVISIBLE = dict.fromkeys([0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x202A, 0x202B, 0x202C, 0x2060, 0xFEFF, 0xAD])


@lru_cache(4_096)
def parse_money(text: str, currency_hint: str | None = None, locale_hint: str | None = None) -> Money | Problem:
    """The one selling price a text states. The hints are what the page says elsewhere: they settle `$`,
    `kr`, `¥` and the dot of "1.299", and contradict but never overrule what the text itself says."""
    bare = _UNMISTAKABLE.fullmatch(text)
    if bare and currency_hint in CODES:
        return _money(to_minor(bare[1], bare[2] or "", exponent(currency_hint)), currency_hint, text)
    clean = _clean(text)
    if isinstance(clean, Problem):
        return clean
    pence = _read_pence(clean, currency_hint)
    if pence is not None:
        return pence
    if _is_measure(clean, currency_hint, locale_hint):
        return Problem(Trouble.NOTATION, f"{clean[:40]} may be a measure")
    return _read(clean, currency_hint, locale_hint)


def parse_number(text: str, currency: str | None) -> Money | Problem:
    """A price that stood as a number in a data format (JSON)."""
    if currency is None:
        return Problem(Trouble.CURRENCY_UNKNOWN, "no currency stated")
    if text.startswith("-"):
        return Problem(Trouble.NEGATIVE, text[:40])
    if not _PLAIN.fullmatch(text) or not text.isascii():
        return Problem(Trouble.NOTATION, text[:40])
    return _money(read_plain(text, currency), currency, text)


def _money(minor: int | Trouble, currency: str, text: str) -> Money | Problem:
    return Problem(minor, text[:60]) if isinstance(minor, Trouble) else Money(minor, currency)


def _clean(text: str) -> str | Problem:
    if len(text) > MAX_TEXT * 4:
        return Problem(Trouble.TOO_LONG, f"{len(text)} characters")
    if _CIRCLED.search(text):
        return Problem(Trouble.DIGITS, text[:40])
    raised = _FOOTNOTE.sub("", _RAISED_CENTS.sub(lambda m: "." + m[1].translate(_RAISED), text))
    if any(c in raised for c in "⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉\0"):
        return Problem(Trouble.NOTATION, text[:40])
    plain = unicodedata.normalize("NFKC", _APOSTROPHES.sub("'", raised)).translate(_INVISIBLE)
    plain = plain.replace("·", ".")
    plain = _once(re.sub(r"\s+", " ", plain).strip())
    if len(plain) > MAX_TEXT:
        return Problem(Trouble.TOO_LONG, f"{len(plain)} characters")
    return _refuse_odd_digits(plain)


def _once(text: str) -> str:
    """A price written twice in a row, for the eye and for screen readers."""
    half = len(text) // 2
    touches = text[half - 1 : half].isdigit() and text[half : half + 1].isdigit()
    return text[:half] if half and text[:half] == text[half:] and not touches else text


def _refuse_odd_digits(text: str) -> str | Problem:
    """R-20: ASCII digits after normalising. Arabic-Indic and the like are refused, not converted."""
    if _KEYCAP in text or (not text.isascii() and any(map(_is_odd_digit, text))):
        return Problem(Trouble.DIGITS, text[:40])
    if _SCIENTIFIC.search(text):
        return Problem(Trouble.NOTATION, text[:40])
    return text


def _is_odd_digit(character: str) -> bool:
    """A digit or number sign that is not ASCII; words such as 一 are letters."""
    return not character.isascii() and unicodedata.category(character)[0] == "N"


def _read_pence(text: str, hint: str | None) -> Money | Problem | None:
    found = _PENCE.fullmatch(text)
    if not found:
        return None
    if found[2] == "P" and hint != "GBP":
        return None  # a peso, a pula
    possible = _PENCE_CURRENCIES[found[2].lower()]
    currency = hint or possible[0]
    if currency not in possible:
        return Problem(Trouble.CURRENCY_CONFLICT, f"{text} is not {currency}")
    return Money(int(found[1]), currency)


# Signs of a currency that measure something elsewhere: `6.5 ft` of cable, a teaspoon (`TL`) in German and Dutch.
_FEET = re.compile(r"(\d+)([.,]\d+)?\s?ft\.?")
_TEASPOONS = re.compile(r"\d{1,2}\s?TL", re.IGNORECASE)


def _is_measure(text: str, hint: str | None, locale: str | None) -> bool:
    spoken = (locale or "").partition("-")[0]
    feet = _FEET.fullmatch(text)
    if feet is not None and hint != "HUF" and spoken != "hu":
        return feet[2] is not None or len(feet[1]) < 3
    return hint != "TRY" and spoken not in ("", "tr") and _TEASPOONS.fullmatch(text) is not None


def _read(text: str, hint: str | None, locale: str | None) -> Money | Problem:
    if hint == "SEK" or (locale or "").startswith("sv"):
        text = _COLON_CENTS.sub(".", text)
    if parted := _PARTED_CENTS.fullmatch(text):
        text = parted[1] + parted[2]
    multiplied = take_multiplier(text, locale)
    if isinstance(multiplied, Problem):
        return multiplied
    text = multiplied.text
    signs = SIGN.findall(text)
    if _LONE_FRACTION.search(text) or (not signs and (_NAMED_NUMBER.search(text) or _MONTH.search(text))):
        return Problem(Trouble.NOTATION, text[:60])
    plain, without_cents = _NO_CENTS.subn(" ", _SIGN_AS_POINT.sub(".", text))
    token = _whole_number(plain)
    if isinstance(token, Problem):
        return token
    if without_cents and GROUPED.fullmatch(token):
        token = re.sub(r"\D", "", token)  # "1.899,-": what stands before no cents is whole
    currency = decide_currency(signs, hint, locale)
    if isinstance(currency, Problem):
        return currency
    return _money(read_amount(token, currency, _style(text), locale, multiplied.factor), currency, text)


def _whole_number(text: str) -> str | Problem:
    """What is left must be a number of the text itself: setting things aside may never cut one in two."""
    token = _one_number(text)
    if isinstance(token, Problem) or _SPACED_CENTS.fullmatch(text):
        return token
    if token not in {match[0] for match in _NUMBER.finditer(text)}:
        return Problem(Trouble.SEVERAL, text[:60])
    return token


def _one_number(text: str) -> str | Problem:
    """The only number left after everything that is not the selling price has been set aside."""
    text = PERCENT.sub(" ", text)
    if _NEGATIVE.search(text) or _TRAILING_MINUS.search(text):
        return Problem(Trouble.NEGATIVE, text[:60])
    spaced = _SPACED_CENTS.fullmatch(text)
    if spaced:
        return f"{spaced[2]}.{spaced[3]}" if "." not in spaced[2] else f"{spaced[2]},{spaced[3]}"
    text = PAID_IN_PARTS.sub(" ", text)
    if INSTALMENT.search(text):
        return Problem(Trouble.PER_UNIT, text[:60])
    text, units = UNIT_PRICE.subn(" ", text)
    text = _with_tax(_set_aside(text))
    if MULTIBUY.search(text):
        return Problem(Trouble.SEVERAL, text[:60])
    text = QUANTITY.sub(" ", text)
    return _sole(text, Trouble.PER_UNIT if units else Trouble.NO_NUMBER)


def _set_aside(text: str) -> str:
    """Old prices, savings and charges are not the selling price; a regular price that stands alone is."""
    regular = REGULAR.fullmatch(text)
    return regular[1] if regular else ASIDE.sub(" ", text)


def _with_tax(text: str) -> str:
    """Beside a price with tax the one without is not it; alone it is the amount the text states."""
    rest = NET_PRICE.sub(" ", NET_IN_BRACKETS.sub(" ", text))
    return rest if _NUMBER.search(rest) else text


def _sole(text: str, if_none: Trouble) -> str | Problem:
    found = list(_NUMBER.finditer(text))
    if not found:
        return Problem(if_none, text[:60])
    if FROM.search(text):
        return Problem(Trouble.FROM_PRICE, text[:60])
    if len({_digits(match[0]) for match in found}) > 1:
        return Problem(Trouble.RANGE if _is_range(text, found) else Trouble.SEVERAL, text[:60])
    token = found[0][0]
    if " " in token and unknown_words(text, found[0].start()):
        return Problem(Trouble.SEVERAL, text[:60])
    return token


def _digits(token: str) -> str:
    """For telling amounts apart: "205,68" and "205.68" are one, "449" and "449,00" too."""
    cents = _CENTS.search(token)
    return re.sub(r"\D", "", token) + ("" if cents else "00")


_CENTS = re.compile(r"[.,]\d\d$")


def _is_range(text: str, found: list[re.Match[str]]) -> bool:
    gap = SIGN.sub(" ", text[found[0].end() : found[1].start()])
    return BETWEEN.fullmatch(gap) is not None


def _style(text: str) -> Style:
    sign, number = SIGN.search(text), _NUMBER.search(text)
    if sign is None or number is None:
        return Style.BARE
    return Style.SIGN_FIRST if sign.start() < number.start() else Style.SIGN_LAST
