"""Selector rules: which element of a page says what. Data, checked when it is loaded, not when a page comes.

price = ".buy-box .price"                               text of every match
price = [".price ins", ".price"]                        the first selector that matches anything decides
image = { css = "img.main", attribute = "src" }
sku   = { css = ".meta", pattern = "Item: (\\\\S+)" }     the group, or the whole match
availability = { css = "main", attribute = "class", map = { instock = "InStock" } }
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec
from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from winnow.errors import InvalidInput
from winnow.extract.css_selectors import Scope, select
from winnow.extract.draft import Strategy, Value

# extract/draft.py says what each of them means.
FIELDS = frozenset(
    ["title", "price", "list_price", "price_from", "price_unit", "currency", "availability", "sku", "product_id",
     "gtin", "mpn", "brand", "image", "description", "category", "condition", "shipping", "lang", "rating",
     "rating_best", "review_count", "breadcrumb"]
)  # fmt: skip
MAX_MATCHES = 20  # more than that is a list of products, not a value
MAX_TEXT = 5_000
_EMPTY = LexborHTMLParser("<p></p>")


class Rule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One way to find a value. `map` turns words (or class names) into what they mean and leaves out the others."""

    css: str
    attribute: str | None = None
    pattern: str | None = None
    map: dict[str, str] | None = None


Rules = dict[str, list[Rule]]


def rules_of(given: Mapping[str, Any], where: str) -> Rules:
    """Validate the `[fields]` table. InvalidInput names the key and its error."""
    unknown = sorted(name for name in given if name not in FIELDS and not name.startswith("attribute."))
    if unknown:
        raise InvalidInput(f"{where}: there is no field {unknown[0]!r} (known: {', '.join(sorted(FIELDS))})")
    return {name: _several(rule, f"{where}, {name}") for name, rule in given.items()}


def _several(given: Any, where: str) -> list[Rule]:
    many = given if isinstance(given, list) else [given]
    if not many:
        raise InvalidInput(f"{where}: no selector is given")
    return [_rule(one, where) for one in many]


def _rule(given: Any, where: str) -> Rule:
    try:
        rule = msgspec.convert({"css": given} if isinstance(given, str) else given, Rule)
    except msgspec.ValidationError as wrong:
        raise InvalidInput(f"{where}: {wrong}") from None
    check_selector(rule.css, where)
    if rule.pattern is not None:
        try:
            re.compile(rule.pattern)
        except re.error as wrong:
            raise InvalidInput(f"{where}: the pattern {rule.pattern!r} cannot be read: {wrong}") from None
    return rule


def check_selector(css: str, where: str) -> None:
    try:
        select(_EMPTY, css)
    except SelectolaxError:
        raise InvalidInput(f"{where}: {css!r} is not a CSS selector") from None


def read_fields(scope: Scope, rules: Rules) -> dict[str, list[Value]]:
    found = {name: _read(scope, of) for name, of in rules.items()}
    return {name: values for name, values in found.items() if values}


def _read(scope: Scope, rules: list[Rule]) -> list[Value]:
    """Every match of the first rule that finds anything: what disagrees is held, not guessed."""
    for rule in rules:
        values = [value for node in select(scope, rule.css)[:MAX_MATCHES] for value in _values(node, rule)]
        if values:
            return values
    return []


def _values(node: LexborNode, rule: Rule) -> list[Value]:
    raw = text_of(node) if rule.attribute is None else (node.attributes.get(rule.attribute) or "")
    texts = [" ".join(raw.split())[:MAX_TEXT]]
    if rule.pattern is not None:
        match = re.search(rule.pattern, texts[0])
        texts = [] if match is None else [match[match.lastindex or 0].strip()]
    if rule.map is not None:
        texts = [meaning for text in texts for word, meaning in rule.map.items() if _contains_word(text, word)]
    path = rule.css if rule.attribute is None else f"{rule.css}@{rule.attribute}"
    return [Value(text, Strategy.ADAPTER, path) for text in texts if text]


def _contains_word(text: str, word: str) -> bool:
    """The whole text, or one of its words: a class name, a stock code."""
    return text.casefold() == word.casefold() or word.casefold() in text.casefold().split()


def text_of(node: LexborNode) -> str:
    return node.text(deep=True, separator=" ", strip=True)
