"""Whether the bytes of a page may speak against data that call its product available. Asked before the fast path
answers: a page that uses one of these words near its heading is read by the DOM.

A search for one word in 16 kB takes 3 µs and a pattern of all of them half a millisecond, so only English words and
those of the page's own language are looked for. (What they mean on the page is read in `dom_stock`.)
"""

from __future__ import annotations

import re
from functools import lru_cache

from winnow.extract.dom.stock_words import CART_LABELS, SOLD_OUT_LABELS
from winnow.extract.page import Page
from winnow.vocabulary.phrases import literals
from winnow.vocabulary.stock import stock_words

_AFTER = 16_384  # bytes after the heading in which the button of buying stands
_TO_BUTTON = 2_048  # bytes from the price to a button that is surely its own
_BUTTON = 512  # bytes of a plain button
_TAG = re.compile(rb"<[^>]*>")
# A button that may be off, or not be seen.
_DOUBTS = (b"disabled", b"hid", b"none", b"collapse", b"inactive", b"soldout", b"noscript", b"<template")
# A line that may speak for a size, a seller or a branch, or that style alone shows.
_NOT_THE_PRODUCT = (*_DOUBTS, b"<li>", b"<li ", b"<option", b"<label", b"badge", b"store")
_LINE = re.compile(rb">\s*([^<>]{3,48}?)\s*<")
_SAME = {"no": "nb", "nn": "nb"}


def may_contradict_stock(page: Page, lang: str, price_at: int = -1) -> bool:
    """`price_at` is where the price is shown: the heading is looked for right before it, elsewhere only without."""
    body = page.body
    words = _words(lang[:2].lower())
    heading = body.rfind(b"<h1", max(0, price_at - _AFTER), price_at) if price_at > 0 else -1
    if heading < 0:
        heading = max(body.find(b"<h1"), 0)
    elif _can_be_bought(body, heading, price_at, words):
        return False
    near = body[heading : heading + _AFTER].lower()
    return any(map(near.__contains__, words))


def may_be_bought(page: Page, price_at: int = -1) -> bool:
    """Whether a label of buying stands near the price of a product that data call sold out, and no line does so too."""
    if price_at > 0 and _is_visibly_sold_out(page, price_at):
        return False
    start = max(price_at, page.body.find(b"<h1"), 0)
    near = page.body[start : start + _AFTER].decode(page.codec, "replace")
    return CART_LABELS.search(near) is not None


def _is_visibly_sold_out(page: Page, price_at: int) -> bool:
    """Between the heading and the first button after the price, a line of its own says that the product is gone: a
    button beside it contradicts nothing (`dom.stock.read_buyable`)."""
    body = page.body
    heading = body.rfind(b"<h1", max(0, price_at - _AFTER), price_at)
    button = body.find(b"<button", price_at, price_at + _TO_BUTTON)
    if heading < 0 or button < 0:
        return False
    between = body[heading:button]
    lowered = between.lower()
    if any(map(lowered.__contains__, _NOT_THE_PRODUCT)):
        return False
    lines = (line.decode(page.codec, "replace") for line in _LINE.findall(between))
    return any(SOLD_OUT_LABELS.fullmatch(line.strip(" !.*:")) for line in lines)


def _can_be_bought(body: bytes, heading: int, price_at: int, words: tuple[bytes, ...]) -> bool:
    """The first button after the price is plainly one of buying, and nothing from the heading up to it speaks against
    that: what stands further down would not make the DOM doubt either (`dom_stock.read_stock_contradiction`)."""
    button = body.find(b"<button", price_at, price_at + _TO_BUTTON)
    end = body.find(b"</button", button, button + _BUTTON) if button > 0 else -1
    if end < 0:
        return False
    before = body[heading:end].lower()
    if any(map(before.__contains__, _DOUBTS)) or any(map(before.__contains__, words)):
        return False
    return _is_cart_label(_TAG.sub(b" ", body[button:end]))


@lru_cache(64)
def _words(language: str) -> tuple[bytes, ...]:
    """English words and those of a language, without those that contain another."""
    known = stock_words()
    spoken = [known["en"], *filter(None, [known.get(_SAME.get(language, language))])]
    phrases = [phrase for words in spoken for phrase in (*words.sold_out, *words.later)]
    found = {_uncased(spelling) for phrase in phrases for spelling in literals(phrase)}
    found |= {_uncased(word) for words in spoken for word in words.doubt}
    return tuple(word.encode() for word in sorted(found) if not any(other in word for other in found - {word}))


def _uncased(word: str) -> str:
    """Without a first letter that may be a capital, where lowering the bytes of a page does not change it."""
    return word[1:] if word[0].upper() != word[0] and not word[0].isascii() else word


@lru_cache(1_024)
def _is_cart_label(text: bytes) -> bool:
    return CART_LABELS.search(" ".join(text.decode("utf-8", "replace").split())) is not None
