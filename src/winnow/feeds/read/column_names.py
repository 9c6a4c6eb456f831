"""What the name of a column says, whoever wrote it: without case, signs and accents; and, for a role that no column
names outright, without the words that say what the whole table is about."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import pairwise, takewhile

from winnow.vocabulary.columns import column_names

_SIGNS = re.compile(r"[\W_]+")
_FOR_WRITERS = re.compile(r"[(\[](?:required|mandatory|recommended|optional)[)\]]\s*$", re.IGNORECASE)  # of a form
_MISREAD_MARK = "ï»¿"  # a byte order mark that went through a code page
_ACCENTS = dict.fromkeys(range(0x300, 0x370))
_UNIT = re.compile(r"^(?:g|c|p|product):")  # Google's namespaces in tab-separated files: g:price, c:label
_REMARK = re.compile(r"\s*[(\[]([^()\[\]]*)[)\]]\s*$")
_TOKEN = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_WORDS = column_names().words
_ABOUT = _WORDS.subjects | _WORDS.connecting


def spelled(name: str) -> str:
    """F-076: without case; a mark at the beginning, spaces around and Google's prefix do not count."""
    name = _FOR_WRITERS.sub("", name)
    return _UNIT.sub("", name.removeprefix(_MISREAD_MARK).strip().strip("\ufeff\"'*").strip().casefold())


@lru_cache(8_192)
def folded(name: str) -> str:
    """Without signs and accents: `prix_barre` is `Prix barré`."""
    word = spelled(name)
    plain = word if word.isascii() else unicodedata.normalize("NFKD", word).translate(_ACCENTS)
    return _SIGNS.sub("", plain)


@lru_cache(8_192)
def reduced(name: str) -> tuple[str, ...]:
    """What else a name can be read as, for a role that no column names outright."""
    whole = spelled(name)
    words = set(_TOKEN.findall(whole))
    if words & _WORDS.product_codes and words <= _WORDS.product_codes | _WORDS.beside_product_codes:
        return ("gtin",)
    remark = _REMARK.search(whole)
    if remark and all(word in _WORDS.format_remarks or word.isdigit() for word in _TOKEN.findall(remark[1])):
        whole = whole[: remark.start()]
    found = [_without_subject(whole), *_inner(whole)]
    found += [] if "/" in whole else [essence(whole), with_tax(whole)]
    return tuple(filter(None, found))


def _inner(path: str) -> list[str]:
    """What is left of a path without the elements that only hold others."""
    steps = re.split(r"[/.]", path)
    within = takewhile(lambda i: folded(steps[i]) in _WORDS.containers, range(len(steps) - 1))
    return [_without_subject("/".join(steps[i + 1 :])) for i in within]


def _without_subject(name: str) -> str:
    word = folded(name)
    return next((word.removeprefix(subject) for subject in _WORDS.subject_prefixes if word.startswith(subject)), word)


def essence(name: str) -> str:
    """The words of a name in any order, without those that say what the table is about or only connect: `Link zum
    Produkt` and `Product link` are a link. "" where nothing telling is left."""
    words = _tokens(name)
    if words and words[-1] in _WORDS.connecting:  # it connects nothing: `price_de` is that of a country
        return ""
    kept = sorted(word for word in words if word not in _ABOUT)
    return "~" + " ".join(kept) if kept and not (len(kept) == 1 and kept[0] in _WORDS.meaningless_alone) else ""


def in_a_language(name: str) -> str:
    """`title_de`, `Name (en)`: without the language it is written in; "" where none is said."""
    words = _tokens(name)
    return "".join(words[:-1]) if words and words[-1] in _WORDS.language_codes else ""


def with_tax(name: str) -> str:
    """The essence of a price that says it has the tax in it, without that; "" of any other."""
    tokens = _tokens(name)
    said = {word for pair in pairwise(tokens) if " ".join(pair) in _WORDS.tax_included_pairs for word in pair}
    included = _WORDS.tax_included | said
    if included.isdisjoint(tokens) or not _WORDS.tax_excluded.isdisjoint(tokens):
        return ""
    kept = [
        word
        for word in tokens
        if word not in included | _WORDS.tax and not (word.isdigit() and _WORDS.tax & set(tokens))
    ]
    return essence(" ".join(kept))


def _tokens(name: str) -> list[str]:
    return [word for word in map(folded, _TOKEN.findall(_CAMEL.sub(" ", name))) if word]
