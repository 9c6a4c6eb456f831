"""What the name of a column says, whoever wrote it: without case, signs and accents; and, for a role that no column
names outright, without the words that say what the whole table is about."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import pairwise, takewhile

_SIGNS = re.compile(r"[\W_]+")
_FOR_WRITERS = re.compile(r"[(\[](?:required|mandatory|recommended|optional)[)\]]\s*$", re.IGNORECASE)  # of a form
_MISREAD_MARK = "ï»¿"  # a byte order mark that went through a code page
_ACCENTS = dict.fromkeys(range(0x300, 0x370))
_UNIT = re.compile(r"^(?:g|c|p|product):")  # Google's namespaces in tab-separated files: g:price, c:label
# What only says where a value stands, or what the whole table is about: offers/offer/price, product_brand.
_HOLDERS = (
    "product products offer offers item items details detail info productinfo data fields general basic pricing prices"
    " links identifiers identification content attributes named images imageurls pictures media eans gtins"
)
_STRUCTURE = frozenset(_HOLDERS.split())
_SUBJECTS = ("product", "item", "offer", "article", "variant", "produkt", "artikel")
_REMARK = re.compile(r"\s*[(\[]([^()\[\]]*)[)\]]\s*$")
# Words of a remark that leave the meaning of a name as it is.
_FORM = (
    "max min digits characters chars unique url link html text number numeric with or http https iso code format"
    " pflicht pflichtfeld ean upc gtin isbn"
)
_OF_FORM = frozenset(_FORM.split())
_WORDS = re.compile(r"[^\W_]+")
_CODES = frozenset(["gtin", "ean", "upc", "isbn", "jan", "barcode", "ean13", "gtin13"])
_AROUND = (
    "code codes number no nr nummer numero número or and und oder product item variant produkt artikelnummer codigo"
    " código cod kod kód codice koodi codul european europäische article"
)
_BESIDE_CODES = frozenset(_AROUND.split())
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SUBJECT_WORDS = (
    "product products produit produits producto productos prodotto prodotti produto produtos produkt produkte produktu"
    " produs produse artikel artikels article articolo articulo artigo item items tuote tuotteen tuotteeseen termek"
    " товар товара товару urun proizvod proizvoda vare towaru offer variant"
)
_CONNECTING = (
    "the of to for de del della dello di du des do da das dos d l le la les vers zum zur der die den fur van het voor"
    " na til till om av"
)
_CONNECTED = frozenset(_CONNECTING.split())
_ABOUT = frozenset(_SUBJECT_WORDS.split()) | _CONNECTED
# Without `no`, which is a number as often.
_LANGUAGE_CODES = "en de fr es it nl pl cs cz sk da dk sv se nb fi pt hu ro ru uk tr bg hr sl et lv lt el gr ja zh ko"
_LANGUAGES = frozenset(_LANGUAGE_CODES.split())
_TELL_NOTHING = frozenset(["no", "nr", "number", "page", "type", "1"])
_INCLUDED_WORDS = (
    "incl inc including inclusive inkl inklusive included inclusa incluso incluido incluida con com avec mit cu med sis"
    " ttc brutto gross bruttoverkaufspreis ivato dahil inclusief vc vcetne"
)
_INCLUDED = frozenset(_INCLUDED_WORDS.split())
_EXCLUDED_WORDS = (
    "excl ex excluding exkl exclusive net netto ht ohne without senza sin sem hors fara uden utan uten bez без brez be"
    " haric eks exclusief"
)
_EXCLUDED = frozenset(_EXCLUDED_WORDS.split())
_TAX_WORDS = "vat tax taxes gst mwst mw st ust tva iva btw moms mva dph afa alv kdv pdv ddv pvm pvn ддс ндс пдв"
_TAXES = frozenset(_TAX_WORDS.split())
# Words that say so before their own tax only: the s of a Portuguese tax is that of `sem`.
_WITH_TAX = frozenset(["s dph", "s pdv", "z ddv", "su pvm", "ar pvn", "с ндс", "с ддс", "з пдв"])


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
    words = set(_WORDS.findall(whole))
    if words & _CODES and words <= _CODES | _BESIDE_CODES:
        return ("gtin",)
    remark = _REMARK.search(whole)
    if remark and all(word in _OF_FORM or word.isdigit() for word in _WORDS.findall(remark[1])):
        whole = whole[: remark.start()]
    found = [_without_subject(whole), *_inner(whole)]
    found += [] if "/" in whole else [essence(whole), with_tax(whole)]
    return tuple(filter(None, found))


def _inner(path: str) -> list[str]:
    """What is left of a path without the elements that only hold others."""
    steps = re.split(r"[/.]", path)
    within = takewhile(lambda i: folded(steps[i]) in _STRUCTURE, range(len(steps) - 1))
    return [_without_subject("/".join(steps[i + 1 :])) for i in within]


def _without_subject(name: str) -> str:
    word = folded(name)
    return next((word.removeprefix(subject) for subject in _SUBJECTS if word.startswith(subject)), word)


def essence(name: str) -> str:
    """The words of a name in any order, without those that say what the table is about or only connect: `Link zum
    Produkt` and `Product link` are a link. "" where nothing telling is left."""
    words = _tokens(name)
    if words and words[-1] in _CONNECTED:  # it connects nothing: `price_de` is that of a country
        return ""
    kept = sorted(word for word in words if word not in _ABOUT)
    return "~" + " ".join(kept) if kept and not (len(kept) == 1 and kept[0] in _TELL_NOTHING) else ""


def in_a_language(name: str) -> str:
    """`title_de`, `Name (en)`: without the language it is written in; "" where none is said."""
    words = _tokens(name)
    return "".join(words[:-1]) if words and words[-1] in _LANGUAGES else ""


def with_tax(name: str) -> str:
    """The essence of a price that says it has the tax in it, without that; "" of any other."""
    tokens = _tokens(name)
    said = {word for pair in pairwise(tokens) if " ".join(pair) in _WITH_TAX for word in pair}
    included = _INCLUDED | said
    if included.isdisjoint(tokens) or not _EXCLUDED.isdisjoint(tokens):
        return ""
    kept = [word for word in tokens if word not in included | _TAXES and not (word.isdigit() and _TAXES & set(tokens))]
    return essence(" ".join(kept))


def _tokens(name: str) -> list[str]:
    return [word for word in map(folded, _WORDS.findall(_CAMEL.sub(" ", name))) if word]
