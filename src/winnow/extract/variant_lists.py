"""The lists of variants that shop systems write into their pages: WooCommerce, Shopify, Magento 2."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import orjson
from selectolax.lexbor import LexborHTMLParser

from winnow.extract.draft import Strategy, Value
from winnow.vocabulary.variant_options import option_name

MAX_DEPTH = 12
_JSON_SCRIPTS = 'script[type="application/json"], script[type="text/x-magento-init"]'
MAX_SCRIPTS = 60


class Variant(msgspec.Struct, frozen=True, kw_only=True):
    """`options` are name -> value as the page writes them, e.g. {"size": "XL", "colour": "red"}."""

    sku: str = ""
    options: dict[str, str] = {}
    price: Value | None = None
    availability: Value | None = None


def lists_of_shops(tree: LexborHTMLParser, url: str) -> Iterator[list[Variant]]:
    for form in tree.css("[data-product_variations]"):
        yield list(_woocommerce(json_of(form.attributes.get("data-product_variations") or "")))
    states = [json_of(script.text()) for script in tree.css(_JSON_SCRIPTS)[:MAX_SCRIPTS]]
    yield from _shopify(states, url)
    for state in states:
        for config in _magento_configs(state, 0):
            yield list(_magento(config))


def json_of(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return None


def text_of_leaf(value: Any) -> str:
    if isinstance(value, dict):
        value = value.get("name") or value.get("@value")
    return " ".join(str(value).split()) if isinstance(value, str | int | float) else ""


def _woocommerce(rows: Any) -> Iterator[Variant]:
    for n, row in enumerate(rows if isinstance(rows, list) else []):
        if not isinstance(row, dict) or not isinstance(row.get("display_price"), int | float):
            continue
        path = f"data-product_variations[{n}]"
        stated = row.get("attributes")
        attributes = stated if isinstance(stated, dict) else {}
        options = {option_name(k.removeprefix("attribute_").removeprefix("pa_")): v for k, v in attributes.items()}
        yield Variant(
            sku=text_of_leaf(row.get("sku")),
            options={name: text_of_leaf(value) for name, value in options.items() if text_of_leaf(value)},
            price=Value(str(row["display_price"]), Strategy.HYDRATION, f"{path}.display_price", True),
            availability=_stock(row.get("is_in_stock"), f"{path}.is_in_stock"),
        )


def _stock(stated: Any, path: str) -> Value | None:
    if not isinstance(stated, bool):
        return None
    return Value("InStock" if stated else "OutOfStock", Strategy.HYDRATION, path)


def _shopify(states: list[Any], url: str) -> Iterator[list[Variant]]:
    """The page's own product, told by its handle in the address where cards of others have theirs on the page too."""
    products = [p for state in states for p in (state, _inside(state)) if isinstance(p, dict) and _is_shopify(p)]
    own = [product for product in products if url.partition("?")[0].endswith(f"/{product['handle']}")]
    for product in own or products if len(products) == 1 else own:
        yield list(_shopify_variants(product))


def _inside(state: Any) -> Any:
    return state.get("product") if isinstance(state, dict) else None


def _is_shopify(product: dict[str, Any]) -> bool:
    variants = product.get("variants")
    return isinstance(product.get("handle"), str) and isinstance(variants, list) and bool(variants)


def _shopify_variants(product: dict[str, Any]) -> Iterator[Variant]:
    stated = product.get("options")
    names = [option_name(text_of_leaf(option)) for option in (stated if isinstance(stated, list) else [])]
    for n, row in enumerate(product["variants"]):
        if not isinstance(row, dict):
            continue
        values = [text_of_leaf(row.get(f"option{at}")) for at in range(1, len(names) + 1)]
        path = f"product.variants[{n}]"
        yield Variant(
            sku=text_of_leaf(row.get("sku")),
            options={name: value for name, value in zip(names, values, strict=True) if value},
            price=_shopify_price(row.get("price"), f"{path}.price"),
            availability=_stock(row.get("available"), f"{path}.available"),
        )


def _shopify_price(stated: Any, path: str) -> Value | None:
    """A number counts hundredths, in every currency; a text is the amount."""
    if isinstance(stated, int) and not isinstance(stated, bool):
        return Value(f"{stated // 100}.{stated % 100:02d}", Strategy.HYDRATION, path, True)
    return Value(stated, Strategy.HYDRATION, path, True) if isinstance(stated, str) and stated.strip() else None


def _magento_configs(node: Any, depth: int) -> Iterator[dict[str, Any]]:
    if depth > MAX_DEPTH or not isinstance(node, dict):
        return
    if isinstance(node.get("attributes"), dict) and isinstance(node.get("optionPrices"), dict):
        yield node
        return
    for child in node.values():
        yield from _magento_configs(child, depth + 1)


def _magento(config: dict[str, Any]) -> Iterator[Variant]:
    """Each product of a configurable one, by the options that lead to it. What is sold out is not listed."""
    options: dict[str, dict[str, str]] = {}
    for attribute in config["attributes"].values():
        for option in attribute.get("options") or [] if isinstance(attribute, dict) else []:
            for product in option.get("products") or [] if isinstance(option, dict) else []:
                label = text_of_leaf(option.get("label"))
                options.setdefault(str(product), {})[option_name(text_of_leaf(attribute.get("code")))] = label
    for product, prices in config["optionPrices"].items():
        final = prices.get("finalPrice") if isinstance(prices, dict) else None
        amount = final.get("amount") if isinstance(final, dict) else None
        if product in options and isinstance(amount, int | float) and not isinstance(amount, bool):
            path = f"optionPrices.{product}.finalPrice"
            yield Variant(options=options[product], price=Value(str(amount), Strategy.HYDRATION, path, True))
