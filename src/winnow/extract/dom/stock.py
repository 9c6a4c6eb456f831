"""Reads stock from the visible page where no structured data state it (P-009). Explicit signals only: the shop's stock
line, a short line of its own near the heading, or a cart button that can be pressed. A button that cannot may only wait
for a choice of size; it says nothing."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborNode

from winnow.extract.dom.area import Area, ancestors, names_of, permanent_classes, words_of
from winnow.extract.dom.buttons import (
    buying_buttons,
    cart_button,
    is_cart_button,
    is_disabled,
    is_sold_out_button,
    label,
)
from winnow.extract.dom.money_elements import is_hidden
from winnow.extract.dom.stock_words import CART_LABELS, ORDERED_LATER, SOLD_OUT_LABELS, STOCK_LABEL, STOCKISH
from winnow.extract.draft import Strategy, Value
from winnow.vocabulary.stock import PRESSABLE

MAX_LINE = 120  # characters of a stock line
MAX_LINES = 8
_STOCK_SELECTOR = (
    ", ".join(
        f'[class*="{word}" i], [id*="{word}" i]'
        for word in (
            "stock",
            "availab",
            "voorraad",
            "verfueg",
            "lager",
            "dispo",
            "inventory",
            "levertijd",
            "delivery-status",
            "deliverystatus",
            "delivery-info",
            "lieferzeit",
            "sold-out",
            "soldout",
            "skladem",
            "dostupnost",
            "dostepnosc",
            "disponib",
            "zaloha",
            "alertBox",
        )
    )
    + ', [itemprop="availability"], [property="availability"], [data-stock], [data-availability]'
)
_SKIPPED = frozenset(["script", "style", "form", "body", "html", "option", "select", "link", "meta", "input"])
_IN_CLASSES = frozenset(["instock", "available"])
_CHOICES = frozenset(
    ["variation", "variant", "option", "swatch", "size", "color", "colour", "image", "media", "thumbnail"]
)
_OUT_CLASSES = frozenset(["outofstock", "unavailable", "soldout"])
MAX_LOOSE_LINE = 48  # characters of a line that is nothing but a stock line
_STORE = re.compile(r"store|filial|magasin|tienda|vestiging|butik|pickup|abhol|branch", re.IGNORECASE)


def read_stock(area: Area) -> list[Value]:
    """In the order they are trusted: the system's own stock line, other stock lines, the button, loose lines."""
    lines = _lines(area, area.shop.stock) if area.shop else []
    lines += _lines(area, _STOCK_SELECTOR)
    loose = [] if _is_article(area) else _loose(area)
    labelled = [value for value in loose if STOCK_LABEL.match(value.raw)]
    return lines[:MAX_LINES] + labelled[:3] + _button(area) + loose


def _is_article(area: Area) -> bool:
    """A text that has nothing to press: what it calls available is not this page."""
    return not buying_buttons(area) and any(above.tag == "article" for above in ancestors(area.heading))


def read_stock_contradiction(area: Area) -> list[Value]:
    """What speaks against data that call the product available: the button of buying says that it is gone or comes
    later, or no button can be pressed and the stock line says so."""
    if any(is_cart_button(node) and not is_disabled(node) for node in buying_buttons(area)):
        return [value for value in _button(area) if ORDERED_LATER.search(value.raw)]
    labels = [value for value in _button(area) if value.raw != PRESSABLE]
    lines = labels or _lines(area, area.shop.stock if area.shop else _STOCK_SELECTOR)[:1]
    return lines or [value for value in _loose(area) if SOLD_OUT_LABELS.fullmatch(value.raw.strip(" !.*:"))][:1]


def state_sold_out(stated: list[Value]) -> bool:
    """Whether all that data say about stock is that there is none."""
    return all(_STATED_OUT.search(value.raw) for value in stated)


_STATED_OUT = re.compile(r"out[\s_-]?of[\s_-]?stock|sold[\s_-]?out", re.IGNORECASE)


def read_buyable(area: Area) -> list[Value]:
    """What speaks against data that call the product sold out: a button of buying that can be pressed, on a page that
    nowhere says so itself."""
    if any(SOLD_OUT_LABELS.search(value.raw) for value in read_stock(area)):
        return []
    return [value for value in _button(area) if value.raw == PRESSABLE]


def _lines(area: Area, selector: str) -> list[Value]:
    found: list[Value] = []
    nodes = area.tree.css(selector)[:80]
    options = _in_options(nodes)
    for node in nodes:
        if node.mem_id in options:
            continue
        if node.tag in _SKIPPED or not area.is_own(node) or is_hidden(node) or _is_about_stores(node):
            continue
        text = area.spaced(node)
        if _is_badge(node) or _is_around_buttons(text) or _is_template(text):
            continue
        stated = _by_class(node) if len(text) > MAX_LINE or not text else text
        if stated and len(stated) <= MAX_LINE and (stated != text or _is_stock_text(node, text)):
            by = "" if stated == text else " (class)"
            found.append(Value(stated, Strategy.DOM, f"{node.tag}.{names_of(node)[:60]}{by}"))
    return found


def _is_badge(node: LexborNode) -> bool:
    """Badges are on every page of some themes, and shown by style alone."""
    return any("badge" in words_of(names_of(above)) for above in ancestors(node, 2))


def _in_options(nodes: list[LexborNode]) -> set[int]:
    """Stock lines (by mem_id) in several rows of one list: those of sizes, colours or sellers, not of the product."""
    rows: dict[tuple[int, str], dict[int, list[int]]] = {}
    for node in nodes:
        row = next((above for above in ancestors(node, 5) if above.tag in _OPTION_TAGS), None)
        if row is not None and row.parent is not None:
            key = (row.parent.mem_id, names_of(node))
            rows.setdefault(key, {}).setdefault(row.mem_id, []).append(node.mem_id)
    return {mine for lines in rows.values() if len(lines) > 1 for found in lines.values() for mine in found}


_OPTION_TAGS = frozenset(["li", "label", "option", "tr"])


def _is_template(text: str) -> bool:
    """Text that a script has yet to fill in."""
    return "{{" in text or "<%" in text or "${" in text


def _is_around_buttons(text: str) -> bool:
    """What holds all the buttons says what each of them can say: "Add to bag", "Notify me"."""
    return CART_LABELS.search(text) is not None and SOLD_OUT_LABELS.search(text) is not None


def _is_about_stores(node: LexborNode) -> bool:
    """Whether the text is about the stock of branches, which is not that of the web shop."""
    return _STORE.search(names_of(node)) is not None and "online" not in words_of(names_of(node))


def _is_stock_text(node: LexborNode, text: str) -> bool:
    """Not a button (those are read apart), and not an empty label."""
    return node.tag not in ("button", "a", "input") and any(c.isalnum() for c in text)


def _by_class(node: LexborNode) -> str:
    """The state an element's class gives it. (An id names a place that may be empty: `out-of-stock-message`.)"""
    words = words_of(permanent_classes(node.attributes.get("class") or ""))
    if words & _CHOICES:
        return ""
    joined = "".join(sorted(words & {"in", "out", "of", "stock", "sold"}))
    if words & _OUT_CLASSES or joined in ("ofoutstock", "outstock", "outsold"):
        return "out of stock"
    return "in stock" if words & _IN_CLASSES or joined == "instock" else ""


def _button(area: Area) -> list[Value]:
    for node in buying_buttons(area):
        if is_sold_out_button(node) or ORDERED_LATER.search(label(node)):
            return [Value(label(node), Strategy.DOM, f"{node.tag}.{names_of(node)[:60]}")]
        if not is_disabled(node):
            return [Value(PRESSABLE, Strategy.DOM, f"{node.tag}.{names_of(node)[:60]}")]
    return []


def _loose(area: Area) -> list[Value]:
    """Short lines in the part of the page that holds heading and button; what they say is read like any other."""
    block = _block(area)
    if block is None:
        return []
    found = [
        Value(" ".join(line.text.split()), Strategy.DOM, f"{line.node.tag} (text)")
        for line in area.walk.lines
        if len(line.text.strip()) <= MAX_LOOSE_LINE
        and STOCKISH.search(line.text)
        and block in {above.mem_id for above in ancestors(line.node, 16)}
        and line.node.tag not in ("a", "button", "label", "h1")
        and area.is_own(line.node)
        and not is_hidden(line.node)
        and not _is_badge(line.node)
        and not _is_choice(line.node)
    ]
    return found[:MAX_LINES]


def _is_choice(node: LexborNode) -> bool:
    """A line of something to choose (a size, a condition, a format) speaks for that choice."""
    return any(
        above.tag in ("label", "option") or (above.tag in _OPTION_TAGS and above.css_first('input[type="radio"]'))
        for above in ancestors(node, 6)
    )


def _block(area: Area) -> int | None:
    """The smallest element around the heading that also holds the cart button, or a few levels where there is none."""
    if area.heading is None:
        return None
    around = [above for above in ancestors(area.heading)[1:] if above.tag not in ("body", "html")]
    button = cart_button(area)
    if button is not None:
        line = {above.mem_id for above in ancestors(button)}
        return next((above.mem_id for above in around if above.mem_id in line), None)
    return around[min(2, len(around) - 1)].mem_id if around else None
