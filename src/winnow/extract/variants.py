"""The variants a page states in data: sizes and colours of one product, each with its own price and stock.

Only data in which every variant has its own price are read: schema.org (`hasVariant`, offers with a SKU) and the lists
of shop systems. Nothing is derived from the order of elements or from visible text.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from winnow.extract.draft import Strategy, Value
from winnow.extract.variant_lists import MAX_DEPTH, Variant, json_of, lists_of_shops
from winnow.extract.variant_lists import text_of_leaf as _text
from winnow.vocabulary.variant_options import option_name

MAX_VARIANTS = 2_000
_NAMES = {"color": "colour", "size": "size", "colour": "colour"}


def variants_of(tree: LexborHTMLParser, url: str) -> list[list[Variant]]:
    """One list per place that states them, the standard one first: what one leaves out, another may say."""
    scripts = tree.css('script[type="application/ld+json"]')
    stated = [
        v for n, script in enumerate(scripts) for v in _schema_org(json_of(script.text()), f"json_ld[{n}]", {}, 0)
    ]
    lists = [stated, *lists_of_shops(tree, url)]
    priced = [[variant for variant in found if variant.price is not None][:MAX_VARIANTS] for found in lists]
    return [found for found in priced if found]


def _schema_org(node: Any, path: str, inherited: dict[str, str], depth: int) -> Iterator[Variant]:
    if depth > MAX_DEPTH:
        return
    if isinstance(node, list):
        for n, child in enumerate(node):
            yield from _schema_org(child, f"{path}[{n}]", inherited, depth + 1)
    elif isinstance(node, dict):
        stated = {**inherited, **_stated(node)}
        if "price" in node and stated:
            yield _variant(node, path, stated)
        for name in ("@graph", "hasVariant", "offers", "mainEntity", "itemOffered"):
            if name in node:
                # A group's own SKU is not the SKU of its variants.
                passed_on = {} if name in ("@graph", "hasVariant") else stated
                yield from _schema_org(node[name], f"{path}.{name}", passed_on, depth + 1)


def _stated(node: dict[str, Any]) -> dict[str, str]:
    found = {"sku": node.get("sku"), **{plain: node.get(name) for name, plain in _NAMES.items() if name in node}}
    for extra in node.get("additionalProperty") or []:
        name = option_name(_text(extra.get("name"))) if isinstance(extra, dict) else ""
        if name in ("size", "colour"):
            found[name] = extra.get("value")
    item = node.get("itemOffered")
    inner = _stated(item) if isinstance(item, dict) else {}
    return {**inner, **{name: _text(value) for name, value in found.items() if _text(value)}}


def _variant(node: dict[str, Any], path: str, stated: dict[str, str]) -> Variant:
    currency = _text(node.get("priceCurrency"))
    numeric = not isinstance(node["price"], str)
    price = Value(_text(node["price"]), Strategy.JSON_LD, f"{path}.price", numeric, currency)
    stock = _text(node.get("availability"))
    return Variant(
        sku=stated.get("sku", ""),
        options={name: value for name, value in stated.items() if name != "sku"},
        price=price if price.raw else None,
        availability=Value(stock, Strategy.JSON_LD, f"{path}.availability") if stock else None,
    )
