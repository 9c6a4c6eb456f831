"""The places of a page where an amount stands, each with a CSS selector that finds it and nothing else: what a person
picks the price from, and what a corrected price is looked for in."""

from __future__ import annotations

import re

import msgspec
from selectolax.lexbor import LexborHTMLParser, LexborNode

from winnow.extract.limits import MAX_BODY, too_deep
from winnow.extract.page import Page

MAX_PLACES = 200
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
_PLAIN_ID = re.compile(r"[A-Za-z][\w-]*", re.A)


class PricePlace(msgspec.Struct, frozen=True, kw_only=True):
    selector: str
    text: str


def price_places(page: Page) -> list[PricePlace]:
    """In the order of the page: the smallest elements whose own text has a digit and is short enough to be a price."""
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
    found: list[PricePlace] = []
    for node in tree.body.traverse(include_text=False):
        text = " ".join(node.text(separator=" ").split())
        if node.tag in _SKIPPED or not _AMOUNT.search(text) or len(text) > 40 or _has_amount_inside(node, text):
            continue
        selector = _selector(tree, node)
        if selector is not None:
            found.append(PricePlace(selector=selector, text=text))
        if len(found) >= MAX_PLACES:
            break
    return found


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
        name = at.attributes.get("id") or ""
        steps.insert(0, f"{at.tag}#{name}" if _PLAIN_ID.fullmatch(name) else _nth(at))
        selector = " > ".join(steps)
        if len(tree.css(selector)) == 1:
            return selector
        at = at.parent
    return None


def _nth(node: LexborNode) -> str:
    before, n = node.prev, 1
    while before is not None:
        n += before.tag == node.tag
        before = before.prev
    return f"{node.tag}:nth-of-type({n})"
