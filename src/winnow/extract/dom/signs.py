"""Numbers and currency signs in the text of a page, as far as they show that an amount of money stands there.

What they mean is read in `normalise/`; here they only have to be found.
"""

from __future__ import annotations

import re

from winnow.vocabulary.currencies import LETTER, currencies, is_cased, signs_on_pages
from winnow.vocabulary.phrases import any_word

_WIDE = "￥＄﷼"  # other forms of signs
_BESIDE = "税込|tomans?"  # words that stand beside amounts only
_FORMER = "kčs"
_HANGUL = re.compile("[가-힣]")  # the won is the end of many a word: "직원" is an employee


def _sign() -> str:
    """Signs of alphabets with capitals, and codes, only where no other letter stands beside them."""
    signs = signs_on_pages()
    bordered = [sign for sign in signs if is_cased(sign) and not sign.endswith("$")]
    bordered += [*(code.lower() for code, known in currencies().items() if not known.rare), _FORMER]
    dollars = any_word(sign[:-1] for sign in signs if is_cased(sign) and sign.endswith("$"))
    uncased = [*(sign for sign in signs if not is_cased(sign)), *_WIDE]
    plain = any_word(sign for sign in uncased if not _HANGUL.match(sign))
    korean = rf"(?:(?<![가-힣])|(?<=[만천백억]))(?:{any_word(sign for sign in uncased if _HANGUL.match(sign))})"
    words = rf"(?<!{LETTER})(?:{any_word(bordered)})(?!{LETTER})\.?"
    return rf"(?<!{LETTER})(?:{dollars})\s?\$|{plain}|{korean}|{words}|{_BESIDE}"


SIGN = _sign()
SIGNS = re.compile(SIGN, re.IGNORECASE)
NUMBER = r"\d+(?:[.,'’ \u00a0\u202f\u2009]\d+)*"
AMOUNTS = re.compile(NUMBER)


def amount_in(text: str) -> re.Match[str] | None:
    """The number that stands beside a currency ("3 x 13,33 €" -> 13,33); where none does, the first."""
    found = list(AMOUNTS.finditer(text))
    for number in found if len(found) > 1 else ():
        if SIGNS.match(text[number.end() :].lstrip()) or _SIGN_LAST.search(text[: number.start()]):
            return number
    return found[0] if found else None


_SIGN_LAST = re.compile(rf"(?:{SIGN})\s?$", re.IGNORECASE)
