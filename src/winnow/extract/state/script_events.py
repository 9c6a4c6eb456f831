"""Reads the product data that a page gives to analytics (dataLayer, gtag, fbq) and price scripts (Magento).

Customers do not see these data, and shops forget the tax or the chosen variant in them. They are asked only where no
better claim was found, and stand apart as `price_pushed`: a page that shows another price is held.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec
from selectolax.lexbor import LexborHTMLParser

from winnow.extract.draft import Strategy, Value
from winnow.extract.page_facts import PageFacts
from winnow.extract.state.hydration import is_named_like
from winnow.extract.state.hydration_states import MAX_SCRIPT, MAX_SCRIPTS, value_at
from winnow.extract.structured.schema_draft import Findings
from winnow.extract.structured.schema_price import Values, scalar, text_of

MAX_ITEMS = 50
MAX_PUSHES = 40
_DEPTH = 6
_PUSHED = re.compile(
    r"dataLayer\s*\.push\(\s*(?=\{)|dataLayer\s*=\s*(?=\[)"
    r"|(?:gtag|fbq|ttq|pintrk)\(\s*[\"'](?:event|track)[\"']\s*,\s*[\"'](\w+)[\"']\s*,\s*(?=\{)"
)
# A list, a cart or an order is not the page's product.
_ELSEWHERE = re.compile(
    r"list|impression|cart|checkout|purchase|promo|search|remove|select|wishlist|recommend|relat", re.IGNORECASE
)
_NAMES = ("item_name", "name", "productName", "product_name", "content_name", "title")
_PRICES = ("price", "item_price", "productPrice", "product_price")
_CURRENCIES = ("currency", "currencyCode", "currency_code")
_MORE = {"brand": ("item_brand", "brand"), "sku": ("sku", "item_id", "id")}
_MAGENTO = '.product-info-main [data-price-amount][data-price-type="finalPrice"]'


class _Item(msgspec.Struct, frozen=True):
    node: dict[str, Any]
    currency: str
    path: str


def read_script_events(tree: LexborHTMLParser, facts: PageFacts) -> Findings:
    own = [item for item in _items(tree) if is_named_like(_first(item.node, _NAMES), facts)]
    values = _values(own[:MAX_ITEMS]) or _of_magento(tree, facts)
    return Findings(values, "" if values else "no event names the page's product")


def _values(own: list[_Item]) -> Values:
    priced = [value for item in own if (value := _price(item)) is not None]
    if not priced:
        return {}
    first = own[0]
    values = {"title": [_pushed_values(_first(first.node, _NAMES), first)], "price_pushed": priced}
    for field, keys in _MORE.items():
        if found := _first(first.node, keys):
            values[field] = [_pushed_values(found, first)]
    return values


def _pushed_values(text: str, item: _Item) -> Value:
    return Value(text[:512], Strategy.HYDRATION, item.path)


def _price(item: _Item) -> Value | None:
    keys = (*_PRICES, "value") if "content_name" in item.node else _PRICES
    found = next((found for key in keys if (found := scalar(item.node.get(key))) is not None), None)
    if found is None or not found.raw.strip("0.,"):
        return None
    return Value(found.raw[:60], Strategy.HYDRATION, item.path, found.numeric, item.currency)


def _of_magento(tree: LexborHTMLParser, facts: PageFacts) -> Values:
    """The attribute a theme's script writes the price from, where nothing is written yet."""
    node = tree.css_first(_MAGENTO)
    amount = (node.attributes.get("data-price-amount") or "") if node is not None else ""
    if not amount.strip("0.,") or not facts.titles:
        return {}
    name = (facts.titles[1:2] or facts.titles)[0]
    path = "[data-price-amount]"
    return {
        "title": [Value(name, Strategy.HYDRATION, "h1")],
        "price_pushed": [Value(amount[:60], Strategy.HYDRATION, path, True)],
    }


def _items(tree: LexborHTMLParser) -> Iterator[_Item]:
    left = MAX_PUSHES
    for node in tree.css("script:not([src])")[: MAX_SCRIPTS * 4]:
        text = node.text() or ""
        if len(text) > MAX_SCRIPT or ("rice" not in text and "content_name" not in text):
            continue
        for match in _PUSHED.finditer(text):
            left -= 1
            if left < 0:
                return
            if not _ELSEWHERE.search(match[1] or ""):
                yield from _inside(value_at(text, match.end()), match[0].partition("(")[0].strip(" ="), "", _DEPTH)


def _inside(value: Any, path: str, currency: str, depth: int) -> Iterator[_Item]:
    if isinstance(value, list) and depth:
        for i, inner in enumerate(value[:MAX_ITEMS]):
            yield from _inside(inner, f"{path}[{i}]", currency, depth - 1)
    elif isinstance(value, dict) and depth and not _ELSEWHERE.search(text_of(value.get("event"))):
        currency = _first(value, _CURRENCIES) or currency
        if _first(value, _NAMES):
            yield _Item(value, currency, path)
        for key, inner in value.items():
            if isinstance(inner, dict | list) and not _ELSEWHERE.search(str(key)):
                yield from _inside(inner, f"{path}.{key}", currency, depth - 1)


def _first(node: dict[str, Any], keys: tuple[str, ...]) -> str:
    return next((found for key in keys if (found := text_of(node.get(key)))), "")
