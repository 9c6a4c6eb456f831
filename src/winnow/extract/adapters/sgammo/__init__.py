"""SGAmmo (P-104 … P-106): WooCommerce, rendered on the server, no structured data that could be relied on.

The product stands in `div.product.type-product`; its class says whether it is in stock, `.summary` holds the title and
the price. A sale strikes the old price through (`del`) and inserts the new one (`ins`). Case lots are priced in a table
of quantities, whose first row is the price of one (P-028). Prices per round are shown beside and are not the price
(P-031).
"""

from __future__ import annotations

import re
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser, LexborNode

from winnow.extract.adapter import Context
from winnow.extract.adapters.missing_price import classify_missing_price
from winnow.extract.adapters.rules import read_fields, rules_of, text_of
from winnow.extract.adapters.tiers import Tiers, with_tiers
from winnow.extract.draft import Draft, Extracted, Extraction, Failure, Reason, Strategy, Value
from winnow.extract.limits import MAX_BODY, too_deep
from winnow.extract.page import Page
from winnow.extract.page_facts import facts_from_dom
from winnow.extract.refusal import refusal

PRODUCT = "div.product.type-product"
FIELDS = rules_of(
    {
        "title": ".summary h1.product_title",
        "price": [
            ".summary p.price ins .woocommerce-Price-amount",
            ".summary p.price > .woocommerce-Price-amount",
        ],
        "list_price": ".summary p.price del .woocommerce-Price-amount",
        # A price of several variants: not what one of them costs.
        "price_from": ".summary p.price > .woocommerce-Price-amount ~ .woocommerce-Price-amount",
        "availability": [
            ".summary .stock",
            {"css": PRODUCT, "attribute": "class", "map": {
                "instock": "InStock", "outofstock": "OutOfStock", "onbackorder": "BackOrder"}},
        ],
        "sku": ".product_meta .sku",
        "product_id": [
            {"css": "form.cart [name='add-to-cart']", "attribute": "value"},
            {"css": PRODUCT, "attribute": "id", "pattern": r"^product-(\d+)$"},
        ],
        "gtin": {"css": ".product_meta .upc", "pattern": r"(\d{8,14})"},
        "brand": ".product_meta .brand a",
        "image": {"css": ".woocommerce-product-gallery__image a", "attribute": "href"},
        "category": ".product_meta .posted_in a",
    },
    "sgammo",
)  # fmt: skip
TIERS = Tiers(rows=".summary table.quantity-pricing tr", quantity="td:first-child", price="td:last-child")
# P-016: what identifies ammunition, where the title says it.
_ATTRIBUTES = {
    "round_count": re.compile(r"\b(\d{1,5})\s*(?:round|rd|rds)\b", re.IGNORECASE),
    "grain_weight": re.compile(r"\b(\d{1,4}(?:\.\d)?)\s*(?:grain|gr)\b", re.IGNORECASE),
}


class SgAmmo:
    id = "sgammo"
    version = "1.0.0"
    domain = "sgammo.com"
    kind = "offer"
    needs_browser = False
    currency = "USD"
    home = Path(__file__).parent

    def fast(self, page: Page, ctx: Context) -> Extraction | None:
        return None  # selectors need a DOM

    def extract(self, page: Page, ctx: Context) -> Extraction:
        if not page.body or page.body.isspace():
            return Failure(Reason.EMPTY_PAGE, "the body is empty")
        if len(page.body) > MAX_BODY or too_deep(page.body):
            return Failure(Reason.PAGE_STRUCTURE_CHANGED, "limit: too large or too deeply nested to be read")
        tree = LexborHTMLParser(page.body if page.is_utf8 else page.text())
        product = tree.css_first(PRODUCT)
        if product is None:
            return _refused(tree, page)
        return _read(product, tree, ctx)


def _refused(tree: LexborHTMLParser, page: Page) -> Failure:
    reason, details = refusal(tree, facts_from_dom(page, tree), has_title=False)
    if reason in (Reason.BLOCKED_PAGE, Reason.EMPTY_PAGE):
        return Failure(reason, details)
    return Failure(Reason.PAGE_STRUCTURE_CHANGED, f"{PRODUCT} is not on the page")


def _read(product: LexborNode, tree: LexborHTMLParser, ctx: Context) -> Extraction:
    values = read_fields(tree, FIELDS)
    if "title" not in values:
        return Failure(Reason.TITLE_NOT_FOUND, FIELDS["title"][0].css)
    values = with_tiers(_without_range(values), product, TIERS)
    values |= _attributes(values["title"][0].raw, product)
    return classify_missing_price(Extracted([Draft("offer", values)], Strategy.ADAPTER), ctx)


def _without_range(values: dict[str, list[Value]]) -> dict[str, list[Value]]:
    """ "$10.00 – $19.00": two amounts side by side are the ends of a range, and none of them the price."""
    if "price_from" not in values:
        return dict(values)
    kept = {field: found for field, found in values.items() if field != "price"}
    return {**kept, "price_from": values.get("price", [])[:1] or values["price_from"]}


def _attributes(title: str, product: LexborNode) -> dict[str, list[Value]]:
    found = {f"attribute.{name}": match[1] for name, pattern in _ATTRIBUTES.items() if (match := pattern.search(title))}
    for row in product.css("table.shop_attributes tr"):
        name, value = row.css_first("th"), row.css_first("td")
        if name is not None and value is not None and text_of(name) and text_of(value):
            found[f"attribute.{_name(text_of(name))}"] = text_of(value)
    return {field: [Value(text, Strategy.ADAPTER, "title or attributes")] for field, text in found.items()}


def _name(label: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", label.lower()).strip("_")
