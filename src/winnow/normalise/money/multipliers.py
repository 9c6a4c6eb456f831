"""Multiplier words behind a number: "150 ribu", "2.5万", "12 tys. zł". They are read or refused, never dropped."""

from __future__ import annotations

import re

import msgspec

from winnow.normalise.money.price_phrases import NUMBER, UNIT_PRICE, unknown_words
from winnow.normalise.money.signs import SIGN, TOMAN
from winnow.normalise.record import Problem, Trouble
from winnow.vocabulary.currencies import LETTER, VOWEL_SIGN, meanings, tomans
from winnow.vocabulary.lazy_pattern import lazy_pattern
from winnow.vocabulary.multipliers import joiners, multipliers, subunits
from winnow.vocabulary.phrases import any_word

MIN_PLAIN = 4  # letters from which a Latin word is hardly anything else
# Short ones that mean nothing else, and long ones that do.
_SURE = frozenset(["rb", "jt", "tys", "mln", "mio", "mrd", "mld", "tis", "lac"])
_UNSURE = frozenset(["grand", "mille", "mila", "ezer", "miler", "millier", "miles", "triliun"])
# Never read without their language: organic food, kilometres, a shop's abbreviation.
_IGNORED = frozenset(["bio", "km", "ma", "tri", "tr", "nt", "mi", "bi", "mr", "mm", "md", "bil"])
_FIRST_OTHER_ALPHABET = "\u0370"
_RIAL_IN_TOMAN = 10


def _agreed() -> dict[str, int]:
    """Words with one factor in all languages; 0 for those that are refused where the language is not known."""
    found: dict[str, set[int]] = {}
    for words in multipliers().values():
        for word, factor in words.items():
            found.setdefault(word, set()).add(factor)
    return {word: factors.pop() if len(factors) == 1 and _is_sure(word) else 0 for word, factors in found.items()}


def _is_sure(word: str) -> bool:
    return word in _SURE or word > _FIRST_OTHER_ALPHABET or (len(word) >= MIN_PLAIN and word not in _UNSURE)


def _pattern(words: list[str], *, behind_sign: bool) -> str:
    """CJK characters need no boundary behind them; words of alphabets do."""
    glued = [word for word in words if "\u3000" < word < "\ufb00"]
    spaced = [word for word in words if word not in glued]
    sign = rf"(?:\s?(?:{SIGN.pattern}))?" if behind_sign else ""
    return (
        rf"(?<=\d){sign}\s?(?P<words>(?:(?:{any_word(glued)}|(?:{any_word(spaced)})(?!{LETTER}|{VOWEL_SIGN})\.?)\s?)+)"
    )


_AGREED = _agreed()
_LONG = [word for word in _AGREED if word > _FIRST_OTHER_ALPHABET or len(word) >= MIN_PLAIN]
_SHORT = [word for word in _AGREED if word not in _IGNORED]
_BEHIND_NUMBER = lazy_pattern(_pattern(_SHORT, behind_sign=False), re.IGNORECASE)
_BEHIND_SIGN = lazy_pattern(_pattern(_LONG, behind_sign=True), re.IGNORECASE)
_OF_LANGUAGE = {
    language: lazy_pattern(_pattern([*words, *_SHORT], behind_sign=False), re.IGNORECASE)
    for language, words in multipliers().items()
    if words.keys() & _IGNORED
}
_ONE = lazy_pattern(any_word(_AGREED), re.IGNORECASE)
_THOUSAND = re.compile(rf"(?<=\d)\s?[kKкК](?!{LETTER})")  # 10k, 10К
_REFUSED = re.compile(rf"(?<=\d)(?:[mMbB]|bn)(?!{LETTER})|⁄")
_NUMBERS = re.compile(NUMBER)
_SUBUNIT = lazy_pattern(rf"(?<!{LETTER})(?:{any_word(subunits())})(?!{LETTER})|\d\s?¢", re.IGNORECASE)
# "twenty dollars and 43", "two baht 23": the whole units are a word.
_JOINED = lazy_pattern(rf"{LETTER}\s(?:{any_word(joiners())})\s(?:\d|\W\d)", re.IGNORECASE)
_SPOKEN = lazy_pattern(rf"{LETTER}\s(?P<sign>{SIGN.pattern})\s\d")
_MIN_SPOKEN = 4
_WRITTEN_FIRST = frozenset(["euro", "euros"])


_WORDS = re.compile(rf"(?:{LETTER}|{VOWEL_SIGN})+")
_CHARACTERS = frozenset(word for word in _AGREED if len(word) == 1)
_MULTIPLYING_WORDS = frozenset(
    [part for word in [*_AGREED, *subunits(), *joiners(), *tomans()] for part in word.split()]
)
_MULTIPLYING = _MULTIPLYING_WORDS | {"k", "к", "m", "b", "bn"}


class Multiplied(msgspec.Struct, frozen=True):
    """The text without its multipliers, and the factor of its number."""

    text: str
    factor: int = 1


def take_multiplier(text: str, locale: str | None) -> Multiplied | Problem:
    """Refused: multipliers beside several numbers, without a currency in the text, or with a meaning that depends on
    a language that is not known. Cents in words are refused as well, for they are not added up."""
    if _is_plain(text):
        return Multiplied(text)
    tenfold = _RIAL_IN_TOMAN if TOMAN.search(text) else 1
    if _SUBUNIT.search(UNIT_PRICE.sub(" ", text)) or _JOINED.search(text) or _REFUSED.search(text) or _is_spoken(text):
        return Problem(Trouble.NOTATION, text[:60])
    language = (locale or "")[:2].lower()
    match = _find(text, language)
    if match is None:
        return Multiplied(text, tenfold)
    factor = _factor(match, language)
    rest = text[: match.start(1)] + " " + text[match.end(1) :]
    if not factor or len(_NUMBERS.findall(text)) != 1 or not SIGN.search(rest):
        return Problem(Trouble.NOTATION, text[:60])
    return Multiplied(" ".join(rest.split()), factor * tenfold)


def _is_plain(text: str) -> bool:
    """Whether the text holds none of the words at all; the patterns above are a hundred times slower than this."""
    if not _CHARACTERS.isdisjoint(text) or "¢" in text or "⁄" in text:
        return False
    words = _WORDS.findall(text.lower())
    return _MULTIPLYING.isdisjoint(words) and not any(len(word) >= _MIN_SPOKEN and word in meanings() for word in words)


def _is_spoken(text: str) -> bool:
    """A word for a currency between an unknown word and the number."""
    found = _SPOKEN.search(text)
    if found is None or len(found["sign"]) < _MIN_SPOKEN or not found["sign"].isalpha():
        return False
    return found["sign"].lower() not in _WRITTEN_FIRST and bool(unknown_words(text, found.start("sign")))


def _find(text: str, language: str) -> re.Match[str] | None:
    of_language = _OF_LANGUAGE.get(language)
    found = _BEHIND_NUMBER.search(text) or _BEHIND_SIGN.search(text)
    found = found or (of_language.search(text) if of_language else None)
    thousand = _THOUSAND.search(text)
    return found or (re.compile(r"([kKкК])").search(text, thousand.start()) if thousand else None)


def _factor(match: re.Match[str], language: str) -> int:
    """The product of all words ("mil millones", 千万); 0 when one of them has no sure meaning."""
    words = match[1].lower().replace(".", " ").strip()
    if words in ("k", "к"):
        return 1_000
    own = multipliers().get(language, {})
    if words in own or words in _AGREED:
        return own.get(words) or _AGREED.get(words, 0)
    factor = 1
    for word in _ONE.findall(words):
        factor *= own.get(word) or _AGREED.get(word, 0)
    return factor
