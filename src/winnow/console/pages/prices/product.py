"""One product across shops: what each asks for it, side by side, and the history of each in one chart."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from winnow.console.layout import heading
from winnow.console.pages.prices.history_chart import MAX_LINES, HistoryChart
from winnow.console.pages.prices.products import change_since, stock
from winnow.console.pages.watching.source import parse_id
from winnow.console.pictures import picture_path
from winnow.console.registry import page
from winnow.console.view import View
from winnow.console.widgets import formatting
from winnow.console.widgets.cells import cell, money, sparkline, when, with_picture
from winnow.console.widgets.grid import Column, Grid
from winnow.console.widgets.html import div, quiet
from winnow.console.widgets.parts import Empty, card, facts, figure
from winnow.errors import NotFound
from winnow.queries import products
from winnow.queries.catalogue import price_trends

Row = dict[str, Any]
OFFERS = [
    Column("shop", "Shop"),
    Column("price", "Price", "right"),
    Column("shipping", "Shipping", "right"),
    Column("trend", "30 days"),
    Column("stock", "Stock"),
    Column("seen", "Last seen"),
]
NO_OFFERS = Empty("No offers", "No shop offers this product now.")


@page("/products/{product_id}", "Product", parent="/products")
async def build(view: View, product_id: str) -> None:
    wanted = parse_id(product_id, "product")
    async with view.reading() as conn:
        product = await products.one(conn, wanted, everything=True)
        if product is None:
            raise NotFound(f"there is no product {wanted}")
        offers = await products.offers(conn, wanted, everything=True)
        listed = await _rows(conn, offers)
    codes = " · ".join(filter(None, [product["brand"], product["gtin"], product["mpn"]]))
    with heading(product["name"], codes or "One product, whoever sells it."):
        pass
    currency = _usual_currency(offers)
    same = [offer for offer in offers if offer["currency"] == currency]
    _figures(offers, same, currency)
    with card("Offers", "In stock first, then by price. Matched by product code, never by name.", wide=True):
        await _grid(view, listed)
    names = {offer["source_product_id"]: offer["source_name"] for offer in same}
    await HistoryChart(view, names, currency, product["name"]).draw()
    if len(same) > MAX_LINES:
        quiet(f"The chart shows the first {MAX_LINES} of {len(same)} offers in {currency}.")
    with card("Details"):
        facts({label: product[name] for name, label in _DETAILS.items()})


_DETAILS = {
    "brand": "Brand", "gtin": "GTIN", "mpn": "Part number", "category": "Category", "description": "Description",
    "created_at": "First seen",
}  # fmt: skip


def _figures(offers: list[Row], same: list[Row], currency: str | None) -> None:
    in_stock = [offer["amount_minor"] for offer in same if offer["in_stock"]]
    with div("w-figures"):
        figure("Lowest in stock", formatting.money(min(in_stock, default=None), currency))
        figure("Highest in stock", formatting.money(max(in_stock, default=None), currency))
        figure("Offers", formatting.number(len(offers)))
        figure("In stock", formatting.number(sum(offer["in_stock"] for offer in offers)))


def _usual_currency(offers: list[Row]) -> str | None:
    """That of most offers: prices of different currencies are not drawn on one axis."""
    counted = Counter(offer["currency"] for offer in offers)
    return min(counted, key=lambda name: (-counted[name], name)) if counted else None


async def _grid(view: View, listed: list[Row]) -> None:
    async def load(after: str | None, limit: int) -> tuple[list[Row], str | None]:
        start = int(after or 0)
        return listed[start : start + limit], str(start + limit) if start + limit < len(listed) else None

    await Grid(view, OFFERS, load, empty=NO_OFFERS, caption="Offers of this product").refresh()


async def _rows(conn: AsyncConnection, offers: list[Row]) -> list[Row]:
    known = await price_trends.trends(conn, offers, datetime.now(UTC))
    shown = await price_trends.pictures(conn, [offer["source_product_id"] for offer in offers])
    return [_row(offer, known[offer["source_product_id"]], shown.get(offer["source_product_id"])) for offer in offers]


def _row(offer: Row, trend: price_trends.Trend, picture: tuple[int, str] | None) -> Row:
    offer_id, currency = offer["source_product_id"], offer["currency"]
    shop = cell(offer["source_name"], offer["title"], path=f"/offers/{offer_id}")
    span = (
        " to ".join(formatting.money(m, currency) for m in (min(trend.recent_minor), max(trend.recent_minor)))
        if trend.recent_minor
        else ""
    )
    return {
        "id": offer_id,
        "label": offer["title"],
        "shop": shop if picture is None else with_picture(shop, picture_path(picture[0]), picture[1]),
        "price": money(offer["amount_minor"], currency) | change_since(trend.yesterday_minor, offer["amount_minor"]),
        "shipping": money(offer["shipping_minor"], currency),
        "trend": sparkline(trend.recent_minor, span),
        "stock": stock(offer),
        "seen": when(offer["last_seen_at"]),
    }
