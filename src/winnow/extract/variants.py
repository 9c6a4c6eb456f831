"""The variants a page states in data: sizes and colours of one product, each with its own price and stock.

Only data in which every variant has its own price are read: schema.org (`hasVariant`, offers with a SKU) and the list
that WooCommerce puts into its form. Nothing is derived from the order of elements or from visible text.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import orjson
from selectolax.lexbor import LexborHTMLParser

from winnow.extract.draft import Strategy, Value

MAX_VARIANTS = 2_000
MAX_DEPTH = 12
_NAMES = {"color": "colour", "size": "size", "colour": "colour"}


class Variant(msgspec.Struct, frozen=True, kw_only=True):
    """`options` are name -> value as the page writes them, e.g. {"size": "XL", "colour": "red"}."""

    sku: str = ""
    options: dict[str, str] = {}
    price: Value | None = None
    availability: Value | None = None


def variants_of(tree: LexborHTMLParser) -> list[Variant]:
    found: list[Variant] = []
    for n, script in enumerate(tree.css('script[type="application/ld+json"]')):
        found += _schema_org(_json(script.text()), f"json_ld[{n}]", {}, 0)
    for form in tree.css("[data-product_variations]"):
        found += _woocommerce(_json(form.attributes.get("data-product_variations") or ""))
    return [variant for variant in found if variant.price is not None][:MAX_VARIANTS]


def _json(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return None


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
        if isinstance(extra, dict) and str(extra.get("name", "")).lower() in _NAMES:
            found[_NAMES[str(extra["name"]).lower()]] = extra.get("value")
    item = node.get("itemOffered")
    inner = _stated(item) if isinstance(item, dict) else {}
    return {**inner, **{name: _text(value) for name, value in found.items() if _text(value)}}


def _text(value: Any) -> str:
    if isinstance(value, dict):
        value = value.get("name") or value.get("@value")
    return " ".join(str(value).split()) if isinstance(value, str | int | float) else ""


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


def _woocommerce(rows: Any) -> Iterator[Variant]:
    for n, row in enumerate(rows if isinstance(rows, list) else []):
        if not isinstance(row, dict) or not isinstance(row.get("display_price"), int | float):
            continue
        path = f"data-product_variations[{n}]"
        stated = row.get("attributes")
        attributes = stated if isinstance(stated, dict) else {}
        options = {name.removeprefix("attribute_").removeprefix("pa_"): _text(v) for name, v in attributes.items()}
        stock = "InStock" if row.get("is_in_stock") is True else "OutOfStock" if row.get("is_in_stock") is False else ""
        yield Variant(
            sku=_text(row.get("sku")),
            options={_NAMES.get(name.lower(), name.lower()): value for name, value in options.items() if value},
            price=Value(str(row["display_price"]), Strategy.HYDRATION, f"{path}.display_price", True),
            availability=Value(stock, Strategy.HYDRATION, f"{path}.is_in_stock") if stock else None,
        )
