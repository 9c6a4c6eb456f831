"""Keys under which names of columns are compared: without case, signs and accents; and, for roles that no column names
exactly, without the words that only name the subject of the whole table."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import pairwise, takewhile

from winnow.vocabulary.columns import column_names

_SIGNS = re.compile(r"[\W_]+")
# Remarks of a form's author around a name: `Price (required)`, `(field)Sale Price`.
_FOR_WRITERS = re.compile(
    r"[(\[](?:required|mandatory|recommended|optional)[)\]]\s*$|^\s*[(\[](?:field|column|attribute)[)\]]", re.IGNORECASE
)
_MISREAD_MARK = "ï»¿"  # a byte order mark that went through a code page
_ACCENTS = dict.fromkeys(range(0x300, 0x370))
_UNIT = re.compile(r"^(?:g|c|p|product):")  # Google's namespaces in tab-separated files: g:price, c:label
_REMARK = re.compile(r"\s*[(\[]([^()\[\]]*)[)\]]\s*$")
_TOKEN = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_WORDS = column_names().words
_ABOUT = _WORDS.subjects | _WORDS.connecting


def casefold_name(name: str) -> str:
    """F-076: without case; a mark at the beginning, spaces around and Google's prefix do not count."""
    return _UNIT.sub("", _without_marks(name).casefold())


def _without_marks(name: str) -> str:
    return _FOR_WRITERS.sub("", name).removeprefix(_MISREAD_MARK).strip().strip("\ufeff\"'*").strip()


@lru_cache(8_192)
def name_key(name: str) -> str:
    """Without signs and accents: `prix_barre` is `Prix barré`."""
    word = casefold_name(name)
    plain = word if word.isascii() else unicodedata.normalize("NFKD", word).translate(_ACCENTS)
    return _SIGNS.sub("", plain)


@lru_cache(8_192)
def alternative_keys(name: str) -> tuple[str, ...]:
    """Further keys of a name, for roles that no column names exactly."""
    whole = _without_marks(name)  # with its case, which separates the words of `PrezzoVendita`
    words = set(_TOKEN.findall(whole.casefold()))
    if words & _WORDS.product_codes and words <= _WORDS.product_codes | _WORDS.beside_product_codes:
        return ("gtin",)
    remark = _REMARK.search(whole)
    if remark and all(word in _WORDS.format_remarks or word.isdigit() for word in _TOKEN.findall(remark[1].casefold())):
        whole = whole[: remark.start()]
    found = [_without_subject(whole), *_inner(whole)]
    found += [] if "/" in whole else [words_key(whole), without_tax_words(whole)]
    return tuple(filter(None, found))


def _inner(path: str) -> list[str]:
    """What is left of a path without the elements that only hold others."""
    steps = re.split(r"[/.]", path)
    within = takewhile(lambda i: name_key(steps[i]) in _WORDS.containers, range(len(steps) - 1))
    return [_without_subject("/".join(steps[i + 1 :])) for i in within]


def _without_subject(name: str) -> str:
    word = name_key(name)
    return next((word.removeprefix(subject) for subject in _WORDS.subject_prefixes if word.startswith(subject)), word)


def words_key(name: str) -> str:
    """The words of a name in any order, without those that name the subject of the table or only connect: `Link zum
    Produkt` and `Product link` are a link. "" where no meaningful word is left."""
    words = _tokens(name)
    if words and words[-1] in _WORDS.connecting:  # it connects nothing: `price_de` is that of a country
        return ""
    kept = sorted(word for word in words if word not in _ABOUT)
    return "~" + " ".join(kept) if kept and not (len(kept) == 1 and kept[0] in _WORDS.meaningless_alone) else ""


def without_language_code(name: str) -> str:
    """`title_de`, `Name (en)`: without the language it is written in; "" where it names none."""
    words = _tokens(name)
    return "".join(words[:-1]) if words and words[-1] in _WORDS.language_codes else ""


def without_tax_words(name: str) -> str:
    """The words_key of a price with tax, without its words about tax; "" of any other name."""
    tokens = _tokens(name)
    paired = {word for pair in pairwise(tokens) if " ".join(pair) in _WORDS.tax_included_pairs for word in pair}
    included = _WORDS.tax_included | paired
    if included.isdisjoint(tokens) or not _WORDS.tax_excluded.isdisjoint(tokens):
        return ""
    kept = [
        word
        for word in tokens
        if word not in included | _WORDS.tax and not (word.isdigit() and _WORDS.tax & set(tokens))
    ]
    return words_key(" ".join(kept))


def _tokens(name: str) -> list[str]:
    return [word for word in map(name_key, _TOKEN.findall(_CAMEL.sub(" ", name))) if word]
