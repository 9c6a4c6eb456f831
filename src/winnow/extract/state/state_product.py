"""One product of a page's state -> draft values. The names are those shop programs use; meanings are never guessed."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Any

from winnow.extract.draft import Strategy, Value
from winnow.extract.page_facts import PageFacts
from winnow.extract.structured.schema_price import Values, scalar, text_of
from winnow.extract.visible_text import VisibleText

Node = dict[str, Any]

_NAMES = (
    "name", "title", "productName", "product_name", "displayName", "productTitle", "product_title",
    "subject", "goodsName",
)  # fmt: skip
_FIELDS = {
    "sku": ("sku", "SKU", "productCode", "itemNumber", "articleNumber", "mpn", "reference"),
    "gtin": ("gtin", "gtin13", "ean", "ean13", "upc", "barcode", "gtin14"),
    "brand": ("brand", "vendor", "manufacturer", "brandName", "brand_name"),
    "image": ("image", "imageUrl", "image_url", "featured_image", "featuredImage", "mainImage", "images", "thumbnail"),
    "description": ("description", "shortDescription", "short_description"),
}
# Names of the current price, the clearest first; then names of the previous price.
_SELLING = (
    "salePrice", "sale_price", "specialPrice", "special_price", "finalPrice", "final_price", "currentPrice",
    "current_price",
    "sellingPrice", "selling_price", "discountedPrice", "discounted_price", "discountPrice", "promoPrice",
    "display_price",
    "price", "priceRange", "priceAmount", "price_amount", "unitPrice", "priceValue", "pricing", "prices",
)  # fmt: skip
_LISTED = (
    "listPrice", "list_price", "compareAtPrice", "compare_at_price", "originalPrice", "original_price",
    "wasPrice", "was_price",
    "regularPrice", "regular_price", "oldPrice", "old_price", "rrp", "msrp", "price_without_reduction",
    "display_regular_price",
)  # fmt: skip
_INNER = (
    "sale", "special", "final", "final_price", "current", "selling", "now", "discounted", "discountPrice", "salePrice",
    "amount", "value", "price", "raw",
    "centAmount", "gross", "withTax", "without_tax", "regularPrice", "minVariantPrice", "minActivityAmount",
    "minAmount",
)  # fmt: skip
_CURRENCIES = (
    "currency",
    "currencyCode",
    "currency_code",
    "priceCurrency",
    "currencyISO",
    "currencyIso",
    "currency_iso_code",
    "iso_code",
)
_IN_STOCK = (
    "inStock", "in_stock", "isInStock", "is_in_stock", "available", "isAvailable", "is_available",
    "availableForSale", "instock",
    "purchasable", "isPurchasable", "is_purchasable", "hasStock", "buyable", "isBuyable", "available_for_order",
    "isSaleable",
)  # fmt: skip
_STATUS = (
    "availability",
    "stockStatus",
    "stock_status",
    "availabilityStatus",
    "inventoryStatus",
    "stockState",
    "availability_html",
)
_COUNT = (
    "stock",
    "stockLevel",
    "stock_quantity",
    "quantity",
    "inventory",
    "inventoryQuantity",
    "availableQuantity",
    "quantityAvailable",
    "totalAvailQuantity",
)
_CENT_WORDS = re.compile(r"cent|minor", re.IGNORECASE)


class Scale(StrEnum):
    """What a whole number counts."""

    CENTS = "cents"
    UNITS = "units"
    UNKNOWN = "unknown"


# Whose numbers are known: Shopify counts cents, WooCommerce, PrestaShop and BigCommerce units.
SCALES = {
    "meta": Scale.CENTS, "ShopifyAnalytics.meta": Scale.CENTS, "data-product_variations": Scale.UNITS,
    "data-product": Scale.UNITS,
    "BCData": Scale.UNITS,
}  # fmt: skip


class Resolve:
    """Follows Apollo's references: {"__ref": "Product:1"} or {"type": "id", "id": "Product:1"}."""

    def __init__(self, root: Any) -> None:
        self.root = root if isinstance(root, dict) else {}

    def __call__(self, value: Any) -> Any:
        if isinstance(value, dict) and len(value) <= 4:
            named = value.get("__ref") or (value.get("id") if value.get("type") == "id" else None)
            if isinstance(named, str) and named in self.root:
                return self.root[named]
        return value


def name_of(node: Node) -> str:
    for key in _NAMES:
        value = node.get(key)
        if type(value) is str and value.strip():
            return " ".join(value.split())[:512]
    return ""


class _StateReading:
    def __init__(self, path: str, resolve: Resolve, text: VisibleText) -> None:
        self.scale = SCALES.get(path.partition("[")[0].split(".product")[0].split(".variants")[0], Scale.UNKNOWN)
        self.path = path
        self.resolve = resolve
        self.text = text
        self.values: Values = {}

    def add(self, field: str, raw: str, key: str, numeric: bool = False, currency: str = "") -> None:
        if raw:
            value = Value(raw[:5_000], Strategy.HYDRATION, f"{self.path}.{key}", numeric, currency)
            self.values.setdefault(field, []).append(value)


def read_state_product(node: Node, path: str, resolve: Resolve, text: VisibleText, facts: PageFacts) -> Values:
    reading = _StateReading(path, resolve, text)
    reading.add("title", name_of(node), "name")
    for field, keys in _FIELDS.items():
        for key in keys:
            if field not in reading.values:
                reading.add(field, _plain(resolve(node.get(key))), key)
    variants = _variants(node, resolve, facts)
    for part in variants or [node]:
        _add_price(reading, part, node)
    if not any(field.startswith("price") for field in reading.values) and variants:
        _add_price(reading, node, node)
    for part in [*variants, node]:
        if "availability" not in reading.values or part in variants:
            _add_stock(reading, part)
    return reading.values


def _variants(node: Node, resolve: Resolve, facts: PageFacts) -> list[Node]:
    """Those that are sold one by one; only the one the address names, if it names one."""
    listed = resolve(node.get("variants"))
    if isinstance(listed, dict):
        listed = listed.get("nodes") or [edge.get("node") for edge in listed.get("edges", []) if isinstance(edge, dict)]
    found = [v for v in (resolve(v) for v in listed[:500]) if isinstance(v, dict)] if isinstance(listed, list) else []
    priced = [v for v in found if any(key in v for key in _SELLING)]
    named = [
        v for v in priced if _plain(v.get("id")) and any(f"variant={_plain(v['id'])}" in url for url in facts.urls)
    ]
    return named or priced


def _add_price(reading: _StateReading, node: Node, product: Node) -> None:
    shopify = "compare_at_price" in node or ("vendor" in product and "handle" in product) or "gid" in product
    for field, keys in (("price", _SELLING), ("list_price", _LISTED)):
        for key in keys:
            found = _amount(reading.resolve(node.get(key)), reading.resolve, key)
            if found is None:
                continue
            raw, numeric, currency, minor = found
            currency = currency or _currency(node) or _currency(product)
            scale = Scale.CENTS if minor or shopify else reading.scale
            _add_amount(reading, field, key, Value(raw, Strategy.HYDRATION, "", numeric, currency), scale)
            break


def _add_amount(reading: _StateReading, field: str, key: str, found: Value, scale: Scale) -> None:
    raw = found.raw
    if found.numeric and raw.isdigit() and scale is Scale.CENTS:
        raw = f"{int(raw) // 100}.{int(raw) % 100:02d}"
    elif found.numeric and raw.isdigit() and scale is Scale.UNKNOWN:
        shown = _as_displayed(raw, str(reading.text))
        if shown is None:
            field = "price_rival" if field == "price" else field
        raw = shown or raw
    reading.add(field, raw, key, found.numeric, found.currency)


def _as_displayed(digits: str, text: str) -> str | None:
    """A whole number as the page writes it: units (1299 -> 1,299) or cents (1299 -> 12.99); None when it
    shows neither or both."""
    units = re.search(rf"(?<![\d.,])0*{_grouped(digits)}(?:[.,](?:00|-|–))?(?![\d]|[.,]\d)", text)
    padded = digits.zfill(3)
    cents = re.search(rf"(?<![\d.,]){_grouped(padded[:-2])}[.,]{padded[-2:]}(?!\d)", text)
    if bool(units) == bool(cents):
        return None
    return digits if units else f"{padded[:-2]}.{padded[-2:]}"


def _grouped(digits: str) -> str:
    return r"[.,'’ \u00a0\u202f]?".join(f"{int(digits):,}".split(","))


def _amount(value: Any, resolve: Resolve, key: str, depth: int = 0) -> tuple[str, bool, str, bool] | None:
    """Text, whether it is a number, its currency, and whether it counts cents."""
    if isinstance(value, dict) and depth < 4:
        currency = _currency(value)
        for inner in _INNER:
            found = _amount(resolve(value.get(inner)), resolve, inner, depth + 1)
            if found is not None and not _is_range(value, inner, resolve):
                return found[0], found[1], found[2] or currency, found[3]
        return None
    if isinstance(value, list | dict) or value is None:
        return None
    found_scalar = scalar(value)
    if found_scalar is None or not any(c.isdigit() for c in found_scalar.raw) or found_scalar.raw.strip("0.,") == "":
        return None
    return found_scalar.raw, found_scalar.numeric, "", bool(_CENT_WORDS.search(key)) and found_scalar.raw.isdigit()


def _is_range(value: Node, key: str, resolve: Resolve) -> bool:
    """The lowest price of a product is its price only where it is the highest too."""
    highest = _HIGHEST.get(key)
    if highest is None:
        return False
    low, high = resolve(value.get(key)), resolve(value.get(highest))
    return not isinstance(high, dict) or _number(low) != _number(high)


_HIGHEST = {
    "minVariantPrice": "maxVariantPrice", "minActivityAmount": "maxActivityAmount", "minAmount": "maxAmount",
}  # fmt: skip


def _number(money: Any) -> str:
    return _plain(money.get("amount") or money.get("value")) if isinstance(money, dict) else ""


def _currency(node: Node) -> str:
    for key in _CURRENCIES:
        value = node.get(key)
        found = text_of(value.get("code") or value.get("iso_code") if isinstance(value, dict) else value)
        if found and len(found) <= 4:
            return found
    return ""


def _add_stock(reading: _StateReading, node: Node) -> None:
    for key in _STATUS:
        status = node.get(key)
        if type(status) is str and status:
            return reading.add("availability", re.sub(r"<[^>]*>", " ", status).replace("_", " ").strip(), key)
    for key in _IN_STOCK:
        flag = node.get(key)
        if isinstance(flag, bool) or flag in (0, 1):
            return reading.add("availability", "in stock" if flag else "out of stock", key)
    for key in _COUNT:
        count = scalar(node.get(key)) if not isinstance(node.get(key), dict | list) else None
        if count is not None and count.numeric and count.raw.lstrip("-").isdigit():
            return reading.add("availability", "in stock" if int(count.raw) > 0 else "out of stock", key)
    inner = next((node[key] for key in ("stock", "availability", "inventory") if isinstance(node.get(key), dict)), None)
    return _add_stock(reading, inner) if inner else None


def _plain(value: Any) -> str:
    if isinstance(value, list):
        value = value[0] if value else None
    if isinstance(value, dict):
        value = value.get("name") or value.get("title") or value.get("url") or value.get("src") or value.get("label")
    return text_of(value) if not isinstance(value, dict | list) else ""
