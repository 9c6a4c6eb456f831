"""Splits a JSON catalogue into its items: an array, an object with an array of items in it, or one object a line.

A few MB are held at a time, and one item may not be larger than MAX_ITEM characters. Numbers stay as they are written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from winnow.feeds.failures import HINT_SEND_WHOLE, BadFile
from winnow.feeds.read.header import count_roles, is_removal_list
from winnow.feeds.read.item_batches import CatalogueItem

MAX_ITEM = 4 << 20
MIN_ROLES = 2  # an array whose first object names fewer is one of categories, or of shops
VARIANTS = ("variants", "skus")
NO_VARIANT = frozenset(["", "default title", "default"])
_BLANK = re.compile(r"[\s\ufeff]*")
_BETWEEN = re.compile(r"[\s\ufeff,]*")
_BETWEEN_KEYS = re.compile(r"[\s,}]*")
_DECODER = json.JSONDecoder(parse_float=str, parse_int=str, strict=False)
Fields = list[tuple[str, str]]


class _Text:
    """The characters of a file from a position on, as many as are needed."""

    def __init__(self, texts: Iterator[str]) -> None:
        self._texts, self.text, self.at = texts, "", 0

    def more(self) -> bool:
        piece = next(self._texts, None)
        if piece is None:
            return False
        self.text, self.at = self.text[self.at :] + piece, 0
        return True

    def peek(self, skipped: re.Pattern[str] = _BLANK) -> str:
        """Goes to the next character that is not skipped; "" at the end of the file."""
        while True:
            found = skipped.match(self.text, self.at)
            self.at = found.end() if found else self.at
            if self.at < len(self.text):
                return self.text[self.at]
            if not self.more():
                return ""

    def look(self) -> tuple[Any, int] | None:
        """The next value and its length, without going there; None if it is not whole within MAX_ITEM characters."""
        while True:
            try:
                found, end = _DECODER.raw_decode(self.text, self.at)
            except (json.JSONDecodeError, RecursionError):
                if len(self.text) - self.at > MAX_ITEM or not self.more():
                    return None
                continue
            if end < len(self.text) or not self.more():  # a number may go on behind the block
                return found, end - self.at

    def value(self) -> Any:
        found = self.look()
        if found is None:
            message = "the JSON is damaged, or ends in the middle"
            raise BadFile(message, code="TRUNCATED", hint=HINT_SEND_WHOLE)
        self.at += found[1]
        return found[0]


def json_items(texts: Iterator[str], network: str) -> Iterator[CatalogueItem]:
    """Every product of the file, variants each on their own, with its number."""
    number = 0
    for found in _objects(_Text(texts), network):
        for fields in _with_variants(found):
            number += 1
            yield CatalogueItem(fields, number)


def _objects(text: _Text, network: str) -> Iterator[dict[str, Any]]:
    if text.peek() == "{":
        if _is_lines(text, network):
            yield from _lines(text)
            return
        _enter_items(text, network)
    yield from _array(text)


def _is_lines(text: _Text, network: str) -> bool:
    """Whether the object that begins here is a product itself, rather than what holds the products."""
    found = text.look()
    if found is None:
        return False
    whole = text.text[text.at : text.at + found[1]]
    text.at += found[1]
    following = text.peek()
    text.text, text.at = whole + text.text[text.at :], 0
    return following == "{" or _names_roles(_without_lists(found[0]), network)


def _without_lists(found: dict[str, Any]) -> dict[str, Any]:
    """An object without the lists of other objects in it, but for its variants."""
    kept = {key: value for key, value in found.items() if key in VARIANTS or not _are_objects(value)}
    return {key: _without_lists(value) if isinstance(value, dict) else value for key, value in kept.items()}


def _enter_items(text: _Text, network: str) -> None:
    """Goes to the first array of products, in whichever object it is."""
    text.at += 1
    while text.peek(_BETWEEN_KEYS) == '"':
        text.value()
        if text.peek() != ":":
            raise BadFile("the JSON is damaged: a colon is missing", code="DAMAGED_JSON")
        text.at += 1
        kind = text.peek()
        if kind == "{":
            text.at += 1
        elif kind != "[" or not _is_items(text, network):
            text.value()
    if text.peek() != "[":
        raise BadFile("no products were found in the JSON", code="MISSING_COLUMNS")


def _is_items(text: _Text, network: str) -> bool:
    """Whether the array that begins here is one of products; the position stays."""
    text.at += 1
    first = text.peek()
    found = text.look() if first == "{" else None
    text.text, text.at = "[" + text.text[text.at :], 0
    return found is not None and _names_roles(found[0], network)


def _names_roles(found: Any, network: str) -> bool:
    names = [name for fields in _with_variants(found) for name, _ in fields]
    return count_roles(names, network) >= MIN_ROLES or is_removal_list(names, network)


def _array(text: _Text) -> Iterator[dict[str, Any]]:
    if text.peek() != "[":
        raise BadFile("no products were found in the JSON", code="MISSING_COLUMNS")
    text.at += 1
    while (following := text.peek(_BETWEEN)) != "]":
        if not following:
            raise BadFile("the JSON ends before its array is closed", code="TRUNCATED", hint=HINT_SEND_WHOLE)
        if isinstance(found := text.value(), dict):
            yield found


def _lines(text: _Text) -> Iterator[dict[str, Any]]:
    while text.peek(_BETWEEN):
        if isinstance(found := text.value(), dict):
            yield found


def _with_variants(found: dict[str, Any]) -> Iterator[Fields]:
    """A product with variants is one offer for each, called by both titles (Shopify's products.json)."""
    key = next((key for key in VARIANTS if _are_objects(found.get(key))), None)
    if key is None:
        yield list(_flat(found))
        return
    shared = [(name, value) for name, value in _flat({k: v for k, v in found.items() if k != key}) if name != "id"]
    titles = dict(shared)
    for variant in found[key]:
        own = {name: value for name, value in _flat(variant) if name != "product_id"}  # that of all its variants
        title = " - ".join(filter(None, (titles.get("title", ""), _variant_title(own.get("title", "")))))
        fields = {**titles, **own, **({"title": title} if title else {})}
        yield list(fields.items())


def _variant_title(title: str) -> str:
    return "" if title.strip().casefold() in NO_VARIANT else title


def _are_objects(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)


def _flat(found: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Fields of an object by their paths, as the XML reader names them; of a list its first three."""
    if isinstance(found, dict):
        for key, value in found.items():
            yield from _flat(value, f"{path}/{key}" if path else str(key))
    elif isinstance(found, list):
        for value in found[:3]:
            yield from _flat(value, path)
    elif found is not None:
        yield path, str(found).lower() if isinstance(found, bool) else str(found)
