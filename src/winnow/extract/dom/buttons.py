"""Buttons that put the product into the cart, and those that say it is gone."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborNode

from winnow.extract.dom.area import Area, ancestors, names_of, permanent_classes, text_of, words_of
from winnow.extract.dom.money_elements import is_hidden
from winnow.extract.dom.stock_words import CART_LABELS, SOLD_OUT_LABELS

MAX_BUTTONS = 300
MAX_LABEL = 60  # characters of a button's label
_SELECTOR = (
    'button, input[type="submit"], input[type="button"], input[type="image"], a[class*="cart" i], a[class*="btn" i], '
    'a[class*="button" i], a[class*="buy" i], a[id*="cart" i], a[href*="cart" i], a[href*="basket" i], '
    'a[onclick*="cart" i], '
    'a[class*="cta" i], div[class*="buy" i], span[class*="buy" i], '
    '[role="button"], [class*="add-to-cart" i], [class*="addtocart" i], [id*="addtocart" i], [id*="add-to-cart" i]'
)
_OFF = frozenset(["disabled", "unavailable", "soldout", "inactive"])
_ADD_NAMES = re.compile(
    r"add-?(?:item-?)?to-?(?:cart|bag|basket|trolley)|(?:btn|button)-?(?:cart|buy)|buy-?(?:btn|button|now)|^tocart|-tocart|"
    r"to-?basket|warenkorb|winkelwagen|ajout-?panier|single-add"
)
_SPLIT = re.compile(r"[^a-z0-9]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def cart_button(area: Area) -> LexborNode | None:
    """The cart button nearest to the heading, or the one that says the product is gone in its place."""
    found = buying_buttons(area)
    return next((node for node in found if is_cart_button(node)), found[0] if found else None)


def buying_buttons(area: Area) -> list[LexborNode]:
    """Cart buttons and those that say the product is gone, the nearest to the heading first."""
    if area.buttons is None:
        area.buttons = nearest(
            [node for node in _candidates(area) if is_cart_button(node) or is_sold_out_button(node)], area
        )
    return area.buttons


def _candidates(area: Area) -> list[LexborNode]:
    return [node for node in area.tree.css(_SELECTOR)[:MAX_BUTTONS] if area.is_own(node) and not is_hidden(node)]


def nearest(found: list[LexborNode], area: Area) -> list[LexborNode]:
    """Those in the smallest part of the page that holds the heading and one of them."""
    if area.heading is None or len(found) < 2:
        return found
    lines = [(node, {above.mem_id for above in ancestors(node)}) for node in found]
    for above in ancestors(area.heading):
        inside = [node for node, line in lines if above.mem_id in line]
        if inside:
            return inside
    return found


def is_cart_button(node: LexborNode) -> bool:
    text = label(node)
    if len(text) > MAX_LABEL or SOLD_OUT_LABELS.search(text):
        return False
    if CART_LABELS.search(text):
        return True
    own = node.attributes
    if own.get("name") in ("add", "add-to-cart", "addtocart") and node.tag in ("button", "input"):
        return True
    return node.tag in ("button", "input", "a") and bool(text) and _is_named_so(names_of(node))


def is_sold_out_button(node: LexborNode) -> bool:
    text = label(node)
    return len(text) <= MAX_LABEL and SOLD_OUT_LABELS.search(text) is not None and not _is_box_of_buttons(node, text)


def _is_box_of_buttons(node: LexborNode, text: str) -> bool:
    """What holds all the buttons has the labels of each: "Notify me", "Add to bag". Which are shown is not known."""
    return CART_LABELS.search(text) is not None and node.css_first("button, a, input") is not None


def _is_named_so(names: str) -> bool:
    words = _SPLIT.sub("-", _CAMEL.sub("-", names).lower())
    return _ADD_NAMES.search(words) is not None and "form" not in words_of(names)


def label(node: LexborNode) -> str:
    own = node.attributes
    stated = text_of(node) or own.get("value") or own.get("aria-label") or own.get("alt") or own.get("title")
    picture = node.css_first("img[alt]") if not stated else None
    return stated or ((picture.attributes.get("alt") or "") if picture is not None else "")


def is_disabled(node: LexborNode) -> bool:
    own = node.attributes
    return (
        "disabled" in own
        or own.get("aria-disabled") == "true"
        or bool(words_of(permanent_classes(own.get("class") or "")) & _OFF)
    )
