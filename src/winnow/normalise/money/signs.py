"""Signs and words people write instead of an ISO code.

A sign names a set of currencies and sometimes the one it means when nothing else is said. `$`, `kr`, `¥`
and `Rs` mean nothing by themselves: the page, the source or the locale has to say which.
"""

from __future__ import annotations

import re

from winnow.normalise.money.currencies import CODES, local_currency, read_currency
from winnow.normalise.record import Problem, Trouble
from winnow.vocabulary.currencies import LETTER, VOWEL_SIGN, currencies, meanings, possible_meanings, tomans
from winnow.vocabulary.phrases import any_word

# Read where a number follows, or in capitals only: "r" and "km" are too much else.
_SPECIAL = frozenset(["r", "km"])
_FIRST_HEBREW = "\u0590"


def _pattern() -> re.Pattern[str]:
    known = currencies()
    signs = sorted(possible_meanings(), key=len, reverse=True)
    words = [sign for sign in signs if sign[-1].isalpha() and sign not in _SPECIAL]
    marks = [sign for sign in signs if not sign[-1].isalpha()]
    begun = [sign for sign in marks if sign[-1] in "/." and sign[0].isalpha()]  # the "s/" of "brutos/año" is no sol
    codes = any_word(sorted(code for code in CODES if not known[code].is_word))
    small = any_word(code.lower() for code in known if known[code].small)
    lettered = [sign for sign in marks if sign[0].isalpha() and sign not in begun]
    spaced = [rf"(?<!{LETTER}){sign[:-1]}\s\$" for sign in signs if re.fullmatch(r"[a-z]{2,3}\$", sign)]
    alternatives = [
        rf"(?<!{LETTER})(?i:{any_word(word for word in words if word < _FIRST_HEBREW)})(?!{LETTER})",
        rf"(?<!{LETTER})(?<!{VOWEL_SIGN})(?:{any_word(word for word in words if word >= _FIRST_HEBREW)})"
        rf"(?!{LETTER}|{VOWEL_SIGN})",
        rf"(?<!{LETTER})(?:{codes}|(?i:{small}))(?!{LETTER})",
        rf"(?<!{LETTER})KM(?!{LETTER})",
        rf"\$\s?(?:US|CA)(?!{LETTER})",
        # "Price£340" holds no Egyptian pound (`E£`), "TotalUS$20" does hold `US$`: capitals behind a small letter.
        rf"(?i:{'|'.join(spaced)}|(?<!{LETTER})(?:{any_word([*begun, *lettered])}))",
        rf"(?<=[a-zß-ÿ])(?:{any_word(sign.upper() for sign in lettered)})",
        rf"(?i:{any_word(m for m in marks if m not in begun and m not in lettered)})",
        rf"(?<!{LETTER})R(?=\s?\d)",
    ]
    return re.compile("|".join(alternatives))


SIGN = _pattern()


# Ten rials each; no ISO code is theirs.
TOMAN = re.compile(rf"(?<!{LETTER})(?i:{any_word(tomans())})(?!{LETTER})")


def _keys(sign: str) -> tuple[str, str]:
    """As written in the data; `US $` stands there without its space."""
    return sign.lower(), sign.lower().replace(" ", "")


def _meaning(sign: str) -> frozenset[str]:
    known = possible_meanings()
    return next((known[key] for key in _keys(sign) if key in known), frozenset([sign.upper()]))


def _default(sign: str) -> str | None:
    return next((meanings()[key] for key in _keys(sign) if key in meanings()), None)


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
