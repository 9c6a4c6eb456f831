"""Words of amounts, by language: multipliers behind a number ("million", "tys.", "万"), cents, and "and".

CLDR has most multipliers (`data/cldr/multipliers.json`); the rest is `data/money_words.json`.
"""

from __future__ import annotations

from functools import cache

import msgspec

from winnow.vocabulary.load import load

Words = tuple[str, ...]


class MoneyWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`multipliers`: factor -> words. `subunits`: cents and the like. `joiners`: between whole units and cents."""

    multipliers: dict[int, Words] = {}
    subunits: Words = ()
    joiners: Words = msgspec.field(default=(), name="and")


@cache
def money_words() -> dict[str, MoneyWords]:
    return load("money_words", dict[str, MoneyWords])


@cache
def multipliers() -> dict[str, dict[str, int]]:
    """Language -> word -> factor. A word with two factors in one language is left out."""
    found: dict[str, dict[str, int]] = {}
    sources = [*load("cldr/multipliers", dict[str, dict[int, Words]]).items()]
    sources += [(language, known.multipliers) for language, known in money_words().items()]
    for tag, factors in sources:
        words = found.setdefault(tag.partition("_")[0], {})
        for factor, names in factors.items():
            for name in names:
                words[name] = factor if words.get(name, factor) == factor else 0
    return {language: {word: factor for word, factor in words.items() if factor} for language, words in found.items()}


def subunits() -> list[str]:
    return sorted({word for known in money_words().values() for word in known.subunits})


def joiners() -> list[str]:
    return sorted({word for known in money_words().values() for word in known.joiners})
