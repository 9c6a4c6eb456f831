"""Products and prices: search, and every offer with its price now."""

from __future__ import annotations

from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from winnow.console.layout import heading
from winnow.console.registry import page
from winnow.console.view import View
from winnow.console.widgets.cells import cell, money, state, when
from winnow.console.widgets.filters import FilterBar
from winnow.console.widgets.grid import Column, Grid
from winnow.console.widgets.html import link
from winnow.console.widgets.parts import Empty
from winnow.queries import prices
from winnow.queries.offer_state import describe_state
from winnow.queries.search.offers import search
from winnow.queries.search.request import MAX_QUERY, SearchRequest
from winnow.queries.search.server import backend_of

Row = dict[str, Any]
OFFER_COLUMNS = [
    Column("title", "Offer"),
    Column("price", "Price", "right"),
    Column("was", "List price", "right"),
    Column("stock", "Stock"),
    Column("seen", "Last seen"),
    Column("source", "Source"),
]
NONE = Empty(
    "No offers here",
    "Nothing matches, or no page has been accepted yet. Held records are in quarantine.",
    "Watch a page",
    "/add",
)


@page("/products", "Products and prices", group="Catalogue", icon="sell", order=10, key="p")
async def build(view: View) -> None:
    description = "Every offer with its current price, including hidden ones. Open one for its history."
    with heading("Products and prices", description):
        link("CSV", "/exports/offers.csv", cls="w-button")
    with FilterBar(view) as filters:
        q = filters.search("Search", "q", "words, SKU or GTIN")
        stock = filters.choice("Stock", {"": "any", "yes": "in stock", "no": "not in stock"}, "stock")
        source = await filters.source()

    async def load(after: str | None, limit: int) -> tuple[list[Row], str | None]:
        matching: dict[str, Any] = {
            "everything": True,
            "in_stock": {"yes": True, "no": False}.get(stock.value),
            "source_id": await source.id(),
            "after": None if after is None else int(after),
            "limit": limit,
        }
        async with view.reading() as conn:
            if q.wanted:
                return await _search(view, conn, q.wanted, matching)
            found, following = await prices.latest(conn, **matching)
        return [offer_row(offer) for offer in found], following

    grid = filters.above(Grid(view, OFFER_COLUMNS, load, empty=NONE, caption="Offers"))
    await grid.refresh()


async def _search(view: View, conn: AsyncConnection, q: str, matching: dict[str, Any]) -> tuple[list[Row], str | None]:
    stock = {True: ("IN_STOCK",), False: ("OUT_OF_STOCK", "BACKORDER", "UNKNOWN"), None: ()}[matching["in_stock"]]
    request = SearchRequest(
        q=q[:MAX_QUERY],
        everything=True,
        availability=stock,
        source_id=matching["source_id"],
        after=matching["after"] or 0,
        limit=matching["limit"],
        facets=False,
    )
    page = await search(conn, request, backend_of(view.parts.search_server))
    return [offer_row(offer) for offer in page.offers], page.following


def stock(offer: Row) -> Row:
    """The current availability as a badge, with the reason when it is not that of the newest price."""
    note = describe_state(offer)
    badge = state(offer["availability"].lower())
    return badge if note is None else {**badge, "sub": note}


def offer_row(offer: Row) -> Row:
    offer_id = offer["source_product_id"]
    return {
        "id": offer_id,
        "label": offer["title"],
        "title": cell(offer["title"], offer["brand"], path=f"/offers/{offer_id}"),
        "price": money(offer["amount_minor"], offer["currency"]),
        "was": money(offer["list_price_minor"], offer["currency"]),
        "stock": stock(offer),
        "seen": when(offer["last_seen_at"]),
        "source": cell(offer["source_name"], path=f"/sources/{offer['source_id']}"),
    }
