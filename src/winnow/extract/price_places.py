"""The places of a page where an amount stands, each with a CSS selector that finds it and nothing else: what a person
picks the price from, and what a corrected price is looked for in."""

from __future__ import annotations

import re

import msgspec
from selectolax.lexbor import LexborHTMLParser, LexborNode

from winnow.extract.dom.area import ancestors
from winnow.extract.dom.money_elements import PRICE_WORDS
from winnow.extract.dom.signs import SIGNS
from winnow.extract.limits import MAX_BODY, too_deep
from winnow.extract.page import Page

MAX_PLACES = 200
MAX_PLACE = 40  # characters of an amount with its label
MAX_BEFORE = 80  # characters shown before an amount
MAX_DEPTH = 60
_AMOUNT = re.compile(r"\d")
_SKIPPED = frozenset(["script", "style", "noscript", "template", "head", "title", "option", "select", "svg"])
_BLOCKS = frozenset(
    [
        "p",
        "div",
        "li",
        "ul",
        "ol",
        "td",
        "tr",
        "th",
        "table",
        "section",
        "article",
        "main",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "dl",
        "dd",
        "dt",
    ]
)
MAX_CLASSES = 3
_PLAIN_CLASS = re.compile(r"[a-zA-Z]{3,}(?:[-_]{1,2}[a-zA-Z]{2,})*", re.A)
_PLAIN_ID = re.compile(r"[A-Za-z][\w-]*", re.A)


class PricePlace(msgspec.Struct, frozen=True, kw_only=True):
    """`before` is the end of what the page says since the place before: "Regular price", "With your card"."""

    selector: str
    text: str
    before: str = ""


def price_places(page: Page) -> list[PricePlace]:
    """Those after the page's heading first: the smallest elements whose own text states an amount of money; where no
    text does, all that have a digit and are short enough to be a price."""
    if len(page.body) > MAX_BODY or too_deep(page.body):
        return []
    return _places(LexborHTMLParser(page.body if page.is_utf8 else page.text()))


def places_in(html: str) -> list[PricePlace]:
    """The same of a page that is at hand as text, such as a stored one."""
    body = html.encode(errors="replace")
    return [] if len(body) > MAX_BODY or too_deep(body) else _places(LexborHTMLParser(html))


def _places(tree: LexborHTMLParser) -> list[PricePlace]:
    if tree.body is None:
        return []
    short = [(node, text) for node in tree.body.traverse(include_text=False) if (text := _amount_text(node))]
    money = _innermost([(node, text) for node, text in short if _is_money(node, text)])
    texts = {node.mem_id: text for node, text in (money or short)[:MAX_PLACES]}
    found, first = _with_labels(tree, texts)
    return found[first:] + found[:first]


def _amount_text(node: LexborNode) -> str:
    """The text of the smallest element that states one amount; "" of every other."""
    if node.tag in _SKIPPED:
        return ""
    text = " ".join(node.text(separator=" ").split())
    usable = len(text) <= MAX_PLACE and _AMOUNT.search(text) is not None and not _has_amount_inside(node, text)
    return text if usable else ""


def _is_money(node: LexborNode, text: str) -> bool:
    """An amount beside a currency, or in an element that is called a price."""
    if SIGNS.search(text) is not None:
        return True
    names = f"{node.attributes.get('class') or ''} {node.attributes.get('id') or ''}"
    return PRICE_WORDS.search(names) is not None


def _innermost(found: list[tuple[LexborNode, str]]) -> list[tuple[LexborNode, str]]:
    """Of amounts inside each other the inner one, unless that is only a part: the `19` of `$ 19 99`."""
    signed = {node.mem_id for node, text in found if SIGNS.search(text) is not None}
    lines = {node.mem_id: [above.mem_id for above in ancestors(node, MAX_DEPTH)[1:]] for node, _ in found}
    outer = {above for mine in signed for above in lines[mine] if above in signed}
    around = {above for mine in signed for above in lines[mine]}
    return [
        (node, text)
        for node, text in found
        if (node.mem_id in signed and node.mem_id not in outer)
        or (node.mem_id not in signed | around and signed.isdisjoint(lines[node.mem_id]))
    ]


def _with_labels(tree: LexborHTMLParser, texts: dict[int, str]) -> tuple[list[PricePlace], int]:
    """Each place with what is said before it; and how many stand before the first heading."""
    found: list[PricePlace] = []
    first, said = 0, ""
    assert tree.body is not None
    for node in tree.body.traverse(include_text=True):
        if node.tag == "h1" and not first:
            first = len(found)
        text = texts.pop(node.mem_id, None)
        selector = _selector(tree, node) if text is not None else None
        if text is not None and selector is not None:
            found.append(PricePlace(selector=selector, text=text, before=said[-MAX_BEFORE:].strip()))
            said = ""
        elif node.tag == "-text" and node.parent is not None and node.parent.tag not in _SKIPPED:
            said = _continued(said, node.text(), found[-1].text if found else "")
    return found, first


def _continued(said: str, more: str, place: str) -> str:
    """What was said so far and some more, which may still be the text of the last place itself."""
    more = " ".join(more.split())
    if not more or (not said and more in place):
        return said
    return f"{said[-MAX_BEFORE:]} {more}"


def _has_amount_inside(node: LexborNode, text: str) -> bool:
    """A child is the place if it says the same, or is a block with a number; `<span>19</span><sup>99</sup>` is one."""
    children = [(child.tag, " ".join(child.text(separator=" ").split())) for child in node.iter(include_text=False)]
    return any(said == text or (tag in _BLOCKS and _AMOUNT.search(said)) for tag, said in children)


def _selector(tree: LexborHTMLParser, node: LexborNode) -> str | None:
    steps: list[str] = []
    at: LexborNode | None = node
    for _ in range(MAX_DEPTH):
        if at is None or at.tag in ("html", "-undef"):
            break
        for name in _names(at):
            selector = " > ".join([name, *steps])
            if len(tree.css(selector)) == 1:
                return selector
        steps.insert(0, _nth(at))
        at = at.parent
    return None


def _names(node: LexborNode) -> list[str]:
    """By its id, by a class of plain words (those with digits are often generated anew), by its place."""
    own = node.attributes.get("id") or ""
    classes = [name for name in (node.attributes.get("class") or "").split() if _PLAIN_CLASS.fullmatch(name)]
    named = [f"{node.tag}#{own}"] if _PLAIN_ID.fullmatch(own) else []
    return [*named, *(f"{node.tag}.{name}" for name in classes[:MAX_CLASSES]), _nth(node)]


def _nth(node: LexborNode) -> str:
    before, n = node.prev, 1
    while before is not None:
        n += before.tag == node.tag
        before = before.prev
    return f"{node.tag}:nth-of-type({n})"
