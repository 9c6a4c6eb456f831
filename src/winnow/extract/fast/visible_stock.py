"""Whether the bytes of a page may speak against data that call its product available. Asked before the fast path
answers: a page that uses one of these words near its heading is read by the DOM.

A search for one word in 16 kB takes 3 µs and a pattern of all of them half a millisecond, so only English words and
those of the page's own language are looked for. (What they mean on the page is read in `dom_stock`.)
"""

from __future__ import annotations

import re
from functools import lru_cache

from winnow.extract.dom.stock_words import CART_LABELS
from winnow.extract.page import Page

_AFTER = 16_384  # bytes after the heading in which the button of buying stands
_TO_BUTTON = 2_048  # bytes from the price to a button that is surely its own
_BUTTON = 512  # bytes of a plain button
_TAG = re.compile(rb"<[^>]*>")
# A button that may be off, or not be seen.
_DOUBTS = (b"disabled", b"hid", b"none", b"collapse", b"inactive", b"soldout", b"noscript", b"<template")
_ENGLISH = ("sold out", "out of stock", "unavailable", "not available", "pre-order", "back-order", "backorder")
_OTHERS = {
    "de": "ausverkauft|vergriffen|nicht ver|nicht lieferbar|nicht auf lager|vorbestell",
    "nl": "uitverkocht|niet op voorraad|niet leverbaar|niet beschikbaar",
    "fr": "puisé|rupture|indisponible|non disponible|commander",
    "es": "agotad|sin stock|sin existencias|no disponible|preventa",
    "it": "esaurit|non disponibile|preordin",
    "pt": "esgotad|indispon|sem stock|sem estoque",
    "sv": "slut|förbeställ",
    "nb": "utsolgt|ikke på lager|forhåndsbestill",
    "no": "utsolgt|ikke på lager|forhåndsbestill",
    "da": "udsolgt|ikke på lager|forudbestil",
    "fi": "loppu|ei saatavilla",
    "pl": "wyprzedan|niedostępn|brak w",
    "cs": "vyprodán|nedostupn|není sklad",
    "sk": "vypredan|nedostupn|nie je sklad",
    "hu": "elfogyott|nincs ",
    "ro": "epuizat|indisponibil",
    "bg": "изчерпан|няма наличност",
    "ru": "нет в наличии|нет на складе",
    "uk": "немає",
    "tr": "tükendi|stokta yok",
    "el": "εξαντλ|μη διαθέσιμο",
    "ja": "売|切れ|予約",
    "ko": "품절",
    "zh": "缺|售罄|售完",
    "ar": "غير متوفر|نفد",
    "id": "habis",
    "vi": "hết hàng",
    "th": "หมด",
    "he": "אזל",
}
_WORDS = {lang: tuple(word.encode() for word in (*_ENGLISH, *words.split("|"))) for lang, words in _OTHERS.items()}
_WORDS["en"] = tuple(word.encode() for word in _ENGLISH)


def may_deny_stock(page: Page, lang: str, price_at: int = -1) -> bool:
    """`price_at` is where the price is shown: the heading is looked for right before it, elsewhere only without."""
    body = page.body
    words = _WORDS.get(lang[:2].lower(), _WORDS["en"])
    heading = body.rfind(b"<h1", max(0, price_at - _AFTER), price_at) if price_at > 0 else -1
    if heading < 0:
        heading = max(body.find(b"<h1"), 0)
    elif _can_be_bought(body, heading, price_at, words):
        return False
    near = body[heading : heading + _AFTER].lower()
    return any(word in near for word in words)


def _can_be_bought(body: bytes, heading: int, price_at: int, words: tuple[bytes, ...]) -> bool:
    """The first button after the price is plainly one of buying, and nothing from the heading up to it speaks against
    that: what stands further down would not make the DOM doubt either (`dom_stock.read_denial`)."""
    button = body.find(b"<button", price_at, price_at + _TO_BUTTON)
    end = body.find(b"</button", button, button + _BUTTON) if button > 0 else -1
    if end < 0:
        return False
    before = body[heading:end].lower()
    if any(word in before for word in _DOUBTS) or any(word in before for word in words):
        return False
    return _is_cart_label(_TAG.sub(b" ", body[button:end]))


@lru_cache(1_024)
def _is_cart_label(text: bytes) -> bool:
    return CART_LABELS.search(" ".join(text.decode("utf-8", "replace").split())) is not None
