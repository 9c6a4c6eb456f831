"""Elements that hold one amount of money.

A token is the smallest element whose whole text is an amount, however many parts it is written in; or the element
around a short text that states one among a few words.
"""

from __future__ import annotations

import re

import msgspec
from selectolax.lexbor import LexborNode

from winnow.extract.dom.area import Area, ancestors, names_of, text_of, words_of
from winnow.extract.dom.meaning import meaning_of
from winnow.extract.dom.money_words import Meaning
from winnow.extract.dom.repeat import exclude_cards, is_listed
from winnow.extract.dom.signs import AMOUNTS, NUMBER, SIGN, SIGNS, amount_in

MAX_TOKENS = 600  # amounts looked at; a listing has thousands, a product page a few dozen
MAX_AMOUNT = 80  # characters of an amount with its label
MAX_LABEL, MAX_TAIL = 40, 16
_PARTS = 4  # levels an amount is spread over: sign, whole, separator, cents

_PERCENT = re.compile(rf"{NUMBER}\s?%")
_TAIL = r"(?:[.,:]\s?[-–—]{1,2})?"
_BEFORE = re.compile(rf"(?:[^\W\d_]{{1,14}}[.:]?\s?:?\s?){{0,3}}?((?:{SIGN})?)\s?", re.IGNORECASE)
_AFTER = re.compile(rf"{_TAIL}\s?((?:{SIGN})?)\s?(?:[*†¹²]|\d\d[*†]?)?", re.IGNORECASE)
_PIECE = re.compile(r"[\s.,'’\d:*–—-]{1,14}")  # a part of an amount that is written in parts
_PLAIN = re.compile(rf"{NUMBER}{_TAIL}\s?\*?")
PRICE_WORDS = re.compile(
    r"pri(?:ce|js|x|s\b|sen\b)|preis|preco|preço|precio|prezzo|cena\b|kaina|amount|hinta|ár\b|fiyat|kosten",
    re.IGNORECASE,
)
_ROWS = frozenset(["tr", "tbody", "table", "ul", "ol", "dl"])  # of several things: no amount is written across them
_HIDDEN_CLASSES = """
    hidden hide is-hidden u-hidden ng-hide js-hidden is--hidden display-none no-display isHidden hidden-element
    aok-hidden a-hidden a-popover-preload
"""
# Classes that take an element out of sight; the responsive ones (hidden-xs, d-none d-md-block) do not.
_HIDDEN = frozenset(_HIDDEN_CLASSES.split())
_SPOKEN_CLASSES = """
    sr-only visually-hidden visuallyhidden screen-reader-text screen-reader-only a-offscreen aok-offscreen
"""
_SPOKEN = frozenset(_SPOKEN_CLASSES.split())


class Token(msgspec.Struct, frozen=True):
    """`spoken`: written for screen readers beside what is shown."""

    node: LexborNode
    text: str
    meaning: Meaning
    path: str
    order: int
    named: bool
    spoken: bool = False

    @property
    def digits(self) -> str:
        """For telling amounts apart without reading them."""
        found = amount_in(_PERCENT.sub(" ", self.text))
        plain = re.sub(r"[^\d.,]", "", found[0]) if found else self.text
        return re.sub(r"[.,](?:00)?$", "", plain).replace(",", ".")


def tokens(area: Area) -> list[Token]:
    """Every amount of the page's own product, in document order."""
    holders = _holders(area)
    exclude_cards(area, [node for node, _ in holders])
    found = [_token(node, text, area) for node, text in holders if area.is_own(node) and not is_hidden(node)]
    listed = is_listed([token.node for token in found if token.meaning in (Meaning.SELLING, Meaning.EACH)], area)
    return [msgspec.structs.replace(t, meaning=Meaning.ASIDE) if t.node.mem_id in listed else t for t in found]


def _token(node: LexborNode, text: str, area: Area) -> Token:
    order = area.walk.order.get(node.mem_id, 0)
    return Token(node, text, meaning_of(node, text, area), path_of(node), order, _is_named(node), _is_spoken(node))


def _holders(area: Area) -> list[tuple[LexborNode, str]]:
    found: dict[int, tuple[LexborNode, str]] = {}
    for line in area.walk.digits[: MAX_TOKENS * 4]:
        held = _holder(line.node, line.text, area)
        if held is not None:
            found.setdefault(held[0].mem_id, held)
        if len(found) >= MAX_TOKENS:
            break
    return list(found.values())


def is_amount(text: str) -> bool:
    """One number with its currency, and no more than a short label before it."""
    number = AMOUNTS.search(text)
    if number is None or number.start() > MAX_LABEL or len(text) - number.end() > MAX_TAIL:
        return False
    after = _AFTER.fullmatch(text, number.end())
    before = _BEFORE.fullmatch(text, 0, number.start()) if after else None
    return bool(after and before and (after[1] or before[1]))


def _holder(node: LexborNode, line: str, area: Area) -> tuple[LexborNode, str] | None:
    """The smallest element around a number whose text is an amount; else the text that states one."""
    if len(line) > MAX_AMOUNT and not line.isspace() and len(line.strip()) > MAX_AMOUNT:
        return None
    signed = SIGNS.search(line) is not None
    above: LexborNode | None = node
    for _ in range(_PARTS if signed or _PIECE.fullmatch(line) else 0):
        if above is None or above.mem_id in area.spine or above.tag in _ROWS:
            break
        text = area.joined(above)
        if len(text) > MAX_AMOUNT:
            break
        if is_amount(text):
            return above, text
        above = above.parent
    return _stated(node, " ".join(line.split()), area)


def _stated(node: LexborNode, line: str, area: Area) -> tuple[LexborNode, str] | None:
    if area.is_heading(node):
        return None
    whole = area.joined(node) if node.mem_id not in area.spine else line
    text = whole if len(whole) <= MAX_AMOUNT and not _stands_alone(line, whole) else line
    if len(text) > MAX_AMOUNT or len(AMOUNTS.findall(_PERCENT.sub(" ", text))) > 3:
        return None
    if SIGNS.search(_PERCENT.sub(" ", text)):
        return node, text
    plain = _is_named(node) and _PLAIN.fullmatch(text) is not None
    return (node, text) if plain and not _is_fraction(node) and not _is_quantity(node, area) else None


_FRACTION_WORDS = frozenset(["fraction", "cents", "cent", "decimal", "decimals"])


def _is_fraction(node: LexborNode) -> bool:
    """The cents of an amount that is written in parts."""
    return node.tag == "sup" or bool(words_of(names_of(node)) & _FRACTION_WORDS)


_COUNTED = frozenset(["max", "min", "maximum", "minimum", "limit", "qty", "quantity", "count", "stock"])


def _is_quantity(node: LexborNode, area: Area) -> bool:
    """A bare number that counts something, or in a row of a table that states an amount of money too."""
    if any(words_of(names_of(above)) & _COUNTED for above in ancestors(node, 2)):
        return True
    row = next((above for above in ancestors(node, 4) if above.tag == "tr"), None)
    return row is not None and SIGNS.search(area.joined(row)) is not None


def _stands_alone(line: str, whole: str) -> bool:
    """An amount beside another one in the same element, and not the first part of one written in two."""
    before, _, after = whole.partition(line)
    return is_amount(line) and _CENTS.match(after) is None and SIGNS.search(f"{before} {after}") is not None


_CENTS = re.compile(r"\s?[.,]?\s?\d\d?(?![\d.,])")


def _is_named(node: LexborNode) -> bool:
    """Called a price by itself or by the two elements around it."""
    for above in ancestors(node, 3):
        if above.attributes.get("itemprop") in ("price", "lowPrice") or PRICE_WORDS.search(names_of(above)):
            return True
        if any(key.startswith("data-") and "price" in key for key in above.attributes):
            return True
    return _is_labelled(node)


_LABELS = frozenset(["td", "th", "dt", "label"])
# "Price", "Our price (incl. VAT):", but not "Price in India", which a page about a product says of its lowest.
_LABEL = re.compile(r"(?:our )?[^\W\d_]{2,8}(?: ?\([^()\d]{1,20}\))?\s?[:：]?", re.IGNORECASE)


def _is_labelled(node: LexborNode) -> bool:
    """The cell, term or label right before it says "Price" and nothing else."""
    for above in ancestors(node, 3):
        before = above.prev
        while before is not None and before.tag in ("-text", "-comment"):
            before = before.prev
        if before is not None:
            label = text_of(before) if before.tag in _LABELS else ""
            return _LABEL.fullmatch(label) is not None and PRICE_WORDS.search(label) is not None
    return False


def is_hidden(node: LexborNode) -> bool:
    for above in ancestors(node, 10):
        own = above.attributes
        if above.tag in ("noscript", "template") or "hidden" in own or _is_styled_away(own.get("style") or ""):
            return True
        classes = set((own.get("class") or "").split())
        if (classes & _HIDDEN and not any(c.endswith(_SHOWN_WIDER) for c in classes)) or (
            "d-none" in classes and not any(c.startswith("d-") and c != "d-none" for c in classes)
        ):
            return True
    return False


_SHOWN_WIDER = (":block", ":flex", ":grid", ":inline", ":inline-block", ":inline-flex", ":contents")  # `hidden md:flex`


def _is_styled_away(style: str) -> bool:
    plain = style.replace(" ", "").lower()
    return "display:none" in plain or "visibility:hidden" in plain


def _is_spoken(node: LexborNode) -> bool:
    return any(set((a.attributes.get("class") or "").split()) & _SPOKEN for a in ancestors(node, 3))


def path_of(node: LexborNode) -> str:
    """A short way to the element, for people: the tag with its first class, and its parent's."""
    parts = [
        (n.tag or "") + "".join(f".{c}" for c in (n.attributes.get("class") or "").split()[:1])
        for n in ancestors(node, 2)
    ]
    return " > ".join(reversed(parts))


def is_emphasised(node: LexborNode) -> bool:
    """Larger or bolder than what stands around it, as far as tags and names say."""
    around = ancestors(node, 3)
    if any(above.tag in ("h2", "h3", "h4", "strong", "b", "ins", "big", "font") for above in around):
        return True
    return any(words_of(names_of(above)) & _BIG for above in around)


_BIG_NAMES = "big large main primary hero current now sale final our special lead pay selling actual buy"
_BIG = frozenset(_BIG_NAMES.split())
